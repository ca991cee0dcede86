/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The avx2 backend's products: of 52 bits, by double-precision FMA, exact. For 0 <= a, b < 2^52, as doubles A and B:
 *
 *     H = fma(A, B, 2^104)                 rounded toward zero, so the low 52 bits of the double H are a*b >> 52
 *     L = fma(A, B, (2^104 + 2^52) - H)    nothing is rounded: the low 52 bits of L are a*b mod 2^52
 *
 * Read as integers H is FMA_HIGH plus the high half, and L is FMA_LOW plus the low one. Sums of 64 bits are taken
 * modulo 2^64, so these two are taken away from a sum of any number of products as one constant.
 *
 * The rounding mode is toward zero from vec_begin() to vec_end(). No double here is subnormal: each is 0, or at least 1
 * and below 2^105. So FMA and subtraction take the same time for all numbers.
 */
#ifndef OCT_VEC_YMM_FMA_H
#define OCT_VEC_YMM_FMA_H

#include "vec/fma_bias.h"

#define OCT_NAME(name) oct_avx2_##name

/* Straight lines of products would be long here, and would spill: there are sixteen registers. */
#define VEC_WHOLE 1

/* All exceptions masked, no flag set, no zeros for subnormal numbers, toward zero. What the caller's mode is, and which
 * flags it has seen, comes back. */
#define FMA_MODE 0x7f80u
struct vec_mode {
    unsigned mxcsr;
};
OCT_INLINE struct vec_mode vec_begin(void)
{
    const struct vec_mode mode = {_mm_getcsr()};
    _mm_setcsr(FMA_MODE);
    VEC_FENCE();
    return mode;
}
OCT_INLINE void vec_end(struct vec_mode mode)
{
    VEC_FENCE();
    _mm_setcsr(mode.mxcsr);
}

/* 0 .. 2^52-1 as doubles; exact. */
OCT_INLINE __m256d fma_double(__m256i x)
{
    const __m256i exponent = _mm256_set1_epi64x(FMA_LOW);
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(x, exponent)), _mm256_castsi256_pd(exponent));
}
OCT_INLINE __m256d fma_high(__m256d a, __m256d b)
{
    return _mm256_fmadd_pd(a, b, _mm256_set1_pd(0x1p104));
}
OCT_INLINE __m256d fma_low(__m256d a, __m256d b)
{
    return _mm256_fmadd_pd(a, b, _mm256_sub_pd(_mm256_set1_pd(0x1p104 + 0x1p52), fma_high(a, b)));
}
/* The bias as an addition beside each product: the compiler adds up those of a chain, and takes factors and high halves
 * that occur twice for one. */
OCT_INLINE v8 v8_madd52lo(v8 acc, v8 a, v8 b)
{
    YMM_EACH(i)
    {
        const __m256i low = _mm256_castpd_si256(fma_low(fma_double(a.p[i]), fma_double(b.p[i])));
        acc.p[i] = _mm256_add_epi64(_mm256_add_epi64(acc.p[i], _mm256_set1_epi64x((long long)(0 - FMA_LOW))), low);
    }
    return acc;
}
OCT_INLINE v8 v8_madd52hi(v8 acc, v8 a, v8 b)
{
    YMM_EACH(i)
    {
        const __m256i high = _mm256_castpd_si256(fma_high(fma_double(a.p[i]), fma_double(b.p[i])));
        acc.p[i] =
            _mm256_add_epi64(_mm256_add_epi64(acc.p[i], _mm256_set1_epi64x((long long)(0 - FMA_HIGH(52)))), high);
    }
    return acc;
}
VEC_3(v8, v8_madd52lo_trunc, v8_madd52lo(a, v8_low52(b), c))
VEC_3(v8, v8_madd52hi_trunc, v8_madd52hi(a, v8_low52(b), c))
VEC_2(v8, v8_mul52lo_trunc, v8_madd52lo_trunc(v8_zero(), a, b))

/* A factor from memory or a register. Of the two clang always takes memory, in a place of its own for each use. */
#ifdef __clang__
#define FMA_FACTOR "x"
#else
#define FMA_FACTOR "xm"
#endif

/* Both halves of a product, with their biases. In this order, for compilers would make two copies more. */
OCT_INLINE void fma_pair(__m256i *high, __m256i *low, __m256d a, __m256d b, unsigned bits)
{
    const __m256d c = _mm256_set1_pd(bits == 52 ? 0x1p104 : 0x1p103);
    const __m256d k = _mm256_set1_pd(bits == 52 ? 0x1p104 + 0x1p52 : 0x1p103 + 0x1p52);
    __m256d h, l;
    __asm__("vmovapd %[c], %[h]\n\tvfmadd231pd %[a], %[b], %[h]\n\tvsubpd %[h], %[k], %[l]\n\t"
            "vfmadd231pd %[a], %[b], %[l]"
            : [h] "=&x"(h), [l] "=&x"(l)
            : [a] FMA_FACTOR(a), [b] "x"(b), [c] "x"(c), [k] "x"(k));
    *high = _mm256_castpd_si256(h);
    *low = _mm256_castpd_si256(l);
}
OCT_INLINE __m256i fma_only_high(__m256d a, __m256d b, unsigned bits)
{
    __m256d h = _mm256_set1_pd(bits == 52 ? 0x1p104 : 0x1p103);
    __asm__("vfmadd231pd %[a], %[b], %[h]" : [h] "+x"(h) : [a] FMA_FACTOR(a), [b] "x"(b));
    return _mm256_castpd_si256(h);
}

/* For fma_whole.h: a part of a vector, as integers and as doubles. */
typedef __m256i fma_part;
typedef __m256d fma_doubles;
#define FMA_PART(a, i) ((a).p[i])
#define FMA_PARTS      YMM_PARTS
#define FMA_WORDS      4
OCT_INLINE fma_part fma_add(fma_part a, fma_part b)
{
    return _mm256_add_epi64(a, b);
}
/* From memory: compilers would make each constant in a general register. */
OCT_INLINE fma_part fma_add_constant(fma_part a, const uint64_t constant[FMA_WORDS])
{
    fma_part r;
    __asm__("vpaddq %[c], %[a], %[r]" : [r] "=x"(r) : [a] "x"(a), [c] "m"(*(const fma_part *)(const void *)constant));
    return r;
}
#include "vec/fma_whole.h"

#endif
