/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Kernels of the curves P-256, P-384 and SM2: arguments, workspaces, entry points. Numbers are limbs of 52 bits, least
 * significant first, as `uint64_t x[limbs][8]`: eight lanes of a limb side by side, 64-byte aligned; 5 limbs for P-256
 * and SM2, 8 for P-384.
 *
 * Every kernel returns the mask of the lanes that are good; the others' outputs are zero, and no lane looks at another.
 * The workspace (oct_*_workspace bytes, 64-byte aligned) is left dirty: the caller clears it.
 */
#ifndef OCT_KERNELS_EC_H
#define OCT_KERNELS_EC_H

#include "base/base.h"
#include "kernels/limb8.h"

/*
 * The curves, each a row: its place in the table of a backend (enum oct_ec_curve), the name of its kernels, the bytes
 * and the limbs of a number. What is known of a curve by its place is generated from the rows.
 */
#define OCT_EC_ROWS(each, with) each(with, 0, p256, 32, 5) each(with, 1, p384, 48, 8) each(with, 2, sm2, 32, 5)

#define OCT_EC_COUNT(with, place, curve, bytes, limbs) +1
#define OCT_EC_TABLES                                  (0 OCT_EC_ROWS(OCT_EC_COUNT, ))

struct oct_ec_shape {
    uint8_t bytes, limbs;
};
OCT_INLINE struct oct_ec_shape oct_ec_shape(unsigned curve)
{
#define OCT_EC_SHAPE(with, place, curve, bytes, limbs) [place] = {bytes, limbs},
    static const struct oct_ec_shape shape[OCT_EC_TABLES] = {OCT_EC_ROWS(OCT_EC_SHAPE, )};
#undef OCT_EC_SHAPE
    return shape[curve];
}

/* Limbs of a nonce: 512 bits whatever the curve. */
#define OCT_EC_NONCE_LIMBS 10

/* scalar * (x, y): good if the point is on the curve with coordinates below p, and the scalar is 1 .. n-1. */
struct oct_ec_derive_args {
    void *workspace;
    const oct_limb8 *scalar; /* [limbs] below 2^bits; secret */
    const oct_limb8 *x, *y;  /* [limbs] below 2^bits */
    oct_limb8 *out;          /* [limbs] the x coordinate; secret */
};

/* scalar * G: good if the scalar is 1 .. n-1. */
struct oct_ec_public_args {
    void *workspace;
    const uint64_t *comb;    /* the curve's table */
    const oct_limb8 *scalar; /* [limbs] below 2^bits; secret */
    oct_limb8 *x, *y;        /* [limbs] */
};

/* ECDSA (FIPS 186-5, 6.4.1): good if d is 1 .. n-1 and neither k mod n, nor r, nor s is 0. On SM2's curve SM2's own
 * (GB/T 32918.2): good if d is 1 .. n-2 and neither k mod n, nor r, nor r + k mod n, nor s is 0. */
struct oct_ec_sign_args {
    void *workspace;
    const uint64_t *comb;
    const oct_limb8 *d;      /* [limbs] the private key, below 2^bits; secret */
    const oct_limb8 *nonce;  /* [OCT_EC_NONCE_LIMBS] k is this number, 0 .. 2^512-1, mod n; secret */
    const oct_limb8 *digest; /* [limbs] the leftmost bits of the digest, below 2^bits */
    oct_limb8 *r, *s;        /* [limbs] */
};

/* ECDSA verification (FIPS 186-5, 6.4.2), or SM2's: good if (x, y) is a point of the curve with coordinates below p, r
 * and s are 1 .. n-1, and (r, s) is a signature of the digest. All of it is public. */
struct oct_ec_verify_args {
    void *workspace;
    const uint64_t *comb;
    const oct_limb8 *x, *y;  /* [limbs] the public key, below 2^bits */
    const oct_limb8 *digest; /* [limbs] the leftmost bits of the digest, below 2^bits */
    const oct_limb8 *r, *s;  /* [limbs] below 2^bits */
};

/* Makes the comb: the same for every process, so it is made once and then shared. */
struct oct_ec_comb_args {
    void *workspace;
    uint64_t *comb; /* oct_*_comb_bytes, 64-byte aligned */
};

typedef unsigned oct_ec_derive_fn(const struct oct_ec_derive_args *args);
typedef unsigned oct_ec_public_fn(const struct oct_ec_public_args *args);
typedef unsigned oct_ec_sign_fn(const struct oct_ec_sign_args *args);
typedef unsigned oct_ec_verify_fn(const struct oct_ec_verify_args *args);
typedef void oct_ec_comb_fn(const struct oct_ec_comb_args *args);

#define OCT_EC_DECLARE_CURVE(backend, place, curve, bytes, limbs)                                                      \
    extern const size_t oct_##backend##_##curve##_derive_workspace, oct_##backend##_##curve##_public_workspace,        \
        oct_##backend##_##curve##_sign_workspace, oct_##backend##_##curve##_verify_workspace,                          \
        oct_##backend##_##curve##_comb_workspace, oct_##backend##_##curve##_comb_bytes;                                \
    oct_ec_derive_fn oct_##backend##_##curve##_derive;                                                                 \
    oct_ec_public_fn oct_##backend##_##curve##_public;                                                                 \
    oct_ec_sign_fn oct_##backend##_##curve##_sign;                                                                     \
    oct_ec_verify_fn oct_##backend##_##curve##_verify;                                                                 \
    oct_ec_comb_fn oct_##backend##_##curve##_comb;
#define OCT_EC_DECLARE(backend) OCT_EC_ROWS(OCT_EC_DECLARE_CURVE, backend)

OCT_EC_DECLARE(avx512)
OCT_EC_DECLARE(avx512f)
OCT_EC_DECLARE(ifma256)
OCT_EC_DECLARE(avx2)
OCT_EC_DECLARE(c)
OCT_EC_DECLARE(bound)

#endif
