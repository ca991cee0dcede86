/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The zmm backend of quads.h: eight lanes, IFMA. */
#ifndef OCT_VEC_QUADS_ZMM_H
#define OCT_VEC_QUADS_ZMM_H

#define QUADS_LANES 8
typedef __m512i quads;

OCT_INLINE quads quads_zero(void)
{
    return _mm512_setzero_si512();
}
OCT_INLINE quads quads_set1(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}
OCT_INLINE quads quads_set_first(uint64_t x, unsigned bits)
{
    (void)bits;
    return _mm512_zextsi128_si512(_mm_cvtsi64_si128((long long)x));
}
OCT_INLINE quads quads_load(const uint64_t *p, unsigned bits)
{
    (void)bits;
    return _mm512_loadu_si512(p);
}
OCT_INLINE void quads_store(uint64_t *p, quads a, unsigned bits)
{
    (void)bits;
    _mm512_storeu_si512(p, a);
}
OCT_INLINE quads quads_load1(const uint64_t *p, unsigned bits)
{
    (void)bits;
    return _mm512_set1_epi64((long long)*p);
}
OCT_INLINE void quads_store1(uint64_t *p, quads a, unsigned bits)
{
    (void)bits;
    _mm_storel_epi64((__m128i *)p, _mm512_castsi512_si128(a));
}
OCT_INLINE quads quads_add(quads a, quads b)
{
    return _mm512_add_epi64(a, b);
}
OCT_INLINE quads quads_or(quads a, quads b)
{
    return _mm512_or_si512(a, b);
}
OCT_INLINE quads quads_low(quads a, unsigned bits)
{
    return _mm512_and_si512(a, quads_set1(((uint64_t)1 << bits) - 1));
}
OCT_INLINE quads quads_sll(quads a, unsigned bits)
{
    return _mm512_slli_epi64(a, bits);
}
OCT_INLINE quads quads_srl(quads a, unsigned bits)
{
    return _mm512_srli_epi64(a, bits);
}
OCT_INLINE quads quads_madd52lo(quads sum, quads a, quads b)
{
    return _mm512_madd52lo_epu64(sum, a, b);
}
OCT_INLINE quads quads_madd52hi(quads sum, quads a, quads b)
{
    return _mm512_madd52hi_epu64(sum, a, b);
}
/* Limbs of blocks whose low and high words these are. */
OCT_INLINE void quads_limbs(quads limb[3], quads low, quads high)
{
    limb[0] = quads_low(low, 44);
    limb[1] = quads_low(_mm512_or_si512(_mm512_srli_epi64(low, 44), _mm512_slli_epi64(high, 20)), 44);
    limb[2] = _mm512_srli_epi64(high, 24);
}
/* Unpacking within rows is cheapest; it puts blocks 0, 4, 1, 5, 2, 6, 3, 7 into the lanes. */
OCT_INLINE void quads_load_blocks(quads limb[3], const uint8_t *p)
{
    const quads a = _mm512_loadu_si512(p), b = _mm512_loadu_si512(p + 64);
    quads_limbs(limb, _mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}
OCT_INLINE quads quads_zmm_rows(const uint8_t *p, size_t stride)
{
    const quads a = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)p));
    const quads b = _mm512_inserti64x2(a, _mm_loadu_si128((const __m128i *)(p + stride)), 1);
    const quads c = _mm512_inserti64x2(b, _mm_loadu_si128((const __m128i *)(p + 2 * stride)), 2);
    return _mm512_inserti64x2(c, _mm_loadu_si128((const __m128i *)(p + 3 * stride)), 3);
}
OCT_INLINE void quads_load_lanes(quads limb[3], const uint8_t *p, size_t stride)
{
    const quads a = quads_zmm_rows(p, 2 * stride), b = quads_zmm_rows(p + stride, 2 * stride);
    quads_limbs(limb, _mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}
OCT_INLINE quads quads_block_order(quads a)
{
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), a);
}
OCT_INLINE quads quads_first(quads a)
{
    return _mm512_broadcastq_epi64(_mm512_castsi512_si128(a));
}
OCT_INLINE quads quads_up(quads a, unsigned n)
{
    const quads zero = _mm512_setzero_si512();
    return n == 1   ? _mm512_alignr_epi64(a, zero, 7)
           : n == 2 ? _mm512_alignr_epi64(a, zero, 6)
                    : _mm512_alignr_epi64(a, zero, 4);
}
OCT_INLINE quads quads_sum(quads a)
{
    a = _mm512_add_epi64(a, _mm512_shuffle_i64x2(a, a, 0x4e));
    a = _mm512_add_epi64(a, _mm512_shuffle_i64x2(a, a, 0xb1));
    return _mm512_add_epi64(a, _mm512_unpackhi_epi64(a, a));
}

#endif
