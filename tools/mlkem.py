# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""ML-KEM (FIPS 203) for check-known-answers, written from the standard's algorithms. Its SHA-3 is hashlib's."""
import hashlib

N, Q = 256, 3329
ZETAS = [pow(17, int(f"{i:07b}"[::-1], 2), Q) for i in range(128)]
GAMMAS = [pow(17, 2 * int(f"{i:07b}"[::-1], 2) + 1, Q) for i in range(128)]


def g(data):
    digest = hashlib.sha3_512(data).digest()
    return digest[:32], digest[32:]


def h(data):
    return hashlib.sha3_256(data).digest()


def j(data):
    return hashlib.shake_256(data).digest(32)


def bits_of(data):
    return [byte >> i & 1 for byte in data for i in range(8)]


def encode(d, numbers):
    value = sum(x << (d * i) for i, x in enumerate(numbers))
    return value.to_bytes(32 * d, "little")


def decode(d, data):
    value = int.from_bytes(data, "little")
    return [value >> (d * i) & ((1 << d) - 1) for i in range(N)]


def compress(d, numbers):
    return [((x << (d + 1)) + Q) // (2 * Q) % (1 << d) for x in numbers]


def decompress(d, numbers):
    return [(2 * Q * y + (1 << d)) >> (d + 1) for y in numbers]


def sample_ntt(seed):
    """Algorithm 7; 2000 bytes are far more than it ever takes."""
    stream, out = hashlib.shake_128(seed).digest(2001), []
    for i in range(0, len(stream), 3):
        low, middle, high = stream[i:i + 3]
        out += [x for x in (low + 256 * (middle % 16), middle // 16 + 16 * high) if x < Q]
    assert len(out) >= N
    return out[:N]


def sample_noise(seed, number):
    """Algorithm 8 with eta = 2, of PRF(seed, number)."""
    bits = bits_of(hashlib.shake_256(seed + bytes([number])).digest(128))
    return [(bits[4 * i] + bits[4 * i + 1] - bits[4 * i + 2] - bits[4 * i + 3]) % Q for i in range(N)]


def ntt(f):
    f, i, length = list(f), 1, 128
    while length >= 2:
        for start in range(0, N, 2 * length):
            for k in range(start, start + length):
                t = ZETAS[i] * f[k + length] % Q
                f[k], f[k + length] = (f[k] + t) % Q, (f[k] - t) % Q
            i += 1
        length //= 2
    return f


def ntt_inverse(f):
    f, i, length = list(f), 127, 2
    while length <= 128:
        for start in range(0, N, 2 * length):
            for k in range(start, start + length):
                t = f[k]
                f[k], f[k + length] = (t + f[k + length]) % Q, ZETAS[i] * (f[k + length] - t) % Q
            i -= 1
        length *= 2
    return [x * 3303 % Q for x in f]


def multiply(f, b):
    out = []
    for i in range(128):
        (a0, a1), (b0, b1) = f[2 * i:2 * i + 2], b[2 * i:2 * i + 2]
        out += [(a0 * b0 + a1 * b1 * GAMMAS[i]) % Q, (a0 * b1 + a1 * b0) % Q]
    return out


def add(a, b):
    return [(x + y) % Q for x, y in zip(a, b)]


def subtract(a, b):
    return [(x - y) % Q for x, y in zip(a, b)]


def dot(a, b):
    total = [0] * N
    for x, y in zip(a, b):
        total = add(total, multiply(x, y))
    return total


class MlKem:
    def __init__(self, k, du, dv):
        self.k, self.du, self.dv = k, du, dv

    def matrix(self, rho):
        return [[sample_ntt(rho + bytes([c, r])) for c in range(self.k)] for r in range(self.k)]

    def vector(self, data, d):
        return [decode(d, data[32 * d * i:32 * d * (i + 1)]) for i in range(self.k)]

    def keygen(self, d, z):
        rho, sigma = g(d + bytes([self.k]))
        s = [ntt(sample_noise(sigma, i)) for i in range(self.k)]
        e = [ntt(sample_noise(sigma, self.k + i)) for i in range(self.k)]
        t = [add(dot(row, s), error) for row, error in zip(self.matrix(rho), e)]
        ek = b"".join(encode(12, p) for p in t) + rho
        return ek, b"".join(encode(12, p) for p in s) + ek + h(ek) + z

    def encrypt(self, ek, m, r):
        t, rho = self.vector(ek, 12), ek[384 * self.k:]
        matrix = self.matrix(rho)
        y = [ntt(sample_noise(r, i)) for i in range(self.k)]
        out = b""
        for i in range(self.k):
            u = add(ntt_inverse(dot([row[i] for row in matrix], y)), sample_noise(r, self.k + i))
            out += encode(self.du, compress(self.du, u))
        v = add(add(ntt_inverse(dot(t, y)), sample_noise(r, 2 * self.k)), decompress(1, bits_of(m)))
        return out + encode(self.dv, compress(self.dv, v))

    def decrypt(self, dk, c):
        u = [ntt(decompress(self.du, p)) for p in self.vector(c, self.du)]
        v = decompress(self.dv, decode(self.dv, c[32 * self.du * self.k:]))
        return encode(1, compress(1, subtract(v, ntt_inverse(dot(self.vector(dk, 12), u)))))

    def valid(self, ek):
        return all(x < Q for p in self.vector(ek, 12) for x in p)

    def encaps(self, ek, m):
        """None for a key that FIPS 203, 7.2 does not let pass."""
        if not self.valid(ek):
            return None
        secret, r = g(m + h(ek))
        return self.encrypt(ek, m, r), secret

    def decaps(self, dk, c):
        ek, digest, z = dk[384 * self.k:768 * self.k + 32], dk[768 * self.k + 32:-32], dk[-32:]
        m = self.decrypt(dk, c)
        secret, r = g(m + digest)
        return secret if self.encrypt(ek, m, r) == c else j(z + c)


SETS = {"768": MlKem(3, 10, 4), "1024": MlKem(4, 11, 5)}
