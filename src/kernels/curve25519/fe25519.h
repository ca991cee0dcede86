/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The field of 2^255-19, eight elements at once, one per lane: five limbs of weight 2^51.
 *
 * Two types, so that the compiler knows what has been carried:
 *   fe       may be multiplied. Limbs 0 .. 2^52-1; fe_carry() makes them less than 2^51 + 2^16. Where products are
 *            whole (vec.h), only one factor may have larger limbs, up to 2^51.9: fe_narrow() makes them smaller.
 *   fe_wide  sums of products. Columns of 0 .. 2^62; additions and subtractions are done here, before the one carry
 * pass, which would otherwise be needed twice.
 *
 * Bounds of a product: a column has at most five low halves below 2^52 and five high halves, doubled since 52 bits are
 * cut off but a limb has 51. For factors below 2^52 that is 15 * 2^52, and the columns from 2^255 on come back times
 * 19: below 2^60.3; for carried factors below 2^59.3. FE_BIAS is more than that, so that a product may be subtracted
 * from it.
 */
#ifndef OCT_KERNELS_FE25519_H
#define OCT_KERNELS_FE25519_H

/* Elements are values: a limb should be one register. */
#define OCT_VEC_GROUPED
#include "kernels/curve25519/curve25519.h"
#include "vec/vec.h"

#define FE_LIMBS 5
#define FE_BITS  51
#define FE_MASK  (((uint64_t)1 << FE_BITS) - 1)

typedef struct {
    v8 l[FE_LIMBS];
} fe;
typedef struct {
    v8 c[FE_LIMBS];
} fe_wide;

/* Limb i of p = 2^255 - 19. */
OCT_INLINE uint64_t fe_prime_limb(int i)
{
    return i == 0 ? FE_MASK - 18 : FE_MASK;
}

/* The bias is 2^9 * p: columns of nearly 2^60. */
OCT_INLINE uint64_t fe_bias_column(int i)
{
    return fe_prime_limb(i) << 9;
}

VEC_STEP fe_wide fe_wide_zero(void)
{
    fe_wide r;
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        r.c[i] = v8_zero();
    return r;
}

OCT_INLINE fe fe_set_small(uint64_t x)
{
    fe r;
    r.l[0] = v8_set1(x);
    VEC_UNROLL
    for (int i = 1; i < FE_LIMBS; i++)
        r.l[i] = v8_zero();
    return r;
}

/* From and to memory, limbs below 2^52. */
OCT_INLINE fe fe_load(const oct_limb8 x[FE_LIMBS])
{
    fe r;
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        r.l[i] = v8_load52(x[i]);
    return r;
}
OCT_INLINE void fe_store(oct_limb8 x[FE_LIMBS], fe a)
{
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        v8_store52(x[i], a.l[i]);
}

/* One carry pass over all columns at once; what leaves the top comes back times 19. */
VEC_STEP fe fe_carry(fe_wide a)
{
    fe r;
    v8 carry[FE_LIMBS];
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++) {
        carry[i] = v8_srl(a.c[i], FE_BITS);
        r.l[i] = v8_low(a.c[i], FE_BITS);
    }
    r.l[0] = v8_add(r.l[0], v8_mul_short(carry[FE_LIMBS - 1], 19));
    VEC_UNROLL
    for (int i = 1; i < FE_LIMBS; i++)
        r.l[i] = v8_add(r.l[i], carry[i - 1]);
    V8_NUMBER(r.l, FE_LIMBS, FE_BITS);
    return r;
}

VEC_STEP fe_wide fe_widen(fe a)
{
    fe_wide r;
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        r.c[i] = a.l[i];
    return r;
}
/* a with limbs that whole products take beside any other's. */
VEC_STEP fe fe_narrow(fe a)
{
    return VEC_WHOLE ? fe_carry(fe_widen(a)) : a;
}
/* a + bias: something may be subtracted from it. */
VEC_STEP fe_wide fe_biased(fe a)
{
    fe_wide r;
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        r.c[i] = v8_add(a.l[i], v8_set1(fe_bias_column(i)));
    return r;
}
VEC_STEP fe_wide fe_wide_add(fe_wide a, fe_wide b)
{
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        a.c[i] = v8_add(a.c[i], b.c[i]);
    return a;
}
/* a - b, for an `a` that has the bias in it. */
VEC_STEP fe_wide fe_wide_sub(fe_wide a, fe_wide b)
{
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        a.c[i] = v8_sub(a.c[i], b.c[i]);
    return a;
}
/* a + b and a - b, carried. */
VEC_STEP fe fe_carried_sum(fe_wide a, fe_wide b)
{
    return fe_carry(fe_wide_add(a, b));
}
VEC_STEP fe fe_carried_difference(fe_wide a, fe_wide b)
{
    return fe_carry(fe_wide_sub(a, b));
}
VEC_STEP fe fe_add(fe a, fe b)
{
    return fe_carried_sum(fe_widen(a), fe_widen(b));
}
VEC_STEP fe fe_sub(fe a, fe b)
{
    return fe_carried_difference(fe_biased(a), fe_widen(b));
}

