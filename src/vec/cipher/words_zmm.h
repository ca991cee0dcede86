/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the zmm backend of words.h has besides words_x86.h. */
#ifndef OCT_VEC_WORDS_ZMM_H
#define OCT_VEC_WORDS_ZMM_H

OCT_INLINE words words_lane_numbers(void)
{
    return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}
OCT_INLINE words words_row_numbers(uint32_t first)
{
    const words row = _mm512_set_epi32(0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0);
    return _mm512_maskz_add_epi32(0x1111, row, _mm512_set1_epi32((int)first));
}
OCT_INLINE words words_turn_rows(words a, unsigned n)
{
    return n == 1   ? _mm512_shuffle_epi32(a, _MM_PERM_ADCB)
           : n == 2 ? _mm512_shuffle_epi32(a, _MM_PERM_BADC)
                    : _mm512_shuffle_epi32(a, _MM_PERM_CBAD);
}

OCT_INLINE words words_put_row(words a, unsigned row, const uint8_t *p)
{
    const __m128i b = _mm_loadu_si128((const __m128i *)p);
    return row == 0   ? _mm512_inserti32x4(a, b, 0)
           : row == 1 ? _mm512_inserti32x4(a, b, 1)
           : row == 2 ? _mm512_inserti32x4(a, b, 2)
                      : _mm512_inserti32x4(a, b, 3);
}
OCT_INLINE void words_store_row(uint8_t *p, words a, unsigned row)
{
    const __m128i b = row == 0   ? _mm512_castsi512_si128(a)
                      : row == 1 ? _mm512_extracti32x4_epi32(a, 1)
                      : row == 2 ? _mm512_extracti32x4_epi32(a, 2)
                                 : _mm512_extracti32x4_epi32(a, 3);
    _mm_storeu_si128((__m128i *)p, b);
}

/* Rows as a matrix of 4 x 4, transposed. */
OCT_INLINE void words_rows_to_blocks(words x[4])
{
    const words a = _mm512_shuffle_i32x4(x[0], x[1], 0x44), b = _mm512_shuffle_i32x4(x[0], x[1], 0xee);
    const words c = _mm512_shuffle_i32x4(x[2], x[3], 0x44), d = _mm512_shuffle_i32x4(x[2], x[3], 0xee);
    x[0] = _mm512_shuffle_i32x4(a, c, 0x88);
    x[1] = _mm512_shuffle_i32x4(a, c, 0xdd);
    x[2] = _mm512_shuffle_i32x4(b, d, 0x88);
    x[3] = _mm512_shuffle_i32x4(b, d, 0xdd);
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
        VEC_UNROLL
        for (int r = 0; r < 4; r++)
            x[4 * r + j] = rows[r];
    }
}

#endif
