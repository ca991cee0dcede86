/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Modular arithmetic for numbers of 4 or 8 BLOCKS, eight moduli at once, one per lane; one or two vectors of them.
 * Include after `#define BLOCKS`, `BLOCK`, `BLOCK_BITS`, `WINDOW` and `SLOTS`; slot 0 is PICKED from the table.
 *
 * Invariant: a number is BLOCKS normal blocks, its value below 8n. With R = B^BLOCKS >= 2^8 n, a product of a and b is
 * a*b/R mod n, and below a*b/R + 2n: below 3n for inputs below 8n.
 *
 * Method: with h = BLOCKS/2, a product is T = L + H*B^h. Instead of BLOCKS Montgomery steps there are h of them:
 *   Fold:        T/B^h = H + L*Q (mod n), where Q = B^-h mod n is a constant of the modulus. No chain of dependent
 *                multiples, so L*Q goes by Karatsuba; and L*Q has the shape of the parts of a*b that it is added to.
 *   Montgomery:  the multiple m of n that clears the lower half of H + L*Q, block by block; then m*n's upper half.
 * Steps are straight lines in functions of their own:
 *   LOW, HIGH    the products of the lower and of the upper halves of a and b
 *   MIDDLE       the product of the sums of these halves, with the lower half of L*Q in the same accumulators: H
 *   multiples    m
 *   RESULT       the upper half of L*Q with that of m*n in the same accumulators, and the carries
 * Stores are dear: on a CPU with wide vectors each costs as much as one or two multiplications. So few accumulators
 * are open at a time and sums of products stay in registers; additions cost next to nothing.
 */
#include "kernels/rsa/fold_block_impl.h"

#define STEP        static OCT_NOINLINE
#define HALF_BLOCKS (BLOCKS / 2)
#define HALF        (HALF_BLOCKS * BLOCK)
#define LIMBS       (2 * HALF)
#define PICKED      0

/* Straight lines where they fit the instruction cache, and loops where they do not. */
#if BLOCKS == 4
#define FOLD_UNROLL VEC_UNROLL
#else
#define FOLD_UNROLL
#endif

#if VEC_WHOLE && BLOCKS == 8
/* Adds group HALF_BLOCKS + g of the product of m and the lower half of n to t. */
OCT_INLINE void fold_upper(v8 *t, const v8 *m, const v8 *n, int g)
{
    v8 high[BLOCK], both[2 * BLOCK];
    block_product_high(high, m + g * BLOCK, n + (HALF_BLOCKS - 1) * BLOCK);
    for (int i = g + 1; i < HALF_BLOCKS; i++)
        block_product_high_add(high, m + i * BLOCK, n + (g + HALF_BLOCKS - 1 - i) * BLOCK);
    block_raise(high);
    block_add(t, high);
    for (int i = g + 1; i < HALF_BLOCKS; i++) {
        block_product(both, m + i * BLOCK, n + (g + HALF_BLOCKS - i) * BLOCK);
        block_add(t, both);
    }
}
#elif !VEC_WHOLE
/* Adds group HALF_BLOCKS + g of the product of m and the lower half of n to t. */
OCT_INLINE void fold_upper(v8 *t, const v8 *m, const v8 *n, int g)
{
    v8 lo[BLOCK], hi[BLOCK];
    block_clear(lo);
    block_clear(hi);
    FOLD_UNROLL
    for (int i = g; i < HALF_BLOCKS; i++)
        FOR_BLOCK(j) row_high(lo, hi, m + i * BLOCK, n[(g + HALF_BLOCKS - 1 - i) * BLOCK + j], j);
    FOR_BLOCK(i) t[i] = v8_add(t[i], v8_sll(v8_add(lo[i], hi[i]), RAISE));
    VEC_FENCE();
    block_clear(hi);
    FOLD_UNROLL
    for (int i = g + 1; i < HALF_BLOCKS; i++)
        FOR_BLOCK(j) row_low(t, hi, m + i * BLOCK, n[(g + HALF_BLOCKS - i) * BLOCK + j], j);
    block_add(t, hi);
}
#endif

#if BLOCKS == 4
#include "kernels/rsa/fold_four_impl.h"
#else
#include "kernels/rsa/fold_eight_impl.h"
#endif

/*
 * One step of the chain that clears the block c: m[k], the multiple of n that clears column k, and what it adds to the
 * columns above. The carry out of column k is taken as (c_k + 2^52 - 1) >> 52 without waiting for m[k], since adding
 * m[k]*n clears exactly the low 52 bits.
 */
OCT_INLINE void fold_chain(v8 *m, v8 *c, const v8 *n, v8 k0, int k)
{
    m[k] = v8_mul52lo_trunc(c[k], k0);
    if (k + 1 == BLOCK) {
        m[k] = v8_low(m[k], BLOCK_TOP_BITS);
        return;
    }
    const v8 carry = v8_sra(v8_add(c[k], v8_set1(V8_LIMB_MASK)), 52);
    c[k + 1] = v8_add(v8_madd52lo(c[k + 1], n[1], m[k]), v8_madd52hi(carry, n[0], m[k]));
    VEC_UNROLL
    for (int j = 2; j + k < BLOCK; j++) {
        c[k + j] = v8_madd52lo(c[k + j], n[j], m[k]);
        c[k + j] = v8_madd52hi(c[k + j], n[j - 1], m[k]);
    }
}

