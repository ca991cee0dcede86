/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The zmm backend of affine.h. */
#ifndef OCT_VEC_AFFINE_ZMM_H
#define OCT_VEC_AFFINE_ZMM_H

#include <string.h>

OCT_INLINE bv bv_map(bv a, const uint64_t map)
{
    return _mm512_gf2p8affine_epi64_epi8(a, _mm512_set1_epi64((long long)map), 0);
}
OCT_INLINE bv bv_map_inverse(bv a, const uint64_t map)
{
    return _mm512_gf2p8affineinv_epi64_epi8(a, _mm512_set1_epi64((long long)map), 0);
}
OCT_INLINE bv bv_set32(uint32_t word)
{
    return _mm512_set1_epi32((int)word);
}
OCT_INLINE bv bv_broadcast32(const uint8_t *p)
{
    uint32_t word;
    memcpy(&word, p, 4);
    return bv_set32(word);
}
OCT_INLINE bv bv_turn32(bv a, const int n)
{
    return n == 1 ? _mm512_ror_epi32(a, 8) : n == 2 ? _mm512_ror_epi32(a, 16) : _mm512_ror_epi32(a, 24);
}
OCT_INLINE bv bv_reverse32(bv a)
{
    return _mm512_shuffle_epi8(
        a, _mm512_broadcast_i32x4(_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3)));
}
OCT_INLINE void bv_transpose32(bv x[4])
{
    const bv a = _mm512_unpacklo_epi32(x[0], x[1]), b = _mm512_unpackhi_epi32(x[0], x[1]);
    const bv c = _mm512_unpacklo_epi32(x[2], x[3]), d = _mm512_unpackhi_epi32(x[2], x[3]);
    x[0] = _mm512_unpacklo_epi64(a, c);
    x[1] = _mm512_unpackhi_epi64(a, c);
    x[2] = _mm512_unpacklo_epi64(b, d);
    x[3] = _mm512_unpackhi_epi64(b, d);
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
