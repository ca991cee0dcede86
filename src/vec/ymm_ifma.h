/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The ifma256 backend's products: VPMADD52 on registers of 256 bits. CPUs that have AVX-IFMA and no AVX-512 take the
 * form with a VEX prefix, which wants a compiler that knows -mavxifma. Where it does not, the same kernels are built in
 * the form of AVX-512VL, kept to the sixteen registers that the others have: for tests.
 */
#ifndef OCT_VEC_YMM_IFMA_H
#define OCT_VEC_YMM_IFMA_H

#define OCT_NAME(name) oct_ifma256_##name

/* As calls where straight lines would spill. Values of groups fit the registers. */
#if defined(OCT_VEC_GROUPED)
#define VEC_WHOLE 0
#else
#define VEC_WHOLE 1
#endif

#if defined(__AVXIFMA__)
#define YMM_MADD52LO _mm256_madd52lo_avx_epu64
#define YMM_MADD52HI _mm256_madd52hi_avx_epu64
#else
#define YMM_MADD52LO _mm256_madd52lo_epu64
#define YMM_MADD52HI _mm256_madd52hi_epu64
#endif

PARTS_3(v8, v8_madd52lo, YMM_MADD52LO(x, y, z))
PARTS_3(v8, v8_madd52hi, YMM_MADD52HI(x, y, z))
VEC_3(v8, v8_madd52lo_trunc, v8_madd52lo(a, b, c))
VEC_3(v8, v8_madd52hi_trunc, v8_madd52hi(a, b, c))
VEC_2(v8, v8_mul52lo_trunc, v8_madd52lo(v8_zero(), a, b))

#endif
