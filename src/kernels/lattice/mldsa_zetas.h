/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA's roots of unity, as the transforms of mldsa_ntt_impl.h read them. A factor z stands here as z * 2^32 mod q,
 * next to its product with 1/q mod 2^32: what Montgomery's product takes. Made by the compiler from q = 8380417 and
 * 1753, the 512th root of unity.
 */
#ifndef OCT_KERNELS_MLDSA_ZETAS_H
#define OCT_KERNELS_MLDSA_ZETAS_H

#include <stdint.h>

/* Layers whose butterflies are within a pair of vectors, in the order of the forward transform; pairs of vectors. */
#define OCT_MLDSA_INNER 4
#define OCT_MLDSA_PAIRS 8

struct oct_mldsa_factor {
    int32_t z[16], zq[16];
};
struct oct_mldsa_zetas {
    struct oct_mldsa_factor inner[OCT_MLDSA_INNER][OCT_MLDSA_PAIRS], inner_back[OCT_MLDSA_INNER][OCT_MLDSA_PAIRS];
    int32_t outer[16], outer_q[16];           /* number 1 to 15, as FIPS 204 numbers them */
    int32_t outer_back[16], outer_back_q[16]; /* the first one with the transform's factor 1/256 in it */
    int32_t noise2[16], noise4[16];           /* what a nibble becomes in a secret polynomial, by its bound eta */
};

extern const struct oct_mldsa_zetas oct_avx512_mldsa_zetas, oct_avx2_mldsa_zetas, oct_c_mldsa_zetas,
    oct_bound_mldsa_zetas;

#endif
