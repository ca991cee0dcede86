# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""ML-DSA (FIPS 204) for check-known-answers, written from the standard's algorithms. Its SHAKE is hashlib's."""
import hashlib

N, Q, D = 256, 8380417, 13
ZETAS = [pow(1753, int(f"{i:08b}"[::-1], 2), Q) for i in range(N)]


def h(data, length):
    return hashlib.shake_256(data).digest(length)


def encode(d, numbers):
    value = sum(x << (d * i) for i, x in enumerate(numbers))
    return value.to_bytes(32 * d, "little")


def decode(d, data):
    value = int.from_bytes(data, "little")
    return [value >> (d * i) & ((1 << d) - 1) for i in range(N)]


def centered(x, m=Q):
    """x mod m, of -m/2 < r <= m/2."""
    r = x % m
    return r - m if r > m // 2 else r


def norm(polynomials):
    return max(abs(centered(x)) for p in polynomials for x in p)


def ntt(f):
    f, i, length = list(f), 1, 128
    while length >= 1:
        for start in range(0, N, 2 * length):
            for k in range(start, start + length):
                t = ZETAS[i] * f[k + length] % Q
                f[k], f[k + length] = (f[k] + t) % Q, (f[k] - t) % Q
            i += 1
        length //= 2
    return f


def ntt_inverse(f):
    f, i, length = list(f), 255, 1
    while length <= 128:
        for start in range(0, N, 2 * length):
            for k in range(start, start + length):
                t = f[k]
                f[k], f[k + length] = (t + f[k + length]) % Q, ZETAS[i] * (f[k + length] - t) % Q
            i -= 1
        length *= 2
    return [x * 8347681 % Q for x in f]


def add(a, b):
    return [(x + y) % Q for x, y in zip(a, b)]


def subtract(a, b):
    return [(x - y) % Q for x, y in zip(a, b)]


def multiply(a, b):
    return [x * y % Q for x, y in zip(a, b)]


def dot(a, b):
    return [sum(x * y for x, y in zip(xs, ys)) % Q for xs, ys in zip(zip(*a), zip(*b))]


def power2round(x):
    low = centered(x, 1 << D)
    return (x - low) >> D, low


def sample_ntt(seed):
    """Algorithm 30; 1200 bytes are far more than it ever takes."""
    stream, out = hashlib.shake_128(seed).digest(1200), []
    for i in range(0, len(stream), 3):
        x = int.from_bytes(stream[i:i + 3], "little") & 0x7FFFFF
        out += [x] if x < Q else []
    assert len(out) >= N
    return out[:N]


