/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ymm backend of words.h: eight lanes, two vectors a block, with the rotations, masks and registers of AVX-512VL.
 */
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
/* The intrinsic wants a literal. */
OCT_INLINE words words_rol(words a, unsigned bits)
{
    return bits == 16   ? _mm256_rol_epi32(a, 16)
           : bits == 12 ? _mm256_rol_epi32(a, 12)
           : bits == 8  ? _mm256_rol_epi32(a, 8)
                        : _mm256_rol_epi32(a, 7);
}
OCT_INLINE words words_load_part(const uint8_t *p, size_t len)
{
    return _mm256_maskz_loadu_epi8(~(uint32_t)0 >> (32 - len), p);
}
OCT_INLINE void words_store_part(uint8_t *p, words a, size_t len)
{
    _mm256_mask_storeu_epi8(p, ~(uint32_t)0 >> (32 - len), a);
}
OCT_INLINE words words_keep(words a, size_t len)
{
    return _mm256_maskz_mov_epi8(~(uint32_t)0 >> (32 - len), a);
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
OCT_INLINE void words_clear_registers(void)
{
    vec_clear_high_registers();
    vec_clear_low_registers();
}

#endif
