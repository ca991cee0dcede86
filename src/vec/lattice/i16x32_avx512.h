/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The AVX-512 backend of the contract of 16-bit lanes: F, BW, DQ, VL, and VBMI, VBMI2 and VNNI besides. */
#ifndef OCT_VEC_I16X32_AVX512_H
#define OCT_VEC_I16X32_AVX512_H

#include "vec/lattice/units_avx512.h"

typedef __m512i i16x32;
typedef __m512i sum32x16;

#include "vec/lattice/numbers_units.h"

OCT_INLINE i16x32 i16x32_set1(int16_t x)
{
    return _mm512_set1_epi16(x);
}
VEC_2(i16x32, i16x32_add, _mm512_add_epi16(a, b))
VEC_2(i16x32, i16x32_sub, _mm512_sub_epi16(a, b))
VEC_2(i16x32, i16x32_sub_wrap, _mm512_sub_epi16(a, b))
VEC_2(i16x32, i16x32_mullo, _mm512_mullo_epi16(a, b))
VEC_2(i16x32, i16x32_mullo_wrap, _mm512_mullo_epi16(a, b))
VEC_2(i16x32, i16x32_mulhi, _mm512_mulhi_epi16(a, b))
VEC_2(i16x32, i16x32_mulhrs, _mm512_mulhrs_epi16(a, b))
VEC_BY(i16x32, i16x32_sll, _mm512_slli_epi16(a, bits))
VEC_BY(i16x32, i16x32_sll_wrap, _mm512_slli_epi16(a, bits))
VEC_BY(i16x32, i16x32_sra, _mm512_srai_epi16(a, bits))
VEC_2(i16x32, i16x32_or_wrap, _mm512_or_si512(a, b))
OCT_INLINE i16x32 i16x32_and(i16x32 a, int16_t mask)
{
    return _mm512_and_si512(a, _mm512_set1_epi16(mask));
}
OCT_INLINE i16x32 i16x32_add_above(i16x32 a, i16x32 b, int16_t limit)
{
    return _mm512_mask_add_epi16(a, _mm512_cmpgt_epi16_mask(b, _mm512_set1_epi16(limit)), a, _mm512_set1_epi16(1));
}
OCT_INLINE i16x32 i16x32_lookup16(const int16_t table[I16X32_LANES], i16x32 a)
{
    return _mm512_permutexvar_epi16(a, _mm512_load_si512(table));
}

OCT_INLINE void i16x32_zip(i16x32 *x, i16x32 *y)
{
    units_zip(x, y);
}
VEC_1(i16x32, i16x32_swap, _mm512_rol_epi32(a, 16))

OCT_INLINE sum32x16 sum32x16_zero(void)
{
    return _mm512_setzero_si512();
}
OCT_INLINE sum32x16 sum32x16_dot(sum32x16 acc, i16x32 a, i16x32 b)
{
    return _mm512_dpwssd_epi32(acc, a, b);
}
OCT_INLINE i16x32 sum32x16_low_wrap(sum32x16 x, sum32x16 y)
{
    return _mm512_mask_blend_epi16(0xaaaaaaaa, x, _mm512_slli_epi32(y, 16));
}
OCT_INLINE i16x32 sum32x16_high(sum32x16 x, sum32x16 y)
{
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(x, 16), y);
}

/* Four numbers go to one word: from where its bytes are, and by which shift each half of a number is found in it. */
#define I16X32_BYTE_OF(bits, n)  ((n) / 8 * (bits) / 2 + (n) % 8)
#define I16X32_SHIFT_OF(bits, n) ((n) / 8 * 4 * (bits) % 8 + (n) % 8 / 2 * (bits) + (n) % 2 * 8)
#define I16X32_LOAD_TABLES(bits)                                                                                       \
    {                                                                                                                  \
        UNITS_BYTES(I16X32_BYTE_OF, bits), UNITS_BYTES(I16X32_SHIFT_OF, bits)                                          \
    }
