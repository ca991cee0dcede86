/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-KEM's compression and noise (FIPS 203, 4.2), without a division; every function for all inputs
 * (tests/library/exhaustive/test_mlkem.c). */
#ifndef OCT_KERNELS_MLKEM_CODE_IMPL_H
#define OCT_KERNELS_MLKEM_CODE_IMPL_H

#include "kernels/lattice/mlkem_ntt_impl.h"

/*
 * round(2^d / q * x) mod 2^d, halves up, for d of 1, 4, 5, 10 and any x of -16383 .. 16383, d of 11 and half of that.
 * The quotient from above is right or one too small: the remainder, which 16 bits hold exactly, tells.
 */
VEC_STEP i16x32 code_compress(i16x32 x, unsigned d)
{
    const i16x32 quotient = d == 11 ? i16x32_mulhi(i16x32_sll(x, 1), i16x32_set1(MLKEM_COMPRESS(10)))
                                    : i16x32_mulhi(x, i16x32_set1(MLKEM_COMPRESS(d > 10 ? 10 : d)));
    const i16x32 remainder = i16x32_sub_wrap(i16x32_sll_wrap(x, d), i16x32_mullo_wrap(quotient, i16x32_set1(MLKEM_Q)));
    return i16x32_and(i16x32_add_above(quotient, remainder, MLKEM_Q / 2), (int16_t)((1 << d) - 1));
}

/* round(q / 2^d * y), halves up, for y of 0 .. 2^d - 1. */
VEC_STEP i16x32 code_decompress(i16x32 y, unsigned d)
{
    return i16x32_mulhrs(i16x32_sll(y, 15 - d), i16x32_set1(MLKEM_Q));
}

/* 32 numbers of the centred binomial distribution, -2 .. 2, from 16 bytes. */
VEC_STEP i16x32 code_noise(const uint8_t *p)
{
    return i16x32_lookup16(OCT_NAME(mlkem_zetas).cbd, i16x32_load_bits(p, 4));
}

#endif
