# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What intrinsics do, by the manuals of their instructions, on vectors that are lists of 64-bit words (terms of Z3).

The four instructions of double-precision arithmetic are in fma.py: they go by what is proved there.
"""
import re

import z3

MASK64 = (1 << 64) - 1


def number(x, bits=64):
    return z3.BitVecVal(x & (1 << bits) - 1, bits)


def whole(words):
    return z3.Concat(*reversed(words)) if len(words) > 1 else words[0]


def lanes(words, bits):
    """The vector's numbers of `bits` bits, the lowest first."""
    if bits == 64:
        return list(words)
    if bits > 64:
        n = bits // 64
        return [whole(words[i:i + n]) for i in range(0, len(words), n)]
    return [z3.Extract(at + bits - 1, at, w) for w in words for at in range(0, 64, bits)]


def vector(values):
    """Of lanes of any one width."""
    bits = values[0].size()
    if bits > 64:
        return [z3.Extract(at + 63, at, v) for v in values for at in range(0, bits, 64)]
    n = 64 // bits
    return [whole(values[i:i + n]) for i in range(0, len(values), n)]


def each(bits, f):
    return lambda *v: vector([f(*l) for l in zip(*(lanes(x, bits) for x in v))])


def blocks(v, f):
    """f on each 128-bit block of vectors."""
    r = []
    for i in range(0, len(v[0]), 2):
        r += f(*(x[i:i + 2] for x in v))
    return r


def by_index(table, index):
    """table[index], an index of bits enough."""
    r = table[0]
    for i, t in enumerate(table[1:], 1):
        r = z3.If(index == i, t, r)
    return r


def ternary(immediate):
    def f(a, b, c):
        r = number(0, a.size())
        for i in range(8):
            if immediate >> i & 1:
                term = z3.BitVecVal(-1, a.size())
                for x, bit in (a, 4), (b, 2), (c, 1):
                    term &= x if i & bit else ~x
                r |= term
        return r
    return f


def bytes_of_block(block, control):
    """VPSHUFB: a byte of the control whose top bit is set gives 0."""
    table, r = lanes(block, 8), []
    for c in lanes(control, 8):
        if z3.is_bv_value(z3.simplify(c)):
            k = z3.simplify(c).as_long()
            r.append(number(0, 8) if k & 128 else table[k & 15])
        else:
            r.append(z3.If(z3.Extract(7, 7, c) == 1, number(0, 8), by_index(table, z3.Extract(3, 0, c))))
    return vector(r)


def pick4(bits, v, immediate):
    """Within each block of 128 bits (32-bit lanes) or the vector's four parts: lane i is lane (immediate >> 2i) & 3."""
    def f(block):
        l = lanes(block, bits)
        return vector([l[immediate >> 2 * i & 3] for i in range(4)])
    return blocks([v], f)


def shuffle128(parts, a, b, immediate):
    l, m, r = lanes(a, 128), lanes(b, 128), []
    bits = 2 if parts == 4 else 1
    for i in range(parts):
        source = l if i < parts // 2 else m
        r.append(source[immediate >> bits * i & (1 << bits) - 1])
    return vector(r)


def permute2x128(a, b, immediate):
    l = lanes(a, 128) + lanes(b, 128)
    return vector([number(0, 128) if immediate >> at & 8 else l[immediate >> at & 3] for at in (0, 4)])


