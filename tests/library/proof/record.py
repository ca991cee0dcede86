# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Reads a record (src/vec/vec_proof.h) into polynomials, with the bounds that src/vec/vec_bound.h would give."""
from algebra import MASK, Algebra, Unproved, add, constant, is_constant, times, twos, value


class Number:
    __slots__ = ("a", "low", "high", "whole")

    def __init__(self, a, low, high):
        self.a, self.low, self.high = a, low, high


class Record:
    made = []  # all of a claim's records: each has to show what its kernel says is proved

    def __init__(self, name, lines, eager=False, modulus=0, powers=False, merge=False, named=False):
        self.name, self.n, self.modulus, self.named = name, [], modulus, named
        self.x = Algebra(eager)
        self.x.merge = merge
        if powers:
            self.x.powers = {}
        self.inputs, self.outputs, self.shifts, self.negatives, self.multiples = {}, {}, [], [], []
        self.additions = []  # of points by the formula that does not know infinity, nor doubling
        self.numbers = []  # limbs of whole numbers
        self.stated = []  # (number, its bound) as v8_proved_bound() has it
        self.shown = []  # those of them that a claim has shown
        self.known = []  # (whole number, its bounds) that claims have shown, or that inputs are meant to have
        Record.made.append(self)
        for line in lines:
            self.line(*line.split())

    def line(self, what, *rest):
        a, b, c, k = (int(i) for i in (rest + (0,) * 4)[:4])
        if what.startswith("output:"):
            self.outputs.setdefault(what.split(":")[1], []).append(self.n[a])
        elif what.startswith("number:"):
            # number:BITS:NAME limb limb ...: limbs of one number; with a name it is an input
            _, bits, name = what.split(":")
            self.numbers.append([self.n[int(i)] for i in rest])
            if self.modulus:
                limbs = [(self.n[int(i)].a, (self.n[int(i)].low, self.n[int(i)].high)) for i in rest]
                self.x.group(limbs, [int(bits) * i for i in range(len(limbs))], self.modulus, name)
                for i in rest if self.named else ():  # multiples of a limb, too, are then told by it
                    self.n[int(i)].a = self.x.name(self.n[int(i)].a, (self.n[int(i)].low, self.n[int(i)].high))
        elif what == "montgomery":
            self.x.inverse[frozenset(self.n[b].a.items())] = self.n[a].a
        elif what.startswith("input:"):
            _, name, i = what.split(":")
            atom = self.x.atom(f"{name}{i}", 0, k)
            self.inputs.setdefault(name, []).append({(atom,): 1})
            self.n.append(Number({(atom,): 1}, 0, k))
        else:
            self.third = c
            r = getattr(self, "do_" + what)(k, *(self.n[i] if 0 <= i < len(self.n) else None for i in (a, b, c)))
            if not what.startswith(("point_", "wide_")) and (r.low < -1 << 63 or r.high >= 1 << 63):
                raise Unproved(f"{what} leaves 64 bits")
            self.n.append(r)

    def need(self, what, a, high):
        if a.low < 0 or a.high > high:
            raise Unproved(f"{what} of {a.low:#x} .. {a.high:#x}")

    def do_constant(self, k, *_):
        k -= (k >> 63) << 64
        return Number(constant(k), k, k)

    def do_add(self, k, a, b, _):
        return Number(add(a.a, b.a), a.low + b.low, a.high + b.high)

    def do_sub(self, k, a, b, _):
        return Number(add(a.a, b.a, -1), a.low - b.high, a.high - b.low)

    # Words of 64 and 128 bits (src/vec/cipher/wide.h), which nothing is below 0 in; k: the bits that the result has.

    def do_wide_most(self, k, a, *_):
        self.need("a stored word", a, k)
        return a

    def do_wide_add(self, k, a, b, _):
        r = Number(add(a.a, b.a), a.low + b.low, a.high + b.high)
        self.need("a sum of words", r, (1 << k) - 1)
        return r

    def do_wide_multiply_add(self, k, acc, a, b):
        p = self.x.product(a.a, b.a, (a.low, a.high), (b.low, b.high))
        r = Number(add(acc.a, p), acc.low + a.low * b.low, acc.high + a.high * b.high)
        self.need("a product of words", r, (1 << k) - 1)
        return r

    def do_wide_low(self, k, a, *_):
        return self.do_low(k, a)

    def do_wide_srl(self, k, a, *_):
        return Number(self.x.cut(a.a, k, (a.low, a.high)), a.low >> k, a.high >> k)

    def do_times(self, k, a, *_):
        return Number(times(a.a, k), a.low * k, a.high * k)

    def do_short(self, k, a, *_):
        self.need("multiplicand", a, (1 << 32) - 1)
        return self.do_times(k, a)

    def do_limb(self, k, a, *_):
        self.need("limb", a, k)
        return a

    def do_low(self, k, a, *_):
        if 0 <= a.low and a.high < 1 << k:
            return a
        return Number(self.x.low_multiple(a.a, k) if frozenset(a.a.items()) in self.x.multiples else
                      self.x.rest(a.a, k, (a.low, a.high)), 0, (1 << k) - 1)

    def do_sra(self, k, a, *_):
        r = Number(self.x.shift(a.a, k, (a.low, a.high)), a.low >> k, a.high >> k)
        self.shifts.append(r)
        return r

    def do_srl(self, k, a, *_):
        self.need("srl", a, (1 << 63) - 1)
        return self.do_sra(k, a)

    def do_split(self, k, a, b, _):
        """The high half of a product, wherever that is cut: at 51 bits it may be any number that leaves the low half
        52 bits."""
        self.need("multiplicand", a, MASK)
        self.need("multiplicand", b, MASK)
        if a.high * b.high >= 1 << (103 if k == 51 else 104):
            raise Unproved("multiplicands of a whole product")
        most = a.high * b.high >> k
        if not most:
            return Number({}, 0, 0)
        p = self.x.product(a.a, b.a, (a.low, a.high), (b.low, b.high))
        return Number(self.x.split(p, k, most), 0, most)

    def do_remainder(self, k, a, b, high):
        p = self.x.product(a.a, b.a, (a.low, a.high), (b.low, b.high))
        return Number(add(p, high.a, -1 << k), 0, min(a.high * b.high, MASK))

    def do_madd52lo(self, k, acc, a, b):
        self.need("multiplicand", a, MASK)
        self.need("multiplicand", b, MASK)
        p = self.x.product(a.a, b.a, (a.low, a.high), (b.low, b.high))
        low = add(p, self.x.cut(p, 52, (a.low * b.low, a.high * b.high)), -1 << 52)
        return Number(add(acc.a, low), acc.low, acc.high + min(a.high * b.high, MASK))

    def do_madd32(self, _, acc, a, b):
        self.need("multiplicand", a, (1 << 32) - 1)
        self.need("multiplicand", b, (1 << 32) - 1)
        p = self.x.product(a.a, b.a, (a.low, a.high), (b.low, b.high))
        return Number(add(acc.a, p), acc.low + a.low * b.low, acc.high + a.high * b.high)

    def do_madd52hi(self, k, acc, a, b):
        self.need("multiplicand", a, MASK)
        self.need("multiplicand", b, MASK)
        p = self.x.product(a.a, b.a, (a.low, a.high), (b.low, b.high))
        return Number(add(acc.a, self.x.cut(p, 52, (a.low * b.low, a.high * b.high))),
                      acc.low + (a.low * b.low >> 52), acc.high + (a.high * b.high >> 52))

    def do_mul52lo(self, k, a, b, _):
        self.need("multiplicand", b, MASK)
        self.multiples.append(self.x.multiple(a.a, b.a))
        return Number(self.multiples[-1], 0, MASK)

    def do_or(self, k, a, b, _):
        self.need("or", a, (1 << 63) - 1)
        self.need("or", b, (1 << 63) - 1)
        for low, high in (a, b), (b, a):
            if all(twos(c) >= low.high.bit_length() for c in high.a.values()):
                return Number(add(a.a, b.a), 0, (1 << max(a.high, b.high).bit_length()) - 1)
        top = (1 << max(a.high, b.high).bit_length()) - 1
        return Number({(self.x.atom("other", 0, top),): 1}, 0, top)

    def do_xor(self, k, a, b, _):
        """With all ones or nothing: x, or 2^k-1 - x."""
        ones = b.high
        if ones and not ones & ones + 1 and 0 <= a.low and a.high <= ones and \
                self.x.multiply(b.a, b.a) == times(b.a, ones):
            t = {m: c // ones for m, c in b.a.items()}
            return Number(add(a.a, self.x.multiply(t, add(constant(ones), a.a, -2))), 0, ones)
        return self.do_or(k, a, b, _)

    # Points that are known by what multiple of another they are: no lane is meant.

    def do_point_times(self, k, a, *_):
        k -= (k >> 63) << 64
        ends = a.low * k, a.high * k
        return Number(times(a.a, k), min(ends), max(ends))

    def do_point_shift(self, k, a, *_):
        return self.do_point_times(1 << k, a) if k < 63 else Number(times(a.a, 1 << k), a.low << k, a.high << k)

    def do_point_add(self, k, a, b, _):
        self.additions.append((a.a, b.a))
        return self.do_add(k, a, b, _)

    def do_point_add_complete(self, k, a, b, _):
        return self.do_add(k, a, b, _)

    def do_point_select(self, k, m, a, b):
        return self.do_select(k, m, a, b)

    def do_any(self, k, *_):
        return Number({(self.x.atom("other", 0, k),): 1}, 0, k)

    def do_negative(self, k, a, *_):
        if a.low >= 0 or a.high < 0:
            return Number(constant(int(a.high < 0)), 0, 1)
        r = Number(self.x.sign(a.a, (a.low, a.high)), 0, 1)
        self.negatives.append(r)
        return r

    def do_nonzero(self, k, a, *_):
        if a.low >= 0 and a.high <= 1:
            return Number(self.x.carry_mask(a.a), 0, 1)
        r = self.x.atom("nonzero", 0, 1)
        self.x.masks.add(r)
        return Number({(r,): 1}, 0, 1)

    def do_bit(self, k, a, *_):
        self.need("test_bit", a, (1 << 63) - 1)
        at = self.x.cut(a.a, k, (a.low, a.high))
        return Number(self.x.mask(add(at, self.x.cut(a.a, k + 1, (a.low, a.high)), -2)), 0, 1)

    def do_select(self, k, m, a, b):
        d = add(a.a, b.a, -1)
        return Number(add(b.a, self.x.multiply(m.a, d)), min(a.low, b.low), max(a.high, b.high))

    def do_m_or(self, k, a, b, _):
        return Number(add(add(a.a, b.a), self.x.multiply(a.a, b.a), -1), 0, 1)

    def do_m_and(self, k, a, b, _):
        return Number(self.x.multiply(a.a, b.a), 0, 1)

    def do_m_not(self, k, a, *_):
        return Number(add(constant(1), a.a, -1), 0, 1)

    def do_proved(self, k, a, *_):
        r = Number(a.a, 0, k)
        self.stated.append(r)
        return r

    def do_argument(self, k, a, *_):
        return Number(a.a, 0, k)

    # Numbers of 16 and 32 bits with a sign (src/vec/lattice).

    def do_plus(self, k, a, *_):
        k -= (k >> 63) << 64
        return Number(add(a.a, constant(k)), a.low + k, a.high + k)

    def do_fits(self, k, a, *_):
        if a.low < -1 << k - 1 or a.high >= 1 << k - 1:
            raise Unproved(f"{a.low} .. {a.high} is no number of {k} bits")
        return a

    def do_within(self, k, a, *_):
        k -= (k >> 63) << 64
        if a.low < self.third or a.high > k:
            raise Unproved(f"{a.low} .. {a.high} where {self.third} .. {k} is wanted")
        return a

    def do_proved_within(self, k, a, *_):
        """Proved at once: a number that wraps is what it would be without, if that is as small."""
        k -= (k >> 63) << 64
        low, high = self.bounds_by_sign(a.a)
        if low < self.third or high > k:
            raise Unproved(f"{low} .. {high} where {self.third} .. {k} is wanted")
        return Number(a.a, self.third, k)

    def bounds_by_sign(self, a):
        """Bounds of a, or of N + c where N < 0, else N."""
        x = self.x
        for m, c in a.items():
            if len(m) == 1 and x.label[m[0]] == "sign":
                n = x.definition[m[0]][1]
                if add(a, {m: c}, -1) == n:
                    low, high = x.bounds(n)
                    ends = [(low + c, min(high, -1) + c)] * (low < 0) + [(max(low, 0), high)] * (high >= 0)
                    return min(e[0] for e in ends), max(e[1] for e in ends)
        return x.bounds(a)

    def signed(self, a, b):
        p = self.x.product(a.a, b.a, (a.low, a.high), (b.low, b.high))
        ends = [i * j for i in (a.low, a.high) for j in (b.low, b.high)]
        return p, min(ends), max(ends)

    def do_signed_product(self, k, a, b, _):
        return Number(*self.signed(a, b))

    def do_signed_high(self, k, a, b, _):
        p, low, high = self.signed(a, b)
        # Never a sign: it has to cancel with the high half of another product.
        return Number(self.x.cut(p, k, (low, high), False), low >> k, high >> k)

    def do_signed_rounded(self, k, a, b, _):
        named = Number(self.x.name(a.a, (a.low, a.high)), a.low, a.high)
        p, low, high = self.signed(named, b)
        half = 1 << k - 1
        return Number(self.x.cut(add(p, constant(half)), k, (low + half, high + half)), low + half >> k,
                      high + half >> k)

    def wrapped(self, p, k, low, high):
        """p modulo 2^k, around zero. p is remembered: differences may fit again."""
        half = 1 << k - 1
        if -half <= low and high < half:
            return Number(p, low, high)
        r = Number(add(p, self.x.cut(add(p, constant(half)), k, (low + half, high + half)), -1 << k), -half, half - 1)
        r.whole = p
        return r

    def do_signed_low(self, k, a, b, _):
        p, low, high = self.signed(a, b)
        return self.wrapped(p, k, low, high)

    def do_low_wrap(self, k, a, *_):
        return self.wrapped(a.a, k, a.low, a.high)

    def do_sub_wrap(self, k, a, b, _):
        d = add(self.x.name(a.a, (a.low, a.high)), getattr(b, "whole", b.a), -1)
        low, high = self.x.bounds(d)
        if -1 << k - 1 <= low and high < 1 << k - 1:
            return Number(d, low, high)
        return self.wrapped(d, k, a.low - b.high, a.high - b.low)

    def do_signed_and(self, k, a, *_):
        if a.low >= -1 and a.high <= 0:  # all ones or zero
            return Number(times(a.a, -k), 0, k)
        raise Unproved("and of no mask")

    # --- what claims say

    def number(self, name, bits, at=0):
        """The input or output `name`, limbs of `bits` bits, or of weights 2^bits[i]."""
        r = {}
        limbs = self.inputs.get(name) or [x.a for x in self.outputs[name]]
        for i, a in enumerate(limbs):
            r = add(r, a, 1 << (bits[i] if isinstance(bits, (list, tuple)) else bits * i) + at)
        return r

    def show(self, number):
        """A claim has shown the bound that is stated of this number."""
        self.shown.append(number)

    def check(self):
        """Raises Unproved where neither a claim nor what follows from the whole record shows a bound that is stated."""
        for n in self.stated:
            if not any(n is i for i in self.shown):
                low, high = self.x.bounds(n.a)
                if low < 0 or high > n.high:
                    raise Unproved(f"a bound that is stated: {low:#x} .. {high:#x}, not up to {n.high:#x}")

    def bounds_known(self, a):
        """Of a, where whole numbers in it have the bounds that are known of them."""
        low = high = 0
        for number, known_low, known_high in self.known:
            for sign in 1, -1:
                less = add(a, number, -sign)
                if len(self.x.normal(less)[0]) < len(self.x.normal(a)[0]):
                    a = less
                    low += known_low if sign > 0 else -known_high
                    high += known_high if sign > 0 else -known_low
        rest_low, rest_high = self.x.bounds(a)
        return low + rest_low, high + rest_high


def read(text):
    """name -> lines of each record"""
    records = {}
    for line in text.splitlines():
        if line.startswith("begin "):
            lines = records.setdefault(line[6:], [])
        elif records:
            lines.append(line)
    return records
