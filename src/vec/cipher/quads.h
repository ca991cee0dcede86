/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The vector contract of Poly1305: `quads` is QUADS_LANES (8 or 4) lanes of 64 bits, each a number >= 0 that no
 * operation may take beyond 2^63-1. A tier has one of two multipliers, and kernels go by that:
 *
 *   QUADS_FACTOR_BITS 52   low and high 52 bits of the product of 52-bit numbers, added to a sum (IFMA)
 *   QUADS_FACTOR_BITS 32   the product of 32-bit numbers, added to a sum
 *
 * The bound backend proves for all inputs that sums and factors stay in their range. Backends: tier.h.
 */
#ifndef OCT_VEC_QUADS_H
#define OCT_VEC_QUADS_H

#include "vec/cipher/tier.h"

/* And the limbs of a block: 44, 44 and 40 bits, or 26, 26, 26, 26 and 24. */
#if TIER_WIDE
#define QUADS_FACTOR_BITS 32
#define QUADS_LIMBS       5
#define QUADS_LIMB_BITS   26
#else
#define QUADS_FACTOR_BITS 52
#define QUADS_LIMBS       3
#define QUADS_LIMB_BITS   44
#endif

#if defined(TIER_QUADS_ZMM) || defined(TIER_QUADS_YMM)
#include "vec/cipher/quads_x86.h"
#elif defined(TIER_QUADS_BOUND)
#include "vec/cipher/quads_bound.h"
#elif defined(TIER_QUADS_PROOF)
#include "vec/cipher/quads_proof.h"
#else
#include "vec/cipher/quads_c.h"
#endif

/* Limbs that are one number: for the proof backend. */
#ifndef QUADS_NUMBER
#define QUADS_NUMBER(limbs, n, bits) ((void)0)
#endif

/* The contract itself. A backend that drifts from it does not compile. */

OCT_INLINE quads quads_zero(void);
/* A public constant in every lane; one number < 2^bits in the first lane, zero in the others. */
OCT_INLINE quads quads_set1(uint64_t x);
OCT_INLINE quads quads_set_first(uint64_t x, unsigned bits);

/* QUADS_LANES words < 2^bits, from and to any multiple of 8 as the address; one such word for all lanes, and the first
 * lane alone. */
OCT_INLINE quads quads_load(const uint64_t *p, unsigned bits);
OCT_INLINE void quads_store(uint64_t *p, quads a, unsigned bits);
OCT_INLINE quads quads_load1(const uint64_t *p, unsigned bits);
OCT_INLINE void quads_store1(uint64_t *p, quads a, unsigned bits);

/* QUADS_LANES blocks of 16 bytes from any address, as limbs. Which block goes to which lane is the backend's choice:
 * quads_block_order() puts words that are in the order of the blocks where the blocks are. */
OCT_INLINE void quads_load_blocks(quads limb[QUADS_LIMBS], const uint8_t *p);
OCT_INLINE quads quads_block_order(quads a);

OCT_INLINE quads quads_add(quads a, quads b);
OCT_INLINE quads quads_or(quads a, quads b);
/* a mod 2^bits; shifts by a constant. */
OCT_INLINE quads quads_low(quads a, unsigned bits);
OCT_INLINE quads quads_sll(quads a, unsigned bits);
OCT_INLINE quads quads_srl(quads a, unsigned bits);

#if QUADS_FACTOR_BITS == 52
/* sum + the low or high 52 bits of a * b, for factors below 2^52. */
OCT_INLINE quads quads_madd52lo(quads sum, quads a, quads b);
OCT_INLINE quads quads_madd52hi(quads sum, quads a, quads b);
/* As quads_load_blocks(), of one block for each lane, in order: lane i gets the one at p + i * stride. */
OCT_INLINE void quads_load_lanes(quads limb[QUADS_LIMBS], const uint8_t *p, size_t stride);
#else
/* sum + a * b, for factors below 2^32. */
OCT_INLINE quads quads_madd32(quads sum, quads a, quads b);
#endif

/* The first lane in all lanes. */
OCT_INLINE quads quads_first(quads a);
/* Lane i becomes lane i + n, for n of 1, 2 or 4 below QUADS_LANES; zeros come in. */
OCT_INLINE quads quads_up(quads a, unsigned n);
/* The sum of all lanes, in the first. */
OCT_INLINE quads quads_sum(quads a);

#endif
