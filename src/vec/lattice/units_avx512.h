/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Moves of 32-bit units between two vectors, for the AVX-512 backends of i16x32.h and i32x16.h; and arrays of 64 bytes
 * (or 16 words) that are functions F of their index. */
#ifndef OCT_VEC_UNITS_AVX512_H
#define OCT_VEC_UNITS_AVX512_H

#define UNITS_FOUR(F, k, n)  F(k, n), F(k, n + 1), F(k, n + 2), F(k, n + 3)
#define UNITS_EIGHT(F, k, n) UNITS_FOUR(F, k, n), UNITS_FOUR(F, k, n + 4)
#define UNITS_SIXTEEN(F, k)                                                                                            \
    {                                                                                                                  \
        UNITS_EIGHT(F, k, 0), UNITS_EIGHT(F, k, 8)                                                                     \
    }
#define UNITS_BYTES(F, k)                                                                                              \
    {                                                                                                                  \
        UNITS_EIGHT(F, k, 0), UNITS_EIGHT(F, k, 8), UNITS_EIGHT(F, k, 16), UNITS_EIGHT(F, k, 24),                      \
            UNITS_EIGHT(F, k, 32), UNITS_EIGHT(F, k, 40), UNITS_EIGHT(F, k, 48), UNITS_EIGHT(F, k, 56)                 \
    }

OCT_INLINE __m512i units_load(const void *p)
{
    return _mm512_load_si512(p);
}
OCT_INLINE void units_store(void *p, __m512i a)
{
    _mm512_store_si512(p, a);
}
OCT_INLINE void units_exchange(__m512i *x, __m512i *y, unsigned bit)
{
    const __m512i a = *x, b = *y;
    if (bit == 3) {
        *x = _mm512_inserti64x4(a, _mm512_castsi512_si256(b), 1);
        *y = _mm512_shuffle_i64x2(a, b, 0xee);
    } else if (bit == 2) {
        *x = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), b);
        *y = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15), b);
    } else if (bit == 1) {
        *x = _mm512_unpacklo_epi64(a, b);
        *y = _mm512_unpackhi_epi64(a, b);
    } else {
        *x = _mm512_mask_shuffle_epi32(a, 0xaaaa, b, _MM_PERM_CCAA);
        *y = _mm512_mask_shuffle_epi32(b, 0x5555, a, _MM_PERM_DDBB);
    }
}
#define UNITS_ZIP(k, u)   (8 * (k) + (u) / 2 + (u) % 2 * 16)
#define UNITS_UNZIP(k, u) (2 * (u) + (k))
OCT_INLINE void units_move(__m512i *x, __m512i *y, const int32_t first[16], const int32_t second[16])
{
    const __m512i a = *x, b = *y;
    *x = _mm512_permutex2var_epi32(a, _mm512_load_si512(first), b);
    *y = _mm512_permutex2var_epi32(a, _mm512_load_si512(second), b);
}
OCT_INLINE void units_zip(__m512i *x, __m512i *y)
{
    static const int32_t from[2][16] OCT_ALIGN64 = {UNITS_SIXTEEN(UNITS_ZIP, 0), UNITS_SIXTEEN(UNITS_ZIP, 1)};
    units_move(x, y, from[0], from[1]);
}
OCT_INLINE void units_unzip(__m512i *x, __m512i *y)
{
    static const int32_t from[2][16] OCT_ALIGN64 = {UNITS_SIXTEEN(UNITS_UNZIP, 0), UNITS_SIXTEEN(UNITS_UNZIP, 1)};
    units_move(x, y, from[0], from[1]);
}

#endif
