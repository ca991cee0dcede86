# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Claims of ML-KEM and ML-DSA."""
import numpy

import exhaust
from algebra import add, constant, times
from claims.common import need
from record import Record


# --- Transforms of lattices

def linear(r, name, inputs, q, low):
    """Outputs modulo q as {input: coefficient}, for inputs that stand for themselves plus `low`."""
    place = {m: i for i, a in enumerate(r.inputs[inputs]) for m in a}
    out = []
    for n in r.outputs[name]:
        row = {}
        for m, c in r.x.modular(n.a, q).items():
            need(m in place or m == (), "a cut is left")
            row[place.get(m, "1")] = c
        # a = input + low
        row["1"] = (row.get("1", 0) - low * sum(c for i, c in row.items() if i != "1")) % q
        need(row.pop("1") == 0, "a constant is left")
        out.append(row)
    return out


def every(low, high):
    return numpy.arange(high - low + 1, dtype=numpy.int64)


def compression(name, lines):
    """FIPS 203, 4.2.1: round(2^d / q x) mod 2^d, and round(q / 2^d y); halves go up."""
    q, d = 3329, int(name.removeprefix("de").removeprefix("compress"))
    r = exhaust.outputs(lines)["r"]
    if name.startswith("de"):
        y = every(0, 2**d - 1)
        need((r({"a": y}) == (2 * q * y + 2**d) // 2**(d + 1)).all(), "is not rounded")
        return f"round(q / 2^{d} y), all y"
    most = 8191 if d == 11 else 16383
    x = every(-most, most)
    need((r({"a": x}) == (2**(d + 1) * (x - most) + q) // (2 * q) % 2**d).all(), "is not rounded")
    return f"round(2^{d} / q x) mod 2^{d}, all x of -{most} .. {most}"


def mlkem(name, lines):
    if "compress" in name:
        return compression(name, lines)
    q, r = 3329, Record(name, lines)
    reverse = lambda i: int(f"{i:07b}"[::-1], 2)
    gamma = [pow(17, 2 * reverse(i) + 1, q) for i in range(128)]
    if name in ("forward", "backward"):
        for inputs, name_out in ("a", "ra"), ("b", "rb"):
            rows = linear(r, name_out, inputs, q, -q if name == "forward" else -4000)
            for i in range(256):
                if name == "forward":
                    # FIPS 203, 4.3: numbers 2i and 2i+1 are the polynomial modulo X^2 - gamma_i
                    want = {2 * j + i % 2: pow(gamma[i // 2], j, q) for j in range(128)}
                else:
                    scale = pow(128, -1, q) * 2**16
                    want = {2 * j + i % 2: scale * pow(gamma[j], -(i // 2), q) % q for j in range(128)}
                need(rows[i] == want, f"number {i}")
        top = max(max(-n.low, n.high) for n in r.outputs["ra"])
        return f"the transform of FIPS 203{' back, times 2^16' if name == 'backward' else ''}, modulo q, up to {top}"
    x = r.x
    if name in ("reduce", "canonical"):
        for a, n in zip(r.inputs["a"], r.outputs["r"]):
            a = add(a, constant(-32768))
            d = add(n.a, a, -1)
            need(x.modular(d, q) == {}, "a mod q")
            need(n.low >= (0 if name == "canonical" else -2187), "from")
            need(n.high <= (q - 1 if name == "canonical" else 2187), "to")
        return "a mod q within the stated bounds"
    # 2^16 r = sum of a * b modulo X^2 - gamma_i
    for i in range(256):
        want = {}
        for j in range(4):
            a, b = r.inputs[f"a{j}"], [add(y, constant(-17000)) for y in r.inputs[f"b{j}"]]
            k = i // 2 * 2
            if i % 2 == 0:
                want = add(want, x.multiply(a[k], b[k]))
                want = add(want, x.multiply(a[k + 1], b[k + 1]), gamma[k // 2])
            else:
                want = add(want, x.multiply(a[k], b[k + 1]))
                want = add(want, x.multiply(a[k + 1], b[k]))
        need(x.modular(add(times(r.outputs["r"][i].a, 2**16), want, -1), q) == {}, f"number {i}")
    return "2^16 r = the product modulo X^2 - gamma, modulo q"


def mldsa(name, lines):
    q, r = 8380417, Record(name, lines)
    x = r.x
    reverse = lambda i: int(f"{i:08b}"[::-1], 2)
    root = [pow(1753, 2 * reverse(i) + 1, q) for i in range(256)]
    # The order of a pair of vectors: even numbers before odd ones.
    order = [32 * (i // 32) + 2 * (i % 16) + (i % 32) // 16 for i in range(256)]
    if name in ("forward", "backward"):
        rows = linear(r, "r", "a", q, -q)
        for i in range(256):
            if name == "forward":
                want = {j: pow(root[order[i]], j, q) for j in range(256)}
            else:
                scale = pow(256, -1, q) * 2**32
                want = {j: scale * pow(root[order[j]], -i, q) % q for j in range(256)}
            need(rows[i] == want, f"number {i}")
        top = max(max(-n.low, n.high) for n in r.outputs["r"])
        return f"the transform of FIPS 204{' back, times 2^32' if name == 'backward' else ''}, modulo q, up to {top}"
    if name == "order":
        need(all(n.a == r.inputs["a"][order[i]] for i, n in enumerate(r.outputs["r"])), "the order")
        return "the order of transforms"
    for i, n in enumerate(r.outputs["r"]):
        a, b = (add(r.inputs[s][i], constant(-6 * q)) for s in "ab")
        want = x.multiply(add(a, r.inputs["c"][i]), b)
        need(x.modular(add(times(n.a, 2**32), want, -1), q) == {}, f"number {i}")
    return "2^32 r = the sum of products, modulo q"


def decomposed(r, q, gamma2):
    """FIPS 204, algorithm 36."""
    r0 = (r + gamma2 - 1) % (2 * gamma2) - gamma2 + 1
    last = r - r0 == q - 1
    return numpy.where(last, 0, (r - r0) // (2 * gamma2)), numpy.where(last, r0 - 1, r0)


def mldsa_code(highs):
    q = 8380417
    gamma2 = (q - 1) // (2 * highs)

    def prove(name, lines):
        if name not in ("decompose", "round", "canonical", "hint"):
            return mldsa(name, lines)
        f = exhaust.outputs(lines)
        r = every(0, q - 1)
        if name == "decompose":
            high, low = decomposed(r, q, gamma2)
            need((f["high"]({"a": r}) == high).all() and (f["low"]({"a": r}) == low).all(), "Decompose")
            need((f["same"]({"a": r}) == high).all(), "UseHint without a hint")
            # Algorithm 40
            need((f["up"]({"a": r}) == numpy.where(low > 0, high + 1, high - 1) % highs).all(), "UseHint")
            return "Decompose and UseHint, all r"
        if name == "round":
            low = (r + 4095) % 8192 - 4095  # algorithm 35
            need((f["t0"]({"a": r}) == low).all() and (f["t1"]({"a": r}) == (r - low) // 8192).all(), "Power2Round")
            return "Power2Round, all t"
        if name == "canonical":
            a = every(1 - q, q - 1)
            need((f["r"]({"a": a}) == (a + 1 - q) % q).all(), "mod q")
            return "a mod q, all a of 1 - q .. q - 1"
        # Algorithm 39, for r of the high part h and a sum r0 + z below two intervals
        a = every(1 - 2 * gamma2, 2 * gamma2 - 1)
        for h in range(highs):
            want = decomposed((2 * gamma2 * h + a + 1 - 2 * gamma2) % q, q, gamma2)[0] != h
            need((f["r"]({"a": a, "h": numpy.full_like(a, h)}) == want).all(), f"MakeHint at {h}")
        return "MakeHint, all high parts and sums"
    return prove


mldsa44, mldsa65 = mldsa_code(44), mldsa_code(16)
