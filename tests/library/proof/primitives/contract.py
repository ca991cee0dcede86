# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What vec.h says of each primitive, lane by lane. No lane overflows (tests/library/bound): sums are those of integers.
"""
import z3


def given(name, constant, inputs):
    """What a caller has to keep."""
    a, b = (inputs.get(i, [[]])[0] for i in "ab")
    limb = lambda v: [z3.ULT(x, 1 << 52) for x in v]
    positive = lambda v: [x >= 0 for x in v]
    base = name.split(":")[0]
    if base in ("v8_or", "v8_xor"):
        return positive(a) + positive(b)
    if base in ("v8_srl", "v8_test_bit"):
        return positive(a)
    if base in ("v8_madd52lo", "v8_madd52hi"):
        return limb(inputs["b"][0]) + limb(inputs["c"][0]) if "c" in inputs else []
    if base in ("v8_madd52lo_trunc", "v8_madd52hi_trunc"):
        return limb(inputs["c"][0]) if "c" in inputs else []
    if base == "v8_mul52lo_trunc":
        return limb(b)
    if base == "v8_mul_short":
        return [z3.ULT(x, 1 << 32) for x in a]
    if base == "v8_lookup_shared16":
        return [z3.ULT(x, 16) for x in a]
    if "product" in base or "square" in base:
        return [c for i in "xy" for v in inputs.get(i, []) for c in limb(v)]
    return []


def constant(x):
    return z3.BitVecVal(x, 64)


def reverse_bytes(x):
    return z3.Concat(*(z3.Extract(8 * i + 7, 8 * i, x) for i in range(8)))


def column(p, x, y, k, lane, bits):
    """Column k of a product: low halves of its own products, high halves of those of the column below. At 51 bits by
    FMA they are split there, by IFMA at 52 bits, and the high half counts twice: the low one has 52 bits both times."""
    n, total = len(x), z3.BitVecVal(0, 64)
    split = 51 if bits == 51 and p.backend in ("avx2", "avx512f") else 52
    for i in range(n):
        for j in range(n):
            if i + j == k:
                total += p.half(x[i][lane], y[j][lane], split, "low")
            if i + j == k - 1:
                total += p.half(x[i][lane], y[j][lane], split, "high") * (1 if split == bits else 2)
    return total


def wanted(p):
    """The vectors that the primitive has to give."""
    name, k, i = p.name.split(":")[0], p.constant, p.inputs
    lanes = range(len(p.outputs[0]))
    a, b, c, d = (i.get(n, [None])[0] for n in "abcd")
    each = lambda f: [[f(j) for j in lanes]]
    if name in ("v8_product_from", "v8_square"):
        n, start, plus = (int(x) for x in p.name.split(":")[1:])
        x = i["x"]
        y = i.get("y", x)
        return [[column(p, x, y, col + start, j, k) + (i["r"][col][j] if plus else 0) for j in lanes]
                for col in range(2 * n - start)]
    if name in ("v8_product_folded", "v8_square_folded"):
        x = i["x"]
        y, n = i.get("y", x), len(x)
        return [[column(p, x, y, col, j, k) + 19 * column(p, x, y, col + n, j, k) + (1000 + col) for j in lanes]
                for col in range(n)]
    if name == "w8_load_be":
        return [[reverse_bytes(t[j]) for j in lanes] for t in i["t"]]
    if name == "v8_lookup_shared16":
        table = [w for v in i["t"] for w in v[:len(lanes)]]

        def entry(index):
            r = table[0]
            for e, t in enumerate(table):
                r = z3.If(index == e, t, r)
            return r
        return each(lambda j: entry(a[j]))
    select = lambda m: each(lambda j: z3.If(m(j), c[j], d[j]))
    return {
        "v8_add": lambda: each(lambda j: a[j] + b[j]), "v8_sub": lambda: each(lambda j: a[j] - b[j]),
        "v8_or": lambda: each(lambda j: a[j] | b[j]), "v8_xor": lambda: each(lambda j: a[j] ^ b[j]),
        "v8_low52": lambda: each(lambda j: z3.URem(a[j], 1 << 52)),
        "v8_low": lambda: each(lambda j: z3.URem(a[j], 1 << k)),
        "v8_sll": lambda: each(lambda j: a[j] << k), "v8_sra": lambda: each(lambda j: a[j] >> k),
        "v8_srl": lambda: each(lambda j: z3.UDiv(a[j], z3.BitVecVal(1 << k, 64))),
        "v8_madd52lo": lambda: each(lambda j: a[j] + p.half(b[j], c[j], 52, "low")),
        "v8_madd52hi": lambda: each(lambda j: a[j] + p.half(b[j], c[j], 52, "high")),
        "v8_madd52lo_trunc": lambda: each(lambda j: a[j] + p.half(b[j], c[j], 52, "low")),
        "v8_madd52hi_trunc": lambda: each(lambda j: a[j] + p.half(b[j], c[j], 52, "high")),
        "v8_mul52lo_trunc": lambda: each(lambda j: p.half(a[j], b[j], 52, "low")),
        "v8_madd52lo_pow2": lambda: each(lambda j: a[j] + p.half(b[j], z3.BitVecVal(1 << k, 64), 52, "low")),
        "v8_madd52hi_pow2": lambda: each(lambda j: a[j] + p.half(b[j], z3.BitVecVal(1 << k, 64), 52, "high")),
        # As the halves of a: a c = (2^32 h + l) c.
        "v8_mul_small": lambda: each(lambda j: (
            a[j] * k, p.product32(a[j], constant(k)) + (p.product32(z3.LShR(a[j], 32), constant(k)) << 32))),
        "v8_mul_short": lambda: each(lambda j: p.product32(a[j], constant(k))),
        "v8_set1": lambda: each(lambda j: z3.BitVecVal(0x0123456789abcdef, 64)),
        "v8_zero": lambda: each(lambda j: z3.BitVecVal(0, 64)), "v8_swap_halves": lambda: each(lambda j: a[j ^ 4]),
        "v8_is_negative": lambda: select(lambda j: a[j] < 0), "v8_is_nonzero": lambda: select(lambda j: a[j] != 0),
        "v8_test_bit": lambda: select(lambda j: z3.Extract(k, k, a[j]) == 1),
        "m8_or": lambda: select(lambda j: z3.Or(a[j] < 0, b[j] < 0)),
        "m8_and": lambda: select(lambda j: z3.And(a[j] < 0, b[j] < 0)),
        "m8_not": lambda: select(lambda j: z3.Not(a[j] < 0)),
        "w8_add": lambda: each(lambda j: a[j] + b[j]), "w8_xor3": lambda: each(lambda j: a[j] ^ b[j] ^ c[j]),
        "w8_choose": lambda: each(lambda j: (a[j] & b[j]) ^ (~a[j] & c[j])),
        "w8_majority": lambda: each(lambda j: (a[j] & b[j]) ^ (a[j] & c[j]) ^ (b[j] & c[j])),
        "w8_ror": lambda: each(lambda j: z3.RotateRight(a[j], k)), "w8_srl": lambda: each(lambda j: z3.LShR(a[j], k)),
    }[name]()
