/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ymm backend of quads.h: four lanes, IFMA. */
#ifndef OCT_VEC_QUADS_YMM_H
#define OCT_VEC_QUADS_YMM_H

#define QUADS_LANES 4
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
OCT_INLINE void quads_store1(uint64_t *p, quads a, unsigned bits)
{
    (void)bits;
    _mm_storel_epi64((__m128i *)p, _mm256_castsi256_si128(a));
}
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
OCT_INLINE quads quads_madd52lo(quads sum, quads a, quads b)
{
    return _mm256_madd52lo_epu64(sum, a, b);
}
OCT_INLINE quads quads_madd52hi(quads sum, quads a, quads b)
{
    return _mm256_madd52hi_epu64(sum, a, b);
}
/* Limbs of blocks whose low and high words these are. */
OCT_INLINE void quads_limbs(quads limb[3], quads low, quads high)
{
    limb[0] = quads_low(low, 44);
    limb[1] = quads_low(_mm256_or_si256(_mm256_srli_epi64(low, 44), _mm256_slli_epi64(high, 20)), 44);
    limb[2] = _mm256_srli_epi64(high, 24);
}
/* Unpacking within rows is cheapest; it puts blocks 0, 2, 1, 3 into the lanes. */
OCT_INLINE void quads_load_blocks(quads limb[3], const uint8_t *p)
{
    const quads a = _mm256_loadu_si256((const __m256i *)p), b = _mm256_loadu_si256((const __m256i *)(p + 32));
    quads_limbs(limb, _mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}
OCT_INLINE quads quads_ymm_rows(const uint8_t *p, size_t stride)
{
    const quads a = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p));
    return _mm256_inserti128_si256(a, _mm_loadu_si128((const __m128i *)(p + stride)), 1);
}
OCT_INLINE void quads_load_lanes(quads limb[3], const uint8_t *p, size_t stride)
{
    const quads a = quads_ymm_rows(p, 2 * stride), b = quads_ymm_rows(p + stride, 2 * stride);
    quads_limbs(limb, _mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
}
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
