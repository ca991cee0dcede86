/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What the contracts of i16x32.h and i32x16.h share for the bound proof: a vector is the interval of all values that
 * any lane can have for any input. What could leave its range is reported, unless the operation is one that wraps: its
 * result is any number then.
 */

OCT_INLINE NUMBERS NUMBERS_(interval)(const char *operation, __int128 lo, __int128 hi)
{
    oct_bound_checked++;
    if (lo < NUMBERS_MIN || hi > NUMBERS_MAX || lo > hi)
        oct_bound_failed(operation, lo, hi);
    return (NUMBERS){(int64_t)lo, (int64_t)hi};
}
/* As exact as wrapping leaves it. */
OCT_INLINE NUMBERS NUMBERS_(wrapped)(__int128 lo, __int128 hi)
{
    oct_bound_checked++;
    return lo < NUMBERS_MIN || hi > NUMBERS_MAX ? (NUMBERS){NUMBERS_MIN, NUMBERS_MAX}
                                                : (NUMBERS){(int64_t)lo, (int64_t)hi};
}
OCT_INLINE void NUMBERS_(need)(const char *operation, NUMBERS a, int64_t low, int64_t high)
{
    oct_bound_checked++;
    if (a.lo < low || a.hi > high)
        oct_bound_failed(operation, a.lo, a.hi);
}
/* The least and the greatest product. */
OCT_INLINE NUMBERS_SUM NUMBERS_(products)(NUMBERS a, NUMBERS b)
{
    const __int128 p[4] = {(__int128)a.lo * b.lo, (__int128)a.lo * b.hi, (__int128)a.hi * b.lo, (__int128)a.hi * b.hi};
    NUMBERS_SUM r = {p[0], p[0]};
    for (int i = 1; i < 4; i++) {
        r.lo = p[i] < r.lo ? p[i] : r.lo;
        r.hi = p[i] > r.hi ? p[i] : r.hi;
    }
    return r;
}
VEC_2(NUMBERS, NUMBERS_(either), (NUMBERS){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi})

OCT_INLINE NUMBERS NUMBERS_(set1)(NUMBERS_INT x)
{
    return NUMBERS_(interval)("set1", x, x);
}
/* Constants: what the first of them are is known. */
OCT_INLINE NUMBERS NUMBERS_(among)(const NUMBERS_INT *p, int count)
{
    NUMBERS r = {p[0], p[0]};
    for (int i = 1; i < count; i++)
        r = NUMBERS_(either)(r, (NUMBERS){p[i], p[i]});
    return r;
}
OCT_INLINE NUMBERS NUMBERS_(load_table)(const NUMBERS_INT p[NUMBERS_LANES])
{
    return NUMBERS_(among)(p, NUMBERS_LANES);
}
OCT_INLINE NUMBERS NUMBERS_(lookup16)(const NUMBERS_INT table[NUMBERS_LANES], NUMBERS a)
{
    NUMBERS_(need)("lookup16", a, 0, 15);
    return NUMBERS_(among)(table, 16);
}
OCT_INLINE NUMBERS NUMBERS_(load)(const NUMBERS_INT p[NUMBERS_LANES], int low, int high)
{
    (void)p;
    return NUMBERS_(interval)("load", low, high);
}
OCT_INLINE void NUMBERS_(store)(NUMBERS_INT p[NUMBERS_LANES], NUMBERS a, int low, int high)
{
    (void)p;
    NUMBERS_(need)("store", a, low, high);
}
VEC_2(NUMBERS, NUMBERS_(add), NUMBERS_(interval)("add", a.lo + b.lo, a.hi + b.hi))
VEC_2(NUMBERS, NUMBERS_(sub), NUMBERS_(interval)("sub", a.lo - b.hi, a.hi - b.lo))
OCT_INLINE NUMBERS NUMBERS_(mullo)(NUMBERS a, NUMBERS b)
{
    const NUMBERS_SUM p = NUMBERS_(products)(a, b);
    return NUMBERS_(interval)("mullo", p.lo, p.hi);
}
OCT_INLINE NUMBERS NUMBERS_(mullo_wrap)(NUMBERS a, NUMBERS b)
{
    const NUMBERS_SUM p = NUMBERS_(products)(a, b);
    return NUMBERS_(wrapped)(p.lo, p.hi);
}
OCT_INLINE NUMBERS NUMBERS_(mulhi)(NUMBERS a, NUMBERS b)
{
    const NUMBERS_SUM p = NUMBERS_(products)(a, b);
    return NUMBERS_(interval)("mulhi", p.lo >> NUMBERS_BITS, p.hi >> NUMBERS_BITS);
}
VEC_BY(NUMBERS, NUMBERS_(sll),
       NUMBERS_(interval)("sll", (__int128)a.lo *((int64_t)1 << bits), (__int128)a.hi *((int64_t)1 << bits)))
VEC_BY(NUMBERS, NUMBERS_(sra), NUMBERS_(interval)("sra", a.lo >> bits, a.hi >> bits))
OCT_INLINE void NUMBERS_(exchange)(NUMBERS *x, NUMBERS *y, unsigned bit)
{
    (void)bit;
    oct_bound_checked++;
    *x = *y = NUMBERS_(either)(*x, *y);
}
OCT_INLINE void NUMBERS_(unzip)(NUMBERS *x, NUMBERS *y)
{
    NUMBERS_(exchange)(x, y, 0);
}
OCT_INLINE NUMBERS NUMBERS_(load_bits)(const uint8_t *p, unsigned bits)
{
    (void)p;
    return NUMBERS_(interval)("load_bits", 0, (1 << bits) - 1);
}
OCT_INLINE void NUMBERS_(store_bits)(uint8_t *p, NUMBERS a, unsigned bits)
{
    (void)p;
    NUMBERS_(need)("store_bits", a, 0, (1 << bits) - 1);
}
OCT_INLINE NUMBERS NUMBERS_(proved_bound)(NUMBERS a, int low, int high)
{
    (void)a;
    return NUMBERS_(interval)("proved_bound", low, high);
}