VEC_STEP fe fe_select(m8 m, fe a, fe b)
{
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        a.l[i] = v8_select(m, a.l[i], b.l[i]);
    return a;
}

#if VEC_WHOLE
#define FE_STARTS(bias)                                                                                                \
    {                                                                                                                  \
        V8_START(FE_LIMBS, 0, FE_BITS, 19, (bias) * (FE_MASK - 18)),                                                   \
            V8_START(FE_LIMBS, 1, FE_BITS, 19, (bias)*FE_MASK), V8_START(FE_LIMBS, 2, FE_BITS, 19, (bias)*FE_MASK),    \
            V8_START(FE_LIMBS, 3, FE_BITS, 19, (bias)*FE_MASK), V8_START(FE_LIMBS, 4, FE_BITS, 19, (bias)*FE_MASK)     \
    }
static const v8_start fe_starts[2][FE_LIMBS] = {FE_STARTS(0), FE_STARTS((uint64_t)1 << 9)};

/* c = the five columns of a * b, or of a^2; the same with the bias. */
static OCT_NOINLINE void fe_product(v8 *restrict c, const v8 *a, const v8 *b, const v8_start *start)
{
    v8_product_folded(c, a, b, FE_LIMBS, FE_BITS, 19, start);
}
static OCT_NOINLINE void fe_square(v8 *restrict c, const v8 *a, const v8_start *start)
{
    v8_square_folded(c, a, FE_LIMBS, FE_BITS, 19, start);
}

/* The product of two factors, and the same with the bias. */
VEC_STEP fe_wide fe_mul_wide(fe a, fe b)
{
    fe_wide r;
    fe_product(r.c, a.l, b.l, fe_starts[0]);
    return r;
}
VEC_STEP fe_wide fe_sqr_wide(fe a)
{
    fe_wide r;
    fe_square(r.c, a.l, fe_starts[0]);
    return r;
}
VEC_STEP fe_wide fe_mul_biased(fe a, fe b)
{
    fe_wide r;
    fe_product(r.c, a.l, b.l, fe_starts[1]);
    return r;
}
VEC_STEP fe_wide fe_sqr_biased(fe a)
{
    fe_wide r;
    fe_square(r.c, a.l, fe_starts[1]);
    return r;
}
#else
/* The ten columns of a double-length product, folded. */
VEC_STEP fe_wide fe_fold(const v8 column[2 * FE_LIMBS])
{
    fe_wide r;
    VEC_UNROLL
    for (int k = 0; k < FE_LIMBS; k++)
        r.c[k] = v8_add(column[k], v8_mul_small(column[k + FE_LIMBS], 19));
    return r;
}

/*
 * Column k of a product, plus `start`. The high halves come first, because they count twice: one addition doubles
 * them, and half of `start`, on the way to the low halves.
 */
VEC_STEP v8 fe_mul_column(fe a, fe b, int k, uint64_t start)
{
    v8 x = v8_set1(k > 0 ? start / 2 : start);
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        if (k - 1 - i >= 0 && k - 1 - i < FE_LIMBS)
            x = v8_madd52hi(x, a.l[i], b.l[k - 1 - i]);
    if (k > 0)
        x = v8_add(x, x);
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        if (k - i >= 0 && k - i < FE_LIMBS)
            x = v8_madd52lo(x, a.l[i], b.l[k - i]);
    return x;
}

/* The same of a square: the products beside the diagonal count twice, and their high halves twice again. */
VEC_STEP v8 fe_sqr_column(fe a, int k, uint64_t start)
{
    v8 x = v8_set1(k > 1 ? start / 4 : k == 1 ? start / 2 : start);
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        if (k - 1 - i > i && k - 1 - i < FE_LIMBS)
            x = v8_madd52hi(x, a.l[i], a.l[k - 1 - i]);
    if (k > 1)
        x = v8_add(x, x);
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        if (k - i > i && k - i < FE_LIMBS)
            x = v8_madd52lo(x, a.l[i], a.l[k - i]);
    if (k % 2 == 1)
        x = v8_madd52hi(x, a.l[k / 2], a.l[k / 2]);
    if (k > 0)
        x = v8_add(x, x);
    return k % 2 == 0 ? v8_madd52lo(x, a.l[k / 2], a.l[k / 2]) : x;
}

