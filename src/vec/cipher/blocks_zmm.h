/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The zmm backend of blocks.h: four blocks, masks for lengths. */
#ifndef OCT_VEC_BLOCKS_ZMM_H
#define OCT_VEC_BLOCKS_ZMM_H

#define OCT_NAME(name) oct_zmm_##name
#define BV_LANES       4
#define BV_MID         3
#define BV_BULK        8
#define BV_HOLDS_BULK  1

#include "vec/cipher/blocks_mm.h"

OCT_INLINE __mmask64 bv_mask(size_t n)
{
    return _bzhi_u64(~(uint64_t)0, (unsigned)n);
}
OCT_INLINE b1 bv_fold(bv a)
{
    const __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}
OCT_INLINE bv bv_put(bv a, size_t i, b1 block)
{
    return _mm512_mask_broadcast_i32x4(a, (__mmask16)(0xfu << (4 * i)), block);
}
OCT_INLINE b1 bv_lane(bv a, const int i)
{
    switch (i) {
    case 0:
        return bv_first(a);
    case 1:
        return _mm512_extracti32x4_epi32(a, 1);
    case 2:
        return _mm512_extracti32x4_epi32(a, 2);
    default:
        return _mm512_extracti32x4_epi32(a, 3);
    }
}
OCT_INLINE bv bv_blend(bv a, const int i, bv b)
{
    return _mm512_mask_mov_epi32(a, (__mmask16)(0xfu << (4 * i)), b);
}
OCT_INLINE bv bv_fold4(bv a, bv b, bv c, bv d)
{
    const bv ab = _mm512_xor_si512(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee));
    const bv cd = _mm512_xor_si512(_mm512_shuffle_i64x2(c, d, 0x44), _mm512_shuffle_i64x2(c, d, 0xee));
    return _mm512_xor_si512(_mm512_shuffle_i64x2(ab, cd, 0x88), _mm512_shuffle_i64x2(ab, cd, 0xdd));
}
OCT_INLINE bv bv_number(uint64_t number)
{
    return _mm512_shuffle_epi8(_mm512_set1_epi64((long long)number), _mm512_broadcast_i32x4(blocks_number_bytes()));
}
#define BV_LAST_BYTE(n) ((long long)((uint64_t)(n) << 56))
OCT_INLINE bv bv_last_bytes(const uint8_t n0, const uint8_t n1, const uint8_t n2, const uint8_t n3)
{
    return _mm512_set_epi64(BV_LAST_BYTE(n3), 0, BV_LAST_BYTE(n2), 0, BV_LAST_BYTE(n1), 0, BV_LAST_BYTE(n0), 0);
}
#undef BV_LAST_BYTE
VEC_3(bv, bv_xor_lower, _mm512_mask_xor_epi64(c, 0x0f, a, b))
VEC_2(bv, bv_and, _mm512_and_si512(a, b))
OCT_INLINE bv bv_first_bytes(const size_t n[4])
{
    const __mmask64 low = bv_mask(n[0]) | bv_mask(n[1]) << 16, high = bv_mask(n[2]) | bv_mask(n[3]) << 16;
    return _mm512_movm_epi8(low | high << 32);
}
/* Halves of two vectors, then quarters. */
OCT_INLINE void bv_transpose(bv x[4])
{
    const bv a = _mm512_shuffle_i64x2(x[0], x[1], 0x44), b = _mm512_shuffle_i64x2(x[0], x[1], 0xee);
    const bv c = _mm512_shuffle_i64x2(x[2], x[3], 0x44), d = _mm512_shuffle_i64x2(x[2], x[3], 0xee);
    x[0] = _mm512_shuffle_i64x2(a, c, 0x88);
    x[1] = _mm512_shuffle_i64x2(a, c, 0xdd);
    x[2] = _mm512_shuffle_i64x2(b, d, 0x88);
    x[3] = _mm512_shuffle_i64x2(b, d, 0xdd);
}
OCT_INLINE bv bv_lane_numbers(void)
{
    return _mm512_set_epi32(0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0);
}
OCT_INLINE bv bv_load_part(const uint8_t *p, size_t n)
{
    return _mm512_maskz_loadu_epi8(bv_mask(n), p);
}
OCT_INLINE void bv_store_part(uint8_t *p, bv a, size_t n)
{
    _mm512_mask_storeu_epi8(p, bv_mask(n), a);
}
/* What a mask leaves out is not accessed. */
OCT_INLINE bv bv_load_ending(const uint8_t *p, size_t n)
{
    const size_t before = (64 - n) & ~(size_t)15;
    return _mm512_maskz_loadu_epi8(bv_mask(n) << (before & 63), (const void *)((uintptr_t)p - before));
}
OCT_INLINE bv bv_keep(bv a, size_t n)
{
    return _mm512_maskz_mov_epi8(bv_mask(n), a);
}
/* What a mask leaves out is not accessed: lane 0 may lie before the buffer. */
OCT_INLINE bv bv_load_above(const uint8_t *p, size_t n)
{
    return _mm512_maskz_loadu_epi8(bv_mask(n) << 16, (const void *)((uintptr_t)p - 16));
}
OCT_INLINE void bv_store_above(uint8_t *p, bv a, size_t n)
{
    _mm512_mask_storeu_epi8((void *)((uintptr_t)p - 16), bv_mask(n) << 16, a);
}
OCT_INLINE bv bv_keep_above(bv a, size_t n)
{
    return _mm512_maskz_mov_epi8(bv_mask(n) << 16, a);
}
VEC_3(bv, bv_xor3, _mm512_ternarylogic_epi64(a, b, c, 0x96))
VEC_1(bv, bv_swap, _mm512_shuffle_epi32(a, _MM_PERM_BADC))
OCT_INLINE bv bv_pair(b1 lane0, b1 lane1)
{
    return _mm512_castsi256_si512(_mm256_inserti128_si256(_mm256_castsi128_si256(lane0), lane1, 1));
}
/* Compilers clear the lanes above by an instruction, though the product has: so once for each result. */
#define BV_PAIR_MUL(a, b, halves) _mm256_clmulepi64_epi128(_mm512_castsi512_si256(a), _mm512_castsi512_si256(b), halves)
VEC_2(bv, bv_pair_mul_low, _mm512_zextsi256_si512(BV_PAIR_MUL(a, b, 0x00)))
VEC_2(bv, bv_pair_mul_high, _mm512_zextsi256_si512(BV_PAIR_MUL(a, b, 0x11)))
VEC_2(bv, bv_pair_mul_mixed, _mm512_zextsi256_si512(_mm256_xor_si256(BV_PAIR_MUL(a, b, 0x01), BV_PAIR_MUL(a, b, 0x10))))
#undef BV_PAIR_MUL
/* vzeroall leaves zmm16 to zmm31. */
OCT_INLINE void blocks_clear_registers(void)
{
    vec_clear_low_registers();
    vec_clear_high_registers();
}
OCT_INLINE void blocks_clear_low_registers(void)
{
    vec_clear_low_registers();
#if defined(__clang__)
    vec_clear_high_registers();
#endif
}

#endif
