/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The vector contract on registers of 256 bits, for CPUs without AVX-512: AVX2 and BMI2, and the products of the
 * backend (ymm_fma.h, ymm_ifma.h). Eight lanes are two registers; a kernel that asks for groups (vec.h) has four lanes,
 * one register. There are no mask registers: a mask is the sign bit of each lane, which VBLENDVPD and VMOVMSKPD look
 * at.
 */
#ifndef OCT_VEC_VEC_YMM_H
#define OCT_VEC_VEC_YMM_H

#include "vec/x86.h"

#define YMM_PARTS (V8_LANES / 4)

typedef struct {
    __m256i p[YMM_PARTS];
} v8;
typedef v8 w8;
typedef struct {
    v8 k;
} m8;

#define YMM_EACH(i)                                                                                                    \
    VEC_UNROLL                                                                                                         \
    for (int i = 0; i < YMM_PARTS; i++)

OCT_INLINE v8 v8_set1(uint64_t x)
{
    v8 r;
    YMM_EACH(i) r.p[i] = _mm256_set1_epi64x((long long)x);
    return r;
}
OCT_INLINE v8 v8_zero(void)
{
    return v8_set1(0);
}
OCT_INLINE v8 v8_load52(const uint64_t p[V8_LANES])
{
    v8 r;
    YMM_EACH(i) r.p[i] = _mm256_load_si256((const __m256i *)(const void *)p + i);
    return r;
}
OCT_INLINE void v8_store52(uint64_t p[V8_LANES], v8 a)
{
    YMM_EACH(i) _mm256_store_si256((__m256i *)(void *)p + i, a.p[i]);
}
PARTS_2(v8, v8_add, _mm256_add_epi64(x, y))
PARTS_2(v8, v8_sub, _mm256_sub_epi64(x, y))
PARTS_2(v8, v8_or, _mm256_or_si256(x, y))
PARTS_2(v8, v8_xor, _mm256_xor_si256(x, y))
PARTS_2(v8, ymm_and, _mm256_and_si256(x, y))
VEC_BY(v8, v8_low, ymm_and(a, v8_set1(((uint64_t)1 << bits) - 1)))
VEC_1(v8, v8_low52, v8_low(a, 52))
OCT_INLINE v8 v8_sll(v8 a, unsigned bits)
{
    if (__builtin_constant_p(bits)) {
        YMM_EACH(i) a.p[i] = _mm256_slli_epi64(a.p[i], (int)bits);
        return a;
    }
    const __m128i count = _mm_cvtsi32_si128((int)bits);
    YMM_EACH(i) a.p[i] = _mm256_sll_epi64(a.p[i], count);
    return a;
}
OCT_INLINE v8 v8_srl(v8 a, unsigned bits)
{
    if (__builtin_constant_p(bits)) {
        YMM_EACH(i) a.p[i] = _mm256_srli_epi64(a.p[i], (int)bits);
        return a;
    }
    const __m128i count = _mm_cvtsi32_si128((int)bits);
    YMM_EACH(i) a.p[i] = _mm256_srl_epi64(a.p[i], count);
    return a;
}
/* There is no arithmetic shift of 64 bits: a shift of a + 2^63, with what that adds taken away. As sums, so that the
 * compiler adds the constants to others. */
OCT_INLINE v8 v8_sra(v8 a, unsigned bits)
{
    const uint64_t top = (uint64_t)1 << 63;
    return v8_sub(v8_srl(v8_add(a, v8_set1(top)), bits), v8_set1(top >> bits));
}
OCT_INLINE v8 v8_mul_small(v8 a, uint32_t c)
{
    if (__builtin_constant_p(c) && c == 19)
        return v8_add(v8_add(v8_sll(a, 4), v8_add(a, a)), a);
    const __m256i factor = _mm256_set1_epi64x(c);
    YMM_EACH(i)
    {
        const __m256i high = _mm256_mul_epu32(_mm256_srli_epi64(a.p[i], 32), factor);
        a.p[i] = _mm256_add_epi64(_mm256_mul_epu32(a.p[i], factor), _mm256_slli_epi64(high, 32));
    }
    return a;
}
OCT_INLINE v8 v8_mul_short(v8 a, uint32_t c)
{
    YMM_EACH(i) a.p[i] = _mm256_mul_epu32(a.p[i], _mm256_set1_epi64x(c));
    return a;
}
/* By powers of two: shifts, whose latency is a fraction of a product's. */
OCT_INLINE v8 v8_madd52lo_pow2(v8 acc, v8 a, unsigned bits)
{
    return v8_add(acc, v8_low52(v8_sll(a, bits)));
}
OCT_INLINE v8 v8_madd52hi_pow2(v8 acc, v8 a, unsigned bits)
{
    return v8_add(acc, v8_srl(v8_low52(a), 52 - bits));
}

OCT_INLINE m8 v8_is_negative(v8 a)
{
    return (m8){a};
}
OCT_INLINE m8 v8_is_nonzero(v8 a)
{
    return (m8){v8_or(a, v8_sub(v8_zero(), a))};
}
OCT_INLINE m8 v8_test_bit(v8 a, unsigned bit)
{
    return (m8){v8_sll(a, 63 - bit)};
}
OCT_INLINE __m256i ymm_blend(__m256i m, __m256i a, __m256i b)
{
    return _mm256_castpd_si256(
        _mm256_blendv_pd(_mm256_castsi256_pd(b), _mm256_castsi256_pd(a), _mm256_castsi256_pd(m)));
}
OCT_INLINE v8 v8_select(m8 m, v8 a, v8 b)
{
    YMM_EACH(i) a.p[i] = ymm_blend(m.k.p[i], a.p[i], b.p[i]);
    return a;
}
VEC_2(m8, m8_or, (m8){v8_or(a.k, b.k)})
VEC_2(m8, m8_and, (m8){ymm_and(a.k, b.k)})
VEC_1(m8, m8_not, (m8){v8_xor(a.k, v8_set1(~(uint64_t)0))})
OCT_INLINE unsigned m8_declassify(m8 m)
{
    unsigned r = 0;
    YMM_EACH(i) r |= (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(m.k.p[i])) << 4 * i;
    return r;
}

