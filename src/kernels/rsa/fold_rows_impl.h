/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What fold_impl.h offers, without folds and Karatsuba's method, for CPUs on which an addition costs as much as a
 * product (docs/cpus.md): products in the strips of mont_impl.h, squares by columns. Include after `#define LIMBS`,
 * `STRIP`, `WINDOW` and `SLOTS`.
 *
 * Invariant: a number is one block of LIMBS limbs, its value below 8n. With R = 2^(52*LIMBS) >= 2^16 n, a product of a
 * and b is (a*b + m*n)/R with m < R, below a*b/R + n: less than fold_impl.h promises.
 */
#define BLOCKS     1
#define BLOCK      LIMBS
#define BLOCK_BITS (52 * LIMBS)
#define PICKED     0
#include "kernels/rsa/fold_block_impl.h"

_Static_assert(!VEC_WHOLE, "products are written out");

#define MONT_ROWS
#define mont fold /* the struct, whose name the code around it knows */
#define MONT_MORE                                                                                                      \
    v8 h[LIMBS]; /* columns of sums and differences */                                                                 \
    v8 table[LIMBS][1 << WINDOW];
#include "kernels/rsa/mont_impl.h"
#include "kernels/rsa/fold_pick_impl.h"

/* So many columns are open at a time, in turns: an accumulator never waits for itself. */
#define OPEN 8
#define FOR_OPEN(x, from, to)                                                                                          \
    VEC_UNROLL                                                                                                         \
    for (int x = from; x < (from + OPEN < to ? from + OPEN : to); x++)

/* Columns `from` and on of a^2: twice the products above the diagonal, and the diagonal. */
OCT_INLINE void rows_square_open(v8 *t, const v8 *a, int from)
{
    v8 c[2 * LIMBS];
    FOR_OPEN(x, from, 2 * LIMBS) c[x] = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < LIMBS; i++) {
        FOR_OPEN(x, from, 2 * LIMBS)
        {
            if (x - i > i && x - i < LIMBS)
                c[x] = v8_madd52lo(c[x], a[i], a[x - i]);
        }
        FOR_OPEN(x, from, 2 * LIMBS)
        {
            if (x - 1 - i > i && x - 1 - i < LIMBS)
                c[x] = v8_madd52hi(c[x], a[i], a[x - 1 - i]);
        }
    }
    FOR_OPEN(x, from, 2 * LIMBS)
    {
        c[x] = v8_add(c[x], c[x]);
        t[x] = x % 2 ? v8_madd52hi(c[x], a[x / 2], a[x / 2]) : v8_madd52lo(c[x], a[x / 2], a[x / 2]);
    }
}

/* t = the columns of a^2. */
STEP void rows_square(v8 *restrict t, const v8 *restrict a_in)
{
    v8 a[LIMBS];
    block_copy(a, a_in);
    VEC_UNROLL
    for (int from = 0; from < 2 * LIMBS; from += OPEN)
        rows_square_open(t, a, from);
}

OCT_INLINE void rows_add_open(v8 *t, const v8 *n, const v8 *m, int from)
{
    v8 c[LIMBS + STRIP];
    FOR_OPEN(x, from, LIMBS + STRIP) c[x] = t[x];
    VEC_UNROLL
    for (int k = 0; k < STRIP; k++) {
        FOR_OPEN(x, from, LIMBS + STRIP)
        {
            if (x - k < LIMBS)
                c[x] = v8_madd52lo(c[x], n[x - k], m[k]);
        }
        FOR_OPEN(x, from, LIMBS + STRIP)
        {
            if (x - k - 1 < LIMBS)
                c[x] = v8_madd52hi(c[x], n[x - k - 1], m[k]);
        }
    }
    FOR_OPEN(x, from, LIMBS + STRIP) t[x] = c[x];
}

/* t += n * m, columns STRIP .. LIMBS+STRIP-1. */
STEP void rows_add(v8 *restrict t, const v8 *restrict n, const v8 *restrict m_in)
{
    v8 m[STRIP];
    VEC_UNROLL
    for (int k = 0; k < STRIP; k++)
        m[k] = m_in[k];
    VEC_UNROLL
    for (int from = STRIP; from < LIMBS + STRIP; from += OPEN)
        rows_add_open(t, n, m, from);
}

/* slot[r] = slot[a]^2 / R mod n on each of `vectors` sides. r may be a. The steps alternate between the sides: the
 * chain of one waits beside the products of the other. With `bit`, also picks limbs from `at` on. */
static void fold_square(struct fold *s, unsigned vectors, unsigned r, unsigned a, m8 bit[2][WINDOW], unsigned at)
{
    for (unsigned v = 0; v < vectors; v++)
        rows_square(s[v].t, s[v].slot[a]);
    for (unsigned v = 0; v < vectors && bit; v++)
        fold_picks(&s[v], bit[v], at);
    for (int x = 0; x < LIMBS; x += STRIP) {
        for (unsigned v = 0; v < vectors; v++)
            mont_m_square(s[v].t + x, s[v].m, s[v].n, &s[v].k0);
        for (unsigned v = 0; v < vectors; v++)
            rows_add(s[v].t + x, s[v].n, s[v].m);
    }
    for (unsigned v = 0; v < vectors; v++)
        mont_carry(s[v].slot[r], s[v].t + LIMBS);
}

/* slot[r] = slot[a] * slot[b] / R mod n on each of `vectors` sides. r may be a or b. */
static void fold_mul(struct fold *s, unsigned vectors, unsigned r, unsigned a, unsigned b)
{
    for (int x = 0; x < LIMBS; x += STRIP) {
        for (unsigned v = 0; v < vectors; v++)
            mont_m_mul(&s[v], x, s[v].slot[a], s[v].slot[b]);
        for (unsigned v = 0; v < vectors; v++)
            mont_b_mul(&s[v], x, s[v].slot[a], s[v].slot[b]);
    }
    for (unsigned v = 0; v < vectors; v++)
        mont_carry(s[v].slot[r], s[v].t + LIMBS);
}
