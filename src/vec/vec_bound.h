/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The bound backend of the vector contract, for tests only: a v8 is the interval of all values that any lane can have
 * for any input. Every operation computes the interval of its result and calls oct_bound_failed() when a number could
 * leave -2^63 .. 2^63-1, or a multiplicand could leave 0 .. 2^52-1. Kernels have no control flow that depends on data,
 * so one run visits every operation, and a clean run proves the bounds for all inputs.
 */
#ifndef OCT_VEC_BOUND_H
#define OCT_VEC_BOUND_H

#define OCT_NAME(name) oct_bound_##name
#define VEC_UNROLL
/* Not there at all in a kernel that does not use them: all that is there has to be proved. */
#define VEC_STEP    static inline
#define VEC_CHAIN   static inline
#define VEC_FENCE() ((void)0)

typedef struct {
    __int128 lo, hi;
} v8;
/* A mask is unknown: every lane may be either. */
typedef struct {
    char unknown;
} m8;
/* So is a word: any of 2^64. */
typedef struct {
    char any;
} w8;

/* Reports the operation and where the kernel called it; the proof's driver decides what happens next
 * (tests/library/bound). */
void oct_bound_failed(const char *operation, __int128 lo, __int128 hi);
/* How many operations have been checked so far: a proof that ran nothing proves nothing. */
extern uint64_t oct_bound_checked;

OCT_INLINE v8 v8_interval(const char *operation, __int128 lo, __int128 hi)
{
    const __int128 limit = (__int128)1 << 63;
    oct_bound_checked++;
    if (lo < -limit || hi >= limit || lo > hi)
        oct_bound_failed(operation, lo, hi);
    return (v8){lo, hi};
}
OCT_INLINE void v8_need(const char *operation, v8 a, __int128 max)
{
    oct_bound_checked++;
    if (a.lo < 0 || a.hi > max)
        oct_bound_failed(operation, a.lo, a.hi);
}
/* The smallest 2^n - 1 that is not below x: what a bitwise operation can reach. */
OCT_INLINE __int128 v8_all_ones(__int128 x)
{
    __int128 r = 0;
    while (r < x)
        r = 2 * r + 1;
    return r;
}

OCT_INLINE v8 v8_zero(void)
{
    return (v8){0, 0};
}
OCT_INLINE v8 v8_set1(uint64_t x)
{
    return v8_interval("set1", x, x);
}
OCT_INLINE v8 v8_load52(const uint64_t p[V8_LANES])
{
    (void)p;
    return (v8){0, V8_LIMB_MASK};
}
OCT_INLINE void v8_store52(uint64_t p[V8_LANES], v8 a)
{
    (void)p;
    v8_need("store52", a, V8_LIMB_MASK);
}
VEC_2(v8, v8_add, v8_interval("add", a.lo + b.lo, a.hi + b.hi))
VEC_2(v8, v8_sub, v8_interval("sub", a.lo - b.hi, a.hi - b.lo))
OCT_INLINE v8 v8_or(v8 a, v8 b)
{
    v8_need("or", a, ((__int128)1 << 63) - 1);
    v8_need("or", b, ((__int128)1 << 63) - 1);
    return v8_interval("or", 0, v8_all_ones(a.hi > b.hi ? a.hi : b.hi));
}
VEC_2(v8, v8_xor, v8_or(a, b))
OCT_INLINE v8 v8_low(v8 a, unsigned bits)
{
    const __int128 max = ((__int128)1 << bits) - 1;
    if (a.lo >= 0 && a.hi <= max)
        return a;
    return v8_interval("low", 0, max);
}
VEC_1(v8, v8_low52, v8_low(a, 52))
VEC_BY(v8, v8_sll, v8_interval("sll", a.lo *((__int128)1 << bits), a.hi *((__int128)1 << bits)))
VEC_BY(v8, v8_sra, v8_interval("sra", a.lo >> bits, a.hi >> bits))
OCT_INLINE v8 v8_srl(v8 a, unsigned bits)
{
    v8_need("srl", a, ((__int128)1 << 63) - 1);
    return v8_sra(a, bits);
}
OCT_INLINE v8 v8_madd52lo(v8 acc, v8 a, v8 b)
{
    v8_need("madd52lo multiplicand", a, V8_LIMB_MASK);
    v8_need("madd52lo multiplicand", b, V8_LIMB_MASK);
    const __int128 product = a.hi * b.hi;
    return v8_interval("madd52lo", acc.lo,
                       acc.hi + (product < (__int128)V8_LIMB_MASK ? product : (__int128)V8_LIMB_MASK));
}
OCT_INLINE v8 v8_madd52hi(v8 acc, v8 a, v8 b)
{
    v8_need("madd52hi multiplicand", a, V8_LIMB_MASK);
    v8_need("madd52hi multiplicand", b, V8_LIMB_MASK);
    return v8_interval("madd52hi", acc.lo + ((a.lo * b.lo) >> 52), acc.hi + ((a.hi * b.hi) >> 52));
}
OCT_INLINE v8 v8_mul52lo_trunc(v8 a, v8 b)
{
    (void)a;
    v8_need("mul52lo multiplicand", b, V8_LIMB_MASK);
    return v8_interval("mul52lo", 0, V8_LIMB_MASK);
}
OCT_INLINE v8 v8_mul_small(v8 a, uint32_t c)
{
    return v8_interval("mul_small", a.lo * c, a.hi * c);
}
OCT_INLINE v8 v8_mul_short(v8 a, uint32_t c)
{
    v8_need("mul_short multiplicand", a, UINT32_MAX);
    return v8_interval("mul_short", a.lo * c, a.hi * c);
}
VEC_3(v8, v8_madd52lo_trunc, v8_madd52lo(a, v8_low52(b), c))
VEC_3(v8, v8_madd52hi_trunc, v8_madd52hi(a, v8_low52(b), c))
OCT_INLINE v8 v8_madd52lo_pow2(v8 acc, v8 a, unsigned bits)
{
    return v8_madd52lo_trunc(acc, a, v8_set1((uint64_t)1 << bits));
}
OCT_INLINE v8 v8_madd52hi_pow2(v8 acc, v8 a, unsigned bits)
{
    return v8_madd52hi_trunc(acc, a, v8_set1((uint64_t)1 << bits));
}
/* A column's bounds for every way to split a product into halves. Each sum on the way is one of numbers >= 0 and what
 * is added to, so it is within the bounds of start and end. */
