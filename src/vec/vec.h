/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The vector contract: all that a kernel may know of the machine.
 *
 * v8 is eight lanes of 64 bits, m8 a mask over the lanes. A lane holds a number in two's complement, -2^63 .. 2^63-1;
 * no operation may leave that range (the bound backend proves it, for all inputs), so wrapping never happens.
 * A kernel is compiled once per backend:
 *
 *   OCT_BACKEND_AVX512   thin wrappers of intrinsics, products by IFMA
 *   OCT_BACKEND_AVX512F  the same for CPUs without IFMA: products by double-precision FMA
 *   OCT_BACKEND_IFMA256  two registers of 256 bits, products by IFMA
 *   OCT_BACKEND_AVX2     two registers of 256 bits, products by double-precision FMA
 *   OCT_BACKEND_C        plain loops, for every CPU, for sanitizers and for the constant-time checks
 *   OCT_BACKEND_BOUND    tests only: a lane is an interval, one run proves the limb bounds of a kernel
 *   OCT_BACKEND_PROOF    tests only: a lane is a line of a record, from which tests/library/proof proves results
 *
 * Groups: a kernel that works on values, not on memory, defines OCT_VEC_GROUPED before it includes this. V8_LANES may
 * then be 4, so that a vector is one register; the kernel runs its work once for each of the V8_GROUPS groups of lanes.
 *
 * Whole products: where VEC_WHOLE is 1, kernels multiply whole numbers by v8_product_from() and v8_square(), in
 * functions of their own. Where it is 0 they write their products out, interleaved with other work.
 *
 * A kernel's functions are VEC_STEP, short steps on vectors that are passed by value, or VEC_CHAIN, calls of their own:
 * each backend says what that means for it.
 *
 * A mask is a struct, so that `if (mask)` does not compile; m8_declassify() is the only way from a mask to a scalar.
 *
 * w8 is another thing: eight lanes of plain 64-bit words, for hashing, where sums are meant to wrap and bits are moved
 * about. There is no way from words to numbers or back, so that nothing which is not proved gets into the proof; words
 * have no bounds to prove.
 */
#ifndef OCT_VEC_VEC_H
#define OCT_VEC_VEC_H

#include "base/base.h"
#include "base/checkmem.h"
#include "vec/rows.h"

#if defined(OCT_VEC_GROUPED) && (defined(OCT_BACKEND_AVX2) || defined(OCT_BACKEND_IFMA256))
#define V8_LANES 4
#else
#define V8_LANES 8
#endif
#define V8_GROUPS    (8 / V8_LANES)
#define V8_LIMB_BITS 52
#define V8_LIMB_MASK (((uint64_t)1 << 52) - 1)

#if defined(OCT_BACKEND_AVX512)
#include "vec/vec_avx512.h"
#include "vec/zmm_ifma.h"
#elif defined(OCT_BACKEND_AVX512F)
#include "vec/vec_avx512.h"
#include "vec/zmm_fma.h"
#elif defined(OCT_BACKEND_IFMA256)
#include "vec/vec_ymm.h"
#include "vec/ymm_ifma.h"
#elif defined(OCT_BACKEND_AVX2)
#include "vec/vec_ymm.h"
#include "vec/ymm_fma.h"
#elif defined(OCT_BACKEND_C)
#include "vec/vec_c.h"
#elif defined(OCT_BACKEND_BOUND)
#include "vec/vec_bound.h"
#elif defined(OCT_BACKEND_PROOF)
#include "vec/vec_proof.h"
#else
#error "choose a backend"
#endif

/* Tests choose for the c and bound backends. */
#if defined(OCT_WHOLE_PRODUCTS)
#define VEC_WHOLE 1
#elif !defined(VEC_WHOLE)
#define VEC_WHOLE 0
#endif
#if !defined(OCT_BACKEND_AVX2) && !defined(OCT_BACKEND_AVX512F) && !defined(OCT_BACKEND_BOUND) &&                      \
    !defined(OCT_BACKEND_PROOF)
#include "vec/whole.h"
#endif
#if !defined(OCT_BACKEND_AVX2) && !defined(OCT_BACKEND_AVX512F)
#include "vec/folded.h"
#endif
#if !defined(OCT_BACKEND_AVX2)
struct vec_mode {
    char nothing;
};
OCT_INLINE struct vec_mode vec_begin(void)
{
    return (struct vec_mode){0};
}
OCT_INLINE void vec_end(struct vec_mode mode)
{
    (void)mode;
}
#endif

