/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What a sponge (Keccak, FIPS 202) needs of w8 beyond vec.h: logic on words, and the way of eight byte strings into
 * lanes and back.
 *
 * A row is eight consecutive words of one string, a word is one word of each of eight strings. Strings are
 * little-endian, at any address. Nothing depends on what is in the words; they have no bounds to prove.
 */
#ifndef OCT_VEC_SPONGE_H
#define OCT_VEC_SPONGE_H

#include "vec/vec.h"

#if defined(OCT_BACKEND_AVX512) || defined(OCT_BACKEND_AVX512F)
#include "vec/lattice/sponge_avx512.h"
#elif defined(OCT_BACKEND_AVX2)
#include "vec/lattice/sponge_ymm.h"
#elif defined(OCT_BACKEND_C)
#include "vec/lattice/sponge_c.h"
#elif defined(OCT_BACKEND_BOUND)
#include "vec/lattice/sponge_bound.h"
#elif defined(OCT_BACKEND_PROOF)
#include "vec/lattice/sponge_proof.h"
#else
#error "choose a backend"
#endif

/* The contract itself. A backend that drifts from it does not compile. */

OCT_INLINE w8 w8_xor(w8 a, w8 b);
OCT_INLINE w8 w8_or(w8 a, w8 b);
OCT_INLINE w8 w8_and(w8 a, w8 b);
/* a ^ (~b & c). */
OCT_INLINE w8 w8_chi(w8 a, w8 b, w8 c);
/* The lanes that are not zero; m ? a : b, lane by lane. */
OCT_INLINE m8 w8_is_nonzero(w8 a);
OCT_INLINE w8 w8_select(m8 m, w8 a, w8 b);
/* The lanes where a > b, for words below 2^63; a * 2^bits, by each lane's own number of bits, which may be secret: zero
 * from 64 on. */
OCT_INLINE m8 w8_is_above(w8 a, w8 b);
OCT_INLINE w8 w8_sllv(w8 a, w8 bits);

/* Lane i of to[j] is lane j of from[i]: rows become words, and words rows. `to` may be `from`. */
OCT_INLINE void w8_transpose(w8 to[V8_LANES], const w8 from[V8_LANES]);
/* A row from and to memory: its first `words` words, a public number of 0 to 8; the others are zero, or not stored. */
OCT_INLINE w8 w8_load_row(const uint8_t *p, unsigned words);
OCT_INLINE void w8_store_row(uint8_t *p, w8 a, unsigned words);

#endif
