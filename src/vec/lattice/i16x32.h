/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The vector contract for small numbers, as lattices have them: i16x32 is 32 lanes of 16 bits, and sum32x16 sixteen
 * lanes of 32 bits, where products of i16x32 add up. A lane holds a number in two's complement; no operation may leave
 * its range but those that are called `wrap`, whose result is the low 16 bits, meant. The bound backend (intervals)
 * proves that for all inputs. It knows nothing of what is in memory, so loads and stores say the bounds: a store is
 * proved, a load takes them for granted.
 *
 * Backends as in vec.h; avx512 has VBMI, VBMI2 and VNNI here besides. Arrays of i16x32_load, i16x32_store and of tables
 * are 64-byte aligned.
 */
#ifndef OCT_VEC_I16X32_H
#define OCT_VEC_I16X32_H

#include "vec/vec.h"

#define I16X32_LANES 32

/* What numbers_*.h are made for, which backends of both contracts of numbers share. */
#define NUMBERS        i16x32
#define NUMBERS_(name) i16x32_##name
#define NUMBERS_INT    int16_t
#define NUMBERS_UINT   uint16_t
#define NUMBERS_BITS   16
#define NUMBERS_LANES  I16X32_LANES

#if defined(OCT_BACKEND_AVX512)
#include "vec/lattice/i16x32_avx512.h"
#elif defined(OCT_BACKEND_AVX2)
#include "vec/lattice/i16x32_ymm.h"
#elif defined(OCT_BACKEND_C)
#include "vec/lattice/i16x32_c.h"
#elif defined(OCT_BACKEND_BOUND)
#include "vec/lattice/i16x32_bound.h"
#elif defined(OCT_BACKEND_PROOF)
#include "vec/lattice/i16x32_proof.h"
#else
#error "choose a backend"
#endif
#undef NUMBERS
#undef NUMBERS_
#undef NUMBERS_INT
#undef NUMBERS_UINT
#undef NUMBERS_BITS
#undef NUMBERS_LANES

/* The contract itself. A backend that drifts from it does not compile. */

/* The same number in every lane; a table of constants. */
OCT_INLINE i16x32 i16x32_set1(int16_t x);
OCT_INLINE i16x32 i16x32_load_table(const int16_t p[I16X32_LANES]);
/* Numbers of low .. high, from and to memory. */
OCT_INLINE i16x32 i16x32_load(const int16_t p[I16X32_LANES], int low, int high);
OCT_INLINE void i16x32_store(int16_t p[I16X32_LANES], i16x32 a, int low, int high);

OCT_INLINE i16x32 i16x32_add(i16x32 a, i16x32 b);
OCT_INLINE i16x32 i16x32_sub(i16x32 a, i16x32 b);
OCT_INLINE i16x32 i16x32_sub_wrap(i16x32 a, i16x32 b);
/* The low and the high 16 bits of a * b; the high ones round down. */
OCT_INLINE i16x32 i16x32_mullo(i16x32 a, i16x32 b);
OCT_INLINE i16x32 i16x32_mullo_wrap(i16x32 a, i16x32 b);
OCT_INLINE i16x32 i16x32_mulhi(i16x32 a, i16x32 b);
/* a * b / 2^15, rounded to the nearest, halves up. */
OCT_INLINE i16x32 i16x32_mulhrs(i16x32 a, i16x32 b);
/* Shifts by a constant of 0 to 15: a * 2^bits; floor(a / 2^bits). */
OCT_INLINE i16x32 i16x32_sll(i16x32 a, unsigned bits);
OCT_INLINE i16x32 i16x32_sll_wrap(i16x32 a, unsigned bits);
OCT_INLINE i16x32 i16x32_sra(i16x32 a, unsigned bits);
OCT_INLINE i16x32 i16x32_or_wrap(i16x32 a, i16x32 b);
/* a & mask, for a constant mask >= 0. */
OCT_INLINE i16x32 i16x32_and(i16x32 a, int16_t mask);
/* a, and one more in lanes where b > limit. */
OCT_INLINE i16x32 i16x32_add_above(i16x32 a, i16x32 b, int16_t limit);
/* table[a] for a secret a of 0 .. 15, from one table of 16 numbers (of 32, aligned) that all lanes share. All of it
 * is read. */
OCT_INLINE i16x32 i16x32_lookup16(const int16_t table[I16X32_LANES], i16x32 a);

/*
 * Pairs of lanes are units that stay together. Unit u of x and unit u of y have the numbers u and u + 16. Exchanging
 * makes bit 4 of these numbers bit `bit` (0 to 3, constant), and the reverse. Zipping rotates the bits: unit u of x
 * goes to 2u, of y to 2u + 1.
 */
OCT_INLINE void i16x32_exchange(i16x32 *x, i16x32 *y, unsigned bit);
OCT_INLINE void i16x32_zip(i16x32 *x, i16x32 *y);
OCT_INLINE void i16x32_unzip(i16x32 *x, i16x32 *y);
/* The two numbers of each unit, swapped. */
OCT_INLINE i16x32 i16x32_swap(i16x32 a);

/* In each unit: acc + a0 * b0 + a1 * b1. */
OCT_INLINE sum32x16 sum32x16_zero(void);
OCT_INLINE sum32x16 sum32x16_dot(sum32x16 acc, i16x32 a, i16x32 b);
/* The low and the high halves of x in the first lane of each unit, of y in the second. */
OCT_INLINE i16x32 sum32x16_low_wrap(sum32x16 x, sum32x16 y);
OCT_INLINE i16x32 sum32x16_high(sum32x16 x, sum32x16 y);

/* Numbers of `bits` (constant: 1, 4, 5, 10, 11, 12) bits that stand in memory one behind the other, the lowest bit
 * first: 4 * bits bytes for 32 lanes, at any address; no other byte is read or written. */
OCT_INLINE i16x32 i16x32_load_bits(const uint8_t *p, unsigned bits);
OCT_INLINE void i16x32_store_bits(uint8_t *p, i16x32 a, unsigned bits);

/* Of numbers 0 .. 4095 that are public those below `limit`, in order, to memory: returns how many, and may write up
 * to 32. */
OCT_INLINE unsigned i16x32_store_below_public(int16_t *to, i16x32 a, int16_t limit);

/* A bound that an exhaustive test shows (tests/library/exhaustive), where intervals forget a relation. The c backend
 * checks what passes. */
OCT_INLINE i16x32 i16x32_proved_bound(i16x32 a, int low, int high);

#endif
