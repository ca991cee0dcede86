/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ymm backend of affine.h: without AVX-512, so words are turned by a shuffle of bytes. */
#ifndef OCT_VEC_AFFINE_YMM_H
#define OCT_VEC_AFFINE_YMM_H

#include <string.h>

OCT_INLINE bv bv_map(bv a, const uint64_t map)
{
    return _mm256_gf2p8affine_epi64_epi8(a, _mm256_set1_epi64x((long long)map), 0);
}
OCT_INLINE bv bv_map_inverse(bv a, const uint64_t map)
{
    return _mm256_gf2p8affineinv_epi64_epi8(a, _mm256_set1_epi64x((long long)map), 0);
}
OCT_INLINE bv bv_set32(uint32_t word)
{
    return _mm256_set1_epi32((int)word);
}
OCT_INLINE bv bv_broadcast32(const uint8_t *p)
{
    uint32_t word;
    memcpy(&word, p, 4);
    return bv_set32(word);
}
/* Byte n of each word comes to its place 0. */
OCT_INLINE bv bv_turn32(bv a, const int n)
{
    const uint32_t first = n == 1 ? 0x00030201 : n == 2 ? 0x01000302 : 0x02010003;
    const b1 from =
        _mm_set_epi32((int)(first + 0x0c0c0c0c), (int)(first + 0x08080808), (int)(first + 0x04040404), (int)first);
    return _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(from));
}
OCT_INLINE bv bv_reverse32(bv a)
{
    const b1 from = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    return _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(from));
}
OCT_INLINE void bv_transpose32(bv x[4])
{
    const bv a = _mm256_unpacklo_epi32(x[0], x[1]), b = _mm256_unpackhi_epi32(x[0], x[1]);
    const bv c = _mm256_unpacklo_epi32(x[2], x[3]), d = _mm256_unpackhi_epi32(x[2], x[3]);
    x[0] = _mm256_unpacklo_epi64(a, c);
    x[1] = _mm256_unpackhi_epi64(a, c);
    x[2] = _mm256_unpacklo_epi64(b, d);
    x[3] = _mm256_unpackhi_epi64(b, d);
}
OCT_INLINE void bv_transpose(bv x[BV_LANES])
{
    const bv low = _mm256_permute2x128_si256(x[0], x[1], 0x20);
    x[1] = _mm256_permute2x128_si256(x[0], x[1], 0x31);
    x[0] = low;
}
static __attribute__((noinline, unused)) bv bv_load_some(const uint8_t *p, size_t n)
{
    return bv_load_part(p, n);
}
static __attribute__((noinline, unused)) void bv_store_some(uint8_t *p, bv a, size_t n)
{
    bv_store_part(p, a, n);
}
OCT_INLINE bv bv_word_numbers(void)
{
    return _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0);
}
OCT_INLINE b1 bv_any_lane(bv a, const int i)
{
    return i == 0 ? bv_first(a) : bv_second(a);
}

#endif
