/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The contract of 32-bit numbers for the bound proof: an n16 is the interval of all values that any lane can have for
 * any input, a p16 likewise. What could leave 32 (or 64) bits is reported, unless the operation is one that wraps: its
 * result is any number then.
 */
#ifndef OCT_VEC_N16_BOUND_H
#define OCT_VEC_N16_BOUND_H

typedef struct {
    int64_t lo, hi;
} n16;
typedef struct {
    __int128 lo, hi;
} p16;

OCT_INLINE n16 n16_interval(const char *operation, __int128 lo, __int128 hi)
{
    oct_bound_checked++;
    if (lo < INT32_MIN || hi > INT32_MAX || lo > hi)
        oct_bound_failed(operation, lo, hi);
    return (n16){(int64_t)lo, (int64_t)hi};
}
/* As exact as wrapping leaves it. */
OCT_INLINE n16 n16_wrapped(__int128 lo, __int128 hi)
{
    oct_bound_checked++;
    return lo < INT32_MIN || hi > INT32_MAX ? (n16){INT32_MIN, INT32_MAX} : (n16){(int64_t)lo, (int64_t)hi};
}
OCT_INLINE void n16_need(const char *operation, n16 a, int64_t low, int64_t high)
{
    oct_bound_checked++;
    if (a.lo < low || a.hi > high)
        oct_bound_failed(operation, a.lo, a.hi);
}
OCT_INLINE p16 p16_interval(const char *operation, __int128 lo, __int128 hi)
{
    oct_bound_checked++;
    if (lo < INT64_MIN || hi > INT64_MAX)
        oct_bound_failed(operation, lo, hi);
    return (p16){lo, hi};
}
/* The least and the greatest product. */
OCT_INLINE p16 p16_mul(n16 a, n16 b)
{
    const __int128 p[4] = {(__int128)a.lo * b.lo, (__int128)a.lo * b.hi, (__int128)a.hi * b.lo, (__int128)a.hi * b.hi};
    p16 r = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        r.lo = p[i] < r.lo ? p[i] : r.lo;
        r.hi = p[i] > r.hi ? p[i] : r.hi;
    }
    return p16_interval("mul", r.lo, r.hi);
}
OCT_INLINE n16 n16_either(n16 a, n16 b)
{
    return (n16){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

OCT_INLINE n16 n16_set1(int32_t x)
{
    return n16_interval("set1", x, x);
}
/* Constants: what they are is known. */
OCT_INLINE n16 n16_load_table(const int32_t p[N16_LANES])
{
    n16 r = {p[0], p[0]};
    for (int i = 1; i < N16_LANES; i++)
        r = n16_either(r, (n16){p[i], p[i]});
    return r;
}
OCT_INLINE n16 n16_load(const int32_t p[N16_LANES], int32_t low, int32_t high)
{
    (void)p;
    return n16_interval("load", low, high);
}
OCT_INLINE void n16_store(int32_t p[N16_LANES], n16 a, int32_t low, int32_t high)
{
    (void)p;
    n16_need("store", a, low, high);
}
OCT_INLINE n16 n16_add(n16 a, n16 b)
{
    return n16_interval("add", a.lo + b.lo, a.hi + b.hi);
}
OCT_INLINE n16 n16_sub(n16 a, n16 b)
{
    return n16_interval("sub", a.lo - b.hi, a.hi - b.lo);
}
OCT_INLINE n16 n16_min(n16 a, n16 b)
{
    return n16_interval("min", a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi);
}
OCT_INLINE n16 n16_max(n16 a, n16 b)
{
    return n16_interval("max", a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi);
}
OCT_INLINE n16 n16_abs(n16 a)
{
    const int64_t top = -a.lo > a.hi ? -a.lo : a.hi;
    return n16_interval("abs", a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, top);
}
OCT_INLINE n16 n16_mullo(n16 a, n16 b)
{
    const p16 p = p16_mul(a, b);
    return n16_interval("mullo", p.lo, p.hi);
}
OCT_INLINE n16 n16_mullo_wrap(n16 a, n16 b)
{
    const p16 p = p16_mul(a, b);
    return n16_wrapped(p.lo, p.hi);
}
OCT_INLINE n16 n16_mulhi(n16 a, n16 b)
{
    const p16 p = p16_mul(a, b);
    return n16_interval("mulhi", p.lo >> 32, p.hi >> 32);
}
OCT_INLINE n16 n16_sll(n16 a, unsigned bits)
{
    return n16_interval("sll", (__int128)a.lo * ((int64_t)1 << bits), (__int128)a.hi * ((int64_t)1 << bits));
}
OCT_INLINE n16 n16_sra(n16 a, unsigned bits)
{
    return n16_interval("sra", a.lo >> bits, a.hi >> bits);
}
OCT_INLINE n16 n16_and(n16 a, int32_t mask)
{
    return n16_interval("and", 0, a.lo >= 0 && a.hi < mask ? a.hi : mask);
}
/* Numbers at the two sides of a limit, each side's alone; a side may be empty. */
OCT_INLINE n16 n16_add_if_negative(n16 a, int32_t x)
{
    n16_need("add_if_negative", a, -(int64_t)x, INT32_MAX);
    const n16 raised = {a.lo + x, (a.hi < -1 ? a.hi : -1) + x}, kept = {a.lo > 0 ? a.lo : 0, a.hi};
    const n16 r = a.lo >= 0 ? kept : a.hi < 0 ? raised : n16_either(raised, kept);
    return n16_interval("add_if_negative", r.lo, r.hi);
}
OCT_INLINE n16 n16_sub_above(n16 a, int32_t limit, int32_t x)
{
    const int64_t first = (int64_t)limit + 1;
    const n16 lowered = {(a.lo > first ? a.lo : first) - x, a.hi - x}, kept = {a.lo, a.hi < limit ? a.hi : limit};
    const n16 r = a.hi <= limit ? kept : a.lo > limit ? lowered : n16_either(lowered, kept);
    return n16_interval("sub_above", r.lo, r.hi);
}
OCT_INLINE n16 n16_is_above(n16 a, int32_t limit)
{
    return n16_interval("is_above", a.lo > limit, a.hi > limit);
}
OCT_INLINE n16 n16_lookup16(const int32_t table[N16_LANES], n16 a)
{
    n16_need("lookup16", a, 0, 15);
    return n16_load_table(table);
}
OCT_INLINE void n16_exchange(n16 *x, n16 *y, unsigned bit)
{
    (void)bit;
    oct_bound_checked++;
    *x = *y = n16_either(*x, *y);
}
OCT_INLINE void n16_unzip(n16 *x, n16 *y)
{
    n16_exchange(x, y, 0);
}

OCT_INLINE p16 p16_add(p16 a, p16 b)
{
    return p16_interval("add of products", a.lo + b.lo, a.hi + b.hi);
}
OCT_INLINE n16 p16_low_wrap(p16 a)
{
    return n16_wrapped(a.lo, a.hi);
}
OCT_INLINE n16 p16_high(p16 a)
{
    return n16_interval("high", a.lo >> 32, a.hi >> 32);
}

OCT_INLINE n16 n16_load_bits(const uint8_t *p, unsigned bits)
{
    (void)p;
    return n16_interval("load_bits", 0, (1 << bits) - 1);
}
OCT_INLINE void n16_store_bits(uint8_t *p, n16 a, unsigned bits)
{
    (void)p;
    n16_need("store_bits", a, 0, (1 << bits) - 1);
}
OCT_INLINE unsigned n16_store_below_declassify(int32_t *to, n16 a, int32_t limit)
{
    (void)to, (void)limit;
    n16_need("store_below", a, 0, INT32_MAX);
    return N16_LANES / 2; /* so few that a kernel has to go on */
}
/* Now and then yes, so that a kernel goes both ways, and gets through many such questions: what is told does not come
 * from intervals. */
OCT_INLINE unsigned n16_any_above_declassify(n16 a, int32_t limit)
{
    static unsigned asked;
    (void)a, (void)limit;
    return ++asked % 37 == 0;
}
OCT_INLINE unsigned n16_sum_above_declassify(n16 a, int32_t limit)
{
    (void)n16_interval("sum", (__int128)N16_LANES * a.lo, (__int128)N16_LANES * a.hi);
    return n16_any_above_declassify(a, limit);
}
OCT_INLINE n16 n16_reviewed_bound(n16 a, int32_t low, int32_t high)
{
    (void)a;
    return n16_interval("reviewed_bound", low, high);
}

#endif
