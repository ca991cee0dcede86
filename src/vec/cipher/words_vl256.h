/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What words_ymm.h takes of AVX-512VL and BW. */
#ifndef OCT_VEC_WORDS_VL256_H
#define OCT_VEC_WORDS_VL256_H

/* The intrinsic wants a literal. */
OCT_INLINE words words_rol(words a, unsigned bits)
{
    return bits == 16   ? _mm256_rol_epi32(a, 16)
           : bits == 12 ? _mm256_rol_epi32(a, 12)
           : bits == 8  ? _mm256_rol_epi32(a, 8)
                        : _mm256_rol_epi32(a, 7);
}
OCT_INLINE words words_load_part(const uint8_t *p, size_t len)
{
    return _mm256_maskz_loadu_epi8(~(uint32_t)0 >> (32 - len), p);
}
OCT_INLINE void words_store_part(uint8_t *p, words a, size_t len)
{
    _mm256_mask_storeu_epi8(p, ~(uint32_t)0 >> (32 - len), a);
}
OCT_INLINE words words_keep(words a, size_t len)
{
    return _mm256_maskz_mov_epi8(~(uint32_t)0 >> (32 - len), a);
}

OCT_INLINE void words_clear_registers(void)
{
    vec_clear_high_registers();
    vec_clear_low_registers();
}

#endif
