/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The backends of ciphers. Unlike the public-key kernels these also run on narrower vectors: on CPUs without AVX-512,
 * and on those that lower their clock under zmm. What a tier has is said here, and nowhere else:
 *
 *   OCT_BACKEND_ZMM      zmm, AVX-512 F, BW, DQ, VL, IFMA
 *   OCT_BACKEND_VL256    ymm, the same instructions
 *   OCT_BACKEND_AVX2     ymm, AVX2 and BMI2, sixteen registers; Poly1305 on general registers (wide.h), of long texts
 *                        on lanes with a multiplier of 32 bits
 *   OCT_BACKEND_C        plain loops: for every CPU, sanitizers and the constant-time checks
 *   OCT_BACKEND_C64      plain loops, in the form of OCT_BACKEND_AVX2
 *   OCT_BACKEND_BOUND    tests only: intervals (vec_bound.h)
 *   OCT_BACKEND_PROOF    tests only: records (vec_proof.h)
 */
#ifndef OCT_VEC_TIER_H
#define OCT_VEC_TIER_H

#include "base/base.h"
#include "base/checkmem.h"
#include "vec/rows.h"

#include <string.h>

#if defined(OCT_BACKEND_ZMM)
#define OCT_NAME(name) oct_zmm_##name
#define TIER_WORDS_ZMM
#define TIER_QUADS_ZMM
#elif defined(OCT_BACKEND_VL256)
#define OCT_NAME(name) oct_vl256_##name
#define TIER_WORDS_YMM
#define TIER_QUADS_YMM
#elif defined(OCT_BACKEND_AVX2)
#define OCT_NAME(name) oct_avx2_##name
#define TIER_WORDS_YMM
#define TIER_QUADS_YMM
#define TIER_SIXTEEN
#elif defined(OCT_BACKEND_C)
#define OCT_NAME(name) oct_c_##name
#elif defined(OCT_BACKEND_C64)
#define OCT_NAME(name) oct_c64_##name
#define TIER_SIXTEEN
#elif defined(OCT_BACKEND_BOUND)
#define OCT_NAME(name) oct_bound_##name
#define TIER_QUADS_BOUND
#if defined(OCT_WHOLE_PRODUCTS)
#define TIER_SIXTEEN
#define TIER_WIDE_BOUND
#endif
#elif defined(OCT_BACKEND_PROOF)
#define OCT_NAME(name) oct_proof_##name
#define TIER_QUADS_PROOF
#if defined(OCT_WHOLE_PRODUCTS)
#define TIER_SIXTEEN
#define TIER_WIDE_PROOF
#endif
#else
#error "choose a backend"
#endif

/* The form for sixteen vector registers without IFMA. */
#if defined(TIER_SIXTEEN)
#define TIER_WIDE 1
#else
#define TIER_WIDE 0
#endif

/* Little-endian words at any address: one instruction where that is the machine's order. */
OCT_INLINE uint64_t tier_little64(uint64_t x)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap64(x);
}
OCT_INLINE uint64_t tier_load64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return tier_little64(x);
}
OCT_INLINE void tier_store64(uint8_t *p, uint64_t x)
{
    x = tier_little64(x);
    memcpy(p, &x, sizeof x);
}
OCT_INLINE uint32_t tier_load32(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap32(x);
}

OCT_INLINE void tier_store32(uint8_t *p, uint32_t x)
{
    x = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? x : __builtin_bswap32(x);
    memcpy(p, &x, sizeof x);
}

/* As in vec.h: a step is part of its caller where vectors are registers, a function of its own where they are memory.
 */
#if defined(TIER_WORDS_ZMM) || defined(TIER_WORDS_YMM)
#include "vec/x86.h"
#elif defined(TIER_QUADS_BOUND) || defined(TIER_QUADS_PROOF)
#define VEC_UNROLL
#define VEC_STEP static inline
#else
#define VEC_UNROLL
#define VEC_STEP    static __attribute__((noinline, unused))
#define VEC_FENCE() ((void)0)
#endif

#endif
