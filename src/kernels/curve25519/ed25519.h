/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 without its hashing: arguments and entry points. Scalars are limbs of 52 bits, five for 256 bits, ten for the
 * 512 of a digest. An encoded point is five limbs, four of 51 bits of y and a top one of 52: the rest of y, and the
 * sign of x above it. Arrays are 64-byte aligned; the workspace is oct_*_workspace bytes, 64-byte aligned, and left
 * dirty: the caller clears it.
 */
#ifndef OCT_KERNELS_ED25519_H
#define OCT_KERNELS_ED25519_H

#include "base/base.h"
#include "kernels/limb8.h"

#define OCT_ED25519_LIMBS      5
#define OCT_ED25519_WIDE_LIMBS 10

/* A multiple of the base point. Returns the lanes whose point is on the curve: all, but for faults. */
struct oct_ed25519_base_args {
    void *workspace;
    const uint64_t *comb;  /* the fixed-base table of kernels/curve25519/curve25519.h */
    const oct_limb8 *wide; /* [10] any number; secret */
    oct_limb8 *scalar;     /* [5] that number mod l; secret */
    oct_limb8 *point;      /* [5] encoded; 0 in lanes that are not good */
};
typedef unsigned oct_ed25519_base_fn(const struct oct_ed25519_base_args *args);

/* s = r + wide * a mod l. */
struct oct_ed25519_scalar_args {
    const oct_limb8 *wide; /* [10] any number */
    const oct_limb8 *r;    /* [5] below l; secret */
    const oct_limb8 *a;    /* [5] below 2^256; secret */
    oct_limb8 *s;          /* [5] */
};
typedef void oct_ed25519_scalar_fn(const struct oct_ed25519_scalar_args *args);

/* Returns the lanes in which a and r encode points, s is below l, and s B - (wide mod l) A = R. All of it is public. */
struct oct_ed25519_verify_args {
    void *workspace;
    const uint64_t *comb;
    const oct_limb8 *wide;  /* [10] any number */
    const oct_limb8 *s;     /* [5] below 2^256 */
    const oct_limb8 *a, *r; /* [5] any encoded point */
};
typedef unsigned oct_ed25519_verify_fn(const struct oct_ed25519_verify_args *args);

#define OCT_ED25519_DECLARE(backend)                                                                                   \
    extern const size_t oct_##backend##_ed25519_base_workspace, oct_##backend##_ed25519_verify_workspace;              \
    oct_ed25519_base_fn oct_##backend##_ed25519_base;                                                                  \
    oct_ed25519_scalar_fn oct_##backend##_ed25519_scalar;                                                              \
    oct_ed25519_verify_fn oct_##backend##_ed25519_verify;

OCT_ED25519_DECLARE(avx512)
OCT_ED25519_DECLARE(avx512f)
OCT_ED25519_DECLARE(ifma256)
OCT_ED25519_DECLARE(avx2)
OCT_ED25519_DECLARE(c)
OCT_ED25519_DECLARE(bound)

#endif
