# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Integers as polynomials: what a record of vector operations says of the numbers in it.

A polynomial is a dict {monomial: coefficient}; a monomial is a sorted tuple of atoms, () the constant. An atom is an
unknown integer with bounds: an input, or one of these, which operations bring in:

  cut        q = floor(N / 2^k) for a polynomial N; r = N - 2^k q, of 0 .. 2^k-1, is its remainder, an atom too
  sign       1 where N < 0, else 0
  name       of a polynomial that is multiplied: so products stay products of two atoms
  exact      N / 2^k where that is known to be an integer: Montgomery's carries
  other      what nothing is said of but bounds

Everything else is linear. Equal polynomials are cut once: then halves and carries that are made twice cancel.
"""
import heapq
from collections import defaultdict

MASK = (1 << 52) - 1
MOST_TERMS = 2000  # right code has at most some 800


class Unproved(Exception):
    pass


def add(a, b, factor=1):
    """a + factor * b"""
    r = dict(a)
    for m, c in b.items():
        c = r.get(m, 0) + factor * c
        if c:
            r[m] = c
        else:
            r.pop(m, None)
    return r


def times(a, factor):
    return {m: c * factor for m, c in a.items()} if factor else {}


def constant(x):
    return {(): x} if x else {}


def is_constant(a):
    return not a or (len(a) == 1 and () in a)


def value(a):
    return a.get((), 0)


def key(a):
    return frozenset(a.items())


def twos(x):
    """How often 2 divides x."""
    return (x & -x).bit_length() - 1


class Algebra:
    def __init__(self, eager=False):
        self.eager = eager  # a remainder is an atom at once, not N - 2^k q
        self.merge = False  # cuts of cuts are one cut, and what is below a cut is left out of it
        self.label, self.low, self.high, self.definition = [], [], [], []
        self.cuts, self.names, self.signs, self.exacts, self.multiples = {}, {}, {}, {}, {}
        self.montgomery = {}  # key of T -> (m, n0): m = T * k0 mod 2^52
        self.congruent = {}  # a multiple modulo 2^52 -> a polynomial that it is congruent to
        self.inverse = {}  # atom of k0 -> n0
        self.groups = {}  # limb of a number -> what it is modulo the prime, by the number and its other limbs
        self.powers = None  # or atom -> what powers of which atoms it is
        self.masks = set()  # atoms that are 0 or 1, and squared as such; never replaced by what they are defined by

    def atom(self, label, low, high, definition=None):
        self.label.append(label)
        self.low.append(low)
        self.high.append(high)
        self.definition.append(definition)
        return len(self.label) - 1

    # --- polynomials

    def monomial(self, m, n):
        """The product of two monomials; x*x = x for masks."""
        if not m or not n:
            return m or n
        r = sorted(m + n)
        if len(set(r)) < len(r):
            r = [x for i, x in enumerate(r)
                 if i == 0 or x != r[i - 1] or x not in self.masks]
        return tuple(r)

    def multiply(self, a, b):
        r = defaultdict(int)
        for m, c in a.items():
            for n, d in b.items():
                r[self.monomial(m, n)] += c * d
        return {m: c for m, c in r.items() if c}

    def interval(self, a):
        low = high = 0
        for m, c in a.items():
            l = h = c
            for x in m:
                p = (l * self.low[x], l * self.high[x], h * self.low[x], h * self.high[x])
                l, h = min(p), max(p)
            low, high = low + l, high + h
        return low, high

    # --- operations that are not polynomials

    def sign(self, a, bounds):
        """1 where a < 0."""
        low, high = self.interval(a)
        low, high = max(low, bounds[0]), min(high, bounds[1])
        if low >= 0 or high < 0:
            return constant(1 if high < 0 else 0)
        if len(a) == 1 and low == -1 and high == 0:
            return times(a, -1)
        k = key(a)
        if k not in self.signs:
            bits = max(-low - 1, high).bit_length()
            self.signs[k] = self.atom("sign", 0, 1)
            self.masks.add(self.signs[k])
            self.definition[self.signs[k]] = "sign", a, bits, self.atom("rest", 0, (1 << bits) - 1)
        return {(self.signs[k],): 1}

    def cut(self, a, bits, bounds=None, signs=True):
        """floor(a / 2^bits). `bounds`: where a is known to be."""
        if bits == 0:
            return a
        low, high = self.interval(a)
        if bounds:
            low, high = max(low, bounds[0]), min(high, bounds[1])
        if 0 <= low and high < 1 << bits:
            return {}
        if signs and -1 << bits <= low and high < 1 << bits:
            return times(self.sign(a, (low, high)), -1)
        whole, rest = {}, {}
        for m, c in a.items():
            if c >> bits:
                whole[m] = c >> bits
            if c & (1 << bits) - 1:
                rest[m] = c & (1 << bits) - 1
        if not rest:
            return whole
        if self.congruent and any(x in self.congruent for m in rest for x in m) and self.divisible(rest, bits):
            return add(whole, self.exact(rest, bits))
        # floor((2^j w + c) / 2^k) = floor((w + floor(c / 2^j)) / 2^(k-j))
        j = min((twos(c) for m, c in rest.items() if m), default=bits)
        if j == bits:
            return whole
        rest = {m: c >> j for m, c in rest.items() if c >> j}
        bits -= j
        if self.merge:
            flat, more = self.flat(rest)
            if more:
                return add(whole, self.cut(flat, bits + more))
            # floor((2^j A + c) / 2^k) = floor(A / 2^(k-j)) for c of 0 .. 2^j-1
            for j in sorted({twos(c) for c in rest.values()}, reverse=True):
                below = {m: c for m, c in rest.items() if twos(c) < j}
                low, high = self.interval(below)
                if below and j <= bits and 0 <= low and high < 1 << j:
                    return add(whole, self.cut({m: c >> j for m, c in rest.items() if m not in below}, bits - j))
        k = key(rest), bits
        if k not in self.cuts:
            low, high = self.interval(rest)
            if 0 <= low and high < 1 << bits:
                return whole
            q = self.atom("cut", low >> bits, high >> bits)
            r = self.atom("rest", 0, (1 << bits) - 1)
            self.definition[q] = ("cut", rest, bits, r)
            self.names[key(add(rest, {(q,): -1 << bits}))] = r
            self.cuts[k] = q
        return add(whole, {(self.cuts[k],): 1})

    def divisible(self, a, bits):
        """Whether 2^bits divides a, as multiples (`multiple`) are what they are modulo 2^52."""
        while True:
            a = {m: c & (1 << bits) - 1 for m, c in a.items() if c & (1 << bits) - 1}
            x = max((x for m in a for x in m if x in self.congruent), default=None)
            if x is None:
                return not a
            r = {}
            for m, c in a.items():
                if x in m:
                    i = m.index(x)
                    r = add(r, self.multiply({m[:i] + m[i + 1:]: c}, self.congruent[x]))
                else:
                    r = add(r, {m: c})
            a = r

    def split(self, a, bits, most):
        """A number near a / 2^bits, such that a less 2^bits times it has 52 bits; another one each time. At 52 bits
        it is the high half, no other: kernels make high and low columns of the same products in different ways."""
        if bits == 52:
            return self.cut(a, 52, (0, most << 52 | MASK))
        q = self.atom("split", 0, most)
        r = self.atom("rest", 0, MASK)
        self.definition[q] = ("cut", a, bits, r)
        self.names[key(add(a, {(q,): -1 << bits}))] = r
        return {(q,): 1}

    def rest(self, a, bits, bounds=None):
        """a mod 2^bits"""
        r = add(a, self.cut(a, bits, bounds), -1 << bits)
        return self.name(r, (0, (1 << bits) - 1)) if self.eager else r

    def name(self, a, bounds):
        """a as a multiple of one atom."""
        if is_constant(a):
            return a
        j = min(twos(c) for c in a.values())
        a = {m: c >> j for m, c in a.items()}
        bounds = -(-bounds[0] >> j), bounds[1] >> j
        if len(a) == 1:
            (m, c), = a.items()
            if len(m) == 1 and c == 1:
                return {m: 1 << j}
        k = key(a)
        if k not in self.names:
            self.names[k] = self.atom("name", bounds[0], bounds[1], ("name", a))
        x = self.names[k]
        self.low[x], self.high[x] = max(self.low[x], bounds[0]), min(self.high[x], bounds[1])
        return {(x,): 1 << j}

    def mask(self, a):
        """A number that is 0 or 1, as a mask."""
        if is_constant(a) or len(a) == 1 and max(a)[0] in self.masks:
            return a
        k = key(a)
        if k not in self.signs:
            self.signs[k] = self.atom("mask", 0, 1, ("mask", a))
            self.masks.add(self.signs[k])
        return {(self.signs[k],): 1}

    def carry_mask(self, a):
        """A carry that is 0 or 1, as a mask: from now on it is no longer told by its remainder, but that by it."""
        if len(a) == 1 and a.get(max(a)) == 1 and len(max(a)) == 1 and self.label[max(a)[0]] == "cut":
            q = max(a)[0]
            if self.definition[q]:
                _, n, bits, r = self.definition[q]
                self.definition[q], self.definition[r] = None, ("name", add(n, {(q,): -1 << bits}))
                self.masks.add(q)
            return a
        return self.mask(a)

    def product(self, a, b, a_bounds, b_bounds):
        if is_constant(a) or is_constant(b):
            return times(a, value(b)) if is_constant(b) else times(b, value(a))
        return self.multiply(self.name(a, a_bounds), self.name(b, b_bounds))

    def exact(self, a, bits):
        """a / 2^bits, an integer."""
        if all(c & (1 << bits) - 1 == 0 for c in a.values()):
            return {m: c >> bits for m, c in a.items()}
        k = key(a), bits
        if k not in self.exacts:
            low, high = self.interval(a)
            self.exacts[k] = self.atom("exact", low >> bits, high >> bits, ("exact", a, bits))
        return {(self.exacts[k],): 1}

    def multiple(self, t, k0):
        """m = t * k0 mod 2^52, remembered as what makes t + n0 * m divisible by 2^52."""
        a = self.product(self.rest(t, 52), k0, (0, MASK), (0, MASK))
        m = self.name(add(a, self.cut(a, 52), -1 << 52), (0, MASK))
        if is_constant(k0):
            if len(m) == 1 and m.get(max(m)) == 1 and len(max(m)) == 1:
                self.congruent[max(m)[0]] = times(t, value(k0))
            n0 = constant(pow(-value(k0), -1, 1 << 52))
        else:
            n0 = self.inverse.get(key(k0))
        if n0 is not None:
            self.montgomery[key(t)] = m, n0
            self.multiples[key(m)] = t, n0
        return m

    def low_multiple(self, m, bits):
        """The low bits of such an m clear as many of t: t + (n0 * it mod 2^52) is divisible by 2^bits."""
        r = self.rest(m, bits, (0, MASK))
        if key(m) in self.multiples:
            t, n0 = self.multiples[key(m)]
            p = self.product(n0, r, (0, MASK), (0, MASK))
            whole = add(t, add(p, self.cut(p, 52), -1 << 52))
            self.exacts[key(whole), bits] = self.atom("exact", -1 << 63, 1 << 63, ("exact", whole, bits))
        return r

    def shift(self, a, bits, bounds=None):
        """floor(a / 2^bits), where it may be an exact carry. For t with a multiple m: t + (n0 * m mod 2^52) is
        divisible by 2^52, and what was added is of 0 .. 2^52-1, so it is 2^52 * floor((t + 2^52-1) / 2^52)."""
        if (key(a), bits) in self.exacts:
            return {(self.exacts[key(a), bits],): 1}
        if bits == 52:
            t = add(a, constant(-MASK))
            if key(t) in self.montgomery:
                m, n0 = self.montgomery[key(t)]
                p = self.product(n0, m, (0, MASK), (0, MASK))
                return self.exact(add(t, add(p, self.cut(p, 52), -1 << 52)), 52)
        return self.cut(a, bits, bounds)

    # --- what follows

    def normal(self, a, names=True, signs=False):
        """(b, k): a = b / 2^k, with b in inputs, remainders and signs; names are kept without `names`, and signs are
        told by remainders with `signs`."""
        kinds = {"cut", "exact"} | ({"name"} if names else set()) | ({"sign"} if signs else set())
        done, scale = {}, 0
        index, heap = defaultdict(set), []

        def put(m, c):
            c += done.get(m, 0)
            if c:
                done[m] = c
                for x in set(m):
                    if self.definition[x] and self.definition[x][0] in kinds:
                        if not index[x]:
                            heapq.heappush(heap, -x)
                        index[x].add(m)
            else:
                done.pop(m, None)

        for m, c in a.items():
            put(self.monomial(m[:1], m[1:]), c)
        while heap:
            x = -heapq.heappop(heap)
            terms = [(m, done.pop(m)) for m in index.pop(x, ()) if m in done]
            if not terms:
                continue
            kind, numerator, *more = self.definition[x]
            bits = more[0] if more else 0
            if kind == "cut":
                numerator = add(numerator, {(more[1],): -1})
            elif kind == "sign":
                numerator = add({(more[1],): 1}, numerator, -1)
            missing = bits - min(twos(c) for m, c in terms)
            if missing > 0:
                scale += missing
                for m in done:
                    done[m] <<= missing
                terms = [(m, c << missing) for m, c in terms]
            for m, c in terms:
                i = m.index(x)
                others = m[:i] + m[i + 1:]
                for n, d in numerator.items():
                    put(self.monomial(others, n), (c >> bits) * d)
        return done, scale

    def modular(self, a, modulus):
        """a modulo an odd number, in symbols of whole numbers (`group`), where limbs cancel."""
        done, index, heap = {}, defaultdict(set), []

        def put(m, c):
            c = (c + done.get(m, 0)) % modulus
            if c:
                done[m] = c
                for x in m:
                    if self.groups.get(x, self.definition[x] and self.definition[x][0] not in ("sign", "mask")):
                        if not index[x]:
                            heapq.heappush(heap, -x)
                        index[x].add(m)
            else:
                done.pop(m, None)

        for m, c in a.items():
            put(self.monomial(m[:1], m[1:]), c)
        while heap:
            if len(done) > MOST_TERMS:
                raise Unproved("limbs do not cancel")
            x = -heapq.heappop(heap)
            terms = [(m, done.pop(m)) for m in index.pop(x, ()) if m in done]
            if not terms:
                continue
            if x in self.groups:
                by = self.groups[x]
            else:
                kind, by, *more = self.definition[x]
                if more:
                    if kind == "cut":
                        by = add(by, {(more[1],): -1})
                    by = times(by, pow(2, -more[0], modulus))
            for m, c in terms:
                i = m.index(x)
                others = m[:i] + m[i + 1:]
                for n, d in by.items():
                    put(self.monomial(others, n), c * d)
        return done

    def group(self, limbs, weights, modulus, symbol=None):
        """Limbs of one number, which is known modulo the prime, or is the input `symbol`: from now on the first limb is
        told by it and the others, whatever they are. What the limbs were is no longer asked."""
        value, members = {}, []
        for (a, bounds), w in zip(limbs, weights):
            value = add(value, a, 1 << w)
            a = self.name(a, bounds)
            if not is_constant(a):
                members.append((max(a)[0], a[max(a)] << w))
        if not members or members[0][0] in self.groups:
            return
        if symbol:
            value = {(self.atom(symbol, 0, 0),): 1}
        else:
            value = self.modular(value, modulus)
            if self.powers is not None:
                value = self.power(value)
        (first, w), *others = members
        if any(x in m for m in value for x, _ in members):
            return  # they are as free as inputs
        by = dict(value)
        for x, v in others:
            by = add(by, {(x,): -v})
        self.groups[first] = times(by, pow(w, -1, modulus))
        for x, _ in others:
            self.groups.setdefault(x, None)

    def power(self, a):
        """A product of powers of an input is a power: one atom for it, however high."""
        if len(a) != 1 or a[max(a)] != 1:
            return a
        total = {}
        for x in max(a):
            for base, n in self.powers.get(x, ((x, 1),)):
                total[base] = total.get(base, 0) + n
        x = self.atom("power", 0, 0)
        self.powers[x] = tuple(total.items())
        return {(x,): 1}

    def bounds(self, a, signs=False):
        """Of the integer a, by its normal form."""
        b, scale = self.normal(a, False, signs)
        low, high = self.interval(b)
        return -(-low >> scale), high >> scale

    def is_zero(self, a, modulus=0):
        b, _ = self.normal(a)  # modulus is odd: 2^k makes no difference
        return all(c % modulus == 0 for c in b.values()) if modulus else not b

    def flat(self, a):
        """(N, k): a = floor(N / 2^k), cuts of cuts made one: floor((A + floor(N / 2^k)) / 2^bits) is
        floor((2^k A + N) / 2^(k + bits))."""
        bits = 0
        while True:
            cuts = [m for m, c in a.items() if c == 1 and len(m) == 1 and self.label[m[0]] == "cut"]
            if not cuts:
                return a, bits
            _, n, k, _ = self.definition[max(cuts)[0]]
            a = add(n, {m: c for m, c in a.items() if m != max(cuts)}, 1 << k)
            bits += k
