/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the ymm backend of words.h has besides words_x86.h. */
#ifndef OCT_VEC_WORDS_YMM_H
#define OCT_VEC_WORDS_YMM_H

OCT_INLINE words words_lane_numbers(void)
{
    return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
}
OCT_INLINE words words_row_numbers(uint32_t first)
{
    const words row = _mm256_set_epi32(0, 0, 0, 1, 0, 0, 0, 0);
    return _mm256_blend_epi32(_mm256_setzero_si256(), _mm256_add_epi32(row, _mm256_set1_epi32((int)first)), 0x11);
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

OCT_INLINE void words_rows_to_blocks(words x[4])
{
    const words a = x[0], b = x[1], c = x[2], d = x[3];
    x[0] = _mm256_permute2x128_si256(a, b, 0x20);
    x[1] = _mm256_permute2x128_si256(c, d, 0x20);
    x[2] = _mm256_permute2x128_si256(a, b, 0x31);
    x[3] = _mm256_permute2x128_si256(c, d, 0x31);
}
/* Four vectors of words i .. i+3 become quarters of blocks: row r of t[j] is of block 4r + j. */
OCT_INLINE void words_lanes_to_blocks(words x[16])
{
    words t[16];
    VEC_UNROLL
    for (int i = 0; i < 16; i += 4)
        mm_transpose32(t + i, x + i);
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

#endif
