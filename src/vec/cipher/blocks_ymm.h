/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The ymm backend of blocks.h: two blocks, sixteen registers (VAES came to CPUs without AVX-512). */
#ifndef OCT_VEC_BLOCKS_YMM_H
#define OCT_VEC_BLOCKS_YMM_H

#define OCT_NAME(name) oct_ymm_##name
#define BV_LANES       2
#define BV_MID         6
#define BV_BULK        6
#define BV_HOLDS_BULK  0

#include "vec/cipher/blocks_mm.h"

OCT_INLINE bv bv_pair(b1 lane0, b1 lane1)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(lane0), lane1, 1);
}
OCT_INLINE b1 bv_second(bv a)
{
    return _mm256_extracti128_si256(a, 1);
}
OCT_INLINE b1 bv_fold(bv a)
{
    return b1_xor(bv_first(a), bv_second(a));
}
OCT_INLINE bv bv_put(bv a, size_t i, b1 block)
{
    return i ? bv_pair(bv_first(a), block) : bv_pair(block, bv_second(a));
}
OCT_INLINE bv bv_lane_numbers(void)
{
    return _mm256_set_epi32(0, 0, 0, 1, 0, 0, 0, 0);
}
OCT_INLINE bv bv_load_part(const uint8_t *p, size_t n)
{
    if (n >= 32)
        return bv_load(p);
    return n > 16 ? bv_pair(b1_load(p), b1_load_part(p + 16, n - 16)) : bv_first_lane(b1_load_part(p, n));
}
OCT_INLINE void bv_store_part(uint8_t *p, bv a, size_t n)
{
    if (n >= 32) {
        bv_store(p, a);
    } else if (n > 16) {
        b1_store(p, bv_first(a));
        b1_store_part(p + 16, bv_second(a), n - 16);
    } else {
        b1_store_part(p, bv_first(a), n);
    }
}
OCT_INLINE bv bv_keep(bv a, size_t n)
{
    if (n > 16)
        return bv_pair(bv_first(a), b1_keep(bv_second(a), n - 16));
    return bv_first_lane(b1_keep(bv_first(a), n));
}
OCT_INLINE bv bv_load_above(const uint8_t *p, size_t n)
{
    return bv_pair(b1_zero(), b1_load_part(p, n));
}
OCT_INLINE void bv_store_above(uint8_t *p, bv a, size_t n)
{
    b1_store_part(p, bv_second(a), n);
}
OCT_INLINE bv bv_keep_above(bv a, size_t n)
{
    return bv_pair(b1_zero(), b1_keep(bv_second(a), n));
}
VEC_3(bv, bv_xor3, _mm256_xor_si256(_mm256_xor_si256(a, b), c))
VEC_1(bv, bv_swap, _mm256_shuffle_epi32(a, 0x4e))
OCT_INLINE void blocks_clear_registers(void)
{
    vec_clear_low_registers();
}
OCT_INLINE void blocks_clear_low_registers(void)
{
    vec_clear_low_registers();
}

#endif