OCT_INLINE v8 v8_whole_column(v8 start, const v8 *x, const v8 *y, int n, int k, unsigned bits)
{
    const __int128 limit = (__int128)1 << (bits == 51 ? 103 : 104);
    for (int i = 0; i < n; i++)
        for (int above = 0; above < 2; above++) {
            const int j = k - above - i;
            if (j < 0 || j >= n)
                continue;
            v8_need("whole product's multiplicand", x[i], V8_LIMB_MASK);
            v8_need("whole product's multiplicand", y[j], V8_LIMB_MASK);
            const __int128 most = x[i].hi * y[j].hi;
            if (most >= limit)
                oct_bound_failed("whole product's multiplicand", x[i].hi, y[j].hi);
            const __int128 low = most < (__int128)V8_LIMB_MASK ? most : (__int128)V8_LIMB_MASK;
            start = v8_interval("whole product", start.lo, start.hi + (above ? most >> bits : low));
        }
    return start;
}
OCT_INLINE void v8_product_from(v8 *r, const v8 *x, const v8 *y, int n, int from, int add, unsigned bits)
{
    for (int k = from; k < 2 * n; k++)
        r[k - from] = v8_whole_column(add ? r[k - from] : v8_zero(), x, y, n, k, bits);
}
OCT_INLINE void v8_square(v8 *r, const v8 *x, int n, unsigned bits)
{
    v8_product_from(r, x, x, n, 0, 0, bits);
}
OCT_INLINE v8 v8_lookup_shared16(const uint64_t table[16], v8 index)
{
    (void)table;
    v8_need("lookup_shared16", index, 15);
    return (v8){0, V8_LIMB_MASK};
}
OCT_INLINE v8 v8_swap_halves(v8 a)
{
    return a;
}
OCT_INLINE m8 v8_is_negative(v8 a)
{
    (void)a;
    return (m8){1};
}
OCT_INLINE m8 v8_is_nonzero(v8 a)
{
    (void)a;
    return (m8){1};
}
OCT_INLINE m8 v8_test_bit(v8 a, unsigned bit)
{
    (void)bit;
    v8_need("test_bit", a, ((__int128)1 << 63) - 1);
    return (m8){1};
}
OCT_INLINE v8 v8_select(m8 m, v8 a, v8 b)
{
    (void)m;
    return v8_interval("select", a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi);
}
OCT_INLINE m8 m8_or(m8 a, m8 b)
{
    (void)a;
    return b;
}
OCT_INLINE m8 m8_and(m8 a, m8 b)
{
    (void)a;
    return b;
}
OCT_INLINE m8 m8_not(m8 a)
{
    return a;
}
OCT_INLINE unsigned m8_declassify(m8 m)
{
    return (unsigned)m.unknown;
}
OCT_INLINE v8 v8_proved_bound(v8 a, uint64_t max)
{
    (void)a;
    return (v8){0, max};
}
OCT_INLINE v8 v8_argument_bound(v8 a, uint64_t max)
{
    return v8_proved_bound(a, max);
}
OCT_INLINE void v8_clear_registers(void)
{
}

/* Words have no bounds: these only count that they ran. */
OCT_INLINE w8 w8_any(void)
{
    oct_bound_checked++;
    return (w8){0};
}
OCT_INLINE w8 w8_set1(uint64_t x)
{
    (void)x;
    return w8_any();
}
OCT_INLINE w8 w8_load(const uint64_t p[V8_LANES])
{
    (void)p;
    return w8_any();
}
OCT_INLINE void w8_store(uint64_t p[V8_LANES], w8 a)
{
    (void)p, (void)a;
}
OCT_INLINE void w8_load_be(w8 word[8], const uint8_t *const lane[V8_LANES], size_t at)
{
    (void)lane, (void)at;
    for (int j = 0; j < 8; j++)
        word[j] = w8_any();
}
OCT_INLINE w8 w8_add(w8 a, w8 b)
{
    (void)a, (void)b;
    return w8_any();
}
OCT_INLINE w8 w8_xor3(w8 a, w8 b, w8 c)
{
    (void)a, (void)b, (void)c;
    return w8_any();
}
OCT_INLINE w8 w8_ror(w8 a, unsigned bits)
{
    (void)a, (void)bits;
    return w8_any();
}
OCT_INLINE w8 w8_srl(w8 a, unsigned bits)
{
    (void)a, (void)bits;
    return w8_any();
}
VEC_3(w8, w8_choose, w8_xor3(a, b, c))
VEC_3(w8, w8_majority, w8_xor3(a, b, c))

#endif
