# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What claims share."""
from algebra import Unproved


def need(condition, what):
    if not condition:
        raise Unproved(what)


class Field:
    """Polynomials modulo p in named numbers, as dicts {sorted tuple of names: coefficient}."""

    def __init__(self, p):
        self.p = p

    def constant(self, c):
        return {(): c % self.p} if c % self.p else {}

    def symbol(self, name):
        return {(name,): 1}

    def sum(self, *terms):
        r = {}
        for a, k in terms:
            for m, c in a.items():
                c = (r.get(m, 0) + k * c) % self.p
                r[m] = c
                if not c:
                    del r[m]
        return r

    def product(self, *factors):
        r = {(): 1}
        for a in factors:
            s = {}
            for m, c in r.items():
                for n, d in a.items():
                    k = tuple(sorted(m + n))
                    s[k] = (s.get(k, 0) + c * d) % self.p
            r = {m: c for m, c in s.items() if c}
        return r

    def power(self, a, n):
        return self.product(*[a] * n)

    def substitute(self, a, values):
        r = {}
        for m, c in a.items():
            term = {(): c}
            for x in m:
                term = self.product(term, values.get(x, {(x,): 1}))
            r = self.sum((r, 1), (term, 1))
        return r


def coordinates(r, names, bits, f, montgomery=1):
    """Outputs as polynomials in the symbols of inputs. In Montgomery form a product of d numbers has R^(1-d) with it,
    for numbers that are all R times what they mean."""
    inverse = pow(montgomery, -1, f.p)
    out = {}
    for i in names:
        a, b = r.x.modular(r.number(i, bits), f.p), {}
        for m, c in a.items():
            symbols = tuple(r.x.label[x] for x in m)
            d = sum(s[0].isupper() for s in symbols)
            need(all(s[0].isupper() or s in ("mask", "negative0", "change0") for s in symbols), f"{i} has limbs")
            b[tuple(sorted("m" if not s[0].isupper() else s for s in symbols))] = \
                c * pow(montgomery, d - 1, f.p) % f.p if d else c * inverse % f.p
        out[i] = b
    return out


