/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The vector contract for AES and for GHASH: a block is 128 bits, b1 is one of them and bv a vector of BV_LANES, as
 * many as the machine's register holds. A kernel is written for any number of lanes, and compiled once per tier:
 *
 *   OCT_BACKEND_ZMM   4 lanes: AVX-512 F, BW, DQ, VL with VAES and VPCLMULQDQ
 *   OCT_BACKEND_YMM   2 lanes: AVX2 with VAES and VPCLMULQDQ
 *   OCT_BACKEND_XMM   1 lane: AVX2 (for its encoding) with AES-NI and PCLMULQDQ
 *   OCT_BACKEND_C     4 lanes: plain words, for every CPU, for sanitizers and for the constant-time checks
 *
 * There are no numbers here that could overflow, hence no intervals: AES and carry-less products are on bits. A block
 * is sixteen bytes in the order of memory; where words matter, the first byte is the lowest. No operation takes a
 * time that depends on what is in the blocks. Lengths (n) are public numbers of bytes; nothing beyond them is read or
 * written.
 *
 * BV_MID and BV_BULK say how many vectors a kernel has in flight, as many as the tier's registers bear.
 */
#ifndef OCT_VEC_BLOCKS_H
#define OCT_VEC_BLOCKS_H

#include "base/base.h"
#include "vec/rows.h"

#if defined(OCT_BACKEND_ZMM)
#include "vec/cipher/blocks_x86.h"
#include "vec/cipher/blocks_zmm.h"
#elif defined(OCT_BACKEND_YMM)
#include "vec/cipher/blocks_x86.h"
#include "vec/cipher/blocks_ymm.h"
#elif defined(OCT_BACKEND_XMM)
#include "vec/cipher/blocks_x86.h"
#include "vec/cipher/blocks_xmm.h"
#elif defined(OCT_BACKEND_C)
#include "vec/cipher/blocks_c.h"
#elif defined(OCT_BACKEND_PROOF)
#include "vec/cipher/blocks_proof.h"
#else
#error "choose a backend"
#endif

/* The contract itself. A backend that drifts from it does not compile. */

OCT_INLINE b1 b1_zero(void);
/* The 64-bit words of a block, the lower first. */
OCT_INLINE b1 b1_set(uint64_t low, uint64_t high);
/* The same 32-bit word four times, and the first word back. */
OCT_INLINE b1 b1_set32(uint32_t word);
OCT_INLINE uint32_t b1_get32(b1 a);
/* Both halves, one or-ed to the other. */
OCT_INLINE uint64_t b1_any(b1 a);
OCT_INLINE b1 b1_load(const uint8_t *p);
OCT_INLINE void b1_store(uint8_t *p, b1 a);
/* n of 0 to 16 bytes, zeros above. */
OCT_INLINE b1 b1_load_part(const uint8_t *p, size_t n);
OCT_INLINE b1 b1_xor(b1 a, b1 b);
OCT_INLINE b1 b1_or(b1 a, b1 b);
/* One AES round (ShiftRows, SubBytes, MixColumns, key), and the last one, which has no MixColumns. */
OCT_INLINE b1 b1_aes(b1 a, b1 key);
OCT_INLINE b1 b1_aes_last(b1 a, b1 key);
/* The order of the bytes reversed; the halves exchanged. */
OCT_INLINE b1 b1_reverse(b1 a);
OCT_INLINE b1 b1_swap(b1 a);
/* Carry-less products: of the lower halves, of the upper halves, of a's lower with b's upper half. */
OCT_INLINE b1 b1_mul_low(b1 a, b1 b);
OCT_INLINE b1 b1_mul_high(b1 a, b1 b);
OCT_INLINE b1 b1_mul_mixed(b1 a, b1 b);
/* The sum of four words of 32 bits each, mod 2^32. */
OCT_INLINE b1 b1_add32(b1 a, b1 b);
/* x * 2^1 in GCM's field, for x in reversed order: shifted by one to the left, reduced by the polynomial. */
OCT_INLINE b1 b1_double(b1 a);
/* A number in the place where a QUIC nonce has it (RFC 9001, 5.3): in bytes 4 to 11, big-endian; the others are zero.
 */
OCT_INLINE b1 b1_number(uint64_t number);

