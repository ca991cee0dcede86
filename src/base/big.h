/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Plain big numbers for making keys ready: little-endian arrays of 64-bit words whose length is public and whose value
 * may be secret. Nothing here branches on a value or is in a hurry; the lanes do the heavy work.
 * Results of predicates are masks: all ones for true, zero for false.
 */
#ifndef OCT_BASE_BIG_H
#define OCT_BASE_BIG_H

#include "base/base.h"

#define OCT_BIG_MAX_WORDS 66

/* r[0..words-1] = the big-endian bytes; the mask says whether the value fits. */
uint64_t oct_big_from_bytes(uint64_t *r, size_t words, const uint8_t *bytes, size_t len);
/* bytes[0..len-1] = a, big-endian; a must fit. */
void oct_big_to_bytes(uint8_t *bytes, size_t len, const uint64_t *a, size_t words);

/* 52-bit limbs from words and back; the value must fit the destination. */
void oct_big_to_limbs52(uint64_t *limb, size_t limbs, const uint64_t *a, size_t words);
void oct_big_from_limbs52(uint64_t *r, size_t words, const uint64_t *limb, size_t limbs);

uint64_t oct_big_is_zero(const uint64_t *a, size_t words);
uint64_t oct_big_equal(const uint64_t *a, const uint64_t *b, size_t words);
uint64_t oct_big_less(const uint64_t *a, const uint64_t *b, size_t words);

/* r = a - b mod 2^(64*words); returns the borrow, 0 or 1. r may be a or b. */
uint64_t oct_big_sub(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t words);
/* r[0..a_words+b_words-1] = a * b. r overlaps neither. */
void oct_big_mul(uint64_t *r, const uint64_t *a, size_t a_words, const uint64_t *b, size_t b_words);
/* r[0..m_words-1] = a mod m, for m with its top bit set. r overlaps neither. At most OCT_BIG_MAX_WORDS - 1 words each.
 */
void oct_big_mod(uint64_t *r, const uint64_t *a, size_t a_words, const uint64_t *m, size_t m_words);
/* a = a * 2^times mod m, for a < m, times > 0, and an odd m with its top bit set. Quick where times is a small number
 * by a power of two. */
void oct_big_double_mod(uint64_t *a, size_t times, const uint64_t *m, size_t words);

/* -1/m0 mod 2^52, for odd m0: Montgomery's constant for 52-bit limbs. */
uint64_t oct_big_montgomery_k0(uint64_t m0);

#endif
