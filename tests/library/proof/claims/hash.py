# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""SHA-512, SM3, Keccak and ChaCha20 as their standards define them, on terms; kernels have to come to the same."""
from claims.common import need
from terms import Terms


def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1


def cube_root_bits(p):
    """The first 64 bits of the fractional part of p's cube root."""
    low, high = 0, p << 64
    while low < high:  # the largest x with x^3 <= p 2^192
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= p << 192 else (low, middle - 1)
    return low & (1 << 64) - 1


def sha512(t, h, m):
    """FIPS 180-4, 6.4.2."""
    w = list(m)
    for i in range(16, 80):
        s0 = t.xor(t.ror(w[i - 15], 1), t.ror(w[i - 15], 8), t.shr(w[i - 15], 7))
        s1 = t.xor(t.ror(w[i - 2], 19), t.ror(w[i - 2], 61), t.shr(w[i - 2], 6))
        w.append(t.pin(t.add(s1, w[i - 7], s0, w[i - 16])))
    a, b, c, d, e, f, g, last = h
    for i, p in zip(range(80), primes()):
        t1 = t.add(last, t.xor(t.ror(e, 14), t.ror(e, 18), t.ror(e, 41)), t.choose(e, f, g),
                   t.constant(cube_root_bits(p)), w[i])
        t2 = t.add(t.xor(t.ror(a, 28), t.ror(a, 34), t.ror(a, 39)), t.majority(a, b, c))
        a, b, c, d, e, f, g, last = t.pin(t.add(t1, t2)), a, b, c, t.pin(t.add(d, t1)), e, f, g
    return [t.add(x, y) for x, y in zip(h, (a, b, c, d, e, f, g, last))]


def sm3(t, h, m):
    """GB/T 32905, 5.3."""
    p0 = lambda x: t.xor(x, t.rol(x, 9), t.rol(x, 17))
    p1 = lambda x: t.xor(x, t.rol(x, 15), t.rol(x, 23))
    w = list(m)
    for j in range(16, 68):
        w.append(t.xor(p1(t.xor(w[j - 16], w[j - 9], t.rol(w[j - 3], 15))), t.rol(w[j - 13], 7), w[j - 6]))
    a, b, c, d, e, f, g, last = h
    for j in range(64):
        constant = t.rol(t.constant(0x79cc4519 if j < 16 else 0x7a879d8a), j % 32) if j % 32 else \
            t.constant(0x79cc4519 if j < 16 else 0x7a879d8a)
        ss1 = t.rol(t.add(t.rol(a, 12), e, constant), 7)
        ss2 = t.xor(ss1, t.rol(a, 12))
        ff = t.xor(a, b, c) if j < 16 else t.majority(a, b, c)
        gg = t.xor(e, f, g) if j < 16 else t.choose(e, f, g)
        tt1 = t.pin(t.add(ff, d, ss2, t.xor(w[j], w[j + 4])))
        tt2 = t.pin(t.add(gg, last, ss1, w[j]))
        a, b, c, d, e, f, g, last = tt1, a, t.rol(b, 9), c, p0(tt2), e, t.rol(f, 19), g
    return [t.xor(x, y) for x, y in zip(h, (a, b, c, d, e, f, g, last))]


def keccak(t, a, _):
    """FIPS 202, 3.2 and 3.3: words a[x + 5y]."""
    offset, x, y = {(0, 0): 0}, 1, 0
    for i in range(24):
        offset[x, y] = (i + 1) * (i + 2) // 2 % 64
        x, y = y, (2 * x + 3 * y) % 5
    lfsr, bits = 1, []
    for _ in range(7 * 24):
        bits.append(lfsr & 1)
        lfsr = lfsr << 1 ^ (0x171 if lfsr & 128 else 0)
    for r in range(24):
        c = [t.xor(*(a[x + 5 * y] for y in range(5))) for x in range(5)]
        d = [t.xor(c[(x - 1) % 5], t.rol(c[(x + 1) % 5], 1)) for x in range(5)]
        a = [t.xor(a[i], d[i % 5]) for i in range(25)]
        b = [None] * 25
        for x in range(5):
            for y in range(5):
                b[y + 5 * ((2 * x + 3 * y) % 5)] = t.rol(a[x + 5 * y], offset[x, y])
        a = [t.xor(b[i], t.andnot(b[i // 5 * 5 + (i + 1) % 5], b[i // 5 * 5 + (i + 2) % 5])) for i in range(25)]
        constant = sum(1 << (1 << j) - 1 for j in range(7) if bits[j + 7 * r])
        a = [t.pin(x) for x in [t.xor(a[0], t.constant(constant)), *a[1:]]]
    return a


def compression(name, lines):
    function, width, state, words = {"sha512": (sha512, 64, "h", 8), "sm3": (sm3, 32, "h", 8),
                                     "keccak": (keccak, 64, "a", 25)}[name]
    t = Terms(width)
    want = function(t, [t.input(state, str(i)) for i in range(words)], [t.input("m", str(i)) for i in range(16)])
    need(t.run(lines)[state] == want, "is not the standard's")
    return "the function of the standard, all rounds"


def chacha20(name, lines):
    """RFC 8439, 2.3."""
    t = Terms(32)

    def block(counter):
        start = [t.constant(x) for x in (0x61707865, 0x3320646e, 0x79622d32, 0x6b206574)]
        start += [t.input("key", str(i)) for i in range(8)]
        start += [t.add(t.input("counter", "0"), t.constant(counter))] + [t.input("nonce", str(i)) for i in range(3)]
        x = list(start)

        def quarter(a, b, c, d):
            for i, j, k, n in (a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7):
                x[i] = t.pin(t.add(x[i], x[j]))
                x[k] = t.rol(t.xor(x[k], x[i]), n)
        for _ in range(10):
            for i in range(4):
                quarter(i, 4 + i, 8 + i, 12 + i)
            for i in range(4):
                quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
        return [t.add(a, b) for a, b in zip(x, start)]
    # The standard's words come first: what is a sum there has a name by the time that the record is read.
    many = sum(line.startswith("output:") for line in lines) // 16 + 2
    blocks = [block(5 + i) for i in range(many)]
    got = t.run(lines)
    if "block" in got:
        need(got["block"] == [w for b in blocks[:-2] for w in b], "is not the standard's")
        return f"{many - 2} blocks of the standard, for any key, counter and nonce"
    if "key" in got:
        need(got["key"] == blocks.pop(0), "the first block is a key")
    stream = [w for b in blocks for w in b]
    want = [t.xor(t.input("text", str(i)), w) for i, w in enumerate(stream[:len(got["text"])])]
    need(got["text"] == want, "the text")
    return f"{len(got['text'])} words of text xor the blocks of the standard"
