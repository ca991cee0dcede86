/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ymm backends of quads.h: four lanes, with the 52-bit multiplier of IFMA, or with AVX2's of 32 bits. */
#ifndef OCT_VEC_QUADS_YMM_H
#define OCT_VEC_QUADS_YMM_H

#define QUADS_LANES 4
#if defined(TIER_VL)
#define QUADS_SPREAD 1
#else
#define QUADS_SPREAD 4
#endif
typedef __m256i quads;

OCT_INLINE quads quads_zero(void)
{
    return _mm256_setzero_si256();
}
OCT_INLINE quads quads_set1(uint64_t x)
{
    return _mm256_set1_epi64x((long long)x);
}
OCT_INLINE quads quads_set_first(uint64_t x, unsigned bits)
{
    (void)bits;
    return _mm256_zextsi128_si256(_mm_cvtsi64_si128((long long)x));
}
OCT_INLINE quads quads_load(const uint64_t *p, unsigned bits)
{
    (void)bits;
    return _mm256_loadu_si256((const __m256i *)p);
}
OCT_INLINE void quads_store(uint64_t *p, quads a, unsigned bits)
{
    (void)bits;
    _mm256_storeu_si256((__m256i *)p, a);
}
OCT_INLINE quads quads_load1(const uint64_t *p, unsigned bits)
{
    (void)bits;
    return _mm256_set1_epi64x((long long)*p);
}
#if defined(TIER_VL)
OCT_INLINE quads quads_load_same(const uint64_t p[QUADS_SPREAD], unsigned bits)
{
    return quads_load1(p, bits);
}
OCT_INLINE void quads_store_same(uint64_t p[QUADS_SPREAD], quads a, unsigned bits)
{
    (void)bits;
    _mm_storel_epi64((__m128i *)p, _mm256_castsi256_si128(a));
}
#else
OCT_INLINE quads quads_load_same(const uint64_t p[QUADS_SPREAD], unsigned bits)
{
    return quads_load(p, bits);
}
OCT_INLINE void quads_store_same(uint64_t p[QUADS_SPREAD], quads a, unsigned bits)
{
    quads_store(p, _mm256_broadcastq_epi64(_mm256_castsi256_si128(a)), bits);
}
#endif
OCT_INLINE quads quads_add(quads a, quads b)
{
    return _mm256_add_epi64(a, b);
}
OCT_INLINE quads quads_or(quads a, quads b)
{
    return _mm256_or_si256(a, b);
}
OCT_INLINE quads quads_low(quads a, unsigned bits)
{
    return _mm256_and_si256(a, quads_set1(((uint64_t)1 << bits) - 1));
}
OCT_INLINE quads quads_sll(quads a, unsigned bits)
{
    return _mm256_slli_epi64(a, (int)bits);
}
OCT_INLINE quads quads_srl(quads a, unsigned bits)
{
    return _mm256_srli_epi64(a, (int)bits);
}
#if QUADS_FACTOR_BITS == 52
OCT_INLINE quads quads_madd52lo(quads sum, quads a, quads b)
{
    return _mm256_madd52lo_epu64(sum, a, b);
}
OCT_INLINE quads quads_madd52hi(quads sum, quads a, quads b)
{
    return _mm256_madd52hi_epu64(sum, a, b);
}
#else
OCT_INLINE quads quads_madd32(quads sum, quads a, quads b)
{
    return _mm256_add_epi64(sum, _mm256_mul_epu32(a, b));
}
#endif
/* Low and high words of four blocks; unpacking within rows puts blocks 0, 2, 1, 3 into the lanes. */
OCT_INLINE void quads_ymm_words(quads word[2], const uint8_t *p)
{
    const quads a = _mm256_loadu_si256((const __m256i *)p), b = _mm256_loadu_si256((const __m256i *)(p + 32));
    word[0] = _mm256_unpacklo_epi64(a, b);
    word[1] = _mm256_unpackhi_epi64(a, b);
}
#if QUADS_FACTOR_BITS == 52
OCT_INLINE void quads_load_blocks44(quads limb[3], const uint8_t *p)
{
    quads word[2];
    quads_ymm_words(word, p);
    limb[0] = quads_low(word[0], 44);
    limb[1] = quads_low(_mm256_or_si256(quads_srl(word[0], 44), quads_sll(word[1], 20)), 44);
    limb[2] = quads_srl(word[1], 24);
}
#else
OCT_INLINE void quads_load_blocks26(quads limb[5], const uint8_t *p)
{
    quads word[2];
    quads_ymm_words(word, p);
    limb[0] = quads_low(word[0], 26);
    limb[1] = quads_low(quads_srl(word[0], 26), 26);
    limb[2] = quads_low(_mm256_or_si256(quads_srl(word[0], 52), quads_sll(word[1], 12)), 26);
    limb[3] = quads_low(quads_srl(word[1], 14), 26);
    limb[4] = quads_srl(word[1], 40);
}
#endif
OCT_INLINE quads quads_block_order(quads a)
{
    return _mm256_permute4x64_epi64(a, 0xd8);
}
OCT_INLINE quads quads_first(quads a)
{
    return _mm256_broadcastq_epi64(_mm256_castsi256_si128(a));
}
OCT_INLINE quads quads_up(quads a, unsigned n)
{
    const quads zero = _mm256_setzero_si256();
    return n == 1 ? _mm256_blend_epi32(_mm256_permute4x64_epi64(a, 0x90), zero, 0x03)
                  : _mm256_permute2x128_si256(a, a, 0x08);
}
OCT_INLINE quads quads_sum(quads a)
{
    a = _mm256_add_epi64(a, _mm256_permute4x64_epi64(a, 0x4e));
    return _mm256_add_epi64(a, _mm256_unpackhi_epi64(a, a));
}

#endif
