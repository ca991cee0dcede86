/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the backends of i16x32.h and i32x16.h share whose vectors are units (units_avx512.h, units_ymm.h). */

OCT_INLINE NUMBERS NUMBERS_(load_table)(const NUMBERS_INT p[NUMBERS_LANES])
{
    return units_load(p);
}
OCT_INLINE NUMBERS NUMBERS_(load)(const NUMBERS_INT p[NUMBERS_LANES], int low, int high)
{
    (void)low, (void)high;
    return units_load(p);
}
OCT_INLINE void NUMBERS_(store)(NUMBERS_INT p[NUMBERS_LANES], NUMBERS a, int low, int high)
{
    (void)low, (void)high;
    units_store(p, a);
}
OCT_INLINE NUMBERS NUMBERS_(proved_bound)(NUMBERS a, int low, int high)
{
    (void)low, (void)high;
    return a;
}
OCT_INLINE void NUMBERS_(exchange)(NUMBERS *x, NUMBERS *y, unsigned bit)
{
    units_exchange(x, y, bit);
}
OCT_INLINE void NUMBERS_(unzip)(NUMBERS *x, NUMBERS *y)
{
    units_unzip(x, y);
}
