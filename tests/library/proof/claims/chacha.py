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
    r = Record(name, lines, modulus=P1305)
    x = r.x
    key = {(x.label.index("key"),): 1}
    if name == "powers":
        for i in r.outputs:
            expected = power(x, key, int(i[1:])) if i != "p0" else {}
            need(x.modular(add(r.number(i, 44), expected, -1), P1305) == {}, f"{i} is no power")
        return f"{len(r.outputs)} powers of r modulo p"
    # h = m_1 r^n + ... + m_n r, by Horner's rule
    limbs, expected = r.inputs["m"], {}
    for j in range(0, len(limbs), 3):
        block = add(add(limbs[j], limbs[j + 1], 1 << 44), limbs[j + 2], 1 << 88)
        expected = x.multiply(add(add(expected, block), constant(1 << 128)), key)
    need(x.modular(add(r.number("h", 44), expected, -1), P1305) == {}, "is not the polynomial")
    return f"the polynomial of {len(limbs) // 3} blocks modulo p"
