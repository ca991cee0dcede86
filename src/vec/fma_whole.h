/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whole products (vec.h) by double-precision FMA, for registers of any width. Factors are converted once. Few sums are
 * open at a time, so that the factors have the registers, and the biases of a column go by one constant.
 */
#ifndef OCT_VEC_FMA_WHOLE_H
#define OCT_VEC_FMA_WHOLE_H

#include <stdbool.h>

#define FMA_EACH(i)                                                                                                    \
    VEC_UNROLL                                                                                                         \
    for (int i = 0; i < FMA_PARTS; i++)

OCT_INLINE fma_part fma_zero(void)
{
    return (fma_part){0};
}

/* How many products x[i] * y[k-i] there are of numbers of n limbs. */
OCT_INLINE int fma_count(int n, int k)
{
    return k < 0 || k > 2 * n - 2 ? 0 : k < n ? k + 1 : 2 * n - 1 - k;
}

/* Minus the biases of so many high halves, and of one low half less than that, as many, or one more. */
#define FMA_MOST 20
#if FMA_WORDS == 4
#define FMA_SAME(x)                                                                                                    \
    {                                                                                                                  \
        x, x, x, x                                                                                                     \
    }
#else
#define FMA_SAME(x)                                                                                                    \
    {                                                                                                                  \
        x, x, x, x, x, x, x, x                                                                                         \
    }
#endif
#define FMA_MINUS(lows, highs, bits)   FMA_SAME(FMA_MINUS_1(lows, highs, bits))
#define FMA_MINUS_1(lows, highs, bits) (0 - (uint64_t)(lows)*FMA_LOW - (uint64_t)(highs)*FMA_HIGH(bits))
#define FMA_MINUS_3(highs, bits)                                                                                       \
    {                                                                                                                  \
        FMA_MINUS((highs)-1, highs, bits), FMA_MINUS(highs, highs, bits), FMA_MINUS((highs) + 1, highs, bits)          \
    }
#define FMA_MINUS_ALL(bits)                                                                                            \
    {                                                                                                                  \
        FMA_MINUS_3(0, bits), FMA_MINUS_3(1, bits), FMA_MINUS_3(2, bits), FMA_MINUS_3(3, bits), FMA_MINUS_3(4, bits),  \
            FMA_MINUS_3(5, bits), FMA_MINUS_3(6, bits), FMA_MINUS_3(7, bits), FMA_MINUS_3(8, bits),                    \
            FMA_MINUS_3(9, bits), FMA_MINUS_3(10, bits), FMA_MINUS_3(11, bits), FMA_MINUS_3(12, bits),                 \
            FMA_MINUS_3(13, bits), FMA_MINUS_3(14, bits), FMA_MINUS_3(15, bits), FMA_MINUS_3(16, bits),                \
            FMA_MINUS_3(17, bits), FMA_MINUS_3(18, bits), FMA_MINUS_3(19, bits), FMA_MINUS_3(20, bits)                 \
    }
static const uint64_t fma_minus_52[FMA_MOST + 1][3][FMA_WORDS] OCT_ALIGN64 = FMA_MINUS_ALL(52);
static const uint64_t fma_minus_51[FMA_MOST + 1][3][FMA_WORDS] OCT_ALIGN64 = FMA_MINUS_ALL(51);

/* x less the biases of column k of n limbs. */
OCT_INLINE fma_part fma_unbiased(fma_part x, int n, int k, unsigned bits)
{
    const int lows = fma_count(n, k), highs = fma_count(n, k - 1);
    return fma_add_constant(x, (bits == 52 ? fma_minus_52 : fma_minus_51)[highs][lows - highs + 1]);
}

/* The biases of a column, and of the one that is folded into it, go by one constant together. */
#define FMA_COUNT(n, k)              ((k) < 0 || (k) > 2 * (n)-2 ? 0 : (k) < (n) ? (k) + 1 : 2 * (n)-1 - (k))
#define FMA_MINUS_COLUMN(n, k, bits) FMA_MINUS_1(FMA_COUNT(n, k), FMA_COUNT(n, (k)-1), bits)
typedef struct {
    uint64_t word[FMA_WORDS];
} OCT_ALIGN64 v8_start;
#define V8_START(n, k, bits, fold, plus)                                                                               \
    {                                                                                                                  \
        FMA_SAME((plus) + FMA_MINUS_COLUMN(n, k, bits) + (fold)*FMA_MINUS_COLUMN(n, (k) + (n), bits))                  \
    }

