/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Blocks: numbers of BLOCK_BITS bits in BLOCK limbs, B = 2^BLOCK_BITS. All limbs have 52 bits but the last, which has
 * two or more less: so the sum of some blocks fits as many limbs, and Karatsuba's sums need no overflow bit.
 *
 * A product of two blocks is low + B*2^RAISE*high: its lower BLOCK columns, and the upper ones. A group is BLOCK such
 * columns of 64 bits, signed.
 */
#include "vec/vec.h"

#define BLOCK_TOP_BITS (BLOCK_BITS - 52 * (BLOCK - 1))
#define RAISE          (52 * BLOCK - BLOCK_BITS)

#define FOR_BLOCK(i)                                                                                                   \
    VEC_UNROLL                                                                                                         \
    for (int i = 0; i < BLOCK; i++)

OCT_INLINE void block_copy(v8 *r, const v8 *x)
{
    FOR_BLOCK(i) r[i] = x[i];
}

OCT_INLINE void block_clear(v8 *r)
{
    FOR_BLOCK(i) r[i] = v8_zero();
}

OCT_INLINE void block_add(v8 *r, const v8 *x)
{
    FOR_BLOCK(i) r[i] = v8_add(r[i], x[i]);
}

OCT_INLINE void block_sub(v8 *r, const v8 *x)
{
    FOR_BLOCK(i) r[i] = v8_sub(r[i], x[i]);
}

/* High columns as columns of the next block. */
OCT_INLINE void block_raise(v8 *r)
{
    FOR_BLOCK(i) r[i] = v8_sll(r[i], RAISE);
}

/* w = x + y, for sums of at most 2^(52 - BLOCK_TOP_BITS) blocks in all: limbs below 2^52. */
OCT_INLINE void block_sum(v8 *w, const v8 *x, const v8 *y)
{
    v8 carry = v8_zero();
    FOR_BLOCK(i)
    {
        v8 t = v8_add(x[i], y[i]);
        if (i > 0)
            t = v8_add(t, carry);
        if (i + 1 < BLOCK) {
            carry = v8_sra(t, 52);
            t = v8_low52(t);
        }
        w[i] = t;
    }
}

/* Carries the group t into the block r; returns the carry into the next group, which may be negative. */
OCT_INLINE v8 block_carry(v8 *r, const v8 *t, v8 carry)
{
    FOR_BLOCK(i)
    {
        const unsigned bits = i + 1 < BLOCK ? 52 : BLOCK_TOP_BITS;
        const v8 x = v8_add(t[i], carry);
        carry = v8_sra(x, bits);
        r[i] = v8_low(x, bits);
    }
    return carry;
}

/* What the limb y, the j-th of a block, adds to the low columns of a product by x: low halves to `lo`, high halves to
 * `hi`, which may be the same. */
OCT_INLINE void row_low(v8 *lo, v8 *hi, const v8 *x, v8 y, int j)
{
    VEC_UNROLL
    for (int i = 0; i + j < BLOCK; i++)
        lo[i + j] = v8_madd52lo(lo[i + j], x[i], y);
    VEC_UNROLL
    for (int i = 0; i + j + 1 < BLOCK; i++)
        hi[i + j + 1] = v8_madd52hi(hi[i + j + 1], x[i], y);
}

/* The same for the high columns. */
OCT_INLINE void row_high(v8 *lo, v8 *hi, const v8 *x, v8 y, int j)
{
    VEC_UNROLL
    for (int i = 0; i < BLOCK; i++)
        if (i + j >= BLOCK)
            lo[i + j - BLOCK] = v8_madd52lo(lo[i + j - BLOCK], x[i], y);
    VEC_UNROLL
    for (int i = 0; i < BLOCK; i++)
        if (i + j + 1 >= BLOCK)
            hi[i + j + 1 - BLOCK] = v8_madd52hi(hi[i + j + 1 - BLOCK], x[i], y);
}

OCT_INLINE void row(v8 *lo, v8 *hi, const v8 *x, v8 y, int j, int high)
{
    if (high)
        row_high(lo, hi, x, y, j);
    else
        row_low(lo, hi, x, y, j);
}

/* r += the low or high columns of x * y. */
OCT_INLINE void block_madd(v8 *r, const v8 *x, const v8 *y, int high)
{
    FOR_BLOCK(j) row(r, r, x, y[j], j, high);
}

/* r = the low or high columns of x * y + u * v. Two sets of accumulators: one would wait for itself. */
OCT_INLINE void block_products(v8 *r, const v8 *x, const v8 *y, const v8 *u, const v8 *v, int high)
{
    v8 hi[BLOCK];
    block_clear(r);
    block_clear(hi);
    FOR_BLOCK(j) row(r, hi, x, y[j], j, high);
    FOR_BLOCK(j) row(r, hi, u, v[j], j, high);
    block_add(r, hi);
}

/* Column c of the square of a block: twice the products above the diagonal, and the diagonal. */
OCT_INLINE v8 block_square_column(const v8 *x, int c)
{
    v8 t = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < BLOCK; i++)
        if (c - i > i && c - i < BLOCK)
            t = v8_madd52lo(t, x[i], x[c - i]);
    VEC_UNROLL
    for (int i = 0; i < BLOCK; i++)
        if (c - 1 - i > i && c - 1 - i < BLOCK)
            t = v8_madd52hi(t, x[i], x[c - 1 - i]);
    t = v8_add(t, t);
    return c % 2 ? v8_madd52hi(t, x[c / 2], x[c / 2]) : v8_madd52lo(t, x[c / 2], x[c / 2]);
}

OCT_INLINE void block_square(v8 *r, const v8 *x, int high)
{
    FOR_BLOCK(i) r[i] = block_square_column(x, high ? BLOCK + i : i);
}

#if VEC_WHOLE
/* All 2*BLOCK columns of x * y, of x^2, and only the high ones; r += them. */
static OCT_NOINLINE void block_product(v8 *restrict r, const v8 *x, const v8 *y)
{
    v8_product_from(r, x, y, BLOCK, 0, 0, 52);
}

static OCT_NOINLINE void block_product_add(v8 *restrict r, const v8 *x, const v8 *y)
{
    v8_product_from(r, x, y, BLOCK, 0, 1, 52);
}

static OCT_NOINLINE void block_product_high(v8 *restrict r, const v8 *x, const v8 *y)
{
    v8_product_from(r, x, y, BLOCK, BLOCK, 0, 52);
}

static OCT_NOINLINE void block_product_high_add(v8 *restrict r, const v8 *x, const v8 *y)
{
    v8_product_from(r, x, y, BLOCK, BLOCK, 1, 52);
}

static OCT_NOINLINE void block_square_whole(v8 *restrict r, const v8 *x)
{
    v8_square(r, x, BLOCK, 52);
}

static OCT_NOINLINE void block_sum_call(v8 *restrict w, const v8 *x, const v8 *y)
{
    block_sum(w, x, y);
}
#endif
