/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the zmm, ymm and xmm backends of blocks.h share: one block in an xmm register. */
#ifndef OCT_VEC_BLOCKS_X86_H
#define OCT_VEC_BLOCKS_X86_H

#include "vec/x86.h"

#include <string.h>

typedef __m128i b1;

OCT_INLINE void blocks_loads_first(void)
{
    __asm__ volatile("" ::: "memory");
}

OCT_INLINE b1 b1_zero(void)
{
    return _mm_setzero_si128();
}
OCT_INLINE b1 b1_set(uint64_t low, uint64_t high)
{
    return _mm_set_epi64x((long long)high, (long long)low);
}
OCT_INLINE b1 b1_set32(uint32_t word)
{
    return _mm_set1_epi32((int)word);
}
OCT_INLINE uint32_t b1_get32(b1 a)
{
    return (uint32_t)_mm_cvtsi128_si32(a);
}
OCT_INLINE uint64_t b1_any(b1 a)
{
    return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(a, _mm_unpackhi_epi64(a, a)));
}
OCT_INLINE b1 b1_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}
OCT_INLINE void b1_store(uint8_t *p, b1 a)
{
    _mm_storeu_si128((__m128i *)p, a);
}
VEC_2(b1, b1_xor, _mm_xor_si128(a, b))
VEC_2(b1, b1_or, _mm_or_si128(a, b))
VEC_2(b1, b1_aes, _mm_aesenc_si128(a, b))
VEC_2(b1, b1_aes_last, _mm_aesenclast_si128(a, b))
VEC_1(b1, b1_reverse, _mm_shuffle_epi8(a, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)))
VEC_1(b1, b1_swap, _mm_shuffle_epi32(a, 0x4e))
VEC_2(b1, b1_mul_low, _mm_clmulepi64_si128(a, b, 0x00))
VEC_2(b1, b1_mul_high, _mm_clmulepi64_si128(a, b, 0x11))
VEC_2(b1, b1_mul_mixed, _mm_clmulepi64_si128(a, b, 0x10))
VEC_2(b1, b1_add32, _mm_add_epi32(a, b))
/* The bits that leave their halves: the lower half's goes to the upper half, the upper half's is the polynomial, or
 * nothing. */
OCT_INLINE b1 b1_double(b1 a)
{
    const b1 out = _mm_srli_epi64(a, 63), all = _mm_sub_epi64(_mm_setzero_si128(), _mm_unpackhi_epi64(out, out));
    const b1 polynomial = _mm_and_si128(all, b1_set(1, 0xc200000000000000));
    return _mm_xor_si128(_mm_or_si128(_mm_add_epi64(a, a), _mm_slli_si128(out, 8)), polynomial);
}
/* Where the bytes of a number go that stands in either half. */
OCT_INLINE b1 blocks_number_bytes(void)
{
    return _mm_set_epi8(-1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1);
}
OCT_INLINE b1 b1_number(uint64_t number)
{
    return _mm_shuffle_epi8(_mm_cvtsi64_si128((long long)number), blocks_number_bytes());
}

#if defined(OCT_BACKEND_ZMM)
OCT_INLINE b1 b1_load_part(const uint8_t *p, size_t n)
{
    return _mm_maskz_loadu_epi8((__mmask16)_bzhi_u32(0xffff, (unsigned)n), p);
}
#else
/* A mask of n bytes is a load at an address that n, which is public, decides. */
static const uint8_t blocks_masks[48] = {255, 255, 255, 255, 255, 255, 255, 255,
                                         255, 255, 255, 255, 255, 255, 255, 255};

OCT_INLINE b1 b1_keep(b1 a, size_t n)
{
    return _mm_and_si128(a, b1_load(blocks_masks + ((16 - n) & 31)));
}
OCT_INLINE uint64_t blocks_load_bytes(const uint8_t *p, size_t n)
{
    /* Two overlapping halves, each a size that machines have. */
    if (n >= 4) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + n - 4, 4);
        return low | (uint64_t)high << (8 * (n - 4));
    }
    uint64_t r = 0;
    if (n >= 1)
        r = p[0] | (uint64_t)p[n / 2] << (8 * (n / 2)) | (uint64_t)p[n - 1] << (8 * (n - 1));
    return r;
}
OCT_INLINE void blocks_store_bytes(uint8_t *p, uint64_t word, size_t n)
{
    if (n >= 4) {
        const uint32_t low = (uint32_t)word, high = (uint32_t)(word >> (8 * (n - 4)));
        memcpy(p, &low, 4);
        memcpy(p + n - 4, &high, 4);
        return;
    }
    if (n >= 1) {
        p[0] = (uint8_t)word;
        p[n / 2] = (uint8_t)(word >> (8 * (n / 2)));
        p[n - 1] = (uint8_t)(word >> (8 * (n - 1)));
    }
}
OCT_INLINE b1 b1_load_part(const uint8_t *p, size_t n)
{
    if (n >= 16)
        return b1_load(p);
    if (n < 8)
        return b1_set(blocks_load_bytes(p, n), 0);
    uint64_t low, high;
    memcpy(&low, p, 8);
    memcpy(&high, p + n - 8, 8);
    /* Of `high`, the 16 - n bytes that `low` has too are shifted out. */
    return b1_set(low, n == 8 ? 0 : high >> (8 * (16 - n)));
}
OCT_INLINE void b1_store_part(uint8_t *p, b1 a, size_t n)
{
    if (n >= 16) {
        b1_store(p, a);
        return;
    }
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(a), high = (uint64_t)_mm_extract_epi64(a, 1);
    if (n < 8) {
        blocks_store_bytes(p, low, n);
        return;
    }
    memcpy(p, &low, 8);
    blocks_store_bytes(p + 8, high, n - 8);
}
#endif

#endif
