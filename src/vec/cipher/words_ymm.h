/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ymm backend of words.h: eight lanes, two vectors a block. What AVX-512VL has for it and AVX2 has not, rotations,
 * masks and registers, is in words_vl256.h and words_avx2.h. */
#ifndef OCT_VEC_WORDS_YMM_H
#define OCT_VEC_WORDS_YMM_H

#define WORDS_LANES 8
typedef __m256i words;

OCT_INLINE words words_set1(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}
OCT_INLINE words words_lane_numbers(void)
{
    return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
}
OCT_INLINE words words_set_rows(const uint32_t row[4])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)row));
}
OCT_INLINE words words_row_numbers(uint32_t first)
{
    const words row = _mm256_set_epi32(0, 0, 0, 1, 0, 0, 0, 0);
    return _mm256_blend_epi32(_mm256_setzero_si256(), _mm256_add_epi32(row, _mm256_set1_epi32((int)first)), 0x11);
}
OCT_INLINE words words_add(words a, words b)
{
    return _mm256_add_epi32(a, b);
}
OCT_INLINE words words_xor(words a, words b)
{
    return _mm256_xor_si256(a, b);
}
OCT_INLINE words words_turn_rows(words a, unsigned n)
{
    return n == 1   ? _mm256_shuffle_epi32(a, 0x39)
           : n == 2 ? _mm256_shuffle_epi32(a, 0x4e)
                    : _mm256_shuffle_epi32(a, 0x93);
}

OCT_INLINE words words_put_row(words a, unsigned row, const uint8_t *p)
{
    const __m128i b = _mm_loadu_si128((const __m128i *)p);
    return row == 0 ? _mm256_inserti128_si256(a, b, 0) : _mm256_inserti128_si256(a, b, 1);
}
OCT_INLINE void words_store_row(uint8_t *p, words a, unsigned row)
{
    _mm_storeu_si128((__m128i *)p, row == 0 ? _mm256_castsi256_si128(a) : _mm256_extracti128_si256(a, 1));
}

/* Four vectors of words i .. i+3 to quarters of blocks: row r of t[j] is of block 4r + j. */
OCT_INLINE void words_ymm_quarters(words t[4], const words x[4])
{
    const words a = _mm256_unpacklo_epi32(x[0], x[1]), b = _mm256_unpackhi_epi32(x[0], x[1]);
    const words c = _mm256_unpacklo_epi32(x[2], x[3]), d = _mm256_unpackhi_epi32(x[2], x[3]);
    t[0] = _mm256_unpacklo_epi64(a, c);
    t[1] = _mm256_unpackhi_epi64(a, c);
    t[2] = _mm256_unpacklo_epi64(b, d);
    t[3] = _mm256_unpackhi_epi64(b, d);
}
OCT_INLINE void words_rows_to_blocks(words x[4])
{
    const words a = x[0], b = x[1], c = x[2], d = x[3];
    x[0] = _mm256_permute2x128_si256(a, b, 0x20);
    x[1] = _mm256_permute2x128_si256(c, d, 0x20);
    x[2] = _mm256_permute2x128_si256(a, b, 0x31);
    x[3] = _mm256_permute2x128_si256(c, d, 0x31);
}
OCT_INLINE void words_lanes_to_blocks(words x[16])
{
    words t[16];
    VEC_UNROLL
    for (int i = 0; i < 16; i += 4)
        words_ymm_quarters(t + i, x + i);
    VEC_UNROLL
    for (int j = 0; j < 4; j++) {
        words rows[4] = {t[j], t[4 + j], t[8 + j], t[12 + j]};
        words_rows_to_blocks(rows);
        x[2 * j] = rows[0];
        x[2 * j + 1] = rows[1];
        x[8 + 2 * j] = rows[2];
        x[8 + 2 * j + 1] = rows[3];
    }
}

OCT_INLINE words words_load(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}
OCT_INLINE void words_store(uint8_t *p, words a)
{
    _mm256_storeu_si256((__m256i *)p, a);
}
#if defined(TIER_SIXTEEN)
#include "vec/cipher/words_avx2.h"
#else
#include "vec/cipher/words_vl256.h"
#endif

#endif
