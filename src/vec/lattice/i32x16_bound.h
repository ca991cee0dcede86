/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The contract of 32-bit numbers for the bound proof: an i32x16 is the interval of all values that any lane can have
 * for any input, a sum64x16 likewise. What could leave 32 (or 64) bits is reported, unless the operation is one that
 * wraps: its result is any number then.
 */
#ifndef OCT_VEC_I32X16_BOUND_H
#define OCT_VEC_I32X16_BOUND_H

typedef struct {
    int64_t lo, hi;
} i32x16;
typedef struct {
    __int128 lo, hi;
} sum64x16;

OCT_INLINE i32x16 i32x16_interval(const char *operation, __int128 lo, __int128 hi)
{
    oct_bound_checked++;
    if (lo < INT32_MIN || hi > INT32_MAX || lo > hi)
        oct_bound_failed(operation, lo, hi);
    return (i32x16){(int64_t)lo, (int64_t)hi};
}
/* As exact as wrapping leaves it. */
OCT_INLINE i32x16 i32x16_wrapped(__int128 lo, __int128 hi)
{
    oct_bound_checked++;
    return lo < INT32_MIN || hi > INT32_MAX ? (i32x16){INT32_MIN, INT32_MAX} : (i32x16){(int64_t)lo, (int64_t)hi};
}
OCT_INLINE void i32x16_need(const char *operation, i32x16 a, int64_t low, int64_t high)
{
    oct_bound_checked++;
    if (a.lo < low || a.hi > high)
        oct_bound_failed(operation, a.lo, a.hi);
}
OCT_INLINE sum64x16 sum64x16_interval(const char *operation, __int128 lo, __int128 hi)
{
    oct_bound_checked++;
    if (lo < INT64_MIN || hi > INT64_MAX)
        oct_bound_failed(operation, lo, hi);
    return (sum64x16){lo, hi};
}
/* The least and the greatest product. */
OCT_INLINE sum64x16 sum64x16_mul(i32x16 a, i32x16 b)
{
    const __int128 p[4] = {(__int128)a.lo * b.lo, (__int128)a.lo * b.hi, (__int128)a.hi * b.lo, (__int128)a.hi * b.hi};
    sum64x16 r = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        r.lo = p[i] < r.lo ? p[i] : r.lo;
        r.hi = p[i] > r.hi ? p[i] : r.hi;
    }
    return sum64x16_interval("mul", r.lo, r.hi);
}
OCT_INLINE i32x16 i32x16_either(i32x16 a, i32x16 b)
{
    return (i32x16){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

OCT_INLINE i32x16 i32x16_set1(int32_t x)
{
    return i32x16_interval("set1", x, x);
}
/* Constants: what they are is known. */
OCT_INLINE i32x16 i32x16_load_table(const int32_t p[I32X16_LANES])
{
    i32x16 r = {p[0], p[0]};
    for (int i = 1; i < I32X16_LANES; i++)
        r = i32x16_either(r, (i32x16){p[i], p[i]});
    return r;
}
OCT_INLINE i32x16 i32x16_load(const int32_t p[I32X16_LANES], int32_t low, int32_t high)
{
    (void)p;
    return i32x16_interval("load", low, high);
}
OCT_INLINE void i32x16_store(int32_t p[I32X16_LANES], i32x16 a, int32_t low, int32_t high)
{
    (void)p;
    i32x16_need("store", a, low, high);
}
OCT_INLINE i32x16 i32x16_add(i32x16 a, i32x16 b)
{
    return i32x16_interval("add", a.lo + b.lo, a.hi + b.hi);
}
OCT_INLINE i32x16 i32x16_sub(i32x16 a, i32x16 b)
{
    return i32x16_interval("sub", a.lo - b.hi, a.hi - b.lo);
}
OCT_INLINE i32x16 i32x16_min(i32x16 a, i32x16 b)
{
    return i32x16_interval("min", a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi);
}
OCT_INLINE i32x16 i32x16_max(i32x16 a, i32x16 b)
{
    return i32x16_interval("max", a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi);
}
OCT_INLINE i32x16 i32x16_abs(i32x16 a)
{
    const int64_t top = -a.lo > a.hi ? -a.lo : a.hi;
    return i32x16_interval("abs", a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, top);
}
OCT_INLINE i32x16 i32x16_mullo(i32x16 a, i32x16 b)
{
    const sum64x16 p = sum64x16_mul(a, b);
    return i32x16_interval("mullo", p.lo, p.hi);
}
OCT_INLINE i32x16 i32x16_mullo_wrap(i32x16 a, i32x16 b)
{
    const sum64x16 p = sum64x16_mul(a, b);
    return i32x16_wrapped(p.lo, p.hi);
}
OCT_INLINE i32x16 i32x16_mulhi(i32x16 a, i32x16 b)
{
    const sum64x16 p = sum64x16_mul(a, b);
    return i32x16_interval("mulhi", p.lo >> 32, p.hi >> 32);
}
OCT_INLINE i32x16 i32x16_sll(i32x16 a, unsigned bits)
{
    return i32x16_interval("sll", (__int128)a.lo * ((int64_t)1 << bits), (__int128)a.hi * ((int64_t)1 << bits));
}
OCT_INLINE i32x16 i32x16_sra(i32x16 a, unsigned bits)
{
    return i32x16_interval("sra", a.lo >> bits, a.hi >> bits);
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
OCT_INLINE i32x16 i32x16_lookup16(const int32_t table[I32X16_LANES], i32x16 a)
{
    i32x16_need("lookup16", a, 0, 15);
    return i32x16_load_table(table);
}
OCT_INLINE void i32x16_exchange(i32x16 *x, i32x16 *y, unsigned bit)
{
    (void)bit;
    oct_bound_checked++;
    *x = *y = i32x16_either(*x, *y);
}
OCT_INLINE void i32x16_unzip(i32x16 *x, i32x16 *y)
{
    i32x16_exchange(x, y, 0);
}

OCT_INLINE sum64x16 sum64x16_add(sum64x16 a, sum64x16 b)
{
    return sum64x16_interval("add of products", a.lo + b.lo, a.hi + b.hi);
}
OCT_INLINE i32x16 sum64x16_low_wrap(sum64x16 a)
{
    return i32x16_wrapped(a.lo, a.hi);
}
OCT_INLINE i32x16 sum64x16_high(sum64x16 a)
{
    return i32x16_interval("high", a.lo >> 32, a.hi >> 32);
}

OCT_INLINE i32x16 i32x16_load_bits(const uint8_t *p, unsigned bits)
{
    (void)p;
    return i32x16_interval("load_bits", 0, (1 << bits) - 1);
}
OCT_INLINE void i32x16_store_bits(uint8_t *p, i32x16 a, unsigned bits)
{
    (void)p;
    i32x16_need("store_bits", a, 0, (1 << bits) - 1);
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
OCT_INLINE i32x16 i32x16_proved_bound(i32x16 a, int32_t low, int32_t high)
{
    (void)a;
    return i32x16_interval("proved_bound", low, high);
}

#endif
