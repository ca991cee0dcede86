/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA (FIPS 204) with the parameter sets 44 and 65: arguments and entry points. Signing, verification, key
 * generation and hashing run eight operations at once, each with a key of its own; expanding a key has the polynomials
 * of one key in its lanes. Randomness is the caller's, and so are lengths: pointers are to exactly the bytes named
 * here, at any address, and arrays of numbers are 64-byte aligned.
 *
 * 1 to 8 lanes are used, the first `lanes` of each array; the others are not looked at. Outputs may not overlap
 * anything else. The workspace is 64-byte aligned and left dirty: the caller clears it.
 *
 * Seeds, private keys, randomness and all that is made from these are secret, but for rho, the public key inside of a
 * private one, and a signature that was accepted.
 */
#ifndef OCT_KERNELS_MLDSA_H
#define OCT_KERNELS_MLDSA_H

#include "base/base.h"

#define OCT_MLDSA_SEED_BYTES 32
#define OCT_MLDSA_RND_BYTES  32
#define OCT_MLDSA_MU_BYTES   64 /* also of tr, the hash of a public key */
/* Where a private key has its parts: rho at 0, K here, tr behind it. */
#define OCT_MLDSA_SK_K_AT  32
#define OCT_MLDSA_SK_TR_AT 64
/* Rows and columns of the matrix, and the bound of secret numbers: 44 has 4, 4, 2; 65 has 6, 5, 4. */
#define OCT_MLDSA_PK_BYTES(k)         (32 + 320 * (size_t)(k))
#define OCT_MLDSA_SK_BYTES(k, l, eta) (128 + ((eta) == 2 ? 96 : 128) * ((size_t)(k) + (l)) + 416 * (size_t)(k))
#define OCT_MLDSA_SIGNATURE_BYTES_44  2420
#define OCT_MLDSA_SIGNATURE_BYTES_65  3309
/* Numbers of an expanded key: the matrix and t1, which are public, and s1, s2, t0; their form is the kernels' own. */
#define OCT_MLDSA_MATRIX_NUMBERS(k, l) (256 * (size_t)(k) * (l))
#define OCT_MLDSA_T1_NUMBERS(k)        (256 * (size_t)(k))
#define OCT_MLDSA_SECRET_NUMBERS(k, l) (256 * (2 * (size_t)(k) + (l)))
#define OCT_MLDSA_MAX_PK_BYTES         OCT_MLDSA_PK_BYTES(6)
#define OCT_MLDSA_MAX_SK_BYTES         OCT_MLDSA_SK_BYTES(6, 5, 4)
#define OCT_MLDSA_MAX_SIGNATURE_BYTES  OCT_MLDSA_SIGNATURE_BYTES_65
#define OCT_MLDSA_MAX_MATRIX_NUMBERS   OCT_MLDSA_MATRIX_NUMBERS(6, 5)
#define OCT_MLDSA_MAX_T1_NUMBERS       OCT_MLDSA_T1_NUMBERS(6)
#define OCT_MLDSA_MAX_SECRET_NUMBERS   OCT_MLDSA_SECRET_NUMBERS(6, 5)

struct oct_mldsa_keygen_args {
    void *workspace;
    unsigned lanes;
    const uint8_t *seed[8]; /* 32 bytes each; secret */
    uint8_t *pk[8], *sk[8];
};
typedef void oct_mldsa_keygen_fn(const struct oct_mldsa_keygen_args *args);

/*
 * One key, made ready. A private key (sk) gives all of the rest; where sk is NULL, pk is read. Returns 0, or 1 if a
 * private key is none: a number of s1 or s2 is out of range, or t0 or tr are not those of its public key.
 */
struct oct_mldsa_expand_args {
    void *workspace;
    const uint8_t *sk; /* secret */
    uint8_t *pk;
    int32_t *matrix, *t1, *secrets; /* secrets: of a private key */
};
typedef unsigned oct_mldsa_expand_fn(const struct oct_mldsa_expand_args *args);

/* Returns the lanes without a signature, whose output is zero: after 814 attempts (FIPS 204, appendix C) there is none
 * with a probability below 2^-256, so that the key or the machine is defective. */
struct oct_mldsa_sign_args {
    void *workspace;
    unsigned lanes;
    const int32_t *matrix[8], *secrets[8];
    const uint8_t *key_seed[8]; /* K of the private key, 32 bytes; secret */
    const uint8_t *rnd[8];      /* 32 bytes; zeros for deterministic signatures; else secret */
    const uint8_t *mu[8];       /* 64 bytes: the message, hashed */
    uint8_t *signature[8];
};
typedef unsigned oct_mldsa_sign_fn(const struct oct_mldsa_sign_args *args);

/* Returns the lanes whose signature is not valid. Everything is public. */
struct oct_mldsa_verify_args {
    void *workspace;
    unsigned lanes;
    const uint8_t *pk[8];             /* of lanes without an expanded key */
    const int32_t *matrix[8], *t1[8]; /* both of a lane, or neither (NULL): made of pk */
    const uint8_t *mu[8];
    const uint8_t *signature[8];
};
typedef unsigned oct_mldsa_verify_fn(const struct oct_mldsa_verify_args *args);

/* SHAKE256 of eight messages of any lengths, each in two parts that may be empty: 64 bytes each. Messages may be
 * secret, lengths are public. */
struct oct_shake256_args {
    void *workspace;
    unsigned lanes;
    const uint8_t *head[8], *body[8]; /* NULL if empty */
    size_t head_len[8], body_len[8];
    uint8_t *out[8];
};
typedef void oct_shake256_fn(const struct oct_shake256_args *args);

#define OCT_MLDSA_DECLARE_SET(backend, set)                                                                            \
    extern const size_t oct_##backend##_mldsa##set##_workspace;                                                        \
    oct_mldsa_keygen_fn oct_##backend##_mldsa##set##_keygen;                                                           \
    oct_mldsa_expand_fn oct_##backend##_mldsa##set##_expand;                                                           \
    oct_mldsa_sign_fn oct_##backend##_mldsa##set##_sign;                                                               \
    oct_mldsa_verify_fn oct_##backend##_mldsa##set##_verify;
#define OCT_MLDSA_DECLARE(backend)                                                                                     \
    extern const size_t oct_##backend##_shake256_workspace;                                                            \
    oct_shake256_fn oct_##backend##_shake256;                                                                          \
    OCT_MLDSA_DECLARE_SET(backend, 44)                                                                                 \
    OCT_MLDSA_DECLARE_SET(backend, 65)

OCT_MLDSA_DECLARE(avx512)
OCT_MLDSA_DECLARE(avx2)
OCT_MLDSA_DECLARE(c)
OCT_MLDSA_DECLARE(bound)

#endif
