# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Claims of Poly1305."""
from algebra import add, constant
from claims.common import need
from record import Record


# --- Poly1305

P1305 = 2**130 - 5


def power(x, a, n):
    r = constant(1)
    for _ in range(n):
        r = x.multiply(r, a)
    return r


def poly1305(name, lines):
    return lanes(name, lines, 44)


def poly1305_long(name, lines):
    return lanes(name, lines, 26)


def lanes(name, lines, bits):
    r = Record(name, lines, modulus=P1305, named=True)
    x = r.x
    key = {(x.label.index("key"),): 1}
    if name == "powers":
        for i in r.outputs:
            expected = power(x, key, int(i[1:].partition(".")[0])) if i != "p0" else {}
            need(x.modular(add(r.number(i, bits), expected, -1), P1305) == {}, f"{i} is no power")
        return f"{len(r.outputs)} powers of r modulo p"
    return message(r, bits)


def poly1305_wide(name, lines):
    return message(Record(name, lines, modulus=P1305), 64)


def message(r, bits):
    # h = m_1 r^n + ... + m_n r, by Horner's rule, and what was before times r^n
    x, many = r.x, -(-128 // bits)
    key, limbs, expected = {(x.label.index("key"),): 1}, r.inputs["m"], {}
    if "before" in x.label:
        expected = {(x.label.index("before"),): 1}
    for j in range(0, len(limbs), many):
        block = {}
        for k in range(many):
            block = add(block, limbs[j + k], 1 << bits * k)
        expected = x.multiply(add(add(expected, block), constant(1 << 128)), key)
    need(x.modular(add(r.number("h", bits), expected, -1), P1305) == {}, "is not the polynomial")
    return f"the polynomial of {len(limbs) // many} blocks modulo p"
