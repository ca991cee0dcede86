/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the zmm backend of quads.h has besides quads_x86.h. */
#ifndef OCT_VEC_QUADS_ZMM_H
#define OCT_VEC_QUADS_ZMM_H

OCT_INLINE quads quads_rows(const uint8_t *p, size_t stride)
{
    const quads a = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)p));
    const quads b = _mm512_inserti64x2(a, _mm_loadu_si128((const __m128i *)(p + stride)), 1);
    const quads c = _mm512_inserti64x2(b, _mm_loadu_si128((const __m128i *)(p + 2 * stride)), 2);
    return _mm512_inserti64x2(c, _mm_loadu_si128((const __m128i *)(p + 3 * stride)), 3);
}
/* Unpacking two vectors of blocks puts blocks 0, 4, 1, 5, 2, 6, 3, 7 into the lanes. */
VEC_1(quads, quads_block_order, _mm512_permutexvar_epi64(_mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0), a))
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
