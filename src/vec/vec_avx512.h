/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The AVX-512 backend of the vector contract (F, BW, DQ, VL, IFMA): one or two instructions per operation.
 */
#ifndef OCT_VEC_AVX512_H
#define OCT_VEC_AVX512_H

#include <immintrin.h>

#define OCT_NAME(name) oct_avx512_##name

/* Kernels unroll their straight-line steps fully here: a limb is a register. */
#if defined(__clang__)
#define VEC_UNROLL _Pragma("clang loop unroll(full)")
#else
#define VEC_UNROLL _Pragma("GCC unroll 128")
#endif
/* A step made of vectors: part of its caller, so that they stay in registers. */
#define VEC_STEP OCT_INLINE
/* A function that a kernel need not use, and whose call costs nothing next to what it does. */
#define VEC_CHAIN static __attribute__((noinline, unused))
/* Keeps the compiler from moving memory accesses across: without it, gcc hoists loads of later limbs and spills. */
#define VEC_FENCE() __asm__ volatile("" ::: "memory")

typedef __m512i v8;
typedef struct {
    __mmask8 k;
} m8;

OCT_INLINE v8 v8_zero(void)
{
    return _mm512_setzero_si512();
}
OCT_INLINE v8 v8_set1(uint64_t x)
{
    return _mm512_set1_epi64((long long)x);
}
OCT_INLINE v8 v8_load52(const uint64_t p[V8_LANES])
{
    return _mm512_load_si512(p);
}
OCT_INLINE void v8_store52(uint64_t p[V8_LANES], v8 a)
{
    _mm512_store_si512(p, a);
}
OCT_INLINE v8 v8_add(v8 a, v8 b)
{
    return _mm512_add_epi64(a, b);
}
OCT_INLINE v8 v8_sub(v8 a, v8 b)
{
    return _mm512_sub_epi64(a, b);
}
OCT_INLINE v8 v8_or(v8 a, v8 b)
{
    return _mm512_or_si512(a, b);
}
OCT_INLINE v8 v8_xor(v8 a, v8 b)
{
    return _mm512_xor_si512(a, b);
}
OCT_INLINE v8 v8_low(v8 a, unsigned bits)
{
    return _mm512_and_si512(a, v8_set1(((uint64_t)1 << bits) - 1));
}
OCT_INLINE v8 v8_low52(v8 a)
{
    return v8_low(a, 52);
}
OCT_INLINE v8 v8_sll(v8 a, unsigned bits)
{
    if (__builtin_constant_p(bits))
        return _mm512_slli_epi64(a, bits);
    return _mm512_sll_epi64(a, _mm_cvtsi32_si128((int)bits));
}
OCT_INLINE v8 v8_sra(v8 a, unsigned bits)
{
    if (__builtin_constant_p(bits))
        return _mm512_srai_epi64(a, bits);
    return _mm512_sra_epi64(a, _mm_cvtsi32_si128((int)bits));
}
OCT_INLINE v8 v8_madd52lo(v8 acc, v8 a, v8 b)
{
    return _mm512_madd52lo_epu64(acc, a, b);
}
OCT_INLINE v8 v8_madd52hi(v8 acc, v8 a, v8 b)
{
    return _mm512_madd52hi_epu64(acc, a, b);
}
OCT_INLINE v8 v8_mul52lo_trunc(v8 a, v8 b)
{
    return _mm512_madd52lo_epu64(_mm512_setzero_si512(), a, b);
}
OCT_INLINE v8 v8_mul_small(v8 a, uint32_t c)
{
    v8 factor = v8_set1(c);
#if !defined(__clang__)
    /* gcc would turn a product by a known constant into shifts and adds, which is slower. */
    __asm__("" : "+v"(factor));
#endif
    return _mm512_mullo_epi64(a, factor);
}
OCT_INLINE v8 v8_madd52lo_trunc(v8 acc, v8 a, v8 b)
{
    return _mm512_madd52lo_epu64(acc, a, b);
}
OCT_INLINE v8 v8_madd52hi_trunc(v8 acc, v8 a, v8 b)
{
    return _mm512_madd52hi_epu64(acc, a, b);
}
OCT_INLINE v8 v8_lookup_shared16(const uint64_t table[16], v8 index)
{
    return _mm512_permutex2var_epi64(_mm512_load_si512(table), index, _mm512_load_si512(table + 8));
}
OCT_INLINE v8 v8_swap_halves(v8 a)
{
    return _mm512_shuffle_i64x2(a, a, 0x4e);
}
OCT_INLINE m8 v8_is_negative(v8 a)
{
    return (m8){_mm512_movepi64_mask(a)};
}
OCT_INLINE m8 v8_is_nonzero(v8 a)
{
    return (m8){_mm512_test_epi64_mask(a, a)};
}
OCT_INLINE m8 v8_test_bit(v8 a, unsigned bit)
{
    return (m8){_mm512_test_epi64_mask(a, v8_set1((uint64_t)1 << bit))};
}
OCT_INLINE v8 v8_select(m8 m, v8 a, v8 b)
{
    return _mm512_mask_blend_epi64(m.k, b, a);
}
OCT_INLINE m8 m8_or(m8 a, m8 b)
{
    return (m8){_kor_mask8(a.k, b.k)};
}
OCT_INLINE m8 m8_and(m8 a, m8 b)
{
    return (m8){_kand_mask8(a.k, b.k)};
}
OCT_INLINE m8 m8_not(m8 a)
{
    return (m8){_knot_mask8(a.k)};
}
OCT_INLINE unsigned m8_declassify(m8 m)
{
    return m.k;
}
OCT_INLINE v8 v8_reviewed_bound(v8 a, uint64_t max)
{
    (void)max;
    return a;
}
OCT_INLINE void v8_clear_registers(void)
{
    __asm__ volatile("vzeroall\n\t"
                     "vpxorq %%zmm16, %%zmm16, %%zmm16\n\tvpxorq %%zmm17, %%zmm17, %%zmm17\n\t"
                     "vpxorq %%zmm18, %%zmm18, %%zmm18\n\tvpxorq %%zmm19, %%zmm19, %%zmm19\n\t"
                     "vpxorq %%zmm20, %%zmm20, %%zmm20\n\tvpxorq %%zmm21, %%zmm21, %%zmm21\n\t"
                     "vpxorq %%zmm22, %%zmm22, %%zmm22\n\tvpxorq %%zmm23, %%zmm23, %%zmm23\n\t"
                     "vpxorq %%zmm24, %%zmm24, %%zmm24\n\tvpxorq %%zmm25, %%zmm25, %%zmm25\n\t"
                     "vpxorq %%zmm26, %%zmm26, %%zmm26\n\tvpxorq %%zmm27, %%zmm27, %%zmm27\n\t"
                     "vpxorq %%zmm28, %%zmm28, %%zmm28\n\tvpxorq %%zmm29, %%zmm29, %%zmm29\n\t"
                     "vpxorq %%zmm30, %%zmm30, %%zmm30\n\tvpxorq %%zmm31, %%zmm31, %%zmm31\n\t"
                     "kxorw %%k1, %%k1, %%k1\n\tkxorw %%k2, %%k2, %%k2\n\tkxorw %%k3, %%k3, %%k3\n\t"
                     "kxorw %%k4, %%k4, %%k4\n\tkxorw %%k5, %%k5, %%k5\n\tkxorw %%k6, %%k6, %%k6\n\t"
                     "kxorw %%k7, %%k7, %%k7"
                     :
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                       "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20",
                       "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30",
                       "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7");
}

#endif
