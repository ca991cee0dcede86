/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The vector contract for hashes of 32-bit words: u32x16 is sixteen lanes of plain words, whose sums wrap and whose
 * bits are moved about. There is no way to the numbers of vec.h or back, and words have no bounds to prove. Backends
 * are those of vec.h.
 */
#ifndef OCT_VEC_U32X16_H
#define OCT_VEC_U32X16_H

#include "vec/vec.h"

#define U32X16_LANES 16

#if defined(OCT_BACKEND_AVX512) || defined(OCT_BACKEND_AVX512F)
#include "vec/u32x16_avx512.h"
#elif defined(OCT_BACKEND_AVX2) || defined(OCT_BACKEND_IFMA256)
#include "vec/u32x16_ymm.h"
#elif defined(OCT_BACKEND_C)
#include "vec/u32x16_c.h"
#elif defined(OCT_BACKEND_BOUND)
#include "vec/u32x16_bound.h"
#elif defined(OCT_BACKEND_PROOF)
#include "vec/u32x16_proof.h"
#else
#error "choose a backend"
#endif

/* The contract itself. A backend that drifts from it does not compile. */

/* The same word in every lane; from and to memory: sixteen words, 64-byte aligned. */
OCT_INLINE u32x16 u32x16_set1(uint32_t x);
OCT_INLINE u32x16 u32x16_load(const uint32_t p[U32X16_LANES]);
OCT_INLINE void u32x16_store(uint32_t p[U32X16_LANES], u32x16 a);
/* Lane i of word[j] = the big-endian number in the 4 bytes at lane[i] + at + 4*j, for j = 0 .. 15. Any alignment. */
OCT_INLINE void u32x16_load_be(u32x16 word[16], const uint8_t *const lane[U32X16_LANES], size_t at);

OCT_INLINE u32x16 u32x16_add(u32x16 a, u32x16 b);
OCT_INLINE u32x16 u32x16_xor(u32x16 a, u32x16 b);
OCT_INLINE u32x16 u32x16_xor3(u32x16 a, u32x16 b, u32x16 c);
/* To the left by a constant of 1 to 31 bits. */
OCT_INLINE u32x16 u32x16_rol(u32x16 a, unsigned bits);
/* Bit by bit: a ? b : c, and what two or three of them are. */
OCT_INLINE u32x16 u32x16_choose(u32x16 a, u32x16 b, u32x16 c);
OCT_INLINE u32x16 u32x16_majority(u32x16 a, u32x16 b, u32x16 c);

#endif
