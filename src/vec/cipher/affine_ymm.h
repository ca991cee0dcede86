/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the ymm backend of affine.h has besides affine_x86.h: without AVX-512, so words are turned by a shuffle of
 * bytes. */
#ifndef OCT_VEC_AFFINE_YMM_H
#define OCT_VEC_AFFINE_YMM_H

/* Byte n of each word comes to its place 0. */
OCT_INLINE bv bv_turn32(bv a, const int n)
{
    const uint32_t first = n == 1 ? 0x00030201 : n == 2 ? 0x01000302 : 0x02010003;
    const b1 from =
        _mm_set_epi32((int)(first + 0x0c0c0c0c), (int)(first + 0x08080808), (int)(first + 0x04040404), (int)first);
    return _mm256_shuffle_epi8(a, _mm256_broadcastsi128_si256(from));
}
OCT_INLINE void bv_transpose(bv x[BV_LANES])
{
    const bv low = _mm256_permute2x128_si256(x[0], x[1], 0x20);
    x[1] = _mm256_permute2x128_si256(x[0], x[1], 0x31);
    x[0] = low;
}
static __attribute__((noinline, unused)) bv bv_load_some(const uint8_t *p, size_t n)
{
    return bv_load_part(p, n);
}
static __attribute__((noinline, unused)) void bv_store_some(uint8_t *p, bv a, size_t n)
{
    bv_store_part(p, a, n);
}
OCT_INLINE bv bv_word_numbers(void)
{
    return _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0);
}
OCT_INLINE b1 bv_any_lane(bv a, const int i)
{
    return i == 0 ? bv_first(a) : bv_second(a);
}

#endif
