/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Whole products (vec.h) out of single ones, for backends that have no shorter way. */
#ifndef OCT_VEC_WHOLE_H
#define OCT_VEC_WHOLE_H

/* Column k of x * y plus `start`. Half a limb of 51 bits is cut off as 52 bits: high halves count twice. */
OCT_INLINE v8 whole_column(v8 start, const v8 *x, const v8 *y, int n, int k, unsigned bits)
{
    v8 low = start, high = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < n; i++)
        if (k - i >= 0 && k - i < n)
            low = v8_madd52lo(low, x[i], y[k - i]);
    VEC_UNROLL
    for (int i = 0; i < n; i++)
        if (k - 1 - i >= 0 && k - 1 - i < n)
            high = v8_madd52hi(high, x[i], y[k - 1 - i]);
    return v8_add(low, bits == 51 ? v8_add(high, high) : high);
}
OCT_INLINE void v8_product_from(v8 *r, const v8 *x, const v8 *y, int n, int from, int add, unsigned bits)
{
    VEC_UNROLL
    for (int k = from; k < 2 * n; k++)
        r[k - from] = whole_column(add ? r[k - from] : v8_zero(), x, y, n, k, bits);
}

/* Column k of x^2: twice the products beside the diagonal, and the diagonal. */
OCT_INLINE v8 whole_square_column(const v8 *x, int n, int k, unsigned bits)
{
    v8 low = v8_zero(), high = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < n; i++)
        if (k - i > i && k - i < n)
            low = v8_madd52lo(low, x[i], x[k - i]);
    VEC_UNROLL
    for (int i = 0; i < n; i++)
        if (k - 1 - i > i && k - 1 - i < n)
            high = v8_madd52hi(high, x[i], x[k - 1 - i]);
    low = v8_add(low, low);
    high = v8_add(high, high);
    if (k % 2 == 0)
        low = v8_madd52lo(low, x[k / 2], x[k / 2]);
    else
        high = v8_madd52hi(high, x[k / 2], x[k / 2]);
    return v8_add(low, bits == 51 ? v8_add(high, high) : high);
}
OCT_INLINE void v8_square(v8 *r, const v8 *x, int n, unsigned bits)
{
    VEC_UNROLL
    for (int k = 0; k < 2 * n; k++)
        r[k] = whole_square_column(x, n, k, bits);
}

#endif
