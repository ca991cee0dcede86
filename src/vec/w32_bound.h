/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The contract of 16-bit lanes for the bound proof: a w32 is the interval of all values that any lane can have for
 * any input, a d16 likewise. What could leave 16 (or 32) bits is reported, unless the operation is one that wraps:
 * its result is any number then.
 */
#ifndef OCT_VEC_W32_BOUND_H
#define OCT_VEC_W32_BOUND_H

typedef struct {
    int lo, hi;
} w32;
typedef struct {
    int64_t lo, hi;
} d16;

#define W32_MIN (-32768)
#define W32_MAX 32767

OCT_INLINE w32 w32_interval(const char *operation, int64_t lo, int64_t hi)
{
    oct_bound_checked++;
    if (lo < W32_MIN || hi > W32_MAX || lo > hi)
        oct_bound_failed(operation, lo, hi);
    return (w32){(int)lo, (int)hi};
}
/* As exact as wrapping leaves it. */
OCT_INLINE w32 w32_wrapped(int64_t lo, int64_t hi)
{
    oct_bound_checked++;
    return lo < W32_MIN || hi > W32_MAX ? (w32){W32_MIN, W32_MAX} : (w32){(int)lo, (int)hi};
}
OCT_INLINE void w32_need(const char *operation, w32 a, int low, int high)
{
    oct_bound_checked++;
    if (a.lo < low || a.hi > high)
        oct_bound_failed(operation, a.lo, a.hi);
}
/* The least and the greatest product. */
OCT_INLINE d16 w32_products(w32 a, w32 b)
{
    const int64_t p[4] = {(int64_t)a.lo * b.lo, (int64_t)a.lo * b.hi, (int64_t)a.hi * b.lo, (int64_t)a.hi * b.hi};
    d16 r = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        r.lo = p[i] < r.lo ? p[i] : r.lo;
        r.hi = p[i] > r.hi ? p[i] : r.hi;
    }
    return r;
}
OCT_INLINE w32 w32_either(w32 a, w32 b)
{
    return (w32){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

OCT_INLINE w32 w32_set1(int16_t x)
{
    return w32_interval("set1", x, x);
}
/* Constants: what they are is known. */
OCT_INLINE w32 w32_load_table(const int16_t p[W32_LANES])
{
    w32 r = {p[0], p[0]};
    for (int i = 1; i < W32_LANES; i++)
        r = w32_either(r, (w32){p[i], p[i]});
    return r;
}
OCT_INLINE w32 w32_load(const int16_t p[W32_LANES], int low, int high)
{
    (void)p;
    return w32_interval("load", low, high);
}
OCT_INLINE void w32_store(int16_t p[W32_LANES], w32 a, int low, int high)
{
    (void)p;
    w32_need("store", a, low, high);
}
OCT_INLINE w32 w32_add(w32 a, w32 b)
{
    return w32_interval("add", a.lo + b.lo, a.hi + b.hi);
}
OCT_INLINE w32 w32_sub(w32 a, w32 b)
{
    return w32_interval("sub", a.lo - b.hi, a.hi - b.lo);
}
OCT_INLINE w32 w32_sub_wrap(w32 a, w32 b)
{
    return w32_wrapped(a.lo - b.hi, a.hi - b.lo);
}
OCT_INLINE w32 w32_mullo(w32 a, w32 b)
{
    const d16 p = w32_products(a, b);
    return w32_interval("mullo", p.lo, p.hi);
}
OCT_INLINE w32 w32_mullo_wrap(w32 a, w32 b)
{
    const d16 p = w32_products(a, b);
    return w32_wrapped(p.lo, p.hi);
}
OCT_INLINE w32 w32_mulhi(w32 a, w32 b)
{
    const d16 p = w32_products(a, b);
    return w32_interval("mulhi", p.lo >> 16, p.hi >> 16);
}
OCT_INLINE w32 w32_mulhrs(w32 a, w32 b)
{
    const d16 p = w32_products(a, b);
    return w32_interval("mulhrs", (p.lo + (1 << 14)) >> 15, (p.hi + (1 << 14)) >> 15);
}
OCT_INLINE w32 w32_sll(w32 a, unsigned bits)
{
    return w32_interval("sll", (int64_t)a.lo * (1 << bits), (int64_t)a.hi * (1 << bits));
}
OCT_INLINE w32 w32_sll_wrap(w32 a, unsigned bits)
{
    return w32_wrapped((int64_t)a.lo * (1 << bits), (int64_t)a.hi * (1 << bits));
}
OCT_INLINE w32 w32_sra(w32 a, unsigned bits)
{
    return w32_interval("sra", a.lo >> bits, a.hi >> bits);
}
OCT_INLINE w32 w32_or_wrap(w32 a, w32 b)
{
    (void)a, (void)b;
    return w32_wrapped(W32_MIN, W32_MAX);
}
OCT_INLINE w32 w32_and(w32 a, int16_t mask)
{
    (void)a;
    return w32_interval("and", mask < 0 ? W32_MIN : 0, mask < 0 ? W32_MAX : mask);
}
OCT_INLINE w32 w32_add_above(w32 a, w32 b, int16_t limit)
{
    return w32_interval("add_above", a.lo + (b.lo > limit), a.hi + (b.hi > limit));
}
OCT_INLINE w32 w32_lookup16(const int16_t table[W32_LANES], w32 a)
{
    w32 r = {table[0], table[0]};
    w32_need("lookup16", a, 0, 15);
    for (int i = 1; i < 16; i++)
        r = w32_either(r, (w32){table[i], table[i]});
    return r;
}
OCT_INLINE void w32_exchange(w32 *x, w32 *y, unsigned bit)
{
    (void)bit;
    oct_bound_checked++;
    *x = *y = w32_either(*x, *y);
}
OCT_INLINE void w32_zip(w32 *x, w32 *y)
{
    w32_exchange(x, y, 0);
}
OCT_INLINE void w32_unzip(w32 *x, w32 *y)
{
    w32_exchange(x, y, 0);
}
OCT_INLINE w32 w32_swap(w32 a)
{
    return a;
}

OCT_INLINE d16 d16_zero(void)
{
    return (d16){0, 0};
}
OCT_INLINE d16 d16_dot(d16 acc, w32 a, w32 b)
{
    const d16 p = w32_products(a, b);
    const d16 r = {acc.lo + 2 * p.lo, acc.hi + 2 * p.hi};
    oct_bound_checked++;
    if (r.lo < INT32_MIN || r.hi > INT32_MAX)
        oct_bound_failed("dot", r.lo, r.hi);
    return r;
}
OCT_INLINE w32 d16_low_wrap(d16 x, d16 y)
{
    (void)x, (void)y;
    return w32_wrapped(W32_MIN, W32_MAX);
}
OCT_INLINE w32 d16_high(d16 x, d16 y)
{
    return w32_either(w32_interval("high", x.lo >> 16, x.hi >> 16), w32_interval("high", y.lo >> 16, y.hi >> 16));
}

OCT_INLINE w32 w32_load_bits(const uint8_t *p, unsigned bits)
{
    (void)p;
    return w32_interval("load_bits", 0, (1 << bits) - 1);
}
OCT_INLINE void w32_store_bits(uint8_t *p, w32 a, unsigned bits)
{
    (void)p;
    w32_need("store_bits", a, 0, (1 << bits) - 1);
}
OCT_INLINE unsigned w32_store_below_public(int16_t *to, w32 a, int16_t limit)
{
    (void)to, (void)limit;
    w32_need("store_below", a, 0, 4095);
    return W32_LANES / 2; /* so few that a kernel has to go on */
}
OCT_INLINE w32 w32_reviewed_bound(w32 a, int low, int high)
{
    (void)a;
    return w32_interval("reviewed_bound", low, high);
}

#endif
