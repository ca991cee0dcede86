# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Words of bits as terms, the same number for the same normal form.

Rules, each an identity of words: sums are taken modulo 2^width, in any order; xor is a set; rotations and shifts go
through xor, and rotations of rotations add up; majority does not mind the order of what it is given. All else is what
it is called. A term may be pinned: from then on it stands for itself, and what it was is no longer asked.
"""
from algebra import Unproved


class Terms:
    def __init__(self, width):
        self.width, self.mask = width, (1 << width) - 1
        self.number, self.node, self.alias = {}, [], {}

    def make(self, *node):
        if node not in self.number:
            self.number[node] = len(self.node)
            self.node.append(node)
        r = self.number[node]
        return self.alias.get(r, r)

    def pin(self, a):
        """The same word by a name of its own."""
        if self.node[a][0] in ("input", "constant", "pin"):
            return a
        self.alias[a] = self.make("pin", a)
        return self.alias[a]

    def input(self, name, i):
        return self.make("input", name, i)

    def constant(self, x):
        return self.make("constant", x & self.mask)

    def add(self, *terms):
        parts, total = {}, 0
        for a in terms:
            node = self.node[a]
            if node[0] == "constant":
                total += node[1]
            elif node[0] == "sum":
                total += node[2]
                for b, n in node[1]:
                    parts[b] = parts.get(b, 0) + n
            else:
                parts[a] = parts.get(a, 0) + 1
        parts = {b: n & self.mask for b, n in parts.items() if n & self.mask}
        if not parts:
            return self.constant(total)
        if not total & self.mask and list(parts.values()) == [1]:
            return next(iter(parts))
        return self.make("sum", tuple(sorted(parts.items())), total & self.mask)

    def xor(self, *terms):
        parts, total = set(), 0
        for a in terms:
            node = self.node[a]
            if node[0] == "constant":
                total ^= node[1]
            elif node[0] == "xor":
                total ^= node[2]
                parts ^= set(node[1])
            else:
                parts ^= {a}
        if not parts:
            return self.constant(total)
        if not total and len(parts) == 1:
            return parts.pop()
        return self.make("xor", tuple(sorted(parts)), total)

    def move(self, a, name, n):
        kind, *rest = self.node[a]
        if kind == "constant":
            x = rest[0]
            return self.constant(x >> n | (x << self.width - n if name == "ror" else 0))
        if kind == "xor":
            return self.xor(*(self.move(b, name, n) for b in rest[0]), self.move(self.constant(rest[1]), name, n))
        if kind == name == "ror":
            n = (n + rest[1]) % self.width
            return self.make("ror", rest[0], n) if n else rest[0]
        return self.make(name, a, n)

    def ror(self, a, n):
        return self.move(a, "ror", n % self.width) if n % self.width else a

    def rol(self, a, n):
        return self.ror(a, self.width - n)

    def shr(self, a, n):
        return self.move(a, "shr", n)

    def choose(self, a, b, c):
        return self.make("choose", a, b, c)

    def majority(self, a, b, c):
        return self.make("majority", *sorted((a, b, c)))

    def andnot(self, a, b):
        """~a & b"""
        return self.make("andnot", a, b)

    def run(self, lines):
        """Runs a record: its outputs, name -> terms."""
        values, outputs = [], {}
        for line in lines:
            what, *rest = line.split()
            if what.startswith("output:"):
                outputs.setdefault(what.split(":")[1], []).append(values[int(rest[0])])
            elif what.startswith("input:"):
                values.append(self.input(*what.split(":")[1:]))
            else:
                a, b, c, k = (int(i) for i in rest)
                width, _, name = what.removeprefix("word").partition("_")
                if int(width) != self.width:
                    raise Unproved("words of another width")
                value = lambda i: values[i]
                values.append({
                    "constant": lambda: self.constant(k), "add": lambda: self.add(value(a), value(b)),
                    "xor": lambda: self.xor(value(a), value(b)), "ror": lambda: self.ror(value(a), k),
                    "shr": lambda: self.shr(value(a), k), "andnot": lambda: self.andnot(value(a), value(b)),
                    "choose": lambda: self.choose(value(a), value(b), value(c)),
                    "majority": lambda: self.majority(value(a), value(b), value(c)),
                }[name]())
        return outputs
