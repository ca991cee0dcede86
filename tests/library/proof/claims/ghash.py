# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Claims of GHASH (NIST SP 800-38D): polynomials over GF(2) in the bits of blocks.

A bit is a set of monomials of degree 2 at the most in the bits of inputs, a number whose bit i * N + j says whether
x_i x_j is in it; x_0 is 1. A block has the bytes of SP 800-38D reversed: bit n is the coefficient of x^(127-n).
"""
from algebra import Unproved
from claims.common import need

REDUCED = 0x87  # x^128 = x^7 + x^2 + x + 1


class Bits:
    def __init__(self, inputs):
        self.n = 1 + 128 * inputs

    def input(self, i):
        return [1 << 1 + 128 * i + n for n in range(128)]

    def product(self, a, b):
        """Of two bits of degree 1, or of any with a constant."""
        for c, d in (a, b), (b, a):
            if c in (0, 1):
                return d if c else 0
        if a >> self.n or b >> self.n:
            raise Unproved("a product of products")
        r = 0
        while a:
            i = (a & -a).bit_length() - 1
            a &= a - 1
            rest = b
            while rest:
                j = (rest & -rest).bit_length() - 1
                rest &= rest - 1
                r ^= 1 << (min(i, j) * self.n + max(i, j) if i and j else max(i, j))
        return r

    def carry_less(self, a, b):
        r = [0] * 128
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                if x and y:
                    r[i + j] ^= self.product(x, y)
        return r


def run(lines, field):
    """The outputs of a record; `field` gives values to what it does."""
    values, outputs, inputs = [], {}, 0
    for line in lines:
        what, *rest = line.split()
        if what.startswith("output:"):
            outputs.setdefault(what.split(":")[1], []).append(values[int(rest[0])])
        elif what.startswith("input:"):
            values.append(field["input"](what.split(":")[1], inputs))
            inputs += 1
        else:
            a, b, _, k = (int(i) for i in rest)
            values.append(field[what.removeprefix("block_")](values[a] if a < len(values) else None,
                                                             values[b] if b < len(values) else None, k))
    return outputs


def xor(a, b):
    return [x ^ y for x, y in zip(a, b)]


def bits_of(k):
    return [k >> i & 1 for i in range(64)]


def times_x(a):
    """The field element a, bit n the coefficient of x^(127-n), times x."""
    over = a[0]  # x^127
    r = a[1:] + [0]
    return [r[n] ^ (over if REDUCED >> 127 - n & 1 else 0) for n in range(128)]


def ghash(name, lines):
    if name == "expand":
        return expand(lines)
    bits = Bits(sum(line.startswith("input:") for line in lines))
    order = []
    field = {
        "input": lambda what, i: (order.append(what), bits.input(i))[1], "xor": lambda a, b, k: xor(a, b),
        "low": lambda a, b, k: bits_of(k) + [0] * 64, "high": lambda a, b, k: [0] * 64 + bits_of(k),
        "swap": lambda a, b, k: a[64:] + a[:64],
        "lower": lambda a, b, k: a[:64] + b[:64], "upper": lambda a, b, k: a[64:] + b[64:],
        "product": lambda a, b, k: bits.carry_less(a[64:] if k & 1 else a[:64], b[64:] if k & 2 else b[:64]),
    }
    (got,) = run(lines, field)["r"]
    x, h = ([bits.input(i) for i, n in enumerate(order) if n == m] for m in "xh")
    many = 2 if name.startswith("pair") else len(x)
    want = [0] * 128
    for i in range(many):
        # The product times x: h, ..., x^127 h, each for a bit of x. Powers of a key are divided by x, so it cancels.
        power = times_x(h[i])
        for n in range(127, -1, -1):
            for m in range(128):
                want[m] ^= bits.product(power[m], x[i][n])
            power = times_x(power)
    need(got == want, "is not the field's product")
    return f"the sum of {many} products in GCM's field, times x"


def expand(lines):
    """Powers as exponents: (e, how often divided by x)."""
    field = {"input": lambda what, i: (1, 0), "double": lambda a, b, k: (a[0], a[1] + 1),
             "field": lambda a, b, k: (a[0] + b[0], a[1] + b[1] - 1), "xor": lambda a, b, k: ("xor", a, b),
             "lower": lambda a, b, k: ("lower", a, b), "upper": lambda a, b, k: ("upper", a, b)}
    got = run(lines, field)
    need(got["power"] == [(40 - i, 1) for i in range(40)], "powers")
    wide = [(8 - i, 1) for i in range(8)]
    need(got["wide"] == wide, "the powers of groups")
    pairs = [(wide[i], wide[i + 1]) for i in range(0, 8, 2)]
    need(got["middle"] == [("xor", ("lower", a, b), ("upper", a, b)) for a, b in pairs], "middle factors")
    return "H^1 .. H^40, each divided by x, by exponents"
