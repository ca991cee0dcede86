/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The zmm and ymm backends of words.h, sixteen lanes or eight: one vector a block, or two. What differs besides the
 * width of registers is in words_zmm.h and words_ymm.h; what AVX-512 has for either and AVX2 has not, rotations, masks
 * and registers, is in words_avx512.h and words_avx2.h. */
#ifndef OCT_VEC_WORDS_X86_H
#define OCT_VEC_WORDS_X86_H

#define WORDS_LANES (MM_BYTES / 4)
typedef mm words;

OCT_INLINE words words_set1(uint32_t x)
{
    return MM(set1_epi32)((int)x);
}
OCT_INLINE words words_set_rows(const uint32_t row[4])
{
    return MM_BROADCAST(_mm_loadu_si128((const __m128i *)row));
}
VEC_2(words, words_add, MM(add_epi32)(a, b))
VEC_2(words, words_xor, MM_SI (xor)(a, b))
OCT_INLINE words words_load(const uint8_t *p)
{
    return MM_SI(loadu)((const mm *)p);
}
OCT_INLINE void words_store(uint8_t *p, words a)
{
    MM_SI(storeu)((mm *)p, a);
}
OCT_INLINE void words_store_away(uint8_t *p, words a)
{
    words_store(p, a);
    __asm__ volatile("" : "+m"(*(uint8_t(*)[MM_BYTES])p));
}

#if defined(TIER_WORDS_ZMM)
#include "vec/cipher/words_zmm.h"
#else
#include "vec/cipher/words_ymm.h"
#endif
#if defined(TIER_SIXTEEN)
#include "vec/cipher/words_avx2.h"
#else
#include "vec/cipher/words_avx512.h"
#endif

#endif
