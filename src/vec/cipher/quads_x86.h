/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The zmm and ymm backends of quads.h, eight lanes or four: IFMA, or AVX2's multiplier of 32 bits. What differs besides
 * the width of registers is in quads_zmm.h and quads_ymm.h. */
#ifndef OCT_VEC_QUADS_X86_H
#define OCT_VEC_QUADS_X86_H

#define QUADS_LANES (MM_BYTES / 8)
typedef mm quads;

OCT_INLINE quads quads_zero(void)
{
    return MM_SI(setzero)();
}
OCT_INLINE quads quads_set1(uint64_t x)
{
    return MM_SET1_64(x);
}
OCT_INLINE quads quads_set_first(uint64_t x, unsigned bits)
{
    (void)bits;
    return MM_SI(zextsi128)(_mm_cvtsi64_si128((long long)x));
}
OCT_INLINE quads quads_load(const uint64_t *p, unsigned bits)
{
    (void)bits;
    return MM_SI(loadu)((const mm *)p);
}
OCT_INLINE void quads_store(uint64_t *p, quads a, unsigned bits)
{
    (void)bits;
    MM_SI(storeu)((mm *)p, a);
}
OCT_INLINE quads quads_load1(const uint64_t *p, unsigned bits)
{
    (void)bits;
    return MM_SET1_64(*p);
}
OCT_INLINE void quads_store1(uint64_t *p, quads a, unsigned bits)
{
    (void)bits;
    _mm_storel_epi64((__m128i *)p, MM_FIRST(a));
}
VEC_2(quads, quads_add, MM(add_epi64)(a, b))
VEC_2(quads, quads_or, MM_SI(or)(a, b))
VEC_BY(quads, quads_low, MM_SI (and)(a, quads_set1(((uint64_t)1 << bits) - 1)))
VEC_BY(quads, quads_sll, MM(slli_epi64)(a, (int)bits))
VEC_BY(quads, quads_srl, MM(srli_epi64)(a, (int)bits))
VEC_1(quads, quads_first, MM(broadcastq_epi64)(MM_FIRST(a)))

#if defined(TIER_QUADS_ZMM)
#include "vec/cipher/quads_zmm.h"
#else
#include "vec/cipher/quads_ymm.h"
#endif

/* Limbs of blocks whose low and high words these are. */
#if QUADS_FACTOR_BITS == 52
VEC_3(quads, quads_madd52lo, MM(madd52lo_epu64)(a, b, c))
VEC_3(quads, quads_madd52hi, MM(madd52hi_epu64)(a, b, c))
OCT_INLINE void quads_limbs(quads limb[3], quads low, quads high)
{
    limb[0] = quads_low(low, 44);
    limb[1] = quads_low(quads_or(quads_srl(low, 44), quads_sll(high, 20)), 44);
    limb[2] = quads_srl(high, 24);
}
OCT_INLINE void quads_load_lanes(quads limb[3], const uint8_t *p, size_t stride)
{
    const quads a = quads_rows(p, 2 * stride), b = quads_rows(p + stride, 2 * stride);
    quads_limbs(limb, MM(unpacklo_epi64)(a, b), MM(unpackhi_epi64)(a, b));
}
#else
VEC_3(quads, quads_madd32, MM(add_epi64)(a, MM(mul_epu32)(b, c)))
OCT_INLINE void quads_limbs(quads limb[5], quads low, quads high)
{
    limb[0] = quads_low(low, 26);
    limb[1] = quads_low(quads_srl(low, 26), 26);
    limb[2] = quads_low(quads_or(quads_srl(low, 52), quads_sll(high, 12)), 26);
    limb[3] = quads_low(quads_srl(high, 14), 26);
    limb[4] = quads_srl(high, 40);
}
#endif
/* Unpacking within rows is cheapest. */
OCT_INLINE void quads_load_blocks(quads limb[QUADS_LIMBS], const uint8_t *p)
{
    const quads a = MM_SI(loadu)((const mm *)p), b = MM_SI(loadu)((const mm *)(p + MM_BYTES));
    quads_limbs(limb, MM(unpacklo_epi64)(a, b), MM(unpackhi_epi64)(a, b));
}

#endif