/* Limbs of `bits` bits that are one number, whatever they are: for the proof backend. */
#ifndef V8_NUMBER
#define V8_NUMBER(limbs, n, bits) ((void)0)
#endif

/* The contract itself. A backend that drifts from it does not compile. */

/* Products hold between these two, which a kernel's entry calls around all of its work: that work is a function of its
 * own, never inlined, so that none of it moves out from between them. The floating-point mode of the thread is another
 * one meanwhile, where products need that. */
OCT_INLINE struct vec_mode vec_begin(void);
OCT_INLINE void vec_end(struct vec_mode mode);

/* Constants: the same number in every lane. */
OCT_INLINE v8 v8_zero(void);
OCT_INLINE v8 v8_set1(uint64_t x);

/* Limbs, 0 .. 2^52-1, from and to memory: eight words, 64-byte aligned. */
OCT_INLINE v8 v8_load52(const uint64_t p[V8_LANES]);
OCT_INLINE void v8_store52(uint64_t p[V8_LANES], v8 a);

OCT_INLINE v8 v8_add(v8 a, v8 b);
OCT_INLINE v8 v8_sub(v8 a, v8 b);
OCT_INLINE v8 v8_or(v8 a, v8 b);  /* of numbers >= 0 */
OCT_INLINE v8 v8_xor(v8 a, v8 b); /* of numbers >= 0 */

/* a mod 2^52, as 0 .. 2^52-1, also for negative a. */
OCT_INLINE v8 v8_low52(v8 a);
/* a mod 2^bits, for a constant `bits` of 1 to 62. */
OCT_INLINE v8 v8_low(v8 a, unsigned bits);
/* Shifts by the same public number of bits in every lane: sll is a * 2^bits, sra rounds down (floor). */
OCT_INLINE v8 v8_sll(v8 a, unsigned bits);
OCT_INLINE v8 v8_sra(v8 a, unsigned bits);
/* The same for a number >= 0. */
OCT_INLINE v8 v8_srl(v8 a, unsigned bits);

/* acc + low or high 52 bits of a * b, for a and b of 0 .. 2^52-1. */
OCT_INLINE v8 v8_madd52lo(v8 acc, v8 a, v8 b);
OCT_INLINE v8 v8_madd52hi(v8 acc, v8 a, v8 b);
/* (a mod 2^52) * b mod 2^52 for any a: the truncation of the instruction, meant. */
OCT_INLINE v8 v8_mul52lo_trunc(v8 a, v8 b);
/* acc + low or high 52 bits of (a mod 2^52) * b, for any a and b of 0 .. 2^52-1. */
OCT_INLINE v8 v8_madd52lo_trunc(v8 acc, v8 a, v8 b);
OCT_INLINE v8 v8_madd52hi_trunc(v8 acc, v8 a, v8 b);

/* The same for b = 2^bits, a constant of 1 to 51 bits. */
OCT_INLINE v8 v8_madd52lo_pow2(v8 acc, v8 a, unsigned bits);
OCT_INLINE v8 v8_madd52hi_pow2(v8 acc, v8 a, unsigned bits);

/*
 * Whole products of numbers of n limbs (constant, at most 20) of weight 2^bits, a constant of 52 or 51: r[0 .. 2n-1] =
 * columns of x * y, or of x^2. With `add` they are added to r. With `from` = n (else 0) only the columns from there on
 * are made, at r[0]. Factors are below 2^52; at 51 bits the product of any two is below 2^103. A column has the low
 * halves of its own products, below 2^52 each, and the high halves of those of the column below, at most their product
 * / 2^bits each. At 52 bits a product is split just there, as by v8_madd52lo() and v8_madd52hi(): kernels make low
 * columns in one way and high ones in another. At 51 bits it is the backend's affair where. r overlaps no factor.
 */
OCT_INLINE void v8_product_from(v8 *r, const v8 *x, const v8 *y, int n, int from, int add, unsigned bits);
OCT_INLINE void v8_square(v8 *r, const v8 *x, int n, unsigned bits);

/*
 * The same modulo 2^(n*bits) - fold, n at most 5, for a small constant fold: r[k] = column k + fold * column (k+n) +
 * plus[k], k < n.
 * start[k] is made from plus[k], a constant, by V8_START(n, k, bits, fold, plus[k]), an initializer of v8_start.
 */
OCT_INLINE void v8_product_folded(v8 *r, const v8 *x, const v8 *y, int n, unsigned bits, uint32_t fold,
                                  const v8_start *start);
