/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The portable backend of affine.h, on the planes of bits of blocks_c.h: a map is sums of planes, and the inverse is
 * the power 254. No secret decides an address or a branch.
 */
#ifndef OCT_VEC_AFFINE_C_H
#define OCT_VEC_AFFINE_C_H

#include <string.h>

/* x^254 = x^240 * x^12 * x^2. */
static __attribute__((noinline, unused)) void affine_invert(uint64_t x[8])
{
    uint64_t a2[8], a12[8], a[8], b[8];
    blocks_field_square(a2, x, 1);
    blocks_field_mul(a, a2, x);
    blocks_field_square(a12, a, 2);
    blocks_field_mul(b, a12, a);
    blocks_field_square(a, b, 4);
    blocks_field_mul(b, a12, a2);
    blocks_field_mul(x, a, b);
}
OCT_INLINE void affine_sum(uint64_t out[8], const uint64_t x[8], const uint64_t map)
{
    for (int i = 0; i < 8; i++) {
        out[i] = 0;
        for (int j = 0; j < 8; j++)
            out[i] ^= x[j] & ((uint64_t)0 - (map >> (8 * (7 - i) + j) & 1));
    }
}
static __attribute__((noinline, unused)) bv affine_bytes(bv a, const uint64_t map, const int inverse)
{
    uint64_t x[8], out[8];
    memcpy(x, &a, sizeof x);
    blocks_planes(x);
    if (inverse)
        affine_invert(x);
    affine_sum(out, x, map);
    blocks_planes(out);
    memcpy(&a, out, sizeof a);
    return a;
}
OCT_INLINE bv bv_map(bv a, const uint64_t map)
{
    return affine_bytes(a, map, 0);
}
OCT_INLINE bv bv_map_inverse(bv a, const uint64_t map)
{
    return affine_bytes(a, map, 1);
}
OCT_INLINE bv bv_set32(uint32_t word)
{
    return bv_set1(b1_set32(word));
}

#define AFFINE_WORDS (4 * BV_LANES)
OCT_INLINE bv bv_turn32(bv a, const int n)
{
    uint32_t w[AFFINE_WORDS];
    memcpy(w, &a, sizeof w);
    for (int i = 0; i < AFFINE_WORDS; i++)
        w[i] = w[i] >> 8 * n | w[i] << (32 - 8 * n);
    memcpy(&a, w, sizeof a);
    return a;
}
OCT_INLINE bv bv_reverse32(bv a)
{
    uint32_t w[AFFINE_WORDS];
    memcpy(w, &a, sizeof w);
    for (int i = 0; i < AFFINE_WORDS; i++)
        w[i] = __builtin_bswap32(w[i]);
    memcpy(&a, w, sizeof a);
    return a;
}
OCT_INLINE void bv_transpose32(bv x[4])
{
    uint32_t from[4][AFFINE_WORDS], to[4][AFFINE_WORDS];
    memcpy(from, x, sizeof from);
    for (int lane = 0; lane < AFFINE_WORDS; lane += 4)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                to[j][lane + i] = from[i][lane + j];
    memcpy(x, to, sizeof to);
}
VEC_STEP bv bv_load_some(const uint8_t *p, size_t n)
{
    return bv_load_part(p, n);
}
VEC_STEP void bv_store_some(uint8_t *p, bv a, size_t n)
{
    bv_store_part(p, a, n);
}
OCT_INLINE bv bv_word_numbers(void)
{
    bv r = bv_zero();
    BV_EACH(i) r.p[i] = b1_set((uint64_t)i | (uint64_t)(i + 4) << 32, (uint64_t)(i + 8) | (uint64_t)(i + 12) << 32);
    return r;
}
OCT_INLINE b1 bv_any_lane(bv a, const int i)
{
    return a.p[i];
}

#endif
