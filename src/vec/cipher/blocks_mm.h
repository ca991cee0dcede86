/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the zmm and ymm backends of blocks.h share: all in which only the width of registers differs. */
#ifndef OCT_VEC_BLOCKS_MM_H
#define OCT_VEC_BLOCKS_MM_H

typedef mm bv;

OCT_INLINE bv bv_zero(void)
{
    return MM_SI(setzero)();
}
OCT_INLINE bv bv_set1(b1 a)
{
    return MM_BROADCAST(a);
}
OCT_INLINE bv bv_broadcast(const uint8_t *p)
{
    return bv_set1(b1_load(p));
}
OCT_INLINE bv bv_first_lane(b1 a)
{
    return MM_SI(zextsi128)(a);
}
OCT_INLINE b1 bv_first(bv a)
{
    return MM_FIRST(a);
}
OCT_INLINE bv bv_load(const uint8_t *p)
{
    return MM_SI(loadu)((const mm *)p);
}
OCT_INLINE void bv_store(uint8_t *p, bv a)
{
    MM_SI(storeu)((mm *)p, a);
}
VEC_2(bv, bv_xor, MM_SI (xor)(a, b))
VEC_2(bv, bv_aes, MM(aesenc_epi128)(a, b))
VEC_2(bv, bv_aes_last, MM(aesenclast_epi128)(a, b))
VEC_1(bv, bv_reverse, MM(shuffle_epi8)(a, bv_set1(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))))
VEC_2(bv, bv_mul_low, MM(clmulepi64_epi128)(a, b, 0x00))
VEC_2(bv, bv_mul_high, MM(clmulepi64_epi128)(a, b, 0x11))
VEC_2(bv, bv_mul_mixed, MM(clmulepi64_epi128)(a, b, 0x10))
VEC_2(bv, bv_lower_halves, MM(unpacklo_epi64)(a, b))
VEC_2(bv, bv_upper_halves, MM(unpackhi_epi64)(a, b))
VEC_2(bv, bv_add32, MM(add_epi32)(a, b))

#endif
