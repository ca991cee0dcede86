/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA's rounding and hints (FIPS 204, 7.4), without a division, for a parameter set with MLDSA_HIGHS intervals of
 * w: every function for all inputs (tests/library/exhaustive/test_mldsa.c).
 */
#ifndef OCT_KERNELS_MLDSA_CODE_IMPL_H
#define OCT_KERNELS_MLDSA_CODE_IMPL_H

#include "kernels/lattice/mldsa_ntt_impl.h"

#define GAMMA1 (1 << MLDSA_GAMMA1_BITS)
#define GAMMA2 ((MLDSA_Q - 1) / (2 * MLDSA_HIGHS))
#define BETA   (MLDSA_TAU * MLDSA_ETA)
#define Z_BITS (MLDSA_GAMMA1_BITS + 1)
#define W_BITS (MLDSA_HIGHS == 44 ? 6 : 4)
/* Half of 2^13 and of 2^7. */
#define T0_TOP (1 << (MLDSA_D - 1))
#define HALF7  (1 << 6)

/* a mod q, of 0 .. q - 1, for what the inverse transform makes. */
VEC_STEP i32x16 code_canonical(i32x16 a)
{
    return i32x16_add_if_negative(a, MLDSA_Q);
}

/* The high part of a canonical r, 0 .. MLDSA_HIGHS - 1: of r / 2^7, rounded up, times an inverse of the interval. */
VEC_STEP i32x16 code_high(i32x16 r)
{
    const i32x16 t = i32x16_sra(i32x16_add(r, i32x16_set1(2 * HALF7 - 1)), 7);
    if (MLDSA_HIGHS == 44)
        return i32x16_sub_above(i32x16_sra(i32x16_add(i32x16_mullo(t, i32x16_set1(11275)), i32x16_set1(1 << 23)), 24),
                                43, 44);
    return i32x16_and(i32x16_sra(i32x16_add(i32x16_mullo(t, i32x16_set1(1025)), i32x16_set1(1 << 21)), 22), 15);
}

/* The low part, -GAMMA2 .. GAMMA2. */
VEC_STEP i32x16 code_low(i32x16 r, i32x16 high)
{
    const i32x16 low = i32x16_sub(r, i32x16_mullo(high, i32x16_set1(2 * GAMMA2)));
    return i32x16_proved_bound(i32x16_sub_above(low, MLDSA_HALF, MLDSA_Q), -GAMMA2, GAMMA2);
}

/* 1 where a low part that a small number was added to does not belong to the high part any more (FIPS 204, algorithm
 * 39; the lower end of an interval belongs to the high part 0 alone). */
VEC_STEP i32x16 code_make_hint(i32x16 low, i32x16 high)
{
    const i32x16 below = i32x16_sub(i32x16_min(high, i32x16_set1(1)), low);
    return i32x16_is_above(i32x16_max(low, below), GAMMA2);
}

/* The high part of a canonical r, one further where the hint is 1. */
VEC_STEP i32x16 code_use_hint(i32x16 r, i32x16 hint)
{
    const i32x16 high = code_high(r), positive = i32x16_is_above(code_low(r, high), 0);
    const i32x16 step = i32x16_mullo(hint, i32x16_sub(i32x16_sll(positive, 1), i32x16_set1(1)));
    const i32x16 sum = i32x16_add_if_negative(i32x16_add(high, step), MLDSA_HIGHS);
    return i32x16_sub_above(sum, MLDSA_HIGHS - 1, MLDSA_HIGHS);
}

/* The high part of t, for a canonical t; the low one is t - high * 2^13, -4095 .. 4096. */
VEC_STEP i32x16 code_t1(i32x16 t)
{
    return i32x16_sra(i32x16_add(t, i32x16_set1(T0_TOP - 1)), MLDSA_D);
}
VEC_STEP i32x16 code_t0(i32x16 t, i32x16 t1)
{
    return i32x16_proved_bound(i32x16_sub(t, i32x16_sll(t1, MLDSA_D)), 1 - T0_TOP, T0_TOP);
}

/* Numbers that are encoded as their distance from the top of their range. */
VEC_STEP i32x16 code_load_from(const uint8_t *p, unsigned bits, int32_t top)
{
    return i32x16_sub(i32x16_set1(top), i32x16_load_bits(p, bits));
}
VEC_STEP void code_store_from(uint8_t *p, i32x16 a, unsigned bits, int32_t top)
{
    i32x16_store_bits(p, i32x16_sub(i32x16_set1(top), a), bits);
}

#endif
