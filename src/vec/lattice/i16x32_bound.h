/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The contract of 16-bit lanes for the bound proof: an i16x32 is the interval of all values that any lane can have for
 * any input, a sum32x16 likewise. What could leave 16 (or 32) bits is reported, unless the operation is one that wraps:
 * its result is any number then.
 */
#ifndef OCT_VEC_I16X32_BOUND_H
#define OCT_VEC_I16X32_BOUND_H

typedef struct {
    int lo, hi;
} i16x32;
typedef struct {
    int64_t lo, hi;
} sum32x16;

#define I16X32_MIN (-32768)
#define I16X32_MAX 32767

OCT_INLINE i16x32 i16x32_interval(const char *operation, int64_t lo, int64_t hi)
{
    oct_bound_checked++;
    if (lo < I16X32_MIN || hi > I16X32_MAX || lo > hi)
        oct_bound_failed(operation, lo, hi);
    return (i16x32){(int)lo, (int)hi};
}
/* As exact as wrapping leaves it. */
OCT_INLINE i16x32 i16x32_wrapped(int64_t lo, int64_t hi)
{
    oct_bound_checked++;
    return lo < I16X32_MIN || hi > I16X32_MAX ? (i16x32){I16X32_MIN, I16X32_MAX} : (i16x32){(int)lo, (int)hi};
}
OCT_INLINE void i16x32_need(const char *operation, i16x32 a, int low, int high)
{
    oct_bound_checked++;
    if (a.lo < low || a.hi > high)
        oct_bound_failed(operation, a.lo, a.hi);
}
/* The least and the greatest product. */
OCT_INLINE sum32x16 i16x32_products(i16x32 a, i16x32 b)
{
    const int64_t p[4] = {(int64_t)a.lo * b.lo, (int64_t)a.lo * b.hi, (int64_t)a.hi * b.lo, (int64_t)a.hi * b.hi};
    sum32x16 r = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        r.lo = p[i] < r.lo ? p[i] : r.lo;
        r.hi = p[i] > r.hi ? p[i] : r.hi;
    }
    return r;
}
OCT_INLINE i16x32 i16x32_either(i16x32 a, i16x32 b)
{
    return (i16x32){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

OCT_INLINE i16x32 i16x32_set1(int16_t x)
{
    return i16x32_interval("set1", x, x);
}
/* Constants: what they are is known. */
OCT_INLINE i16x32 i16x32_load_table(const int16_t p[I16X32_LANES])
{
    i16x32 r = {p[0], p[0]};
    for (int i = 1; i < I16X32_LANES; i++)
        r = i16x32_either(r, (i16x32){p[i], p[i]});
    return r;
}
OCT_INLINE i16x32 i16x32_load(const int16_t p[I16X32_LANES], int low, int high)
{
    (void)p;
    return i16x32_interval("load", low, high);
}
OCT_INLINE void i16x32_store(int16_t p[I16X32_LANES], i16x32 a, int low, int high)
{
    (void)p;
    i16x32_need("store", a, low, high);
}
OCT_INLINE i16x32 i16x32_add(i16x32 a, i16x32 b)
{
    return i16x32_interval("add", a.lo + b.lo, a.hi + b.hi);
}
OCT_INLINE i16x32 i16x32_sub(i16x32 a, i16x32 b)
{
    return i16x32_interval("sub", a.lo - b.hi, a.hi - b.lo);
}
OCT_INLINE i16x32 i16x32_sub_wrap(i16x32 a, i16x32 b)
{
    return i16x32_wrapped(a.lo - b.hi, a.hi - b.lo);
}
OCT_INLINE i16x32 i16x32_mullo(i16x32 a, i16x32 b)
{
    const sum32x16 p = i16x32_products(a, b);
    return i16x32_interval("mullo", p.lo, p.hi);
}
OCT_INLINE i16x32 i16x32_mullo_wrap(i16x32 a, i16x32 b)
{
    const sum32x16 p = i16x32_products(a, b);
    return i16x32_wrapped(p.lo, p.hi);
}
OCT_INLINE i16x32 i16x32_mulhi(i16x32 a, i16x32 b)
{
    const sum32x16 p = i16x32_products(a, b);
    return i16x32_interval("mulhi", p.lo >> 16, p.hi >> 16);
}
OCT_INLINE i16x32 i16x32_mulhrs(i16x32 a, i16x32 b)
{
    const sum32x16 p = i16x32_products(a, b);
    return i16x32_interval("mulhrs", (p.lo + (1 << 14)) >> 15, (p.hi + (1 << 14)) >> 15);
}
OCT_INLINE i16x32 i16x32_sll(i16x32 a, unsigned bits)
{
    return i16x32_interval("sll", (int64_t)a.lo * (1 << bits), (int64_t)a.hi * (1 << bits));
}
OCT_INLINE i16x32 i16x32_sll_wrap(i16x32 a, unsigned bits)
{
    return i16x32_wrapped((int64_t)a.lo * (1 << bits), (int64_t)a.hi * (1 << bits));
}
OCT_INLINE i16x32 i16x32_sra(i16x32 a, unsigned bits)
{
    return i16x32_interval("sra", a.lo >> bits, a.hi >> bits);
}
OCT_INLINE i16x32 i16x32_or_wrap(i16x32 a, i16x32 b)
{
    (void)a, (void)b;
    return i16x32_wrapped(I16X32_MIN, I16X32_MAX);
}
OCT_INLINE i16x32 i16x32_and(i16x32 a, int16_t mask)
{
    (void)a;
    return i16x32_interval("and", mask < 0 ? I16X32_MIN : 0, mask < 0 ? I16X32_MAX : mask);
}
OCT_INLINE i16x32 i16x32_add_above(i16x32 a, i16x32 b, int16_t limit)
{
    return i16x32_interval("add_above", a.lo + (b.lo > limit), a.hi + (b.hi > limit));
}
OCT_INLINE i16x32 i16x32_lookup16(const int16_t table[I16X32_LANES], i16x32 a)
{
    i16x32 r = {table[0], table[0]};
    i16x32_need("lookup16", a, 0, 15);
    for (int i = 1; i < 16; i++)
        r = i16x32_either(r, (i16x32){table[i], table[i]});
    return r;
}
OCT_INLINE void i16x32_exchange(i16x32 *x, i16x32 *y, unsigned bit)
{
    (void)bit;
    oct_bound_checked++;
    *x = *y = i16x32_either(*x, *y);
}
OCT_INLINE void i16x32_zip(i16x32 *x, i16x32 *y)
{
    i16x32_exchange(x, y, 0);
}
OCT_INLINE void i16x32_unzip(i16x32 *x, i16x32 *y)
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
    return i16x32_wrapped(I16X32_MIN, I16X32_MAX);
}
OCT_INLINE i16x32 sum32x16_high(sum32x16 x, sum32x16 y)
{
    return i16x32_either(i16x32_interval("high", x.lo >> 16, x.hi >> 16),
                         i16x32_interval("high", y.lo >> 16, y.hi >> 16));
}

OCT_INLINE i16x32 i16x32_load_bits(const uint8_t *p, unsigned bits)
{
    (void)p;
    return i16x32_interval("load_bits", 0, (1 << bits) - 1);
}
OCT_INLINE void i16x32_store_bits(uint8_t *p, i16x32 a, unsigned bits)
{
    (void)p;
    i16x32_need("store_bits", a, 0, (1 << bits) - 1);
}
OCT_INLINE unsigned i16x32_store_below_public(int16_t *to, i16x32 a, int16_t limit)
{
    (void)to, (void)limit;
    i16x32_need("store_below", a, 0, 4095);
    return I16X32_LANES / 2; /* so few that a kernel has to go on */
}
OCT_INLINE i16x32 i16x32_proved_bound(i16x32 a, int low, int high)
{
    (void)a;
    return i16x32_interval("proved_bound", low, high);
}

#endif
