/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The AVX-512 backend of the contract of 32-bit words. */
#ifndef OCT_VEC_W16_AVX512_H
#define OCT_VEC_W16_AVX512_H

typedef __m512i w16;

OCT_INLINE w16 w16_set1(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}
OCT_INLINE w16 w16_load(const uint32_t p[W16_LANES])
{
    return _mm512_load_si512(p);
}
OCT_INLINE void w16_store(uint32_t p[W16_LANES], w16 a)
{
    _mm512_store_si512(p, a);
}
OCT_INLINE w16 w16_add(w16 a, w16 b)
{
    return _mm512_add_epi32(a, b);
}
OCT_INLINE w16 w16_xor(w16 a, w16 b)
{
    return _mm512_xor_si512(a, b);
}
OCT_INLINE w16 w16_xor3(w16 a, w16 b, w16 c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0x96);
}
OCT_INLINE w16 w16_rol(w16 a, unsigned bits)
{
#if defined(__clang__)
    /* clang wants a literal for the rotation, and makes one of this; gcc does not. */
    return _mm512_or_si512(_mm512_slli_epi32(a, bits), _mm512_srli_epi32(a, 32 - bits));
#else
    return _mm512_rol_epi32(a, (int)bits);
#endif
}
OCT_INLINE w16 w16_choose(w16 a, w16 b, w16 c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0xca);
}
OCT_INLINE w16 w16_majority(w16 a, w16 b, w16 c)
{
    return _mm512_ternarylogic_epi32(a, b, c, 0xe8);
}

/* Quarter q of part[j] = word j of the four rows' quarters q. */
OCT_INLINE void w16_quarters(w16 part[4], const w16 row[4])
{
    const w16 a = _mm512_unpacklo_epi32(row[0], row[1]), b = _mm512_unpackhi_epi32(row[0], row[1]);
    const w16 c = _mm512_unpacklo_epi32(row[2], row[3]), d = _mm512_unpackhi_epi32(row[2], row[3]);
    part[0] = _mm512_unpacklo_epi64(a, c);
    part[1] = _mm512_unpackhi_epi64(a, c);
    part[2] = _mm512_unpacklo_epi64(b, d);
    part[3] = _mm512_unpackhi_epi64(b, d);
}
OCT_INLINE void w16_load_be(w16 word[16], const uint8_t *const lane[W16_LANES], size_t at)
{
    const w16 reverse = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
    w16 part[4][4];
    VEC_UNROLL
    for (int i = 0; i < 4; i++) {
        w16 row[4];
        VEC_UNROLL
        for (int j = 0; j < 4; j++)
            row[j] = _mm512_shuffle_epi8(_mm512_loadu_si512(lane[4 * i + j] + at), reverse);
        w16_quarters(part[i], row);
    }
    VEC_UNROLL
    for (int j = 0; j < 4; j++) {
        const w16 a = _mm512_shuffle_i32x4(part[0][j], part[1][j], 0x44);
        const w16 b = _mm512_shuffle_i32x4(part[0][j], part[1][j], 0xee);
        const w16 c = _mm512_shuffle_i32x4(part[2][j], part[3][j], 0x44);
        const w16 d = _mm512_shuffle_i32x4(part[2][j], part[3][j], 0xee);
        word[j] = _mm512_shuffle_i32x4(a, c, 0x88);
        word[4 + j] = _mm512_shuffle_i32x4(a, c, 0xdd);
        word[8 + j] = _mm512_shuffle_i32x4(b, d, 0x88);
        word[12 + j] = _mm512_shuffle_i32x4(b, d, 0xdd);
    }
}

#endif
