/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the contract of 32-bit numbers has for the bound proof besides numbers_bound.h. */
#ifndef OCT_VEC_I32X16_BOUND_H
#define OCT_VEC_I32X16_BOUND_H

typedef struct {
    int64_t lo, hi;
} i32x16;
typedef struct {
    __int128 lo, hi;
} sum64x16;

#define NUMBERS_SUM sum64x16
#define NUMBERS_MIN INT32_MIN
#define NUMBERS_MAX INT32_MAX
#include "vec/lattice/numbers_bound.h"

OCT_INLINE sum64x16 sum64x16_interval(const char *operation, __int128 lo, __int128 hi)
{
    oct_bound_checked++;
    if (lo < INT64_MIN || hi > INT64_MAX)
        oct_bound_failed(operation, lo, hi);
    return (sum64x16){lo, hi};
}
OCT_INLINE sum64x16 sum64x16_mul(i32x16 a, i32x16 b)
{
    const sum64x16 p = i32x16_products(a, b);
    return sum64x16_interval("mul", p.lo, p.hi);
}
VEC_2(i32x16, i32x16_min, i32x16_interval("min", a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi))
VEC_2(i32x16, i32x16_max, i32x16_interval("max", a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi))
OCT_INLINE i32x16 i32x16_abs(i32x16 a)
{
    const int64_t top = -a.lo > a.hi ? -a.lo : a.hi;
    return i32x16_interval("abs", a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, top);
}
OCT_INLINE i32x16 i32x16_and(i32x16 a, int32_t mask)
{
    return i32x16_interval("and", 0, a.lo >= 0 && a.hi < mask ? a.hi : mask);
}
/* Numbers at the two sides of a limit, each side's alone; a side may be empty. */
OCT_INLINE i32x16 i32x16_add_if_negative(i32x16 a, int32_t x)
{
    i32x16_need("add_if_negative", a, -(int64_t)x, INT32_MAX);
    const i32x16 raised = {a.lo + x, (a.hi < -1 ? a.hi : -1) + x}, kept = {a.lo > 0 ? a.lo : 0, a.hi};
    const i32x16 r = a.lo >= 0 ? kept : a.hi < 0 ? raised : i32x16_either(raised, kept);
    return i32x16_interval("add_if_negative", r.lo, r.hi);
}
OCT_INLINE i32x16 i32x16_sub_above(i32x16 a, int32_t limit, int32_t x)
{
    const int64_t first = (int64_t)limit + 1;
    const i32x16 lowered = {(a.lo > first ? a.lo : first) - x, a.hi - x}, kept = {a.lo, a.hi < limit ? a.hi : limit};
    const i32x16 r = a.hi <= limit ? kept : a.lo > limit ? lowered : i32x16_either(lowered, kept);
    return i32x16_interval("sub_above", r.lo, r.hi);
}
OCT_INLINE i32x16 i32x16_is_above(i32x16 a, int32_t limit)
{
    return i32x16_interval("is_above", a.lo > limit, a.hi > limit);
}
VEC_2(sum64x16, sum64x16_add, sum64x16_interval("add of products", a.lo + b.lo, a.hi + b.hi))
OCT_INLINE i32x16 sum64x16_low_wrap(sum64x16 a)
{
    return i32x16_wrapped(a.lo, a.hi);
}
OCT_INLINE i32x16 sum64x16_high(sum64x16 a)
{
    return i32x16_interval("high", a.lo >> 32, a.hi >> 32);
}

OCT_INLINE unsigned i32x16_store_below_declassify(int32_t *to, i32x16 a, int32_t limit)
{
    (void)to, (void)limit;
    i32x16_need("store_below", a, 0, INT32_MAX);
    return I32X16_LANES / 2; /* so few that a kernel has to go on */
}
/* Now and then yes, so that a kernel goes both ways, and gets through many such questions: what is told does not come
 * from intervals. */
OCT_INLINE unsigned i32x16_any_above_declassify(i32x16 a, int32_t limit)
{
    static unsigned asked;
    (void)a, (void)limit;
    return ++asked % 37 == 0;
}
OCT_INLINE unsigned i32x16_sum_above_declassify(i32x16 a, int32_t limit)
{
    (void)i32x16_interval("sum", (__int128)I32X16_LANES * a.lo, (__int128)I32X16_LANES * a.hi);
    return i32x16_any_above_declassify(a, limit);
}

#endif
