/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA kernels: arguments, workspaces, entry points. Numbers are limbs of 52 bits, least significant first, as
 * `uint64_t x[limbs][8]`: eight lanes of a limb side by side, 64-byte aligned.
 *
 * A kernel is named by its limbs: 20, 30, 40 limbs hold a prime of 1024, 1536, 2048 bits (private operation by CRT);
 * 40, 60, 80 limbs hold a modulus of 2048, 3072, 4096 bits (public operation). 52 * limbs exceeds the bits of the
 * number by at least 16, which is what lets Montgomery products go unreduced below 2n. The private operation has
 * numbers in blocks inside, with as much to spare (fold_impl.h).
 */
#ifndef OCT_KERNELS_RSA_H
#define OCT_KERNELS_RSA_H

#include "base/base.h"
#include "kernels/limb8.h"

/* The sizes, by their place in the table of a backend: bits of the modulus, and limbs of it and of a prime. */
#define OCT_RSA_SIZES 3
OCT_INLINE unsigned oct_rsa_bits(unsigned size)
{
    static const uint16_t bits[OCT_RSA_SIZES] = {2048, 3072, 4096};
    return bits[size];
}
OCT_INLINE unsigned oct_rsa_limbs(unsigned size)
{
    return oct_rsa_bits(size) / 256 * 5;
}
OCT_INLINE unsigned oct_rsa_prime_limbs(unsigned size)
{
    return oct_rsa_limbs(size) / 2;
}

/*
 * The private operation, c^d mod p*q by CRT. With vectors = 2, eight operations: side 0 has their primes p, side 1
 * their primes q, lane i for operation i. With vectors = 1, four operations: side 0 has p in lanes 0..3 and q in lanes
 * 4..7, side 1 is not looked at. Everything but `vectors` is secret.
 */
struct oct_rsa_crt_args {
    void *workspace;  /* oct_rsa*_crt_workspace bytes, 64-byte aligned; left dirty: the caller clears it */
    unsigned vectors; /* 1 or 2 */
    struct {
        const oct_limb8 *n;   /* [limbs] the prime, top bit set, odd */
        const oct_limb8 *rr;  /* [limbs] 2^(104*limbs) mod n */
        const oct_limb8 *k0;  /* [1] -1/n mod 2^52 */
        const oct_limb8 *exp; /* [limbs] d mod (n-1) */
        const oct_limb8 *c;   /* [2*limbs] the input, < p*q */
    } side[2];
    const oct_limb8 *qinv; /* [limbs] (1/q mod p) * 2^(52*limbs) mod p, in the lanes of p */
    oct_limb8 *out;        /* [2*limbs] the result, < p*q, in the lanes of p (the other lanes: garbage) */
};

/* The public operation, x^e mod n, eight operations. */
struct oct_rsa_public_args {
    void *workspace;     /* oct_rsa*_public_workspace bytes, 64-byte aligned */
    int all_f4;          /* e is 65537 in every lane: the fast path */
    const oct_limb8 *n;  /* [limbs] odd, at least 2^(52*limbs - 64) or so; at most 2^(52*limbs - 16) */
    const oct_limb8 *rr; /* [limbs] */
    const oct_limb8 *k0; /* [1] */
    const oct_limb8 *e;  /* [1] 3 .. 2^32-1, not read with all_f4 */
    const oct_limb8 *x;  /* [limbs] < n */
    oct_limb8 *out;      /* [limbs] < n */
};

/* How many bits at the end of an exponent the strong test looks at. */
#define OCT_RSA_STRONG_BITS 16

/* A base has up to so many bits more than a prime. So a random one mod n is as good as uniform, and nothing of it is
 * ever rejected. */
#define OCT_RSA_BASE_BITS 8

/*
 * base^exp mod n, and whether that is a strong probable prime test passed: for the numbers of a prime, eight lanes on
 * each side. With exp = n - 1, `strong` is 1 if n passes it with this base; an n with n = 1 mod 2^OCT_RSA_STRONG_BITS
 * may fail it though it is prime. With another exp, only `power` means anything. All but `vectors` is secret.
 * Arguments are those of the private operation; but with vectors = 1, side 0 has eight numbers like any, c has [limbs]
 * and is the base, up to OCT_RSA_BASE_BITS longer than n, and qinv and out are not looked at.
 */
struct oct_rsa_strong_args {
    struct oct_rsa_crt_args crt;
    struct {
        oct_limb8 *power;  /* [limbs] < n */
        oct_limb8 *strong; /* [1] 1 or 0 */
    } result[2];
};

typedef void oct_rsa_crt_fn(const struct oct_rsa_crt_args *args);
typedef void oct_rsa_public_fn(const struct oct_rsa_public_args *args);
typedef void oct_rsa_strong_fn(const struct oct_rsa_strong_args *args);

#define OCT_RSA_DECLARE(backend)                                                                                       \
    extern const size_t oct_##backend##_rsa20_crt_workspace, oct_##backend##_rsa30_crt_workspace,                      \
        oct_##backend##_rsa40_crt_workspace, oct_##backend##_rsa40_public_workspace,                                   \
        oct_##backend##_rsa60_public_workspace, oct_##backend##_rsa80_public_workspace,                                \
        oct_##backend##_rsa20_strong_workspace, oct_##backend##_rsa30_strong_workspace,                                \
        oct_##backend##_rsa40_strong_workspace;                                                                        \
    oct_rsa_crt_fn oct_##backend##_rsa20_crt, oct_##backend##_rsa30_crt, oct_##backend##_rsa40_crt;                    \
    oct_rsa_strong_fn oct_##backend##_rsa20_strong, oct_##backend##_rsa30_strong, oct_##backend##_rsa40_strong;        \
    oct_rsa_public_fn oct_##backend##_rsa40_public, oct_##backend##_rsa60_public, oct_##backend##_rsa80_public;        \
    void oct_##backend##_clear_registers(void);

OCT_RSA_DECLARE(avx512)
OCT_RSA_DECLARE(avx512s)
OCT_RSA_DECLARE(avx512f)
OCT_RSA_DECLARE(ifma256)
OCT_RSA_DECLARE(avx2)
OCT_RSA_DECLARE(c)
OCT_RSA_DECLARE(cs)
OCT_RSA_DECLARE(bound)

#endif
