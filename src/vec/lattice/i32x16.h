/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The vector contract for numbers of some 23 bits, as ML-DSA has them: i32x16 is sixteen lanes of 32 bits, and sum64x16
 * the sums of their products, 64 bits each. A lane holds a number in two's complement; no operation may leave its range
 * but those that are called `wrap`, whose result is the low 32 bits, meant. The bound backend (intervals) proves that
 * for all inputs. It knows nothing of what is in memory, so loads and stores say the bounds: a store is proved, a load
 * takes them for granted.
 *
 * words.h has lanes of 32 bits too, for ciphers: its sums wrap, and nothing there is a number to prove.
 *
 * Backends as in vec.h; avx512 has VBMI and VBMI2 here besides. Arrays of i32x16_load, i32x16_store and of tables are
 * 64-byte aligned.
 */
#ifndef OCT_VEC_I32X16_H
#define OCT_VEC_I32X16_H

#include "vec/vec.h"

#define I32X16_LANES 16

/* What numbers_*.h are made for, which backends of both contracts of numbers share. */
#define NUMBERS        i32x16
#define NUMBERS_(name) i32x16_##name
#define NUMBERS_INT    int32_t
#define NUMBERS_UINT   uint32_t
#define NUMBERS_BITS   32
#define NUMBERS_LANES  I32X16_LANES

#if defined(OCT_BACKEND_AVX512)
#include "vec/lattice/i32x16_avx512.h"
#elif defined(OCT_BACKEND_AVX2)
#include "vec/lattice/i32x16_ymm.h"
#elif defined(OCT_BACKEND_C)
#include "vec/lattice/i32x16_c.h"
#elif defined(OCT_BACKEND_BOUND)
#include "vec/lattice/i32x16_bound.h"
#elif defined(OCT_BACKEND_PROOF)
#include "vec/lattice/i32x16_proof.h"
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
OCT_INLINE i32x16 i32x16_set1(int32_t x);
OCT_INLINE i32x16 i32x16_load_table(const int32_t p[I32X16_LANES]);
/* Numbers of low .. high, from and to memory. */
OCT_INLINE i32x16 i32x16_load(const int32_t p[I32X16_LANES], int32_t low, int32_t high);
OCT_INLINE void i32x16_store(int32_t p[I32X16_LANES], i32x16 a, int32_t low, int32_t high);

OCT_INLINE i32x16 i32x16_add(i32x16 a, i32x16 b);
OCT_INLINE i32x16 i32x16_sub(i32x16 a, i32x16 b);
OCT_INLINE i32x16 i32x16_abs(i32x16 a);
OCT_INLINE i32x16 i32x16_min(i32x16 a, i32x16 b);
OCT_INLINE i32x16 i32x16_max(i32x16 a, i32x16 b);
/* The low and the high 32 bits of a * b; the high ones round down. */
OCT_INLINE i32x16 i32x16_mullo(i32x16 a, i32x16 b);
OCT_INLINE i32x16 i32x16_mullo_wrap(i32x16 a, i32x16 b);
OCT_INLINE i32x16 i32x16_mulhi(i32x16 a, i32x16 b);
/* Shifts by a constant of 0 to 31: a * 2^bits; floor(a / 2^bits). */
OCT_INLINE i32x16 i32x16_sll(i32x16 a, unsigned bits);
OCT_INLINE i32x16 i32x16_sra(i32x16 a, unsigned bits);
/* a & mask, for a constant mask >= 0. */
OCT_INLINE i32x16 i32x16_and(i32x16 a, int32_t mask);
/* a + x where a is negative, for a >= -x and x > 0. */
OCT_INLINE i32x16 i32x16_add_if_negative(i32x16 a, int32_t x);
/* a - x where a > limit. */
OCT_INLINE i32x16 i32x16_sub_above(i32x16 a, int32_t limit, int32_t x);
/* 1 where a > limit, else 0. */
OCT_INLINE i32x16 i32x16_is_above(i32x16 a, int32_t limit);
/* table[a] for a secret a of 0 .. 15, from one table that all lanes share. All of it is read. */
OCT_INLINE i32x16 i32x16_lookup16(const int32_t table[I32X16_LANES], i32x16 a);

/* Lane u of x and lane u of y have the numbers u and u + 16. Exchanging makes bit 4 of these numbers bit `bit` (0 to 3,
 * constant), and the reverse. Unzipping brings even numbers to x, and odd ones to y. */
OCT_INLINE void i32x16_exchange(i32x16 *x, i32x16 *y, unsigned bit);
OCT_INLINE void i32x16_unzip(i32x16 *x, i32x16 *y);

/* Sums of products, exact; and their low and high halves. */
OCT_INLINE sum64x16 sum64x16_mul(i32x16 a, i32x16 b);
OCT_INLINE sum64x16 sum64x16_add(sum64x16 a, sum64x16 b);
OCT_INLINE i32x16 sum64x16_low_wrap(sum64x16 a);
OCT_INLINE i32x16 sum64x16_high(sum64x16 a);

/* Numbers of `bits` (constant: 1, 3, 4, 6, 10, 13, 18, 20; for loads also 24) bits that stand in memory one behind the
 * other, the lowest bit first: 2 * bits bytes for 16 lanes, at any address; no other byte is read or written. */
OCT_INLINE i32x16 i32x16_load_bits(const uint8_t *p, unsigned bits);
OCT_INLINE void i32x16_store_bits(uint8_t *p, i32x16 a, unsigned bits);

/* Of numbers >= 0 those below `limit`, in order, to memory: returns how many, and may write up to 16. Which lanes these
 * are is no secret after it: every call says why. */
OCT_INLINE unsigned i32x16_store_below_declassify(int32_t *to, i32x16 a, int32_t limit);
/* Whether any lane, or the sum of all, is above a limit. What they return is no secret any more: every call says why.
 */
OCT_INLINE unsigned i32x16_any_above_declassify(i32x16 a, int32_t limit);
OCT_INLINE unsigned i32x16_sum_above_declassify(i32x16 a, int32_t limit);

/* A bound that a check before has shown, where intervals do not know of it. The c backend checks what passes. */
OCT_INLINE i32x16 i32x16_proved_bound(i32x16 a, int32_t low, int32_t high);

#endif
