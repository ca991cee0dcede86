#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Makes many RSA keys in lanes and looks at them as a crowd.

Every prime passes a test of its own (Python's integers, random bases), every number of a key is computed again, and no
prime comes twice. How primes are spread over their range, and their residues modulo small numbers, are held by
chi-squared tests against equal shares, and against keys of OpenSSL's.

usage: rsa_key_statistics.py LIBRARY [--keys N] [--openssl N] [--bits BITS ...]    (liboctuple.so)
With OCT_TEST_DEPTH=exhaustive there are 10,000 keys and 2,000 of OpenSSL's, unless said otherwise.
"""
import argparse
import ctypes
import ctypes.util
import math
import os
import random
import sys

E = 65537
MODULI = (3, 4, 5, 7, 8, 11, 13, 16, 17)
BINS = 16
LEAST = 1e-6  # a probability below this is no chance: some sixty tests are made


class Generated(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("n", "d", "p", "q", "dp", "dq", "qinv")]


def ours(library, bits):
    sizes = [bits // 8] * 2 + [bits // 16] * 5
    places = [ctypes.create_string_buffer(size) for size in sizes]
    out = Generated(*[ctypes.cast(place, ctypes.c_char_p) for place in places])
    status = library.oct_rsa_generate(ctypes.byref(out), ctypes.c_uint(bits), None)
    if status:
        sys.exit(f"oct_rsa_generate: status {status}")
    return [int.from_bytes(place.raw, "big") for place in places]


def theirs(crypto, bits):
    """The primes of a key of OpenSSL's."""
    key = crypto.EVP_PKEY_Q_keygen(None, None, b"RSA", ctypes.c_size_t(bits))
    primes = []
    for name in (b"rsa-factor1", b"rsa-factor2"):
        number = ctypes.c_void_p()
        assert crypto.EVP_PKEY_get_bn_param(ctypes.c_void_p(key), name, ctypes.byref(number)) == 1
        buffer = ctypes.create_string_buffer(bits // 16)
        assert crypto.BN_bn2binpad(number, buffer, bits // 16) == bits // 16
        crypto.BN_free(number)
        primes.append(int.from_bytes(buffer.raw, "big"))
    crypto.EVP_PKEY_free(ctypes.c_void_p(key))
    return primes


def is_prime(n, rounds):
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(rounds):
        x = pow(random.randrange(2, n - 1), odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def check(key, bits, rounds):
    n, d, p, q, dp, dq, qinv = key
    half = bits // 2
    lcm = (p - 1) * (q - 1) // math.gcd(p - 1, q - 1)
    assert n == p * q and n.bit_length() == bits and p > q and p - q > 1 << (half - 100)
    assert all(r.bit_length() == half and r * r >= 1 << (bits - 1) for r in (p, q))
    assert d == pow(E, -1, lcm) and d > 1 << half
    assert dp == d % (p - 1) and dq == d % (q - 1) and qinv == pow(q, -1, p)
    assert is_prime(p, rounds) and is_prime(q, rounds)


def upper_gamma(a, x):
    """Q(a, x), the share of a gamma distribution beyond x: a series below a + 1, a continued fraction above."""
    if x <= 0:
        return 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        k = a
        while term > total * 1e-15:
            k += 1
            term *= x / k
            total += term
        return 1 - front * total
    b, c = x + 1 - a, 1e300
    d = 1 / b
    h = d
    for i in range(1, 1000):
        an = -i * (i - a)
        b += 2
        d = 1 / (an * d + b)
        c = b + an / c
        h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return front * h


def probability(chi2, freedom):
    return upper_gamma(freedom / 2, chi2 / 2)


def against_shares(counts, shares):
    total = sum(counts)
    chi2 = sum((c - total * s) ** 2 / (total * s) for c, s in zip(counts, shares))
    return probability(chi2, len(counts) - 1)


def against_sample(a, b):
    """The two-sample form: both are draws of one unknown distribution."""
    m, n = sum(a), sum(b)
    chi2 = sum((x * math.sqrt(n / m) - y * math.sqrt(m / n)) ** 2 / (x + y) for x, y in zip(a, b) if x + y)
    return probability(chi2, sum(1 for x, y in zip(a, b) if x + y) - 1)


def leading(primes, bits):
    """How many primes are in each of BINS equal parts of sqrt(2) * 2^(half-1) .. 2^half."""
    half = bits // 2
    least, end = math.isqrt(1 << (bits - 1)), 1 << half
    counts = [0] * BINS
    for prime in primes:
        counts[(prime - least) * BINS // (end - least)] += 1
    return counts


def residues(primes, modulus):
    classes = [r for r in range(modulus) if math.gcd(r, modulus) == 1]
    counts = dict.fromkeys(classes, 0)
    for prime in primes:
        counts[prime % modulus] += 1
    return [counts[r] for r in classes]


def statistics(mine, openssl, bits):
    failed = 0
    looks = [("leading", leading(mine, bits), leading(openssl, bits))]
    looks += [(f"mod {m}", residues(mine, m), residues(openssl, m)) for m in MODULI]
    for name, counts, other in looks:
        equal = against_shares(counts, [1 / len(counts)] * len(counts))
        same = against_sample(counts, other) if sum(other) else 1.0
        failed += equal < LEAST or same < LEAST
        print(f"rsa{bits} {name}: p = {equal:.4f} for equal shares, {same:.4f} for OpenSSL's", flush=True)
    return failed


def self_test():
    """The tests themselves find a crowd that is not right, and let one pass that is."""
    assert abs(probability(18.307, 10) - 0.05) < 1e-4 and abs(probability(2.0, 10) - 0.99634) < 1e-4
    skewed = [1100] * 8 + [900] * 8
    assert against_shares(skewed, [1 / 16] * 16) < LEAST and against_sample(skewed, [1000] * 16) < LEAST
    even = [round(1000 + 20 * math.sin(i)) for i in range(16)]
    assert against_shares(even, [1 / 16] * 16) > 0.5 and against_sample(even, [1000] * 16) > 0.5
    assert not is_prime(3215031751 * 3, 5) and is_prime(2**521 - 1, 3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library")
    keys, openssl = {"quick": (50, 10), "exhaustive": (10000, 2000)}.get(os.environ.get("OCT_TEST_DEPTH"), (150, 30))
    parser.add_argument("--keys", type=int, default=keys)
    parser.add_argument("--openssl", type=int, default=openssl)
    parser.add_argument("--bits", type=int, nargs="+", default=[2048, 3072, 4096])
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    self_test()
    library = ctypes.CDLL(args.library)
    crypto = ctypes.CDLL(ctypes.util.find_library("crypto"))
    crypto.EVP_PKEY_Q_keygen.restype = ctypes.c_void_p
    failed, seen = 0, set()
    for bits in args.bits:
        mine = []
        for _ in range(args.keys):
            key = ours(library, bits)
            check(key, bits, args.rounds)
            mine += key[2:4]
        assert seen.isdisjoint(mine) and len(set(mine)) == 2 * args.keys
        seen.update(mine)
        openssl = [prime for _ in range(args.openssl) for prime in theirs(crypto, bits)]
        failed += statistics(mine, openssl, bits)
        print(f"rsa{bits}: {args.keys} keys are good, no prime came twice", flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
