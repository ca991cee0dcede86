# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Products of fields once more, by a checker that shares nothing with algebra.py: no polynomials, no rules for cuts.

A record runs on residues modulo the field's p. Each input is a random one, and so is each quotient Q of a cut, since
all that is asked of it is that equal numbers have equal ones: N = 2^k Q + R. If a claim is no identity, its difference
is a polynomial of low degree that is not 0, and so at most one in 2^240 trials makes it vanish (Schwartz and Zippel).
P-384's reduction uses more of a cut than that, and is not here.

usage: again.py [FAMILY...]
"""
import random
import sys
import tempfile

from families import FAMILIES
from prove import build, records

P25519 = 2**255 - 19
MODULI = {
    "p256": (2**256 - 2**224 + 2**192 + 2**96 - 1, 5),
    "sm2": (2**256 - 2**224 - 2**96 + 2**64 - 1, 5),
}


def trial(lines, p, rng):
    """Inputs and outputs modulo p, as lists of residues of their limbs. A cut is some number, the same one for the
    same residues: equal numbers have equal residues, and different ones have not but by chance."""
    n, inputs, outputs, cuts = [], {}, {}, {}

    def cut(x, k):
        if (x, k) not in cuts:
            cuts[x, k] = rng.randrange(p)
        return cuts[x, k]

    for line in lines:
        what, *rest = line.split()
        if what.startswith("output:"):
            outputs.setdefault(what.split(":")[1], []).append(n[int(rest[0])])
            continue
        if what.startswith("number:"):
            continue
        a, b, c, k = (int(i) for i in rest)
        x, y, z = (n[i] if 0 <= i < len(n) else 0 for i in (a, b, c))
        if what.startswith("input:"):
            n.append(rng.randrange(p))
            inputs.setdefault(what.split(":")[1], []).append(n[-1])
        elif what == "constant":
            n.append((k - (k >> 63 << 64)) % p)
        elif what in ("limb", "proved", "argument"):
            n.append(x)
        elif what == "add":
            n.append((x + y) % p)
        elif what == "sub":
            n.append((x - y) % p)
        elif what in ("times", "short"):
            n.append(x * k % p)
        elif what in ("sra", "srl"):
            n.append(cut(x, k))
        elif what == "low":
            n.append((x - (cut(x, k) << k)) % p)
        elif what == "madd52lo":
            n.append((x + y * z - (cut(y * z % p, 52) << 52)) % p)
        elif what == "madd52hi":
            n.append((x + cut(y * z % p, 52)) % p)
        elif what == "split":
            n.append(cut(x * y % p, k))
        elif what == "remainder":
            n.append((x * y - (z << k)) % p)
        else:
            raise ValueError(f"{what} is not known here")
    return inputs, outputs


def value(limbs, bits):
    return sum(x << bits * i for i, x in enumerate(limbs))


def curve25519(i, r):
    v = {n: value(x, 51) for n, x in i.items()}
    return {"fe_mul": lambda: v["a"] * v["b"] - r, "fe_mul_wide": lambda: v["a"] * v["b"] - r,
            "fe_mul_biased": lambda: v["a"] * v["b"] - r, "fe_sqr": lambda: v["a"]**2 - r,
            "fe_sqr_wide": lambda: v["a"]**2 - r, "fe_sqr_biased": lambda: v["a"]**2 - r,
            "fe_add": lambda: v["a"] + v["b"] - r, "fe_sub": lambda: v["a"] - v["b"] - r,
            "fe_carry": lambda: v["a"] - r, "fe_carried_sum": lambda: v["a"] + v["b"] - r,
            "fe_carried_difference": lambda: v["a"] * v["b"] - v["c"] * v["d"] - r,
            "fe_mul_small_add": lambda: v["a"] + 121665 * v["b"] - r}


def prime_field(R):
    def claims(i, r):
        v = {n: value(x, 52) for n, x in i.items()}
        return {"fp_mul": lambda: v["a"] * v["b"] - r * R, "fp_sqr": lambda: v["a"]**2 - r * R,
                "fp_mul_carry": lambda: v["a"] * v["b"] - r * R, "fp_sqr_carry": lambda: v["a"]**2 - r * R,
                "fp_to_mont": lambda: v["a"] * R - r}
    return claims


FIELDS = {"fe25519": (P25519, 51, curve25519)} | {
    name: (p, 52, prime_field(2**(52 * limbs))) for name, (p, limbs) in MODULI.items()}


def agrees(key, name, lines, rng):
    """Whether a claim vanishes at three random places; None where there is none here."""
    p, bits, claims = FIELDS.get(key, (None, None, lambda *_: {}))
    if name not in claims({}, 0):
        return None
    try:
        for _ in range(3):
            inputs, outputs = trial(lines, p, rng)
            if claims(inputs, value(outputs["r"], bits))[name]() % p:
                return False
    except (ValueError, IndexError, KeyError):
        return False
    return True


def main():
    passed = failed = 0
    rng = random.Random(1)
    for key in sys.argv[1:] or FIELDS:
        for form in FAMILIES[key].forms:
            with tempfile.TemporaryDirectory() as folder:
                parts, _ = records(build(FAMILIES[key], form, folder))
            for name, lines in parts.items():
                good = agrees(key, name, lines, rng)
                if good is None:
                    continue
                passed, failed = passed + good, failed + (not good)
                print(f"{'agrees' if good else 'FAILED'}: {key}{' (whole products)' if form else ''}, {name}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
