/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the zmm backend of affine.h has besides affine_x86.h. */
#ifndef OCT_VEC_AFFINE_ZMM_H
#define OCT_VEC_AFFINE_ZMM_H

OCT_INLINE bv bv_turn32(bv a, const int n)
{
    return n == 1 ? _mm512_ror_epi32(a, 8) : n == 2 ? _mm512_ror_epi32(a, 16) : _mm512_ror_epi32(a, 24);
}
VEC_STEP bv bv_load_some(const uint8_t *p, size_t n)
{
    return bv_load_part(p, n);
}
VEC_STEP void bv_store_some(uint8_t *p, bv a, size_t n)
{
    bv_store_part(p, a, n);
}
OCT_INLINE bv bv_word_numbers(void)
{
    return _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
}
OCT_INLINE b1 bv_any_lane(bv a, const int i)
{
    return bv_lane(a, i);
}

#endif
