/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The avx512 backend's products: IFMA, whose instructions truncate their factors to 52 bits. */
#ifndef OCT_VEC_ZMM_IFMA_H
#define OCT_VEC_ZMM_IFMA_H

#if defined(OCT_ROWS)
#define OCT_NAME(name) oct_avx512s_##name
#else
#define OCT_NAME(name) oct_avx512_##name
#endif

VEC_3(v8, v8_madd52lo, _mm512_madd52lo_epu64(a, b, c))
VEC_3(v8, v8_madd52hi, _mm512_madd52hi_epu64(a, b, c))
VEC_2(v8, v8_mul52lo_trunc, _mm512_madd52lo_epu64(_mm512_setzero_si512(), a, b))
VEC_3(v8, v8_madd52lo_trunc, _mm512_madd52lo_epu64(a, b, c))
VEC_3(v8, v8_madd52hi_trunc, _mm512_madd52hi_epu64(a, b, c))
OCT_INLINE v8 v8_madd52lo_pow2(v8 acc, v8 a, unsigned bits)
{
    return _mm512_madd52lo_epu64(acc, a, v8_set1((uint64_t)1 << bits));
}
OCT_INLINE v8 v8_madd52hi_pow2(v8 acc, v8 a, unsigned bits)
{
    return _mm512_madd52hi_epu64(acc, a, v8_set1((uint64_t)1 << bits));
}

#endif
