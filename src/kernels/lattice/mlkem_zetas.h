/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM's roots of unity, as the transforms of mlkem_ntt_impl.h read them. A factor z stands here as z * 2^16 mod q,
 * next to its product with 1/q mod 2^16: what Montgomery's product takes. Made by the compiler from q = 3329 and 17,
 * the 256th root of unity.
 */
#ifndef OCT_KERNELS_MLKEM_ZETAS_H
#define OCT_KERNELS_MLKEM_ZETAS_H

#include <stdint.h>

/* Layers whose butterflies are within a pair of vectors, in the order of the forward transform; vectors of a layer. */
#define OCT_MLKEM_INNER 4
#define OCT_MLKEM_PAIRS 4

struct oct_mlkem_factor {
    int16_t z[32], zq[32];
};
struct oct_mlkem_zetas {
    struct oct_mlkem_factor inner[OCT_MLKEM_INNER][OCT_MLKEM_PAIRS], inner_back[OCT_MLKEM_INNER][OCT_MLKEM_PAIRS];
    struct oct_mlkem_factor gamma[8];       /* base multiplication: 1 in even lanes, the modulus' root in odd ones */
    int16_t outer[8], outer_q[8];           /* number 1 to 7, as FIPS 203 numbers them */
    int16_t outer_back[8], outer_back_q[8]; /* the last one with the transform's factor 1/128 in it */
    int16_t cbd[32];                        /* what four bits become: one of the first two less one of the others */
};

extern const struct oct_mlkem_zetas oct_avx512_mlkem_zetas, oct_avx2_mlkem_zetas, oct_c_mlkem_zetas,
    oct_bound_mlkem_zetas;

#endif
