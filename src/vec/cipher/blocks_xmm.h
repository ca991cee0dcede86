/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The xmm backend of blocks.h: a vector is one block. No lane is above lane 0. */
#ifndef OCT_VEC_BLOCKS_XMM_H
#define OCT_VEC_BLOCKS_XMM_H

#define OCT_NAME(name) oct_xmm_##name
#define BV_LANES       1
#define BV_MID         8
#define BV_BULK        8

typedef __m128i bv;

OCT_INLINE bv bv_zero(void)
{
    return b1_zero();
}
OCT_INLINE bv bv_set1(b1 a)
{
    return a;
}
OCT_INLINE bv bv_broadcast(const uint8_t *p)
{
    return b1_load(p);
}
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
OCT_INLINE bv bv_load(const uint8_t *p)
{
    return b1_load(p);
}
OCT_INLINE void bv_store(uint8_t *p, bv a)
{
    b1_store(p, a);
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
OCT_INLINE bv bv_xor(bv a, bv b)
{
    return b1_xor(a, b);
}
OCT_INLINE bv bv_xor3(bv a, bv b, bv c)
{
    return b1_xor(b1_xor(a, b), c);
}
OCT_INLINE bv bv_aes(bv a, bv key)
{
    return b1_aes(a, key);
}
OCT_INLINE bv bv_aes_last(bv a, bv key)
{
    return b1_aes_last(a, key);
}
OCT_INLINE bv bv_reverse(bv a)
{
    return b1_reverse(a);
}
OCT_INLINE bv bv_swap(bv a)
{
    return b1_swap(a);
}
OCT_INLINE bv bv_mul_low(bv a, bv b)
{
    return b1_mul_low(a, b);
}
OCT_INLINE bv bv_mul_high(bv a, bv b)
{
    return b1_mul_high(a, b);
}
OCT_INLINE bv bv_mul_mixed(bv a, bv b)
{
    return b1_mul_mixed(a, b);
}
OCT_INLINE bv bv_lower_halves(bv a, bv b)
{
    return _mm_unpacklo_epi64(a, b);
}
OCT_INLINE bv bv_upper_halves(bv a, bv b)
{
    return _mm_unpackhi_epi64(a, b);
}
OCT_INLINE bv bv_add32(bv a, bv b)
{
    return b1_add32(a, b);
}
OCT_INLINE void blocks_clear_registers(void)
{
    vec_clear_low_registers();
}
OCT_INLINE void blocks_clear_low_registers(void)
{
    vec_clear_low_registers();
}

#endif
