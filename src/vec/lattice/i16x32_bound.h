/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the contract of 16-bit lanes has for the bound proof besides numbers_bound.h. */
#ifndef OCT_VEC_I16X32_BOUND_H
#define OCT_VEC_I16X32_BOUND_H

typedef struct {
    int64_t lo, hi;
} i16x32;
typedef struct {
    int64_t lo, hi;
} sum32x16;

#define NUMBERS_SUM sum32x16
#define NUMBERS_MIN INT16_MIN
#define NUMBERS_MAX INT16_MAX
#include "vec/lattice/numbers_bound.h"

VEC_2(i16x32, i16x32_sub_wrap, i16x32_wrapped(a.lo - b.hi, a.hi - b.lo))
OCT_INLINE i16x32 i16x32_mulhrs(i16x32 a, i16x32 b)
{
    const sum32x16 p = i16x32_products(a, b);
    return i16x32_interval("mulhrs", (p.lo + (1 << 14)) >> 15, (p.hi + (1 << 14)) >> 15);
}
VEC_BY(i16x32, i16x32_sll_wrap, i16x32_wrapped((int64_t)a.lo *(1 << bits), (int64_t)a.hi *(1 << bits)))
OCT_INLINE i16x32 i16x32_or_wrap(i16x32 a, i16x32 b)
{
    (void)a, (void)b;
    return i16x32_wrapped(INT16_MIN, INT16_MAX);
}
OCT_INLINE i16x32 i16x32_and(i16x32 a, int16_t mask)
{
    (void)a;
    return i16x32_interval("and", mask < 0 ? INT16_MIN : 0, mask < 0 ? INT16_MAX : mask);
}
OCT_INLINE i16x32 i16x32_add_above(i16x32 a, i16x32 b, int16_t limit)
{
    return i16x32_interval("add_above", a.lo + (b.lo > limit), a.hi + (b.hi > limit));
}
OCT_INLINE void i16x32_zip(i16x32 *x, i16x32 *y)
{
    i16x32_exchange(x, y, 0);
}
OCT_INLINE i16x32 i16x32_swap(i16x32 a)
{
    return a;
}

OCT_INLINE sum32x16 sum32x16_zero(void)
{
    return (sum32x16){0, 0};
}
OCT_INLINE sum32x16 sum32x16_dot(sum32x16 acc, i16x32 a, i16x32 b)
{
    const sum32x16 p = i16x32_products(a, b);
    const sum32x16 r = {acc.lo + 2 * p.lo, acc.hi + 2 * p.hi};
    oct_bound_checked++;
    if (r.lo < INT32_MIN || r.hi > INT32_MAX)
        oct_bound_failed("dot", r.lo, r.hi);
    return r;
}
OCT_INLINE i16x32 sum32x16_low_wrap(sum32x16 x, sum32x16 y)
{
    (void)x, (void)y;
    return i16x32_wrapped(INT16_MIN, INT16_MAX);
}
OCT_INLINE i16x32 sum32x16_high(sum32x16 x, sum32x16 y)
{
    return i16x32_either(i16x32_interval("high", x.lo >> 16, x.hi >> 16),
                         i16x32_interval("high", y.lo >> 16, y.hi >> 16));
}

OCT_INLINE unsigned i16x32_store_below_public(int16_t *to, i16x32 a, int16_t limit)
{
    (void)to, (void)limit;
    i16x32_need("store_below", a, 0, 4095);
    return I16X32_LANES / 2; /* so few that a kernel has to go on */
}

#endif
