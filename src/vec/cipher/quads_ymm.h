/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the ymm backend of quads.h has besides quads_x86.h. */
#ifndef OCT_VEC_QUADS_YMM_H
#define OCT_VEC_QUADS_YMM_H

OCT_INLINE quads quads_rows(const uint8_t *p, size_t stride)
{
    const quads a = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p));
    return _mm256_inserti128_si256(a, _mm_loadu_si128((const __m128i *)(p + stride)), 1);
}
/* Unpacking two vectors of blocks puts blocks 0, 2, 1, 3 into the lanes. */
VEC_1(quads, quads_block_order, _mm256_permute4x64_epi64(a, 0xd8))
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
