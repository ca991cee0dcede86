/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the portable backends of i16x32.h and i32x16.h share: plain loops, exact as the instructions are, on numbers
 * and, where they could leave these, NUMBERS_WIDE. */
#include "vec/lattice/units_c.h"

#include <string.h>

#define NUMBERS_EACH(i)                                                                                                \
    OCT_UNROLL                                                                                                         \
    for (int i = 0; i < NUMBERS_LANES; i++)

OCT_INLINE NUMBERS_INT NUMBERS_(wrap)(NUMBERS_WIDE x)
{
    return (NUMBERS_INT)(NUMBERS_UINT)x;
}
OCT_INLINE NUMBERS NUMBERS_(set1)(NUMBERS_INT x)
{
    NUMBERS r;
    NUMBERS_EACH(i) r.p[i] = x;
    return r;
}
OCT_INLINE NUMBERS NUMBERS_(load_table)(const NUMBERS_INT p[NUMBERS_LANES])
{
    NUMBERS r;
    memcpy(r.p, p, sizeof r.p);
    return r;
}
/* Under secret marking the comparison would itself be a branch on a secret; bounds are checked in all other runs. */
OCT_INLINE NUMBERS NUMBERS_(proved_bound)(NUMBERS a, int low, int high)
{
    if (!OCT_CHECKMEM_ON())
        NUMBERS_EACH(i) OCT_ASSERT(a.p[i] >= low && a.p[i] <= high);
    return a;
}
OCT_INLINE NUMBERS NUMBERS_(load)(const NUMBERS_INT p[NUMBERS_LANES], int low, int high)
{
    return NUMBERS_(proved_bound)(NUMBERS_(load_table)(p), low, high);
}
OCT_INLINE void NUMBERS_(store)(NUMBERS_INT p[NUMBERS_LANES], NUMBERS a, int low, int high)
{
    (void)low, (void)high;
    memcpy(p, a.p, sizeof a.p);
}
PARTS_2(NUMBERS, NUMBERS_(add), NUMBERS_(wrap)((NUMBERS_WIDE)x + y))
PARTS_2(NUMBERS, NUMBERS_(sub), NUMBERS_(wrap)((NUMBERS_WIDE)x - y))
PARTS_2(NUMBERS, NUMBERS_(mullo), NUMBERS_(wrap)((NUMBERS_WIDE)x *y))
VEC_2(NUMBERS, NUMBERS_(mullo_wrap), NUMBERS_(mullo)(a, b))
PARTS_2(NUMBERS, NUMBERS_(mulhi), NUMBERS_(wrap)((NUMBERS_WIDE)x *y >> NUMBERS_BITS))
PARTS_BY(NUMBERS, NUMBERS_(sll), NUMBERS_(wrap)((NUMBERS_WIDE)x *((NUMBERS_WIDE)1 << bits)))
PARTS_BY(NUMBERS, NUMBERS_(sra), x >> bits)
OCT_INLINE NUMBERS NUMBERS_ (and)(NUMBERS a, NUMBERS_INT mask)
{
    NUMBERS_EACH(i) a.p[i] &= mask;
    return a;
}
OCT_INLINE void NUMBERS_(exchange)(NUMBERS *x, NUMBERS *y, unsigned bit)
{
    units_exchange(x->p, y->p, bit);
}
OCT_INLINE void NUMBERS_(unzip)(NUMBERS *x, NUMBERS *y)
{
    units_unzip(x->p, y->p);
}
OCT_INLINE NUMBERS NUMBERS_(load_bits)(const uint8_t *p, unsigned bits)
{
    NUMBERS r;
    for (unsigned i = 0; i < NUMBERS_LANES; i++) {
        uint32_t x = 0;
        for (unsigned j = (i * bits + bits - 1) / 8 + 1; j-- > i * bits / 8;)
            x = x << 8 | p[j];
        r.p[i] = (NUMBERS_INT)(x >> i * bits % 8 & ((1u << bits) - 1));
    }
    return r;
}
OCT_INLINE void NUMBERS_(store_bits)(uint8_t *p, NUMBERS a, unsigned bits)
{
    memset(p, 0, NUMBERS_LANES / 8 * (size_t)bits);
    for (unsigned i = 0; i < NUMBERS_LANES; i++) {
        const uint32_t x = (uint32_t)(NUMBERS_UINT)a.p[i] << i * bits % 8;
        for (unsigned j = i * bits / 8; j <= (i * bits + bits - 1) / 8; j++)
            p[j] = (uint8_t)(p[j] | x >> 8 * (j - i * bits / 8));
    }
}