OCT_INLINE i16x32 i16x32_load_by(const uint8_t *p, unsigned bits, const uint8_t table[2][64])
{
    const __mmask64 k = ((uint64_t)1 << 4 * bits) - 1;
    const i16x32 bytes = _mm512_permutexvar_epi8(_mm512_load_si512(table[0]), _mm512_maskz_loadu_epi8(k, p));
    const i16x32 found = _mm512_multishift_epi64_epi8(_mm512_load_si512(table[1]), bytes);
    return _mm512_and_si512(found, _mm512_set1_epi16((short)((1u << bits) - 1)));
}
OCT_INLINE i16x32 i16x32_load_bits(const uint8_t *p, unsigned bits)
{
    static const uint8_t tables[6][2][64] OCT_ALIGN64 = {
        I16X32_LOAD_TABLES(1),  I16X32_LOAD_TABLES(4),  I16X32_LOAD_TABLES(5),
        I16X32_LOAD_TABLES(10), I16X32_LOAD_TABLES(11), I16X32_LOAD_TABLES(12),
    };
    return i16x32_load_by(p, bits, tables[bits < 4 ? 0 : bits < 10 ? bits - 3 : bits - 7]);
}

/* Four numbers become one word of 4 * bits bits. Where these are no whole bytes the odd words are shifted by half a
 * byte, and the byte that two words share is put together from both; byte 7 of a word is zero then. */
#define I16X32_WHOLE(bits, n)  ((n) / ((bits) / 2 + (bits) % 2) * 8 + (n) % ((bits) / 2 + (bits) % 2))
#define I16X32_EVEN(bits, n)   ((n) / (bits)*16 + ((n) % (bits) <= (bits) / 2 ? (n) % (bits) : 7))
#define I16X32_FIRST(bits, n)  (((bits) % 2 ? I16X32_EVEN(bits, n) : I16X32_WHOLE(bits, n)) & 63)
#define I16X32_ODD(bits, n)    ((n) / (bits)*16 + 8 + ((n) % (bits) >= (bits) / 2 ? (n) % (bits) - (bits) / 2 : 7))
#define I16X32_SECOND(bits, n) (I16X32_ODD(bits, n) & 63)
#define I16X32_STORE_TABLES(bits)                                                                                      \
    {                                                                                                                  \
        UNITS_BYTES(I16X32_FIRST, bits), UNITS_BYTES(I16X32_SECOND, bits)                                              \
    }
OCT_INLINE i16x32 i16x32_gather_bits(i16x32 a, unsigned bits)
{
    const i16x32 pairs = _mm512_madd_epi16(a, _mm512_set1_epi32((int)(1u << bits << 16 | 1)));
    const i16x32 close = _mm512_sllv_epi32(pairs, _mm512_set1_epi64(32 - 2 * bits));
    return _mm512_srli_epi64(close, 32 - 2 * bits);
}
OCT_INLINE void i16x32_store_by(uint8_t *p, i16x32 a, unsigned bits, const uint8_t table[2][64])
{
    const __mmask64 k = ((uint64_t)1 << 4 * bits) - 1;
    const i16x32 words = i16x32_gather_bits(a, bits);
    i16x32 bytes;
    if (bits % 2 == 0) {
        bytes = _mm512_permutexvar_epi8(_mm512_load_si512(table[0]), words);
    } else {
        const i16x32 shifted = _mm512_sllv_epi64(words, _mm512_set4_epi64(4, 0, 4, 0));
        bytes = _mm512_or_si512(_mm512_permutexvar_epi8(_mm512_load_si512(table[0]), shifted),
                                _mm512_permutexvar_epi8(_mm512_load_si512(table[1]), shifted));
    }
    _mm512_mask_storeu_epi8(p, k, bytes);
}
OCT_INLINE void i16x32_store_bits(uint8_t *p, i16x32 a, unsigned bits)
{
    static const uint8_t tables[6][2][64] OCT_ALIGN64 = {
        I16X32_STORE_TABLES(1),  I16X32_STORE_TABLES(4),  I16X32_STORE_TABLES(5),
        I16X32_STORE_TABLES(10), I16X32_STORE_TABLES(11), I16X32_STORE_TABLES(12),
    };
    i16x32_store_by(p, a, bits, tables[bits < 4 ? 0 : bits < 10 ? bits - 3 : bits - 7]);
}

OCT_INLINE unsigned i16x32_store_below_public(int16_t *to, i16x32 a, int16_t limit)
{
    const __mmask32 k = _mm512_cmplt_epu16_mask(a, _mm512_set1_epi16(limit));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi16(k, a));
    return (unsigned)__builtin_popcount(k);
}

#endif
