/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the portable backend of i32x16.h has besides numbers_c.h. */
#ifndef OCT_VEC_I32X16_C_H
#define OCT_VEC_I32X16_C_H

typedef struct {
    int32_t p[I32X16_LANES];
} i32x16;
typedef struct {
    int64_t p[I32X16_LANES];
} sum64x16;

#define NUMBERS_WIDE int64_t
#include "vec/lattice/numbers_c.h"

/* All ones where a > b. The barrier keeps the sign of the difference from becoming a branch. */
OCT_INLINE int32_t i32x16_mask_above(int32_t a, int32_t b)
{
    return -(int32_t)oct_value_barrier((uint64_t)((int64_t)b - a) >> 63);
}
PARTS_2(i32x16, i32x16_max, x ^ ((x ^ y) & i32x16_mask_above(y, x)))
PARTS_2(i32x16, i32x16_min, x ^ ((x ^ y) & i32x16_mask_above(x, y)))
VEC_1(i32x16, i32x16_abs, i32x16_max(a, i32x16_sub(i32x16_set1(0), a)))
OCT_INLINE i32x16 i32x16_add_if_negative(i32x16 a, int32_t x)
{
    NUMBERS_EACH(i) a.p[i] += x & i32x16_mask_above(0, a.p[i]);
    return a;
}
OCT_INLINE i32x16 i32x16_sub_above(i32x16 a, int32_t limit, int32_t x)
{
    NUMBERS_EACH(i) a.p[i] = i32x16_wrap((int64_t)a.p[i] - (x & i32x16_mask_above(a.p[i], limit)));
    return a;
}
OCT_INLINE i32x16 i32x16_is_above(i32x16 a, int32_t limit)
{
    NUMBERS_EACH(i) a.p[i] = 1 & i32x16_mask_above(a.p[i], limit);
    return a;
}
OCT_INLINE i32x16 i32x16_lookup16(const int32_t table[I32X16_LANES], i32x16 a)
{
    i32x16 r = i32x16_set1(0);
    for (int entry = 0; entry < I32X16_LANES; entry++)
        NUMBERS_EACH(i) r.p[i] |= (int32_t)(table[entry] & ~(uint32_t)oct_mask_nonzero((uint64_t)(a.p[i] ^ entry)));
    return r;
}

OCT_INLINE sum64x16 sum64x16_mul(i32x16 a, i32x16 b)
{
    sum64x16 r;
    NUMBERS_EACH(i) r.p[i] = (int64_t)a.p[i] * b.p[i];
    return r;
}
PARTS_2(sum64x16, sum64x16_add, x + y)
OCT_INLINE i32x16 sum64x16_low_wrap(sum64x16 a)
{
    i32x16 r;
    NUMBERS_EACH(i) r.p[i] = i32x16_wrap(a.p[i]);
    return r;
}
OCT_INLINE i32x16 sum64x16_high(sum64x16 a)
{
    i32x16 r;
    NUMBERS_EACH(i) r.p[i] = i32x16_wrap(a.p[i] >> 32);
    return r;
}

/* What is kept has to be known without a branch before it may be told. */
OCT_INLINE unsigned i32x16_store_below_declassify(int32_t *to, i32x16 a, int32_t limit)
{
    int32_t below[I32X16_LANES];
    unsigned n = 0;
    NUMBERS_EACH(i) below[i] = i32x16_mask_above(limit, a.p[i]);
    OCT_DECLASSIFY(below, sizeof below);
    NUMBERS_EACH(i) if (below[i]) to[n++] = a.p[i];
    return n;
}
OCT_INLINE unsigned i32x16_any_above_declassify(i32x16 a, int32_t limit)
{
    int32_t any = 0;
    NUMBERS_EACH(i) any |= i32x16_mask_above(a.p[i], limit);
    OCT_DECLASSIFY(&any, sizeof any);
    return any != 0;
}
OCT_INLINE unsigned i32x16_sum_above_declassify(i32x16 a, int32_t limit)
{
    int32_t sum = 0, above;
    NUMBERS_EACH(i) sum += a.p[i];
    above = i32x16_mask_above(sum, limit);
    OCT_DECLASSIFY(&above, sizeof above);
    return above != 0;
}

#endif
