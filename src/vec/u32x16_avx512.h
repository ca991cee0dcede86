/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The AVX-512 backend of the contract of 32-bit words. */
#ifndef OCT_VEC_U32X16_AVX512_H
#define OCT_VEC_U32X16_AVX512_H

typedef __m512i u32x16;

OCT_INLINE u32x16 u32x16_set1(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}
OCT_INLINE u32x16 u32x16_load(const uint32_t p[U32X16_LANES])
{
    return _mm512_load_si512(p);
}
OCT_INLINE void u32x16_store(uint32_t p[U32X16_LANES], u32x16 a)
{
    _mm512_store_si512(p, a);
}
VEC_2(u32x16, u32x16_add, _mm512_add_epi32(a, b))
VEC_2(u32x16, u32x16_xor, _mm512_xor_si512(a, b))
VEC_3(u32x16, u32x16_xor3, _mm512_ternarylogic_epi32(a, b, c, 0x96))
OCT_INLINE u32x16 u32x16_rol(u32x16 a, unsigned bits)
{
#if defined(__clang__)
    /* clang wants a literal for the rotation, and makes one of this; gcc does not. */
    return _mm512_or_si512(_mm512_slli_epi32(a, bits), _mm512_srli_epi32(a, 32 - bits));
#else
    return _mm512_rol_epi32(a, (int)bits);
#endif
}
VEC_3(u32x16, u32x16_choose, _mm512_ternarylogic_epi32(a, b, c, 0xca))
VEC_3(u32x16, u32x16_majority, _mm512_ternarylogic_epi32(a, b, c, 0xe8))

OCT_INLINE void u32x16_load_be(u32x16 word[16], const uint8_t *const lane[U32X16_LANES], size_t at)
{
    const u32x16 reverse = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    u32x16 part[4][4]; /* quarter q of part[i][j] is word j of the quarters q of rows 4i to 4i + 3 */
    VEC_UNROLL
    for (int i = 0; i < 4; i++) {
        u32x16 row[4];
        VEC_UNROLL
        for (int j = 0; j < 4; j++)
            row[j] = _mm512_shuffle_epi8(_mm512_loadu_si512(lane[4 * i + j] + at), reverse);
        mm_transpose32(part[i], row);
    }
    VEC_UNROLL
    for (int j = 0; j < 4; j++) {
        const u32x16 a = _mm512_shuffle_i32x4(part[0][j], part[1][j], 0x44);
        const u32x16 b = _mm512_shuffle_i32x4(part[0][j], part[1][j], 0xee);
        const u32x16 c = _mm512_shuffle_i32x4(part[2][j], part[3][j], 0x44);
        const u32x16 d = _mm512_shuffle_i32x4(part[2][j], part[3][j], 0xee);
        word[j] = _mm512_shuffle_i32x4(a, c, 0x88);
        word[4 + j] = _mm512_shuffle_i32x4(a, c, 0xdd);
        word[8 + j] = _mm512_shuffle_i32x4(b, d, 0x88);
        word[12 + j] = _mm512_shuffle_i32x4(b, d, 0xdd);
    }
}

#endif
