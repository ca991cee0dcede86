/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Arithmetic mod 2^130 - 5 for the multiplier of 32 bits: five limbs of 26 bits. A carried number has limbs below
 * 2^POLY_BITS; since 2^130 = 5, products that leave the top are multiplied by 5 before (the limbs `s` of a factor).
 */
#ifndef OCT_KERNELS_POLY1305_26_IMPL_H
#define OCT_KERNELS_POLY1305_26_IMPL_H

#include "vec/cipher/quads.h"

#define POLY_LIMBS  5
#define POLY_RADIX  26
#define POLY_BITS   27
#define POLY_S_BITS 30
/* As in poly1305_44_impl.h. */
#define POLY_SUMS     1
#define POLY_SUM_BITS 30

/* A sum of products. */
struct poly_sum {
    quads column[POLY_LIMBS];
};

VEC_STEP void poly_load_blocks(quads m[POLY_LIMBS], const uint8_t *p)
{
    quads_load_blocks(m, p);
    m[4] = quads_or(m[4], quads_set1((uint64_t)1 << 24)); /* 2^128 */
}
OCT_INLINE quads poly_times_s(quads r)
{
    return quads_add(quads_sll(r, 2), r);
}
/* sum = m, m < 2^POLY_RADIX. */
VEC_STEP void poly_sum_set(struct poly_sum *sum, const quads m[POLY_LIMBS])
{
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        sum->column[k] = m[k];
}
VEC_STEP void poly_sum_add(struct poly_sum *sum, const struct poly_sum *more)
{
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        sum->column[k] = quads_add(sum->column[k], more->column[k]);
}
/* Column k of the sum += a * factor. */
OCT_INLINE void poly_column_add(struct poly_sum *sum, unsigned k, quads a, quads factor)
{
    sum->column[k] = quads_madd32(sum->column[k], a, factor);
}
/* One limb's excess to the next. */
OCT_INLINE void poly_pass(quads *from, quads *to)
{
    *to = quads_add(*to, quads_srl(*from, 26));
    *from = quads_low(*from, 26);
}
/* h = sum, carried: limbs < 2^26 but for the second and the last, < 2^26 + 2^14. Two chains side by side; what leaves
 * the top comes back five times at the bottom. */
VEC_STEP void poly_carry(quads h[POLY_LIMBS], const struct poly_sum *sum)
{
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        h[k] = sum->column[k];
    poly_pass(&h[3], &h[4]);
    poly_pass(&h[0], &h[1]);
    const quads top = quads_srl(h[4], 26);
    h[4] = quads_low(h[4], 26);
    h[0] = quads_add(h[0], quads_add(top, quads_sll(top, 2)));
    poly_pass(&h[1], &h[2]);
    poly_pass(&h[2], &h[3]);
    poly_pass(&h[0], &h[1]);
    poly_pass(&h[3], &h[4]);
    QUADS_NUMBER(h, POLY_LIMBS, POLY_RADIX);
}

#endif
