/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Whole products that are folded (vec.h), for backends that save nothing by folding at once. */
#ifndef OCT_VEC_FOLDED_H
#define OCT_VEC_FOLDED_H

#define FOLDED_MOST 5 /* limbs */

typedef uint64_t v8_start;
#define V8_START(n, k, bits, fold, plus) (plus)

OCT_INLINE void folded(v8 *r, const v8 *column, int n, uint32_t fold, const v8_start *start)
{
    VEC_UNROLL
    for (int k = 0; k < n; k++)
        r[k] = v8_add(v8_add(column[k], v8_mul_small(column[k + n], fold)), v8_set1(start[k]));
}
OCT_INLINE void v8_product_folded(v8 *r, const v8 *x, const v8 *y, int n, unsigned bits, uint32_t fold,
                                  const v8_start *start)
{
    v8 column[2 * FOLDED_MOST];
    v8_product_from(column, x, y, n, 0, 0, bits);
    folded(r, column, n, fold, start);
}
OCT_INLINE void v8_square_folded(v8 *r, const v8 *x, int n, unsigned bits, uint32_t fold, const v8_start *start)
{
    v8 column[2 * FOLDED_MOST];
    v8_square(column, x, n, bits);
    folded(r, column, n, fold, start);
}

#endif