/* The product of two factors, and the same with the bias. */
VEC_STEP fe_wide fe_mul_wide(fe a, fe b)
{
    v8 column[2 * FE_LIMBS];
    VEC_UNROLL
    for (int k = 0; k < 2 * FE_LIMBS; k++)
        column[k] = fe_mul_column(a, b, k, 0);
    return fe_fold(column);
}
VEC_STEP fe_wide fe_mul_biased(fe a, fe b)
{
    v8 column[2 * FE_LIMBS];
    VEC_UNROLL
    for (int k = 0; k < 2 * FE_LIMBS; k++)
        column[k] = fe_mul_column(a, b, k, k < FE_LIMBS ? fe_bias_column(k) : 0);
    return fe_fold(column);
}
VEC_STEP fe_wide fe_sqr_wide(fe a)
{
    v8 column[2 * FE_LIMBS];
    VEC_UNROLL
    for (int k = 0; k < 2 * FE_LIMBS; k++)
        column[k] = fe_sqr_column(a, k, 0);
    return fe_fold(column);
}
VEC_STEP fe_wide fe_sqr_biased(fe a)
{
    v8 column[2 * FE_LIMBS];
    VEC_UNROLL
    for (int k = 0; k < 2 * FE_LIMBS; k++)
        column[k] = fe_sqr_column(a, k, k < FE_LIMBS ? fe_bias_column(k) : 0);
    return fe_fold(column);
}
#endif
VEC_STEP fe fe_mul(fe a, fe b)
{
    return fe_carry(fe_mul_wide(a, b));
}
VEC_STEP fe fe_sqr(fe a)
{
    return fe_carry(fe_sqr_wide(a));
}

/* a + x * c, for a constant c below 2^20. */
VEC_STEP fe_wide fe_mul_small_add(fe_wide a, fe x, uint64_t c)
{
    const v8 factor = v8_set1(c);
    v8 carried[FE_LIMBS];
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++) {
        carried[i] = v8_madd52hi(v8_zero(), x.l[i], factor);
        a.c[i] = v8_madd52lo(a.c[i], x.l[i], factor);
    }
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++) {
        const v8 twice = v8_add(carried[(i + 4) % FE_LIMBS], carried[(i + 4) % FE_LIMBS]);
        a.c[i] = v8_add(a.c[i], i == 0 ? v8_mul_short(twice, 19) : twice);
    }
    return a;
}

/* a mod p, the one number of 0 .. p-1. */
VEC_STEP fe fe_canonical(fe a)
{
    v8 carry = v8_zero();
    for (int i = 0; i < FE_LIMBS; i++) {
        const v8 x = v8_add(a.l[i], carry);
        carry = v8_sra(x, FE_BITS);
        a.l[i] = v8_low(x, FE_BITS);
    }
    a.l[0] = v8_add(a.l[0], v8_mul_small(carry, 19));
    /* Now a < 2^255 + 2^20 < 2p, and a >= p just if a + 19 reaches 2^255. */
    carry = v8_set1(19);
    for (int i = 0; i < FE_LIMBS; i++)
        carry = v8_sra(v8_add(a.l[i], carry), FE_BITS);
    carry = v8_mul_small(carry, 19);
    for (int i = 0; i < FE_LIMBS; i++) {
        const v8 x = v8_add(a.l[i], carry);
        carry = v8_sra(x, FE_BITS);
        a.l[i] = v8_low(x, FE_BITS);
    }
    return a;
}

/* Where two canonical numbers are the same. */
VEC_STEP m8 fe_is_same(fe a, fe b)
{
    v8 difference = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        difference = v8_or(difference, v8_xor(a.l[i], b.l[i]));
    return m8_not(v8_is_nonzero(difference));
}

/* r = a^(2^times). A chain of dependent steps: latency, not throughput. */
VEC_CHAIN void fe_sqr_times(fe *r, const fe *a, unsigned times)
{
    fe x = *a;
    for (unsigned i = 0; i < times; i++)
        x = fe_sqr(x);
    *r = x;
}

/* r = a^(2^250 - 1), and a11 = a^11: what inversion and square root share. */
VEC_CHAIN void fe_pow_2_250_1(fe *r, fe *a11, const fe *a)
{
    fe x, y, z;
    y = fe_sqr(*a);              /* 2 */
    fe_sqr_times(&x, &y, 2);     /* 8 */
    x = fe_mul(x, *a);           /* 9 */
    *a11 = fe_mul(x, y);         /* 11 */
    x = fe_mul(fe_sqr(*a11), x); /* 31 = 2^5 - 1 */
    fe_sqr_times(&y, &x, 5);
    x = fe_mul(y, x); /* 2^10 - 1 */
    fe_sqr_times(&y, &x, 10);
    y = fe_mul(y, x); /* 2^20 - 1 */
    fe_sqr_times(&z, &y, 20);
    y = fe_mul(z, y); /* 2^40 - 1 */
    fe_sqr_times(&y, &y, 10);
    x = fe_mul(y, x); /* 2^50 - 1 */
    fe_sqr_times(&y, &x, 50);
    y = fe_mul(y, x); /* 2^100 - 1 */
    fe_sqr_times(&z, &y, 100);
    y = fe_mul(z, y); /* 2^200 - 1 */
    fe_sqr_times(&y, &y, 50);
    *r = fe_mul(y, x); /* 2^250 - 1 */
}

/* r = 1/a = a^(p-2), p - 2 = 2^255 - 21; 0 for 0. */
VEC_CHAIN void fe_invert(fe *r, const fe *a)
{
    fe a11, x;
    fe_pow_2_250_1(&x, &a11, a);
    fe_sqr_times(&x, &x, 5);
    *r = fe_mul(x, a11);
}

#endif
