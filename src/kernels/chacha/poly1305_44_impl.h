/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Arithmetic mod 2^130 - 5 for the multiplier of 52 bits: limbs of 44, 44 and 42 bits. A carried number has limbs below
 * 2^POLY_BITS; since 2^132 = 4 * 2^130 = 20, products that leave the top are multiplied by 20 before (the limbs `s` of
 * a factor).
 */
#ifndef OCT_KERNELS_POLY1305_44_IMPL_H
#define OCT_KERNELS_POLY1305_44_IMPL_H

#include "vec/cipher/quads.h"

#define POLY_LIMBS  3
#define POLY_RADIX  44
#define POLY_BITS   45
#define POLY_S_BITS 50
/* Sums of a group's products side by side: a multiplier that also adds makes chains of its latency. */
#define POLY_SUMS 2
/* Of the sum of all lanes. */
#define POLY_SUM_BITS 52

/* A sum of products, low and high 52 bits apart; column k of `high` belongs 52 bits above column k of `low`. */
struct poly_sum {
    quads low[POLY_LIMBS], high[POLY_LIMBS];
};

VEC_STEP void poly_load_blocks(quads m[POLY_LIMBS], const uint8_t *p)
{
    quads_load_blocks(m, p);
    m[2] = quads_add(m[2], quads_set1((uint64_t)1 << 40)); /* 2^128 */
}
OCT_INLINE quads poly_times_s(quads r)
{
    return quads_add(quads_sll(r, 4), quads_sll(r, 2));
}
/* sum = m, m < 2^POLY_RADIX. */
VEC_STEP void poly_sum_set(struct poly_sum *sum, const quads m[POLY_LIMBS])
{
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++) {
        sum->low[k] = m[k];
        sum->high[k] = quads_zero();
    }
}
VEC_STEP void poly_sum_add(struct poly_sum *sum, const struct poly_sum *more)
{
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++) {
        sum->low[k] = quads_add(sum->low[k], more->low[k]);
        sum->high[k] = quads_add(sum->high[k], more->high[k]);
    }
}
/* Column k of the sum += a * factor. */
OCT_INLINE void poly_column_add(struct poly_sum *sum, unsigned k, quads a, quads factor)
{
    sum->low[k] = quads_madd52lo(sum->low[k], a, factor);
    sum->high[k] = quads_madd52hi(sum->high[k], a, factor);
}
/* h = sum, carried: h[0] < 2^44, h[1] < 2^44 + 2^13, h[2] < 2^42. What leaves the top comes back five times at the
 * bottom. */
VEC_STEP void poly_carry(quads h[POLY_LIMBS], const struct poly_sum *sum)
{
    quads carry = quads_add(quads_srl(sum->low[0], 44), quads_sll(sum->high[0], 8));
    h[0] = quads_low(sum->low[0], 44);
    const quads t1 = quads_add(sum->low[1], carry);
    carry = quads_add(quads_srl(t1, 44), quads_sll(sum->high[1], 8));
    h[1] = quads_low(t1, 44);
    const quads t2 = quads_add(sum->low[2], carry);
    carry = quads_add(quads_srl(t2, 42), quads_sll(sum->high[2], 10));
    h[2] = quads_low(t2, 42);
    const quads t0 = quads_add(h[0], quads_add(carry, quads_sll(carry, 2)));
    h[0] = quads_low(t0, 44);
    h[1] = quads_add(h[1], quads_srl(t0, 44));
    QUADS_NUMBER(h, POLY_LIMBS, POLY_RADIX);
}

#endif