def unpack(bits, high):
    def f(a, b):
        l, m = lanes(a, bits), lanes(b, bits)
        half = len(l) // 2 if high else 0
        return vector([x for i in range(len(l) // 2) for x in (l[half + i], m[half + i])])
    return lambda a, b: blocks([a, b], f)


def shift(bits, f):
    """By an immediate; from the width on, all bits are gone (or are the sign's)."""
    def r(v, n):
        n = n.as_long() if z3.is_bv_value(n) else n
        return vector([f(x, min(n, bits)) for x in lanes(v, bits)])
    return r


def left(x, n):
    return number(0, x.size()) if n >= x.size() else x << n


def logical(x, n):
    return number(0, x.size()) if n >= x.size() else z3.LShR(x, n)


def arithmetic(x, n):
    return x >> min(n, x.size() - 1)


def rotate_left(bits):
    return lambda v, n: vector([z3.RotateLeft(x, n % bits) for x in lanes(v, bits)])


def count(v):
    """The number of bits that a shift takes from a register."""
    x = z3.simplify(v[0])
    return x.as_long()


def test_mask(bits):
    return lambda a, b: [x & y != 0 for x, y in zip(lanes(a, bits), lanes(b, bits))]


def blend(bits):
    return lambda m, a, b: vector([z3.If(k, y, x) for k, x, y in zip(m, lanes(a, bits), lanes(b, bits))])


def low32(x):
    return z3.ZeroExt(32, z3.Extract(31, 0, x))


MEANING = {
    "add_epi64": each(64, lambda a, b: a + b), "sub_epi64": each(64, lambda a, b: a - b),
    "add_epi32": each(32, lambda a, b: a + b), "sub_epi32": each(32, lambda a, b: a - b),
    "mullo_epi64": each(64, lambda a, b: a * b), "mul_epu32": each(64, lambda a, b: low32(a) * low32(b)),
    "or_si": each(64, lambda a, b: a | b), "xor_si": each(64, lambda a, b: a ^ b),
    "and_si": each(64, lambda a, b: a & b), "andnot_si": each(64, lambda a, b: ~a & b),
    "slli_epi64": shift(64, left), "srli_epi64": shift(64, logical), "srai_epi64": shift(64, arithmetic),
    "slli_epi32": shift(32, left), "srli_epi32": shift(32, logical), "srai_epi32": shift(32, arithmetic),
    "sll_epi64": lambda v, n: shift(64, left)(v, count(n)), "srl_epi64": lambda v, n: shift(64, logical)(v, count(n)),
    "sra_epi64": lambda v, n: shift(64, arithmetic)(v, count(n)),
    "ror_epi64": lambda v, n: rotate_left(64)(v, 64 - n), "rol_epi32": rotate_left(32),
    "ternarylogic_epi64": lambda a, b, c, i: each(64, ternary(i))(a, b, c),
    "ternarylogic_epi32": lambda a, b, c, i: each(64, ternary(i))(a, b, c),
    "shuffle_epi8": lambda a, c: blocks([a, c], bytes_of_block),
    "shuffle_epi32": lambda a, i: pick4(32, a, i),
    "shuffle_i64x2": lambda a, b, i: shuffle128(4, a, b, i), "shuffle_i32x4": lambda a, b, i: shuffle128(4, a, b, i),
    "permute2x128_si": permute2x128,
    "permutevar8x32_epi32": lambda a, c: vector([by_index(lanes(a, 32), z3.Extract(2, 0, i)) for i in lanes(c, 32)]),
    "permutex2var_epi64": lambda a, c, b: [by_index(list(a) + list(b), z3.Extract(3, 0, i)) for i in c],
    "unpacklo_epi64": unpack(64, False), "unpackhi_epi64": unpack(64, True),
    "unpacklo_epi32": unpack(32, False), "unpackhi_epi32": unpack(32, True),
    "blendv_pd": lambda a, b, m: [z3.If(z3.Extract(63, 63, k) == 1, y, x) for x, y, k in zip(a, b, m)],
    "mask_blend_epi64": blend(64),
    "movepi64_mask": lambda a: [z3.Extract(63, 63, x) == 1 for x in a],
    "movemask_pd": lambda a: [z3.Extract(63, 63, x) == 1 for x in a],
    "test_epi64_mask": test_mask(64),
    "kor_mask8": lambda a, b: [z3.Or(x, y) for x, y in zip(a, b)],
    "kand_mask8": lambda a, b: [z3.And(x, y) for x, y in zip(a, b)],
    "knot_mask8": lambda a: [z3.Not(x) for x in a],
}


def constants(name, n, numbers):
    """set, set1, setr, setzero: the words of a vector of n words."""
    what, _, lane = name.partition("_")
    bits = int(re.search(r"\d+", lane)[0]) if "epi" in lane else 64
    if what == "setzero":
        return [number(0)] * n
    many = 64 * n // bits
    if what == "set1":
        numbers = numbers * many
    elif what in ("set4", "set"):
        numbers = list(reversed(numbers)) * (many // len(numbers))
    return vector([number(x, bits) for x in numbers])
