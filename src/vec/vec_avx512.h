/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The vector contract on registers of 512 bits (F, BW, DQ, VL): one or two instructions per operation. Products are the
 * backend's (zmm_ifma.h, zmm_fma.h).
 */
#ifndef OCT_VEC_AVX512_H
#define OCT_VEC_AVX512_H

#include "vec/x86.h"

typedef __m512i v8;
typedef __m512i w8;
typedef struct {
    __mmask8 k;
} m8;

OCT_INLINE v8 v8_zero(void)
{
    return _mm512_setzero_si512();
}
OCT_INLINE v8 v8_set1(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}
OCT_INLINE v8 v8_load52(const uint64_t p[V8_LANES])
{
    return _mm512_load_si512(p);
}
OCT_INLINE void v8_store52(uint64_t p[V8_LANES], v8 a)
{
    _mm512_store_si512(p, a);
}
VEC_2(v8, v8_add, _mm512_add_epi64(a, b))
VEC_2(v8, v8_sub, _mm512_sub_epi64(a, b))
VEC_2(v8, v8_or, _mm512_or_si512(a, b))
VEC_2(v8, v8_xor, _mm512_xor_si512(a, b))
VEC_BY(v8, v8_low, _mm512_and_si512(a, v8_set1(((uint64_t)1 << bits) - 1)))
VEC_1(v8, v8_low52, v8_low(a, 52))
OCT_INLINE v8 v8_sll(v8 a, unsigned bits)
{
    if (__builtin_constant_p(bits))
        return _mm512_slli_epi64(a, bits);
    return _mm512_sll_epi64(a, _mm_cvtsi32_si128((int)bits));
}
OCT_INLINE v8 v8_sra(v8 a, unsigned bits)
{
    if (__builtin_constant_p(bits))
        return _mm512_srai_epi64(a, bits);
    return _mm512_sra_epi64(a, _mm_cvtsi32_si128((int)bits));
}
/* A number >= 0 needs no other shift. */
VEC_BY(v8, v8_srl, v8_sra(a, bits))
OCT_INLINE v8 v8_mul_small(v8 a, uint32_t c)
{
    v8 factor = v8_set1(c);
#if !defined(__clang__)
    /* gcc would turn a product by a known constant into shifts and adds, which is slower. */
    __asm__("" : "+v"(factor));
#endif
    return _mm512_mullo_epi64(a, factor);
}
OCT_INLINE v8 v8_mul_short(v8 a, uint32_t c)
{
    return _mm512_mul_epu32(a, v8_set1(c));
}
OCT_INLINE v8 v8_lookup_shared16(const uint64_t table[16], v8 index)
{
    return _mm512_permutex2var_epi64(_mm512_load_si512(table), index, _mm512_load_si512(table + 8));
}
VEC_1(v8, v8_swap_halves, _mm512_shuffle_i64x2(a, a, 0x4e))
OCT_INLINE m8 v8_is_negative(v8 a)
{
    return (m8){_mm512_movepi64_mask(a)};
}
OCT_INLINE m8 v8_is_nonzero(v8 a)
{
    return (m8){_mm512_test_epi64_mask(a, a)};
}
OCT_INLINE m8 v8_test_bit(v8 a, unsigned bit)
{
    return (m8){_mm512_test_epi64_mask(a, v8_set1((uint64_t)1 << bit))};
}
OCT_INLINE v8 v8_select(m8 m, v8 a, v8 b)
{
    return _mm512_mask_blend_epi64(m.k, b, a);
}
VEC_2(m8, m8_or, (m8){_kor_mask8(a.k, b.k)})
VEC_2(m8, m8_and, (m8){_kand_mask8(a.k, b.k)})
VEC_1(m8, m8_not, (m8){_knot_mask8(a.k)})
OCT_INLINE unsigned m8_declassify(m8 m)
{
    return m.k;
}
OCT_INLINE v8 v8_proved_bound(v8 a, uint64_t max)
{
    (void)max;
    return a;
}
OCT_INLINE v8 v8_argument_bound(v8 a, uint64_t max)
{
    (void)max;
    return a;
}
OCT_INLINE w8 w8_set1(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}
OCT_INLINE w8 w8_load(const uint64_t p[V8_LANES])
{
    return _mm512_load_si512(p);
}
OCT_INLINE void w8_store(uint64_t p[V8_LANES], w8 a)
{
    _mm512_store_si512(p, a);
}
VEC_2(w8, w8_add, _mm512_add_epi64(a, b))
VEC_3(w8, w8_xor3, _mm512_ternarylogic_epi64(a, b, c, 0x96))
OCT_INLINE w8 w8_ror(w8 a, unsigned bits)
{
#if defined(__clang__)
    /* clang wants a literal for the rotation, and makes one of this; gcc does not. */
    return _mm512_or_si512(_mm512_srli_epi64(a, bits), _mm512_slli_epi64(a, 64 - bits));
#else
    return _mm512_ror_epi64(a, (int)bits);
#endif
}
VEC_BY(w8, w8_srl, _mm512_srli_epi64(a, bits))
VEC_3(w8, w8_choose, _mm512_ternarylogic_epi64(a, b, c, 0xca))
VEC_3(w8, w8_majority, _mm512_ternarylogic_epi64(a, b, c, 0xe8))
/* word[0, 2, 4, 6] = words 0, 2, 4, 6 (or 1, 3, 5, 7) of eight rows, from the pairs of rows 01, 23, 45, 67 that hold
 * them. */
OCT_INLINE void w8_transpose_pairs(w8 *word, w8 a, w8 b, w8 c, w8 d)
{
    const w8 low = _mm512_shuffle_i64x2(a, b, 0x44), high = _mm512_shuffle_i64x2(a, b, 0xee);
    const w8 low2 = _mm512_shuffle_i64x2(c, d, 0x44), high2 = _mm512_shuffle_i64x2(c, d, 0xee);
    word[0] = _mm512_shuffle_i64x2(low, low2, 0x88);
    word[2] = _mm512_shuffle_i64x2(low, low2, 0xdd);
    word[4] = _mm512_shuffle_i64x2(high, high2, 0x88);
    word[6] = _mm512_shuffle_i64x2(high, high2, 0xdd);
}
OCT_INLINE void w8_load_be(w8 word[8], const uint8_t *const lane[V8_LANES], size_t at)
{
    const w8 reverse = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
    w8 row[V8_LANES];
    VEC_UNROLL
    for (int i = 0; i < V8_LANES; i++)
        row[i] = _mm512_shuffle_epi8(_mm512_loadu_si512(lane[i] + at), reverse);
    w8_transpose_pairs(word, _mm512_unpacklo_epi64(row[0], row[1]), _mm512_unpacklo_epi64(row[2], row[3]),
                       _mm512_unpacklo_epi64(row[4], row[5]), _mm512_unpacklo_epi64(row[6], row[7]));
    w8_transpose_pairs(word + 1, _mm512_unpackhi_epi64(row[0], row[1]), _mm512_unpackhi_epi64(row[2], row[3]),
                       _mm512_unpackhi_epi64(row[4], row[5]), _mm512_unpackhi_epi64(row[6], row[7]));
}
OCT_INLINE void v8_clear_registers(void)
{
    vec_clear_low_registers();
    vec_clear_high_registers();
    vec_clear_masks();
}

#endif
