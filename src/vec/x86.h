/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What backends on intrinsics share. Where two of them differ by the width of their registers alone, they are one text
 * on mm, a register of MM_BYTES: MM(add_epi64) is _mm512_add_epi64 or _mm256_add_epi64, MM_SI(xor) _mm512_xor_si512 or
 * _mm256_xor_si256.
 */
#ifndef OCT_VEC_X86_H
#define OCT_VEC_X86_H

#include "vec/clear.h"
#include "vec/rows.h"

#include <immintrin.h>

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

#if defined(OCT_BACKEND_ZMM) || defined(OCT_BACKEND_AVX512) || defined(OCT_BACKEND_AVX512F)
typedef __m512i mm;
typedef uint64_t mm_bytes_mask;
#define MM_BYTES        64
#define MM(name)        _mm512_##name
#define MM_SI(name)     _mm512_##name##_si512
#define MM_FIRST(a)     _mm512_castsi512_si128(a)
#define MM_SET1_64(x)   _mm512_set1_epi64((long long)(x))
#define MM_BROADCAST(a) _mm512_broadcast_i32x4(a)
#else
typedef __m256i mm;
typedef uint32_t mm_bytes_mask;
#define MM_BYTES        32
#define MM(name)        _mm256_##name
#define MM_SI(name)     _mm256_##name##_si256
#define MM_FIRST(a)     _mm256_castsi256_si128(a)
#define MM_SET1_64(x)   _mm256_set1_epi64x((long long)(x))
#define MM_BROADCAST(a) _mm256_broadcastsi128_si256(a)
#endif

/* In each lane of 128 bits, rows of four words of 32 bits become columns: word i of to[j] is word j of from[i]. */
OCT_INLINE void mm_transpose32(mm to[4], const mm from[4])
{
    const mm a = MM(unpacklo_epi32)(from[0], from[1]), b = MM(unpackhi_epi32)(from[0], from[1]);
    const mm c = MM(unpacklo_epi32)(from[2], from[3]), d = MM(unpackhi_epi32)(from[2], from[3]);
    to[0] = MM(unpacklo_epi64)(a, c);
    to[1] = MM(unpackhi_epi64)(a, c);
    to[2] = MM(unpacklo_epi64)(b, d);
    to[3] = MM(unpackhi_epi64)(b, d);
}

#endif