OCT_INLINE void v8_square_folded(v8 *r, const v8 *x, int n, unsigned bits, uint32_t fold, const v8_start *start);

/* a * c, for a small constant c. The second takes one instruction, for a of 0 .. 2^32-1. */
OCT_INLINE v8 v8_mul_small(v8 a, uint32_t c);
OCT_INLINE v8 v8_mul_short(v8 a, uint32_t c);

#if V8_LANES == 8
/* Lane i becomes lane i xor 4. */
OCT_INLINE v8 v8_swap_halves(v8 a);
#endif

/* table[index] for a secret index of 0 .. 15 in each lane, from one table of limbs (0 .. 2^52-1) that all lanes share,
 * 64-byte aligned. All of the table is read, whatever the index. */
OCT_INLINE v8 v8_lookup_shared16(const uint64_t table[16], v8 index);

OCT_INLINE m8 v8_is_negative(v8 a);
OCT_INLINE m8 v8_is_nonzero(v8 a);
/* Bit `bit` of each lane. */
OCT_INLINE m8 v8_test_bit(v8 a, unsigned bit);
/* m ? a : b, lane by lane. */
OCT_INLINE v8 v8_select(m8 m, v8 a, v8 b);

OCT_INLINE m8 m8_or(m8 a, m8 b);
OCT_INLINE m8 m8_and(m8 a, m8 b);
OCT_INLINE m8 m8_not(m8 a);
/* Bit i is lane i. What it returns is no secret any more: every call says why. */
OCT_INLINE unsigned m8_declassify(m8 m);

/* 0 <= a <= max, where intervals forget a relation between limbs. The first is proved (tests/library/proof); the second
 * is what a caller has promised of a kernel's argument or table. The c backend checks both on every number that passes,
 * the bound backend goes on with them. */
OCT_INLINE v8 v8_proved_bound(v8 a, uint64_t max);
OCT_INLINE v8 v8_argument_bound(v8 a, uint64_t max);

/* Overwrites the vector registers that may hold secrets. */
OCT_INLINE void v8_clear_registers(void);

/* Words: the same in every lane, and from and to memory: eight words, 64-byte aligned. */
OCT_INLINE w8 w8_set1(uint64_t x);
OCT_INLINE w8 w8_load(const uint64_t p[V8_LANES]);
OCT_INLINE void w8_store(uint64_t p[V8_LANES], w8 a);
/* Lane i of word[j] = the big-endian number in the 8 bytes at lane[i] + at + 8*j, for j = 0 .. 7. Any alignment. */
OCT_INLINE void w8_load_be(w8 word[8], const uint8_t *const lane[V8_LANES], size_t at);

/* a + b mod 2^64, a xor b xor c; rotation and shift to the right by a constant of 1 to 63 bits. */
OCT_INLINE w8 w8_add(w8 a, w8 b);
OCT_INLINE w8 w8_xor3(w8 a, w8 b, w8 c);
OCT_INLINE w8 w8_ror(w8 a, unsigned bits);
OCT_INLINE w8 w8_srl(w8 a, unsigned bits);
/* Bit by bit: a ? b : c, and what two or three of them are. */
OCT_INLINE w8 w8_choose(w8 a, w8 b, w8 c);
OCT_INLINE w8 w8_majority(w8 a, w8 b, w8 c);

/*
 * table[index * stride] for a secret index of `bits` (4 or 5) bits, given as one mask for each bit, the lowest first.
 * A full scan: every entry is read, in the same order, whatever the index.
 */
OCT_INLINE v8 v8_lookup8(const v8 *table, size_t stride, const m8 bit[3])
{
    v8 a = v8_select(bit[0], table[1 * stride], table[0 * stride]);
    v8 b = v8_select(bit[0], table[3 * stride], table[2 * stride]);
    v8 c = v8_select(bit[0], table[5 * stride], table[4 * stride]);
    v8 d = v8_select(bit[0], table[7 * stride], table[6 * stride]);
    return v8_select(bit[2], v8_select(bit[1], d, c), v8_select(bit[1], b, a));
}

OCT_INLINE v8 v8_lookup(const v8 *table, size_t stride, const m8 *bit, unsigned bits)
{
    v8 low = v8_select(bit[3], v8_lookup8(table + 8 * stride, stride, bit), v8_lookup8(table, stride, bit));
    if (bits == 4)
        return low;
    v8 high =
        v8_select(bit[3], v8_lookup8(table + 24 * stride, stride, bit), v8_lookup8(table + 16 * stride, stride, bit));
    return v8_select(bit[4], high, low);
}

#endif
