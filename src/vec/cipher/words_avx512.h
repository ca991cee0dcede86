/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What words_x86.h takes of AVX-512VL and BW. */
#ifndef OCT_VEC_WORDS_AVX512_H
#define OCT_VEC_WORDS_AVX512_H

/* The intrinsic wants a literal. */
OCT_INLINE words words_rol(words a, unsigned bits)
{
    return bits == 16   ? MM(rol_epi32)(a, 16)
           : bits == 12 ? MM(rol_epi32)(a, 12)
           : bits == 8  ? MM(rol_epi32)(a, 8)
                        : MM(rol_epi32)(a, 7);
}
OCT_INLINE mm_bytes_mask words_first_bytes(size_t len)
{
    return ~(mm_bytes_mask)0 >> (MM_BYTES - len);
}
OCT_INLINE words words_load_part(const uint8_t *p, size_t len)
{
    return MM(maskz_loadu_epi8)(words_first_bytes(len), p);
}
OCT_INLINE void words_store_part(uint8_t *p, words a, size_t len)
{
    MM(mask_storeu_epi8)(p, words_first_bytes(len), a);
}
OCT_INLINE words words_keep(words a, size_t len)
{
    return MM(maskz_mov_epi8)(words_first_bytes(len), a);
}

OCT_INLINE void words_clear_registers(void)
{
    vec_clear_high_registers();
    vec_clear_low_registers();
}

#endif
