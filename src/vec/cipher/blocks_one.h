/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A vector of one block, for the xmm and proof backends of blocks.h: bv is b1. */
#ifndef OCT_VEC_BLOCKS_ONE_H
#define OCT_VEC_BLOCKS_ONE_H

#define BV_LANES      1
#define BV_MID        8
#define BV_BULK       8
#define BV_HOLDS_BULK 0

typedef b1 bv;

OCT_INLINE bv bv_zero(void)
{
    return b1_zero();
}
VEC_1(bv, bv_set1, a)
OCT_INLINE bv bv_broadcast(const uint8_t *p)
{
    return b1_load(p);
}
OCT_INLINE bv bv_load(const uint8_t *p)
{
    return b1_load(p);
}
OCT_INLINE void bv_store(uint8_t *p, bv a)
{
    b1_store(p, a);
}
VEC_2(bv, bv_xor, b1_xor(a, b))
VEC_3(bv, bv_xor3, b1_xor(b1_xor(a, b), c))
VEC_1(bv, bv_swap, b1_swap(a))
VEC_2(bv, bv_mul_low, b1_mul_low(a, b))
VEC_2(bv, bv_mul_high, b1_mul_high(a, b))
VEC_2(bv, bv_mul_mixed, b1_mul_mixed(a, b))

#endif
