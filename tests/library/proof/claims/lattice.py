# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Claims of ML-KEM and ML-DSA."""
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


def mlkem(name, lines):
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
        return "a mod q within the reviewed bounds, which are proved"
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
