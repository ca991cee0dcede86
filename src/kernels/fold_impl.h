/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Modular arithmetic for BLOCKS blocks of 258 bits (4, 6 or 8), eight moduli at once, one per lane; one or two vectors
 * of them. Include after `#define BLOCKS`, `#define WINDOW` and `#define SLOTS`; slot 0 is PICKED from the table.
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
#include "kernels/fold_block_impl.h"

#define STEP        static OCT_NOINLINE
#define HALF_BLOCKS (BLOCKS / 2)
#define PAIRS       (HALF_BLOCKS * (HALF_BLOCKS - 1) / 2)
#define HALF        (HALF_BLOCKS * BLOCK)
#define LIMBS       (2 * HALF)
#define PICKED      0

struct fold {
    v8 low[HALF];      /* L */
    v8 middle[HALF];   /* the upper groups of the product of the lower halves */
    v8 high[2 * HALF]; /* all groups of the product of the upper halves; the last are H's last */
    v8 h[2 * HALF];    /* the other groups of H */
    v8 m[HALF];
    v8 carry; /* out of the last block that m cleared */
    v8 k0;
    v8 n[LIMBS], q[LIMBS];
    v8 n_sum[PAIRS * BLOCK];    /* sums of two blocks of the upper half of n */
    v8 q_sum[2][PAIRS * BLOCK]; /* of the lower and of the upper half of Q */
    v8 slot[SLOTS][LIMBS];
    v8 table[LIMBS][1 << WINDOW]; /* limb by limb: what is read together lies together */
};

enum fold_step { LOW, HIGH, MIDDLE, RESULT };

/* The place of the pair i < j of blocks among a half's pairs. */
OCT_INLINE int fold_pair(int i, int j)
{
    return j * (j - 1) / 2 + i;
}

#include "kernels/fold_emit_impl.h"
#include "kernels/fold_half_impl.h"

STEP void fold_low_square(struct fold *restrict s, const v8 *restrict a)
{
    half_product(s, LOW, a, a, 1, NULL);
}

STEP void fold_high_square(struct fold *restrict s, const v8 *restrict a)
{
    half_product(s, HIGH, a, a, 1, NULL);
}

STEP void fold_middle_square(struct fold *restrict s, const v8 *restrict a)
{
    half_product(s, MIDDLE, a, a, 1, NULL);
}

STEP void fold_low_mul(struct fold *restrict s, const v8 *restrict a, const v8 *restrict b)
{
    half_product(s, LOW, a, b, 0, NULL);
}

STEP void fold_high_mul(struct fold *restrict s, const v8 *restrict a, const v8 *restrict b)
{
    half_product(s, HIGH, a, b, 0, NULL);
}

STEP void fold_middle_mul(struct fold *restrict s, const v8 *restrict a, const v8 *restrict b)
{
    half_product(s, MIDDLE, a, b, 0, NULL);
}

STEP void fold_result(struct fold *restrict s, v8 *restrict r)
{
    half_product(s, RESULT, NULL, NULL, 0, r);
}

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

/* slot[PICKED][j] = limb j of the entry of the table whose index, a secret, has these bits. All entries are read. */
OCT_INLINE void fold_pick(struct fold *s, const m8 *bit, unsigned j)
{
    s->slot[PICKED][j] = v8_lookup(s->table[j], 1, bit, WINDOW);
}

/* Limbs that each squaring picks, and each block of the chain. */
#define PICKS       (LIMBS / WINDOW)
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
        if (bit && k % 2 == 0 && k / 2 < BLOCK_PICKS && i * BLOCK_PICKS + k / 2 < PICKS)
            fold_pick(s, bit, at + (unsigned)(i * BLOCK_PICKS + k / 2));
        if (!next)
            continue;
        VEC_UNROLL
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
    VEC_UNROLL
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

/* Besides picks limbs from `at` on. */
STEP void fold_multiples_pick(struct fold *restrict s, const m8 *restrict bit, unsigned at)
{
    m8 held[WINDOW];
    VEC_UNROLL
    for (int i = 0; i < WINDOW; i++)
        held[i] = bit[i];
    fold_multiples_all(s, held, at);
}

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
