/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The xmm backend of blocks.h: a vector is one block. No lane is above lane 0. */
#ifndef OCT_VEC_BLOCKS_XMM_H
#define OCT_VEC_BLOCKS_XMM_H

#define OCT_NAME(name) oct_xmm_##name

#include "vec/cipher/blocks_one.h"

OCT_INLINE bv bv_first_lane(b1 a)
{
    return a;
}
OCT_INLINE b1 bv_first(bv a)
{
    return a;
}
OCT_INLINE b1 bv_fold(bv a)
{
    return a;
}
OCT_INLINE bv bv_put(bv a, size_t i, b1 block)
{
    (void)a;
    (void)i;
    return block;
}
OCT_INLINE bv bv_lane_numbers(void)
{
    return b1_zero();
}
OCT_INLINE bv bv_load_part(const uint8_t *p, size_t n)
{
    return b1_load_part(p, n);
}
OCT_INLINE void bv_store_part(uint8_t *p, bv a, size_t n)
{
    b1_store_part(p, a, n);
}
OCT_INLINE bv bv_keep(bv a, size_t n)
{
    return b1_keep(a, n);
}
OCT_INLINE bv bv_load_above(const uint8_t *p, size_t n)
{
    (void)p;
    (void)n;
    return b1_zero();
}
OCT_INLINE void bv_store_above(uint8_t *p, bv a, size_t n)
{
    (void)p;
    (void)a;
    (void)n;
}
OCT_INLINE bv bv_keep_above(bv a, size_t n)
{
    (void)a;
    (void)n;
    return b1_zero();
}
VEC_2(bv, bv_aes, b1_aes(a, b))
VEC_2(bv, bv_aes_last, b1_aes_last(a, b))
VEC_1(bv, bv_reverse, b1_reverse(a))
VEC_2(bv, bv_lower_halves, _mm_unpacklo_epi64(a, b))
VEC_2(bv, bv_upper_halves, _mm_unpackhi_epi64(a, b))
VEC_2(bv, bv_add32, b1_add32(a, b))
OCT_INLINE void blocks_clear_registers(void)
{
    vec_clear_low_registers();
}
OCT_INLINE void blocks_clear_low_registers(void)
{
    vec_clear_low_registers();
}

#endif
