/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the portable backend of i16x32.h has besides numbers_c.h. */
#ifndef OCT_VEC_I16X32_C_H
#define OCT_VEC_I16X32_C_H

typedef struct {
    int16_t p[I16X32_LANES];
} i16x32;
typedef struct {
    int32_t p[I16X32_LANES / 2];
} sum32x16;

#define NUMBERS_WIDE int32_t
#include "vec/lattice/numbers_c.h"

VEC_2(i16x32, i16x32_sub_wrap, i16x32_sub(a, b))
PARTS_2(i16x32, i16x32_mulhrs, i16x32_wrap((x * y + (1 << 14)) >> 15))
VEC_BY(i16x32, i16x32_sll_wrap, i16x32_sll(a, bits))
PARTS_2(i16x32, i16x32_or_wrap, x | y)
/* The sign of a difference of 32 bits is the answer; the barrier keeps it from becoming a branch. */
OCT_INLINE i16x32 i16x32_add_above(i16x32 a, i16x32 b, int16_t limit)
{
    NUMBERS_EACH(i)
    {
        const uint64_t above = oct_value_barrier((uint64_t)((int64_t)limit - b.p[i]) >> 63);
        a.p[i] = i16x32_wrap(a.p[i] + (int32_t)above);
    }
    return a;
}
OCT_INLINE i16x32 i16x32_lookup16(const int16_t table[I16X32_LANES], i16x32 a)
{
    i16x32 r = i16x32_set1(0);
    for (int entry = 0; entry < 16; entry++)
        NUMBERS_EACH(i) r.p[i] |= (int16_t)(table[entry] & (int16_t)~oct_mask_nonzero((uint64_t)(a.p[i] ^ entry)));
    return r;
}

OCT_INLINE void i16x32_zip(i16x32 *x, i16x32 *y)
{
    units_zip(x->p, y->p);
}
OCT_INLINE i16x32 i16x32_swap(i16x32 a)
{
    i16x32 r;
    NUMBERS_EACH(i) r.p[i] = a.p[i ^ 1];
    return r;
}

OCT_INLINE sum32x16 sum32x16_zero(void)
{
    sum32x16 r;
    memset(r.p, 0, sizeof r.p);
    return r;
}
OCT_INLINE sum32x16 sum32x16_dot(sum32x16 acc, i16x32 a, i16x32 b)
{
    for (int i = 0; i < I16X32_LANES / 2; i++)
        acc.p[i] += a.p[2 * i] * b.p[2 * i] + a.p[2 * i + 1] * b.p[2 * i + 1];
    return acc;
}
OCT_INLINE i16x32 sum32x16_low_wrap(sum32x16 x, sum32x16 y)
{
    i16x32 r;
    NUMBERS_EACH(i) r.p[i] = i16x32_wrap(i % 2 ? y.p[i / 2] : x.p[i / 2]);
    return r;
}
OCT_INLINE i16x32 sum32x16_high(sum32x16 x, sum32x16 y)
{
    i16x32 r;
    NUMBERS_EACH(i) r.p[i] = i16x32_wrap((i % 2 ? y.p[i / 2] : x.p[i / 2]) >> 16);
    return r;
}

OCT_INLINE unsigned i16x32_store_below_public(int16_t *to, i16x32 a, int16_t limit)
{
    unsigned n = 0;
    NUMBERS_EACH(i) if (a.p[i] < limit) to[n++] = a.p[i];
    return n;
}

#endif
