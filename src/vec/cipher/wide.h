/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The contract of Poly1305 on general registers, for CPUs whose vectors multiply no more than 32 bits: a `digit` is a
 * number of 0 .. 2^64-1, a `wide` one of 0 .. 2^128-1, and no operation may leave these. The bound backend proves that
 * for all inputs. No operation takes a time that depends on its numbers. Backends: tier.h.
 */
#ifndef OCT_VEC_WIDE_H
#define OCT_VEC_WIDE_H

#include "vec/cipher/tier.h"

#if defined(TIER_WIDE_BOUND)
#include "vec/cipher/wide_bound.h"
#elif defined(TIER_WIDE_PROOF)
#include "vec/cipher/wide_proof.h"
#else
#include "vec/cipher/wide_c.h"
#endif

/* Digits that are one number: for the proof backend. */
#ifndef WIDE_NUMBER
#define WIDE_NUMBER(digits, n) ((void)0)
#endif

/* The contract itself. A backend that drifts from it does not compile. */

/* A public constant; a number of memory that is at most `most`, and one to memory. */
OCT_INLINE digit digit_set(uint64_t x);
OCT_INLINE digit digit_load(const uint64_t *p, uint64_t most);
OCT_INLINE void digit_store(uint64_t *p, digit a, uint64_t most);
/* Eight bytes, little-endian, at any address. */
OCT_INLINE digit digit_load_bytes(const uint8_t *p);

OCT_INLINE digit digit_add(digit a, digit b);
OCT_INLINE digit digit_multiply(digit a, digit b);
/* a mod 2^bits; shifts by a constant. */
OCT_INLINE digit digit_low(digit a, unsigned bits);
OCT_INLINE digit digit_sll(digit a, unsigned bits);
OCT_INLINE digit digit_srl(digit a, unsigned bits);

OCT_INLINE wide wide_of(digit a);
OCT_INLINE wide wide_add(wide a, digit b);
OCT_INLINE wide wide_multiply_add(wide sum, digit a, digit b);
/* a mod 2^64, and what is above. */
OCT_INLINE digit wide_low(wide a);
OCT_INLINE digit wide_high(wide a);

/* The number of three digits and another one; the last digits do not overflow. */
OCT_INLINE void wide_add_number(digit h[3], digit a, digit b, digit c);
#ifndef WIDE_CARRIES
OCT_INLINE void wide_add_number(digit h[3], digit a, digit b, digit c)
{
    wide t = wide_add(wide_of(h[0]), a);
    h[0] = wide_low(t);
    t = wide_add(wide_add(wide_of(h[1]), b), wide_high(t));
    h[1] = wide_low(t);
    h[2] = digit_add(digit_add(h[2], c), wide_high(t));
}
#endif

#endif
