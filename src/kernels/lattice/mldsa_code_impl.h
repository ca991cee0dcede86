/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA's rounding and hints (FIPS 204, 7.4), without a division, for a parameter set with MLDSA_HIGHS intervals of
 * w: every function for all inputs (tests/exhaustive/test_mldsa.c).
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
VEC_STEP n16 code_canonical(n16 a)
{
    return n16_add_if_negative(a, MLDSA_Q);
}

/* The high part of a canonical r, 0 .. MLDSA_HIGHS - 1: of r / 2^7, rounded up, times an inverse of the interval. */
VEC_STEP n16 code_high(n16 r)
{
    const n16 t = n16_sra(n16_add(r, n16_set1(2 * HALF7 - 1)), 7);
    if (MLDSA_HIGHS == 44)
        return n16_sub_above(n16_sra(n16_add(n16_mullo(t, n16_set1(11275)), n16_set1(1 << 23)), 24), 43, 44);
    return n16_and(n16_sra(n16_add(n16_mullo(t, n16_set1(1025)), n16_set1(1 << 21)), 22), 15);
}

/* The low part, -GAMMA2 .. GAMMA2. */
VEC_STEP n16 code_low(n16 r, n16 high)
{
    const n16 low = n16_sub(r, n16_mullo(high, n16_set1(2 * GAMMA2)));
    return n16_reviewed_bound(n16_sub_above(low, MLDSA_HALF, MLDSA_Q), -GAMMA2, GAMMA2);
}

/* 1 where a low part that a small number was added to does not belong to the high part any more (FIPS 204, algorithm
 * 39; the lower end of an interval belongs to the high part 0 alone). */
VEC_STEP n16 code_make_hint(n16 low, n16 high)
{
    const n16 below = n16_sub(n16_min(high, n16_set1(1)), low);
    return n16_is_above(n16_max(low, below), GAMMA2);
}

/* The high part of a canonical r, one further where the hint is 1. */
VEC_STEP n16 code_use_hint(n16 r, n16 hint)
{
    const n16 high = code_high(r), positive = n16_is_above(code_low(r, high), 0);
    const n16 step = n16_mullo(hint, n16_sub(n16_sll(positive, 1), n16_set1(1)));
    const n16 sum = n16_add_if_negative(n16_add(high, step), MLDSA_HIGHS);
    return n16_sub_above(sum, MLDSA_HIGHS - 1, MLDSA_HIGHS);
}

/* The high part of t, for a canonical t; the low one is t - high * 2^13, -4095 .. 4096. */
VEC_STEP n16 code_t1(n16 t)
{
    return n16_sra(n16_add(t, n16_set1(T0_TOP - 1)), MLDSA_D);
}
VEC_STEP n16 code_t0(n16 t, n16 t1)
{
    return n16_reviewed_bound(n16_sub(t, n16_sll(t1, MLDSA_D)), 1 - T0_TOP, T0_TOP);
}

/* Numbers that are encoded as their distance from the top of their range. */
VEC_STEP n16 code_load_from(const uint8_t *p, unsigned bits, int32_t top)
{
    return n16_sub(n16_set1(top), n16_load_bits(p, bits));
}
VEC_STEP void code_store_from(uint8_t *p, n16 a, unsigned bits, int32_t top)
{
    n16_store_bits(p, n16_sub(n16_set1(top), a), bits);
}

#endif
