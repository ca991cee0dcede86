/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Kernels on the curve of 2^255-19, in Montgomery's and in Edwards' form: arguments, workspaces, entry points.
 * Field elements are five limbs of 51 bits, scalars five limbs of 52 bits, least significant first, eight lanes side by
 * side.
 */
#ifndef OCT_KERNELS_CURVE25519_H
#define OCT_KERNELS_CURVE25519_H

#include "base/base.h"
#include "kernels/limb8.h"

#define OCT_FE25519_LIMBS     5
#define OCT_SCALAR25519_LIMBS 5

/*
 * The fixed-base table (comb25519_impl.h), not secret: rows of 16 points, a point is 15 limbs, and the 16 limbs of one
 * kind stand side by side. It is made as vectors of eight rows, made[vector][point][limb], and then put in that order.
 */
#define OCT_COMB25519_ROWS    26
#define OCT_COMB25519_POINTS  16
#define OCT_COMB25519_LIMBS   15
#define OCT_COMB25519_WORDS   (OCT_COMB25519_ROWS * OCT_COMB25519_LIMBS * OCT_COMB25519_POINTS)
#define OCT_COMB25519_VECTORS ((OCT_COMB25519_ROWS + 7) / 8)
typedef oct_limb8 oct_comb25519_made[OCT_COMB25519_POINTS][OCT_COMB25519_LIMBS];

struct oct_x25519_args {
    void *workspace;         /* oct_*_x25519_*_workspace bytes, 64-byte aligned; left dirty: the caller clears it */
    const uint64_t *comb;    /* for public keys: the fixed-base table; 64-byte aligned */
    const oct_limb8 *scalar; /* [5] clamped: bit 254 set, bits 255, 2, 1, 0 clear. Secret. */
    const oct_limb8 *peer;   /* [5] for derive: the peer's u, 0 .. 2^255-1 */
    oct_limb8 *out;          /* [5] the result's u, below p; 0 in derive if the peer's point has small order */
};
typedef void oct_x25519_fn(const struct oct_x25519_args *args);

/* Makes the points of the fixed-base table; the same numbers from every backend. */
struct oct_comb25519_args {
    void *workspace;          /* oct_*_comb25519_make_workspace bytes, 64-byte aligned */
    oct_comb25519_made *made; /* [OCT_COMB25519_VECTORS], 64-byte aligned */
};
typedef void oct_comb25519_make_fn(const struct oct_comb25519_args *args);

#define OCT_CURVE25519_DECLARE(backend)                                                                                \
    extern const size_t oct_##backend##_x25519_derive_workspace, oct_##backend##_x25519_public_workspace,              \
        oct_##backend##_comb25519_make_workspace;                                                                      \
    oct_x25519_fn oct_##backend##_x25519_derive, oct_##backend##_x25519_public;                                        \
    oct_comb25519_make_fn oct_##backend##_comb25519_make;

OCT_CURVE25519_DECLARE(avx512)
OCT_CURVE25519_DECLARE(avx512f)
OCT_CURVE25519_DECLARE(ifma256)
OCT_CURVE25519_DECLARE(avx2)
OCT_CURVE25519_DECLARE(c)
OCT_CURVE25519_DECLARE(bound)

#endif
