/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What ciphers with an S-box of their own need besides blocks.h: linear maps of bits on every byte, the inversion that
 * S-boxes are made of, and blocks as words of 32 bits. On CPUs this is GFNI, and each tier of it takes that feature in
 * addition to those of blocks.h:
 *
 *   OCT_BACKEND_ZMM   4 lanes: AVX-512 F, BW, DQ, VL with GFNI
 *   OCT_BACKEND_YMM   2 lanes: AVX2 with GFNI
 *   OCT_BACKEND_C     4 lanes: plain words; the inversion is computed on planes of bits, and no table is read
 *
 * A map is eight rows of eight bits, as the instructions have them: byte 7 - i of `map` says which bits of the input
 * are summed for bit i of the output. Maps are public constants.
 */
#ifndef OCT_VEC_AFFINE_H
#define OCT_VEC_AFFINE_H

#include "vec/cipher/blocks.h"

#include <string.h>

#if defined(OCT_BACKEND_ZMM) || defined(OCT_BACKEND_YMM)
#include "vec/cipher/affine_x86.h"
#elif defined(OCT_BACKEND_C)
#include "vec/cipher/affine_c.h"
#elif defined(OCT_BACKEND_PROOF)
#include "vec/cipher/affine_proof.h"
#else
#error "choose a backend"
#endif

/* The map of each byte; and that of each byte's inverse in AES's field, where 0 is its own. */
OCT_INLINE bv bv_map(bv a, const uint64_t map);
OCT_INLINE bv bv_map_inverse(bv a, const uint64_t map);
/* The same word of 32 bits everywhere: from a word, or from 4 bytes of memory. */
OCT_INLINE bv bv_set32(uint32_t word);
#if !defined(OCT_BACKEND_PROOF)
OCT_INLINE bv bv_broadcast32(const uint8_t *p)
{
    uint32_t word;
    memcpy(&word, p, 4);
    return bv_set32(word);
}
#endif
/* Each word: its bytes moved down by n (constant, 1 to 3), the lowest ones to the top; its bytes reversed. */
OCT_INLINE bv bv_turn32(bv a, const int n);
OCT_INLINE bv bv_reverse32(bv a);
/* In each lane, four vectors' words as rows become columns: word i of x[j] is what word j of x[i] was. */
OCT_INLINE void bv_transpose32(bv x[4]);
/* Lanes likewise: lane i of x[j] is what lane j of x[i] was. */
OCT_INLINE void bv_transpose(bv x[BV_LANES]);
/* bv_load_part() and bv_store_part() where they stand many times in a row: a call of one, where a part takes branches.
 */
static bv bv_load_some(const uint8_t *p, size_t n);
static void bv_store_some(uint8_t *p, bv a, size_t n);
/* The words of blocks 0, 1, ... in that order: word i of lane j has the number j + BV_LANES * i. Transposed, a vector
 * of such words gives vectors of consecutive blocks. */
OCT_INLINE bv bv_word_numbers(void);
/* Lane i, a constant. */
OCT_INLINE b1 bv_any_lane(bv a, const int i);

#endif
