/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The contract of 32-bit words on registers of 256 bits: sixteen lanes are two of them. */
#ifndef OCT_VEC_U32X16_YMM_H
#define OCT_VEC_U32X16_YMM_H

typedef struct {
    __m256i p[2];
} u32x16;

#define U32X16_EACH(i)                                                                                                 \
    VEC_UNROLL                                                                                                         \
    for (int i = 0; i < 2; i++)

OCT_INLINE u32x16 u32x16_set1(uint32_t x)
{
    return (u32x16){{_mm256_set1_epi32((int)x), _mm256_set1_epi32((int)x)}};
}
OCT_INLINE u32x16 u32x16_load(const uint32_t p[U32X16_LANES])
{
    const __m256i *from = (const __m256i *)(const void *)p;
    return (u32x16){{_mm256_load_si256(from), _mm256_load_si256(from + 1)}};
}
OCT_INLINE void u32x16_store(uint32_t p[U32X16_LANES], u32x16 a)
{
    U32X16_EACH(i) _mm256_store_si256((__m256i *)(void *)p + i, a.p[i]);
}
PARTS_2(u32x16, u32x16_add, _mm256_add_epi32(x, y))
PARTS_2(u32x16, u32x16_xor, _mm256_xor_si256(x, y))
VEC_3(u32x16, u32x16_xor3, u32x16_xor(u32x16_xor(a, b), c))
PARTS_BY(u32x16, u32x16_rol, _mm256_or_si256(_mm256_slli_epi32(x, (int)bits), _mm256_srli_epi32(x, (int)(32 - bits))))
PARTS_3(u32x16, u32x16_choose, _mm256_xor_si256(z, _mm256_and_si256(x, _mm256_xor_si256(y, z))))
OCT_INLINE u32x16 u32x16_majority(u32x16 a, u32x16 b, u32x16 c)
{
    U32X16_EACH(i)
    a.p[i] =
        _mm256_or_si256(_mm256_and_si256(a.p[i], b.p[i]), _mm256_and_si256(c.p[i], _mm256_or_si256(a.p[i], b.p[i])));
    return a;
}

/* to[j] = word j of eight rows. */
OCT_INLINE void u32x16_transpose8(__m256i to[8], const __m256i row[8])
{
    __m256i pair[8], four[8];
    VEC_UNROLL
    for (int j = 0; j < 4; j++) {
        pair[2 * j] = _mm256_unpacklo_epi32(row[2 * j], row[2 * j + 1]);
        pair[2 * j + 1] = _mm256_unpackhi_epi32(row[2 * j], row[2 * j + 1]);
    }
    VEC_UNROLL
    for (int j = 0; j < 8; j += 4) {
        four[j] = _mm256_unpacklo_epi64(pair[j], pair[j + 2]);
        four[j + 1] = _mm256_unpackhi_epi64(pair[j], pair[j + 2]);
        four[j + 2] = _mm256_unpacklo_epi64(pair[j + 1], pair[j + 3]);
        four[j + 3] = _mm256_unpackhi_epi64(pair[j + 1], pair[j + 3]);
    }
    VEC_UNROLL
    for (int j = 0; j < 4; j++) {
        to[j] = _mm256_permute2x128_si256(four[j], four[4 + j], 0x20);
        to[4 + j] = _mm256_permute2x128_si256(four[j], four[4 + j], 0x31);
    }
}
OCT_INLINE void u32x16_load_be(u32x16 word[16], const uint8_t *const lane[U32X16_LANES], size_t at)
{
    const __m256i reverse =
        _mm256_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203, 0x0c0d0e0f08090a0b, 0x0405060700010203);
    U32X16_EACH(i)
    {
        VEC_UNROLL
        for (int half = 0; half < 2; half++) {
            __m256i row[8], column[8];
            VEC_UNROLL
            for (int j = 0; j < 8; j++) {
                const uint8_t *from = lane[8 * i + j] + at + 32 * (size_t)half;
                row[j] = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(const void *)from), reverse);
            }
            u32x16_transpose8(column, row);
            VEC_UNROLL
            for (int j = 0; j < 8; j++)
                word[8 * half + j].p[i] = column[j];
        }
    }
}

#endif