#include "kernels/rsa/fold_pick_impl.h"

/* Limbs that each block of the chain picks. */
#define BLOCK_PICKS ((PICKS + HALF_BLOCKS - 1) / HALF_BLOCKS)

/* The chain of block i, its multiples m. Little waits for it; meanwhile `next` gets what m and the multiples before it
 * add to the next block, and with `bit`, limbs of the selected entry of the table are picked from limb `at` on. */
OCT_INLINE v8 fold_multiples_block(struct fold *s, v8 *c, v8 *next, int i, const m8 *bit, unsigned at)
{
    const v8 k0 = s->k0;
    v8 m[BLOCK], low[BLOCK], high[BLOCK];
    block_clear(low);
    block_clear(high);
    FOR_BLOCK(k)
    {
        fold_chain(m, c, s->n, k0, k);
        s->m[i * BLOCK + k] = m[k];
        const unsigned pick = (unsigned)(i * BLOCK_PICKS + k / 2);
        if (bit && k % 2 == 0 && k / 2 < BLOCK_PICKS && pick < PICKS)
            fold_pick(s, bit, at + pick);
        if (!next)
            continue;
        FOLD_UNROLL
        for (int j = 0; j < i; j++) {
            row_low(low, low, s->n + (i + 1 - j) * BLOCK, s->m[j * BLOCK + k], k);
            row_high(high, high, s->n + (i - j) * BLOCK, s->m[j * BLOCK + k], k);
        }
        if (k > 0) {
            row_low(next, low, s->n + BLOCK, m[k - 1], k - 1);
            row_high(high, high, s->n, m[k - 1], k - 1);
        }
    }
    const v8 carry = v8_sra(v8_madd52lo(c[BLOCK - 1], s->n[0], m[BLOCK - 1]), BLOCK_TOP_BITS);
    if (next) {
        row_low(next, low, s->n + BLOCK, m[BLOCK - 1], BLOCK - 1);
        row_high(high, high, s->n, m[BLOCK - 1], BLOCK - 1);
        block_raise(high);
        block_add(next, high);
        block_add(next, low);
        next[0] = v8_add(next[0], carry);
    }
    return carry;
}

OCT_INLINE void fold_multiples_all(struct fold *s, const m8 *bit, unsigned at)
{
    v8 c[BLOCK], next[BLOCK];
    block_copy(next, s->h);
    FOLD_UNROLL
    for (int i = 0; i + 1 < HALF_BLOCKS; i++) {
        block_copy(c, next);
        block_copy(next, s->h + (i + 1) * BLOCK);
        (void)fold_multiples_block(s, c, next, i, bit, at);
    }
    s->carry = fold_multiples_block(s, next, NULL, HALF_BLOCKS - 1, bit, at);
}

STEP void fold_multiples(struct fold *restrict s)
{
    fold_multiples_all(s, NULL, 0);
}

#if VEC_WHOLE
OCT_INLINE void fold_multiples_pick(struct fold *restrict s, const m8 *restrict bit, unsigned at)
{
    fold_picks(s, bit, at);
    fold_multiples(s);
}
#else
/* Besides picks limbs from `at` on. */
STEP void fold_multiples_pick(struct fold *restrict s, const m8 *restrict bit, unsigned at)
{
    m8 held[WINDOW];
    VEC_UNROLL
    for (int i = 0; i < WINDOW; i++)
        held[i] = bit[i];
    fold_multiples_all(s, held, at);
}
#endif

/* slot[r] = slot[a]^2 / R mod n, below 3n, on each of `vectors` sides. r may be a. The steps alternate between the
 * sides: none waits for the one before. With `bit`, also picks limbs from `at` on. */
static void fold_square(struct fold *s, unsigned vectors, unsigned r, unsigned a, m8 bit[2][WINDOW], unsigned at)
{
    for (unsigned v = 0; v < vectors; v++)
        fold_low_square(&s[v], s[v].slot[a]);
    for (unsigned v = 0; v < vectors; v++)
        fold_high_square(&s[v], s[v].slot[a]);
    for (unsigned v = 0; v < vectors; v++)
        fold_middle_square(&s[v], s[v].slot[a]);
    for (unsigned v = 0; v < vectors; v++)
        if (bit)
            fold_multiples_pick(&s[v], bit[v], at);
        else
            fold_multiples(&s[v]);
    for (unsigned v = 0; v < vectors; v++)
        fold_result(&s[v], s[v].slot[r]);
}

/* slot[r] = slot[a] * slot[b] / R mod n on each of `vectors` sides, below a*b/R + 2n. r may be a or b. */
static void fold_mul(struct fold *s, unsigned vectors, unsigned r, unsigned a, unsigned b)
{
    for (unsigned v = 0; v < vectors; v++)
        fold_low_mul(&s[v], s[v].slot[a], s[v].slot[b]);
    for (unsigned v = 0; v < vectors; v++)
        fold_high_mul(&s[v], s[v].slot[a], s[v].slot[b]);
    for (unsigned v = 0; v < vectors; v++)
        fold_middle_mul(&s[v], s[v].slot[a], s[v].slot[b]);
    for (unsigned v = 0; v < vectors; v++)
        fold_multiples(&s[v]);
    for (unsigned v = 0; v < vectors; v++)
        fold_result(&s[v], s[v].slot[r]);
}
