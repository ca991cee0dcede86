# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Does the algebra tell the truth? Runs records with random inputs twice: by plain integers, as src/vec/vec_c.h and the
lattices' portable backends compute, and by what algebra.py says of each line, with each atom what its definition says.
Both must agree on every line. It is a test of the prover, not of kernels.

usage: validate.py DRIVER [ROUNDS]
"""
import random
import re
import subprocess
import sys

from algebra import MASK
from record import Record, read


def wrap(x, bits):
    return (x + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def signed64(k):
    return k - ((k >> 63) << 64)


def split(x, y, k):
    """Where a product may be cut: at 51 bits one lower, if that leaves 52 bits."""
    h = x * y >> k
    return h - 1 if k == 51 and h and (x * y - (h << k)) + (1 << k) <= MASK and random.random() < .5 else h


PLAIN = {
    "constant": lambda k, *_: signed64(k), "add": lambda k, a, b, c: a + b, "sub": lambda k, a, b, c: a - b,
    "times": lambda k, a, b, c: a * k, "short": lambda k, a, b, c: a * k, "limb": lambda k, a, b, c: a,
    "low": lambda k, a, b, c: a % (1 << k), "sra": lambda k, a, b, c: a >> k, "srl": lambda k, a, b, c: a >> k,
    "madd52lo": lambda k, a, b, c: a + (b * c & MASK), "madd52hi": lambda k, a, b, c: a + (b * c >> 52),
    "madd32": lambda k, a, b, c: a + b * c,
    "mul52lo": lambda k, a, b, c: (a & MASK) * b & MASK, "split": lambda k, a, b, c: split(a, b, k),
    "remainder": lambda k, a, b, c: a * b - (c << k), "or": lambda k, a, b, c: a | b, "xor": lambda k, a, b, c: a ^ b,
    "negative": lambda k, a, b, c: int(a < 0), "nonzero": lambda k, a, b, c: int(a != 0),
    "bit": lambda k, a, b, c: a >> k & 1, "select": lambda k, m, a, b: a if m else b,
    "m_or": lambda k, a, b, c: a | b, "m_and": lambda k, a, b, c: a & b, "m_not": lambda k, a, b, c: 1 - a,
    "proved": lambda k, a, b, c: a, "argument": lambda k, a, b, c: a,
    "proved_within": lambda k, a, b, c: a, "fits": lambda k, a, b, c: a,
    "within": lambda k, a, b, c: a, "plus": lambda k, a, b, c: a + signed64(k),
    "signed_product": lambda k, a, b, c: a * b, "signed_high": lambda k, a, b, c: a * b >> k,
    "signed_low": lambda k, a, b, c: wrap(a * b, k), "signed_rounded": lambda k, a, b, c: (a * b + (1 << k - 1)) >> k,
    "low_wrap": lambda k, a, b, c: wrap(a, k), "sub_wrap": lambda k, a, b, c: wrap(a - b, k),
    "signed_and": lambda k, a, b, c: a & k,
}


class Checked(Record):
    def __init__(self, name, lines):
        self.plain, self.value, self.checked = [], [], 0
        super().__init__(name, lines)

    def evaluate(self, a):
        total = 0
        for m, c in a.items():
            for x in m:
                c *= self.value[x]
            total += c
        return total

    def line(self, what, *rest):
        numbers = [int(i) for i in rest]
        before = len(self.n)
        super().line(what, *rest)
        x = self.x
        if what == "montgomery":
            n0, k0 = numbers[:2]
            self.plain[k0] = self.value[max(self.n[k0].a)[0]] = pow(-self.plain[n0], -1, 1 << 52)
            return
        if len(self.n) == before:
            return
        if what.startswith("input:"):
            most, (_, name, i) = numbers[3], what.split(":")
            v = random.choice((0, most, random.randint(0, most), random.randint(0, most)))
            v |= name == "n" and i == "0" and not self.x.inverse
            self.plain.append(v)
            self.value.append(v)
            return
        a, b, c, k = numbers
        self.plain.append(PLAIN[what](k, *(self.plain[i] if 0 <= i < len(self.plain) else 0 for i in (a, b, c))))
        while len(self.value) < len(x.label):
            i = len(self.value)
            d, label = x.definition[i], x.label[i]
            if label in ("split", "other", "nonzero"):
                self.value.append(self.plain[-1])
                if label == "split":
                    self.value.append(self.evaluate(d[1]) - (self.plain[-1] << d[2]))
            elif d[0] == "cut":
                n = self.evaluate(d[1])
                self.value += [n >> d[2], n % (1 << d[2])]
            elif d[0] == "sign":
                n = self.evaluate(d[1])
                self.value += [int(n < 0), n + (int(n < 0) << d[2])]
            elif d[0] == "exact":
                n = self.evaluate(d[1])
                assert n % (1 << d[2]) == 0, f"{self.name}: an exact carry is none"
                self.value.append(n >> d[2])
            else:
                self.value.append(self.evaluate(d[1]))
            for j in range(i, len(self.value)):
                assert x.low[j] <= self.value[j] <= x.high[j], f"{self.name}: {x.label[j]} leaves its bounds"
        n, v = self.n[-1], self.plain[-1]
        assert self.evaluate(n.a) == v, f"{self.name}, line {before}: {what} is {v:#x}"
        stated = what in ("proved", "argument", "proved_within")
        assert stated or n.low <= v <= n.high, f"{self.name}, line {before}: {what} out of bounds"
        self.checked += 1


def main():
    text = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    text = re.sub(r"^enter .*\n", "", text, flags=re.M)
    checked = 0
    for name, lines in read(text).items():
        for _ in range(int(sys.argv[2]) if sys.argv[2:] else 3):
            checked += Checked(name, lines).checked
    print(f"{checked} lines agree")


if __name__ == "__main__":
    main()
