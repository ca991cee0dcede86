/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The avx512f backend's products, for CPUs with AVX-512 but without IFMA: those of ymm_fma.h, with the rounding in the
 * instruction. Only the high half is rounded, so the caller's mode stays as it is and no exception is raised: the low
 * half and the conversions are exact.
 */
#ifndef OCT_VEC_ZMM_FMA_H
#define OCT_VEC_ZMM_FMA_H

#include "vec/fma_bias.h"

#define OCT_NAME(name) oct_avx512f_##name

/* As calls where straight lines would spill. Values of groups fit the registers. */
#if defined(OCT_VEC_GROUPED)
#define VEC_WHOLE 0
#else
#define VEC_WHOLE 1
#endif

OCT_INLINE __m512d fma_double(v8 x)
{
    const v8 exponent = v8_set1(FMA_LOW);
    return _mm512_sub_pd(_mm512_castsi512_pd(_mm512_or_si512(x, exponent)), _mm512_castsi512_pd(exponent));
}
OCT_INLINE __m512d fma_high(__m512d a, __m512d b)
{
    return _mm512_fmadd_round_pd(a, b, _mm512_set1_pd(0x1p104), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
OCT_INLINE __m512d fma_low(__m512d a, __m512d b)
{
    return _mm512_fmadd_pd(a, b, _mm512_sub_pd(_mm512_set1_pd(0x1p104 + 0x1p52), fma_high(a, b)));
}
OCT_INLINE v8 v8_madd52lo(v8 acc, v8 a, v8 b)
{
    return v8_add(v8_add(acc, v8_set1(0 - FMA_LOW)), _mm512_castpd_si512(fma_low(fma_double(a), fma_double(b))));
}
OCT_INLINE v8 v8_madd52hi(v8 acc, v8 a, v8 b)
{
    return v8_add(v8_add(acc, v8_set1(0 - FMA_HIGH(52))), _mm512_castpd_si512(fma_high(fma_double(a), fma_double(b))));
}
VEC_3(v8, v8_madd52lo_trunc, v8_madd52lo(a, v8_low52(b), c))
VEC_3(v8, v8_madd52hi_trunc, v8_madd52hi(a, v8_low52(b), c))
VEC_2(v8, v8_mul52lo_trunc, v8_madd52lo_trunc(v8_zero(), a, b))
OCT_INLINE v8 v8_madd52lo_pow2(v8 acc, v8 a, unsigned bits)
{
    return v8_add(acc, v8_low52(v8_sll(a, bits)));
}
OCT_INLINE v8 v8_madd52hi_pow2(v8 acc, v8 a, unsigned bits)
{
    return v8_add(acc, v8_srl(v8_low52(a), 52 - bits));
}

/* For fma_whole.h. */
typedef __m512i fma_part;
typedef __m512d fma_doubles;
#define FMA_PART(a, i) (*((void)(i), &(a)))
#define FMA_PARTS      1
#define FMA_WORDS      8
OCT_INLINE fma_part fma_add(fma_part a, fma_part b)
{
    return _mm512_add_epi64(a, b);
}
OCT_INLINE fma_part fma_add_constant(fma_part a, const uint64_t constant[FMA_WORDS])
{
    fma_part r;
    __asm__("vpaddq %[c], %[a], %[r]" : [r] "=v"(r) : [a] "v"(a), [c] "m"(*(const fma_part *)(const void *)constant));
    return r;
}
OCT_INLINE fma_part fma_only_high(fma_doubles a, fma_doubles b, unsigned bits)
{
    const fma_doubles c = _mm512_set1_pd(bits == 52 ? 0x1p104 : 0x1p103);
    return _mm512_castpd_si512(_mm512_fmadd_round_pd(a, b, c, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
}
OCT_INLINE void fma_pair(fma_part *high, fma_part *low, fma_doubles a, fma_doubles b, unsigned bits)
{
    const fma_doubles k = _mm512_set1_pd(bits == 52 ? 0x1p104 + 0x1p52 : 0x1p103 + 0x1p52);
    *high = fma_only_high(a, b, bits);
    *low = _mm512_castpd_si512(_mm512_fmadd_pd(a, b, _mm512_sub_pd(k, _mm512_castsi512_pd(*high))));
}
#include "vec/fma_whole.h"

#endif