OCT_INLINE bv bv_zero(void);
/* The same block in every lane: from memory, or from a block. */
OCT_INLINE bv bv_broadcast(const uint8_t *p);
OCT_INLINE bv bv_set1(b1 a);
/* A block in lane 0, zeros in the others; lane 0 of a vector; the sum (xor) of all lanes. */
OCT_INLINE bv bv_first_lane(b1 a);
OCT_INLINE b1 bv_first(bv a);
OCT_INLINE b1 bv_fold(bv a);
/* a with `block` instead of what is in lane i (public). */
OCT_INLINE bv bv_put(bv a, size_t i, b1 block);
/* Lane i has the 32-bit number i as its lowest word. */
OCT_INLINE bv bv_lane_numbers(void);
OCT_INLINE bv bv_load(const uint8_t *p);
OCT_INLINE void bv_store(uint8_t *p, bv a);
/* n of 0 to 16 * BV_LANES bytes; what is loaded has zeros above, and bv_keep makes it so. */
OCT_INLINE bv bv_load_part(const uint8_t *p, size_t n);
OCT_INLINE void bv_store_part(uint8_t *p, bv a, size_t n);
OCT_INLINE bv bv_keep(bv a, size_t n);
/* The same, n of 0 to 16 * (BV_LANES - 1), for the lanes above lane 0, which is zero and not stored. */
OCT_INLINE bv bv_load_above(const uint8_t *p, size_t n);
OCT_INLINE void bv_store_above(uint8_t *p, bv a, size_t n);
OCT_INLINE bv bv_keep_above(bv a, size_t n);
OCT_INLINE bv bv_xor(bv a, bv b);
OCT_INLINE bv bv_xor3(bv a, bv b, bv c);
OCT_INLINE bv bv_aes(bv a, bv key);
OCT_INLINE bv bv_aes_last(bv a, bv key);
OCT_INLINE bv bv_reverse(bv a);
OCT_INLINE bv bv_swap(bv a);
OCT_INLINE bv bv_mul_low(bv a, bv b);
OCT_INLINE bv bv_mul_high(bv a, bv b);
OCT_INLINE bv bv_mul_mixed(bv a, bv b);
/* In each lane: a's lower half below b's lower half; the upper halves likewise. */
OCT_INLINE bv bv_lower_halves(bv a, bv b);
OCT_INLINE bv bv_upper_halves(bv a, bv b);
OCT_INLINE bv bv_add32(bv a, bv b);

/* Loads before it stay before it, stores behind it behind it. A group of vectors has its text loaded before any of it
 * is stored: where out - in is a vector more than a multiple of 4 KiB, processors take the load of a vector for one of
 * what has just been stored, on some pairs of pages, and a record takes twice as long. */
OCT_INLINE void blocks_loads_first(void);

#if BV_LANES == 4
/* n of 0 to 16 * BV_LANES bytes in the last lanes: the last lane has the last block, whole or begun, and what is before
 * the first block is zero. */
OCT_INLINE bv bv_load_ending(const uint8_t *p, size_t n);
/* Two blocks in lanes 0 and 1; the other lanes are nobody's. Of two such vectors the products that bv_mul_low() and
 * bv_mul_high() make, and the sum of both mixed ones, with zeros in the other lanes: half the work where a CPU halves
 * its vectors. */
OCT_INLINE bv bv_pair(b1 lane0, b1 lane1);
OCT_INLINE bv bv_pair_mul_low(bv a, bv b);
OCT_INLINE bv bv_pair_mul_high(bv a, bv b);
OCT_INLINE bv bv_pair_mul_mixed(bv a, bv b);
/* Counters: constants as the lanes' last bytes; lanes 0 and 1 of a ^ b, 2 and 3 of c. */
OCT_INLINE bv bv_last_bytes(const uint8_t n0, const uint8_t n1, const uint8_t n2, const uint8_t n3);
OCT_INLINE bv bv_xor_lower(bv a, bv b, bv c);
/* What four packets side by side need. Lane i (a constant), and a with b's lane i; b1_number() in every lane; ones in
 * the first n[i] bytes (0 to 16) of each lane i, zeros above; rows become columns: lane i of x[j] is what lane j of
 * x[i] was. */
OCT_INLINE b1 bv_lane(bv a, const int i);
OCT_INLINE bv bv_blend(bv a, const int i, bv b);
/* Lane 0 is the sum of a's lanes, lane 1 that of b's, and so on. */
OCT_INLINE bv bv_fold4(bv a, bv b, bv c, bv d);
OCT_INLINE bv bv_number(uint64_t number);
OCT_INLINE bv bv_and(bv a, bv b);
OCT_INLINE bv bv_first_bytes(const size_t n[4]);
OCT_INLINE void bv_transpose(bv x[4]);
#endif

/*
 * Overwrites the vector registers that may hold secrets. The second one leaves out those that AVX-512 adds, after
 * functions that BLOCKS_LOW16 has named: tools/check-isa holds these to the lower sixteen. Zeros cost nothing but their
 * places in the order of instructions, of which a short record has few. clang takes registers from all over.
 */
#if defined(__clang__)
#define BLOCKS_LOW16(name) name
#else
#define BLOCKS_LOW16(name) name##_low16
#endif
OCT_INLINE void blocks_clear_registers(void);
OCT_INLINE void blocks_clear_low_registers(void);

#endif