/*
 * Column by column: few sums are open at a time, so the factors have the registers. A column's high halves belong to
 * the next one: with the bias of that one they wait in `above`. Without `whole` biases stay.
 */
OCT_INLINE void fma_product(v8 *r, const v8 *x, const v8 *y, int n, int from, int add, unsigned bits, int part,
                            bool whole)
{
    fma_doubles a[FMA_MOST], b[FMA_MOST];
    VEC_UNROLL
    for (int i = 0; i < n; i++) {
        a[i] = fma_double(FMA_PART(x[i], part));
        b[i] = fma_double(FMA_PART(y[i], part));
    }
    fma_part above = fma_zero();
    VEC_UNROLL
    for (int k = from > 0 ? from - 1 : 0; k < 2 * n; k++) {
        const int first = k < n ? 0 : k + 1 - n;
        fma_part sum = k >= from && add ? FMA_PART(r[k - from], part) : fma_zero(), next = fma_zero();
        VEC_UNROLL
        for (int i = 0; i < n; i++) {
            fma_part high, low;
            if (k - i < 0 || k - i >= n)
                continue;
            if (k < from) {
                high = fma_only_high(a[i], b[k - i], bits);
            } else {
                fma_pair(&high, &low, a[i], b[k - i], bits);
                if (k == 0 && whole)
                    low = fma_unbiased(low, n, 0, bits);
                sum = i == first && !add ? low : fma_add(sum, low);
            }
            if (i == first)
                next = whole ? fma_unbiased(high, n, k + 1, bits) : high;
            else
                next = fma_add(next, high);
        }
        if (k >= from)
            FMA_PART(r[k - from], part) = k > 0 ? fma_add(sum, above) : sum;
        above = next;
        VEC_FENCE();
    }
}
OCT_INLINE void v8_product_from(v8 *r, const v8 *x, const v8 *y, int n, int from, int add, unsigned bits)
{
    FMA_EACH(part) fma_product(r, x, y, n, from, add, bits, part, true);
}

/* Products beside the diagonal count twice: sums of their own. */
OCT_INLINE void fma_square(v8 *r, const v8 *x, int n, unsigned bits, int part, bool whole)
{
    fma_doubles a[FMA_MOST];
    VEC_UNROLL
    for (int i = 0; i < n; i++)
        a[i] = fma_double(FMA_PART(x[i], part));
    fma_part twice = fma_zero(), once = twice;
    VEC_UNROLL
    for (int k = 0; k < 2 * n; k++) {
        fma_part next_twice = fma_zero(), next_once = next_twice;
        VEC_UNROLL
        for (int i = 0; i < n; i++) {
            fma_part high, low;
            if (k - i < i || k - i >= n)
                continue;
            fma_pair(&high, &low, a[i], a[k - i], bits);
            if (k - i == i) {
                once = fma_add(once, low);
                next_once = fma_add(next_once, high);
            } else {
                twice = fma_add(twice, low);
                next_twice = fma_add(next_twice, high);
            }
        }
        const fma_part sum = fma_add(once, fma_add(twice, twice));
        FMA_PART(r[k], part) = whole ? fma_unbiased(sum, n, k, bits) : sum;
        twice = next_twice;
        once = next_once;
        VEC_FENCE();
    }
}
OCT_INLINE void v8_square(v8 *r, const v8 *x, int n, unsigned bits)
{
    FMA_EACH(part) fma_square(r, x, n, bits, part, true);
}

/* Columns with their biases, modulo 2^64, bear to be folded as well. */
OCT_INLINE void fma_fold(v8 *r, const v8 *column, int n, uint32_t fold, const v8_start *start)
{
    VEC_UNROLL
    for (int k = 0; k < n; k++) {
        r[k] = v8_add(column[k], v8_mul_small(column[k + n], fold));
        FMA_EACH(part) FMA_PART(r[k], part) = fma_add_constant(FMA_PART(r[k], part), start[k].word);
    }
}
OCT_INLINE void v8_product_folded(v8 *r, const v8 *x, const v8 *y, int n, unsigned bits, uint32_t fold,
                                  const v8_start *start)
{
    v8 column[2 * FMA_MOST];
    FMA_EACH(part) fma_product(column, x, y, n, 0, 0, bits, part, false);
    fma_fold(r, column, n, fold, start);
}
OCT_INLINE void v8_square_folded(v8 *r, const v8 *x, int n, unsigned bits, uint32_t fold, const v8_start *start)
{
    v8 column[2 * FMA_MOST];
    FMA_EACH(part) fma_square(column, x, n, bits, part, false);
    fma_fold(r, column, n, fold, start);
}

#endif
