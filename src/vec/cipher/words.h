/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The vector contract for ciphers on 32-bit words: `words` is WORDS_LANES (16 or 8) lanes of 32 bits, numbers mod 2^32.
 *
 * A lane is one block (sixteen vectors are then as many blocks as there are lanes), or a row of four lanes is a quarter
 * of one block (four vectors are then WORDS_ROWS blocks). Both ways end in blocks as they stand in memory, vector after
 * vector.
 *
 * No operation takes a time that depends on its numbers. Backends: tier.h.
 */
#ifndef OCT_VEC_WORDS_H
#define OCT_VEC_WORDS_H

#include "vec/cipher/tier.h"

#if defined(TIER_WORDS_ZMM) || defined(TIER_WORDS_YMM)
#include "vec/cipher/words_x86.h"
#elif defined(OCT_BACKEND_PROOF)
#include "vec/cipher/words_proof.h"
#else
#include "vec/cipher/words_c.h"
#endif

#define WORDS_BYTES (4 * WORDS_LANES)
/* How many states of sixteen vectors the registers bear side by side, and how many of a state's four quarter rounds: a
 * half of the state and what it takes to rotate it, where there are sixteen registers. */
#if TIER_WIDE
#define WORDS_SETS     1
#define WORDS_QUARTERS 2
#else
#define WORDS_SETS     2
#define WORDS_QUARTERS 4
#endif
/* How many rows of four lanes a vector has, and how many vectors make one block of 64 bytes. */
#define WORDS_ROWS      (WORDS_LANES / 4)
#define WORDS_PER_BLOCK (16 / WORDS_LANES)

/* The contract itself. A backend that drifts from it does not compile. */

/* The same number in every lane; the lanes' own numbers 0, 1, 2, ...; four numbers in every row; first + r in the first
 * lane of row r, zero in the others. */
OCT_INLINE words words_set1(uint32_t x);
OCT_INLINE words words_lane_numbers(void);
OCT_INLINE words words_set_rows(const uint32_t row[4]);
OCT_INLINE words words_row_numbers(uint32_t first);

OCT_INLINE words words_add(words a, words b);
OCT_INLINE words words_xor(words a, words b);
/* To the left, by a constant 7, 8, 12 or 16. */
OCT_INLINE words words_rol(words a, unsigned bits);
/* Within each row, lane i becomes lane (i + n) mod 4 of before, for a constant n of 1 to 3. */
OCT_INLINE words words_turn_rows(words a, unsigned n);

/* A row of 16 bytes, little-endian words, at any address: as row `row` of a; and out of it. */
OCT_INLINE words words_put_row(words a, unsigned row, const uint8_t *p);
OCT_INLINE void words_store_row(uint8_t *p, words a, unsigned row);

/* From word i of every block in x[i], lane by lane, to the blocks. */
OCT_INLINE void words_lanes_to_blocks(words x[16]);
/* From row i of every block in x[i] to the blocks. */
OCT_INLINE void words_rows_to_blocks(words x[4]);

/* WORDS_BYTES bytes, little-endian, at any address. */
OCT_INLINE words words_load(const uint8_t *p);
OCT_INLINE void words_store(uint8_t *p, words a);
/* The same, where the compiler is not to keep the vector in a register for the next words_load(). */
OCT_INLINE void words_store_away(uint8_t *p, words a);
/* The first `len` bytes alone, for a public len of 1 .. WORDS_BYTES: zeros behind them, nothing beyond read or
 * written. */
OCT_INLINE words words_load_part(const uint8_t *p, size_t len);
OCT_INLINE void words_store_part(uint8_t *p, words a, size_t len);
OCT_INLINE words words_keep(words a, size_t len);

/* How many of `left` bytes one vector takes. */
OCT_INLINE size_t words_part_bytes(size_t left)
{
    return left < WORDS_BYTES ? left : WORDS_BYTES;
}

/* Overwrites the vector registers that may hold secrets. */
OCT_INLINE void words_clear_registers(void);

#endif