class MlDsa:
    def __init__(self, k, l, eta, tau, gamma1_bits, gamma2, omega, c_bytes):
        self.k, self.l, self.eta, self.tau, self.omega, self.c_bytes = k, l, eta, tau, omega, c_bytes
        self.beta, self.gamma1, self.gamma2 = tau * eta, 1 << gamma1_bits, gamma2
        self.s_bits, self.z_bits = (2 * eta).bit_length(), gamma1_bits + 1
        self.w_bits = ((Q - 1) // (2 * gamma2) - 1).bit_length()
        self.pk_bytes = 32 + 320 * k
        self.sk_bytes = 128 + 32 * (self.s_bits * (k + l) + D * k)
        self.sig_bytes = c_bytes + 32 * self.z_bits * l + omega + k

    def matrix(self, rho):
        return [[sample_ntt(rho + bytes([s, r])) for s in range(self.l)] for r in range(self.k)]

    def sample_small(self, seed, number):
        """Algorithm 31 with algorithm 15."""
        out = []
        for byte in h(seed + number.to_bytes(2, "little"), 1000):
            for nibble in (byte & 15, byte >> 4):
                if self.eta == 2 and nibble < 15:
                    out.append(2 - nibble % 5)
                elif self.eta == 4 and nibble < 9:
                    out.append(4 - nibble)
        assert len(out) >= N
        return out[:N]

    def sample_ball(self, seed):
        """Algorithm 29; 400 bytes are far more than it ever takes."""
        stream = h(seed, 400)
        signs, at, c = int.from_bytes(stream[:8], "little"), 8, [0] * N
        for i in range(N - self.tau, N):
            while stream[at] > i:
                at += 1
            j, at = stream[at], at + 1
            c[i], c[j] = c[j], 1 - 2 * (signs & 1)
            signs >>= 1
        return c

    def sample_mask(self, seed, kappa):
        return [[self.gamma1 - x for x in decode(self.z_bits, h(seed + (kappa + r).to_bytes(2, "little"),
                                                                32 * self.z_bits))] for r in range(self.l)]

    def decompose(self, x):
        low = centered(x % Q, 2 * self.gamma2)
        return (0, low - 1) if x % Q - low == Q - 1 else ((x % Q - low) // (2 * self.gamma2), low)

    def high(self, x):
        return self.decompose(x)[0]

    def use_hint(self, hint, x):
        m = (Q - 1) // (2 * self.gamma2)
        high, low = self.decompose(x)
        return (high + (1 if low > 0 else -1)) % m if hint else high

    def encode_hint(self, hints):
        places, ends = b"", b""
        for p in hints:
            places += bytes(i for i in range(N) if p[i])
            ends += bytes([len(places)])
        return places.ljust(self.omega, b"\0") + ends

    def decode_hint(self, data):
        """Algorithm 21: None where it is malformed."""
        hints, at = [], 0
        for end in data[self.omega:]:
            places = data[at:end]
            if not at <= end <= self.omega or list(places) != sorted(set(places)):
                return None
            hints.append([int(i in places) for i in range(N)])
            at = end
        return None if any(data[at:self.omega]) else hints

    def keygen(self, xi):
        seeds = h(xi + bytes([self.k, self.l]), 128)
        rho, sigma, key = seeds[:32], seeds[32:96], seeds[96:]
        s1 = [self.sample_small(sigma, r) for r in range(self.l)]
        s2 = [self.sample_small(sigma, self.l + r) for r in range(self.k)]
        s1_hat = [ntt(p) for p in s1]
        t = [add(ntt_inverse(dot(row, s1_hat)), e) for row, e in zip(self.matrix(rho), s2)]
        t1, t0 = ([[power2round(x)[part] for x in p] for p in t] for part in (0, 1))
        pk = rho + b"".join(encode(10, p) for p in t1)
        sk = rho + key + h(pk, 64)
        sk += b"".join(encode(self.s_bits, [self.eta - x for x in p]) for p in s1 + s2)
        return pk, sk + b"".join(encode(D, [(1 << (D - 1)) - x for x in p]) for p in t0)

    def unpack(self, data, at, count, d, top):
        return [[top - x for x in decode(d, data[at + 32 * d * i:at + 32 * d * (i + 1)])] for i in range(count)]

    def mu(self, tr, message, context=b""):
        return h(tr + bytes([0, len(context)]) + context + message, 64)

    def sign(self, sk, message, context=b"", rnd=bytes(32)):
        return self.sign_mu(sk, self.mu(sk[64:128], message, context), rnd)

    def sign_mu(self, sk, mu, rnd):
        rho, key = sk[:32], sk[32:64]
        at_t0 = 128 + 32 * self.s_bits * (self.k + self.l)
        small = self.unpack(sk, 128, self.k + self.l, self.s_bits, self.eta)
        t0 = [ntt(p) for p in self.unpack(sk, at_t0, self.k, D, 1 << (D - 1))]
        s1, s2 = [ntt(p) for p in small[:self.l]], [ntt(p) for p in small[self.l:]]
        matrix, seed, kappa = self.matrix(rho), h(key + rnd + mu, 64), 0
        while True:
            sig = self.attempt(matrix, s1, s2, t0, mu, seed, kappa)
            if sig is not None:
                return sig
            kappa += self.l

    def attempt(self, matrix, s1, s2, t0, mu, seed, kappa):
        """One round of algorithm 7's loop."""
        y = self.sample_mask(seed, kappa)
        y_hat = [ntt(p) for p in y]
        w = [ntt_inverse(dot(row, y_hat)) for row in matrix]
        w1 = [[self.high(x) for x in p] for p in w]
        c_seed = h(mu + b"".join(encode(self.w_bits, p) for p in w1), self.c_bytes)
        c = ntt(self.sample_ball(c_seed))
        z = [add(a, ntt_inverse(multiply(c, b))) for a, b in zip(y, s1)]
        rest = [subtract(a, ntt_inverse(multiply(c, b))) for a, b in zip(w, s2)]
        low = max(abs(self.decompose(x)[1]) for p in rest for x in p)
        if norm(z) >= self.gamma1 - self.beta or low >= self.gamma2 - self.beta:
            return None
        ct0 = [ntt_inverse(multiply(c, p)) for p in t0]
        hints = [[int(self.high(x) != self.high(x + y)) for x, y in zip(a, b)] for a, b in zip(rest, ct0)]
        if norm(ct0) >= self.gamma2 or sum(map(sum, hints)) > self.omega:
            return None
        packed = b"".join(encode(self.z_bits, [self.gamma1 - centered(x) for x in p]) for p in z)
        return c_seed + packed + self.encode_hint(hints)

    def verify(self, pk, message, sig, context=b""):
        return len(context) < 256 and self.verify_mu(pk, self.mu(h(pk, 64), message, context), sig)

    def verify_mu(self, pk, mu, sig):
        c_seed, at = sig[:self.c_bytes], len(sig) - self.omega - self.k
        z, hints = self.unpack(sig, self.c_bytes, self.l, self.z_bits, self.gamma1), self.decode_hint(sig[at:])
        if hints is None or norm(z) >= self.gamma1 - self.beta:
            return False
        c, z_hat = ntt(self.sample_ball(c_seed)), [ntt(p) for p in z]
        t1 = [ntt([x << D for x in decode(10, pk[32 + 320 * i:352 + 320 * i])]) for i in range(self.k)]
        w = [ntt_inverse(subtract(dot(row, z_hat), multiply(c, t))) for row, t in zip(self.matrix(pk[:32]), t1)]
        w1 = [[self.use_hint(b, x) for b, x in zip(bits, p)] for bits, p in zip(hints, w)]
        return h(mu + b"".join(encode(self.w_bits, p) for p in w1), self.c_bytes) == c_seed


SETS = {"44": MlDsa(4, 4, 2, 39, 17, (Q - 1) // 88, 80, 32), "65": MlDsa(6, 5, 4, 49, 19, (Q - 1) // 32, 55, 48)}