/* Four entries are a register, out of which VPERMD picks one for each lane, as two words of 32 bits. */
OCT_INLINE __m256i ymm_lookup16(const uint64_t table[16], __m256i index)
{
    const __m256i low_word = _mm256_shuffle_epi32(_mm256_add_epi64(index, index), 0xa0);
    const __m256i word = _mm256_add_epi32(low_word, _mm256_set1_epi64x((long long)1 << 32));
    const __m256i *t = (const __m256i *)(const void *)table;
    const __m256i a = _mm256_permutevar8x32_epi32(t[0], word), b = _mm256_permutevar8x32_epi32(t[1], word);
    const __m256i c = _mm256_permutevar8x32_epi32(t[2], word), d = _mm256_permutevar8x32_epi32(t[3], word);
    const __m256i bit2 = _mm256_slli_epi64(index, 61), bit3 = _mm256_slli_epi64(index, 60);
    return ymm_blend(bit3, ymm_blend(bit2, d, c), ymm_blend(bit2, b, a));
}
OCT_INLINE v8 v8_lookup_shared16(const uint64_t table[16], v8 index)
{
    YMM_EACH(i) index.p[i] = ymm_lookup16(table, index.p[i]);
    return index;
}
#if V8_LANES == 8
VEC_1(v8, v8_swap_halves, (v8){{a.p[1], a.p[0]}})
#endif
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
OCT_INLINE void v8_clear_registers(void)
{
    vec_clear_low_registers();
#if defined(__AVX512VL__)
    vec_clear_masks();
#endif
}

OCT_INLINE w8 w8_set1(uint64_t x)
{
    return v8_set1(x);
}
OCT_INLINE w8 w8_load(const uint64_t p[V8_LANES])
{
    return v8_load52(p);
}
OCT_INLINE void w8_store(uint64_t p[V8_LANES], w8 a)
{
    v8_store52(p, a);
}
PARTS_2(w8, w8_add, _mm256_add_epi64(x, y))
PARTS_3(w8, w8_xor3, _mm256_xor_si256(_mm256_xor_si256(x, y), z))
/* Whole bytes go by a shuffle, where two shifts and a sum would be three instructions. */
OCT_INLINE __m256i ymm_ror(__m256i x, unsigned bits)
{
    if (bits == 8)
        return _mm256_shuffle_epi8(
            x, _mm256_set_epi64x(0x080f0e0d0c0b0a09, 0x0007060504030201, 0x080f0e0d0c0b0a09, 0x0007060504030201));
    if (bits == 56)
        return _mm256_shuffle_epi8(
            x, _mm256_set_epi64x(0x0e0d0c0b0a09080f, 0x0605040302010007, 0x0e0d0c0b0a09080f, 0x0605040302010007));
    if (bits == 32)
        return _mm256_shuffle_epi32(x, 0xb1);
    return _mm256_or_si256(_mm256_srli_epi64(x, (int)bits), _mm256_slli_epi64(x, (int)(64 - bits)));
}
PARTS_BY(w8, w8_ror, ymm_ror(x, bits))
PARTS_BY(w8, w8_srl, _mm256_srli_epi64(x, (int)bits))
PARTS_3(w8, w8_choose, _mm256_xor_si256(z, _mm256_and_si256(x, _mm256_xor_si256(y, z))))
PARTS_3(w8, w8_majority, _mm256_or_si256(_mm256_and_si256(x, y), _mm256_and_si256(z, _mm256_or_si256(x, y))))

/* to[j] = word j of four rows. */
OCT_INLINE void ymm_transpose4(__m256i to[4], __m256i a, __m256i b, __m256i c, __m256i d)
{
    const __m256i e = _mm256_unpacklo_epi64(a, b), f = _mm256_unpackhi_epi64(a, b);
    const __m256i g = _mm256_unpacklo_epi64(c, d), h = _mm256_unpackhi_epi64(c, d);
    to[0] = _mm256_permute2x128_si256(e, g, 0x20);
    to[1] = _mm256_permute2x128_si256(f, h, 0x20);
    to[2] = _mm256_permute2x128_si256(e, g, 0x31);
    to[3] = _mm256_permute2x128_si256(f, h, 0x31);
}
OCT_INLINE void w8_load_be(w8 word[8], const uint8_t *const lane[V8_LANES], size_t at)
{
    const __m256i reverse =
        _mm256_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607);
    YMM_EACH(i)
    {
        VEC_UNROLL
        for (int half = 0; half < 2; half++) {
            __m256i row[4];
            VEC_UNROLL
            for (int j = 0; j < 4; j++)
                row[j] = _mm256_shuffle_epi8(
                    _mm256_loadu_si256((const __m256i *)(const void *)(lane[4 * i + j] + at + 32 * (size_t)half)),
                    reverse);
            ymm_transpose4(row, row[0], row[1], row[2], row[3]);
            VEC_UNROLL
            for (int j = 0; j < 4; j++)
                word[4 * half + j].p[i] = row[j];
        }
    }
}

#endif
