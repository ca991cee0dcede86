/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The vector contract for small numbers, as lattices have them: w32 is 32 lanes of 16 bits, and d16 sixteen lanes of
 * 32 bits, where products of w32 add up. A lane holds a number in two's complement; no operation may leave its range
 * but those that are called `wrap`, whose result is the low 16 bits, meant. The bound backend (intervals) proves that
 * for all inputs. It knows nothing of what is in memory, so loads and stores say the bounds: a store is proved, a
 * load takes them for granted.
 *
 * Backends as in vec.h; avx512 has VBMI, VBMI2 and VNNI here besides. Arrays of w32_load, w32_store and of tables are
 * 64-byte aligned.
 */
#ifndef OCT_VEC_W32_H
#define OCT_VEC_W32_H

#include "vec/vec.h"

#define W32_LANES 32

#if defined(OCT_BACKEND_AVX512)
#include "vec/w32_avx512.h"
#elif defined(OCT_BACKEND_AVX2)
#include "vec/w32_ymm.h"
#elif defined(OCT_BACKEND_C)
#include "vec/w32_c.h"
#elif defined(OCT_BACKEND_BOUND)
#include "vec/w32_bound.h"
#else
#error "choose a backend"
#endif

/* The contract itself. A backend that drifts from it does not compile. */

/* The same number in every lane; a table of constants. */
OCT_INLINE w32 w32_set1(int16_t x);
OCT_INLINE w32 w32_load_table(const int16_t p[W32_LANES]);
/* Numbers of low .. high, from and to memory. */
OCT_INLINE w32 w32_load(const int16_t p[W32_LANES], int low, int high);
OCT_INLINE void w32_store(int16_t p[W32_LANES], w32 a, int low, int high);

OCT_INLINE w32 w32_add(w32 a, w32 b);
OCT_INLINE w32 w32_sub(w32 a, w32 b);
OCT_INLINE w32 w32_sub_wrap(w32 a, w32 b);
/* The low and the high 16 bits of a * b; the high ones round down. */
OCT_INLINE w32 w32_mullo(w32 a, w32 b);
OCT_INLINE w32 w32_mullo_wrap(w32 a, w32 b);
OCT_INLINE w32 w32_mulhi(w32 a, w32 b);
/* a * b / 2^15, rounded to the nearest, halves up. */
OCT_INLINE w32 w32_mulhrs(w32 a, w32 b);
/* Shifts by a constant of 0 to 15: a * 2^bits; floor(a / 2^bits). */
OCT_INLINE w32 w32_sll(w32 a, unsigned bits);
OCT_INLINE w32 w32_sll_wrap(w32 a, unsigned bits);
OCT_INLINE w32 w32_sra(w32 a, unsigned bits);
OCT_INLINE w32 w32_or_wrap(w32 a, w32 b);
/* a & mask, for a constant mask >= 0. */
OCT_INLINE w32 w32_and(w32 a, int16_t mask);
/* a, and one more in lanes where b > limit. */
OCT_INLINE w32 w32_add_above(w32 a, w32 b, int16_t limit);
/* table[a] for a secret a of 0 .. 15, from one table of 16 numbers (of 32, aligned) that all lanes share. All of it
 * is read. */
OCT_INLINE w32 w32_lookup16(const int16_t table[W32_LANES], w32 a);

/*
 * Pairs of lanes are units that stay together. Unit u of x and unit u of y have the numbers u and u + 16. Exchanging
 * makes bit 4 of these numbers bit `bit` (0 to 3, constant), and the reverse. Zipping rotates the bits: unit u of x
 * goes to 2u, of y to 2u + 1.
 */
OCT_INLINE void w32_exchange(w32 *x, w32 *y, unsigned bit);
OCT_INLINE void w32_zip(w32 *x, w32 *y);
OCT_INLINE void w32_unzip(w32 *x, w32 *y);
/* The two numbers of each unit, swapped. */
OCT_INLINE w32 w32_swap(w32 a);

/* In each unit: acc + a0 * b0 + a1 * b1. */
OCT_INLINE d16 d16_zero(void);
OCT_INLINE d16 d16_dot(d16 acc, w32 a, w32 b);
/* The low and the high halves of x in the first lane of each unit, of y in the second. */
OCT_INLINE w32 d16_low_wrap(d16 x, d16 y);
OCT_INLINE w32 d16_high(d16 x, d16 y);

/* Numbers of `bits` (constant: 1, 4, 5, 10, 11, 12) bits that stand in memory one behind the other, the lowest bit
 * first: 4 * bits bytes for 32 lanes, at any address; no other byte is read or written. */
OCT_INLINE w32 w32_load_bits(const uint8_t *p, unsigned bits);
OCT_INLINE void w32_store_bits(uint8_t *p, w32 a, unsigned bits);

/* Of numbers 0 .. 4095 that are public those below `limit`, in order, to memory: returns how many, and may write up
 * to 32. */
OCT_INLINE unsigned w32_store_below_public(int16_t *to, w32 a, int16_t limit);

/* A bound that an exhaustive test shows (tests/exhaustive), where intervals forget a relation. The c backend checks
 * what passes. */
OCT_INLINE w32 w32_reviewed_bound(w32 a, int low, int high);

#endif
