/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What fold_impl.h offers, without folds and Karatsuba's method, for CPUs on which an addition costs as much as a
 * product and a store more (docs/cpus.md). Include after `#define LIMBS`, `STRIP` (divides LIMBS), `WINDOW` and
 * `SLOTS`.
 *
 * Invariant: a number is one block of LIMBS limbs, its value below 8n. With R = 2^(52*LIMBS) >= 2^16 n, a product of a
 * and b is (a*b + m*n)/R with m < R, below a*b/R + n: less than fold_impl.h promises.
 *
 * Method: LIMBS columns of 64 bits stay in registers. STRIP limbs of b, and of the multiple m of n that clears as many
 * columns, wait beside them while a and n pass by from memory. A square's columns are made before.
 */
#define BLOCKS     1
#define BLOCK      LIMBS
#define BLOCK_BITS (52 * LIMBS)
#define PICKED     0
#define STEP       static OCT_NOINLINE
#include "kernels/rsa/fold_block_impl.h"
#include "kernels/rsa/mont_chain_impl.h"

_Static_assert(!VEC_WHOLE, "products are written out");
_Static_assert(LIMBS >= 2 * STRIP, "the next strip's columns are among these");

struct fold {
    v8 t[2 * LIMBS], m[STRIP]; /* the columns of a square, and the multiples that clear the first of them */
    v8 k0;
    v8 n[LIMBS];
    v8 slot[SLOTS][LIMBS];
    v8 h[LIMBS]; /* columns of sums and differences */
    v8 table[LIMBS][1 << WINDOW];
};

#include "kernels/rsa/fold_pick_impl.h"

/* So many columns of a square are open at a time, in turns: an accumulator never waits for itself. */
#define OPEN 10
#define FOR_OPEN(x, from)                                                                                              \
    VEC_UNROLL                                                                                                         \
    for (int x = from; x < from + OPEN; x++)
_Static_assert(2 * LIMBS % OPEN == 0, "columns of a square");

/* Columns `from` and on of a^2: twice the products above the diagonal, and the diagonal. */
OCT_INLINE void rows_square_open(v8 *t, const v8 *a, int from)
{
    v8 c[2 * LIMBS];
    FOR_OPEN(x, from) c[x] = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < LIMBS; i++) {
        FOR_OPEN(x, from)
        {
            if (x - i > i && x - i < LIMBS)
                c[x] = v8_madd52lo(c[x], a[i], a[x - i]);
        }
        FOR_OPEN(x, from)
        {
            if (x - 1 - i > i && x - 1 - i < LIMBS)
                c[x] = v8_madd52hi(c[x], a[i], a[x - 1 - i]);
        }
    }
    FOR_OPEN(x, from)
    {
        c[x] = v8_add(c[x], c[x]);
        t[x] = x % 2 ? v8_madd52hi(c[x], a[x / 2], a[x / 2]) : v8_madd52lo(c[x], a[x / 2], a[x / 2]);
    }
}

#define FOR_STRIP(k)                                                                                                   \
    VEC_UNROLL                                                                                                         \
    for (int k = 0; k < STRIP; k++)

/* What the limb y, the i-th of a number, adds to columns `from` and on of that number's product by the strip m. */
OCT_INLINE void rows_limb(v8 *c, v8 y, int i, const v8 *m, int from)
{
    FOR_STRIP(k)
    {
        if (i + k >= from)
            c[i + k] = v8_madd52lo(c[i + k], y, m[k]);
    }
    FOR_STRIP(k)
    {
        if (i + k + 1 >= from)
            c[i + k + 1] = v8_madd52hi(c[i + k + 1], y, m[k]);
    }
    VEC_FENCE();
}

/* m = the strip that clears columns 0..STRIP-1; the carry out of them goes to column STRIP. */
OCT_INLINE void rows_multiples(v8 *c, v8 *m, const v8 *n, v8 k0)
{
    c[STRIP] = v8_add(c[STRIP], mont_chain(c, m, n, k0));
}

/* t = the columns of a^2, and m = the multiples that clear the first STRIP of them; the carry is in column STRIP. Their
 * chain waits beside the upper columns, for which a is read anew: registers are few. */
STEP void rows_square(v8 *restrict t, v8 *restrict m_out, const v8 *restrict a_in, const v8 *restrict n, const v8 *k0)
{
    v8 a[LIMBS], low[STRIP + 1], m[STRIP];
    block_copy(a, a_in);
    VEC_UNROLL
    for (int from = 0; from < LIMBS; from += OPEN)
        rows_square_open(t, a, from);
    VEC_UNROLL
    for (int k = 0; k <= STRIP; k++)
        low[k] = t[k];
    rows_multiples(low, m, n, *k0);
    t[STRIP] = low[STRIP];
    FOR_STRIP(k) m_out[k] = m[k];
    VEC_FENCE();
    block_copy(a, a_in);
    VEC_UNROLL
    for (int from = LIMBS; from < 2 * LIMBS; from += OPEN)
        rows_square_open(t, a, from);
}

/* Columns STRIP and on of c += n * m; the STRIP highest come from t. With `next`, also the multiples of the next strip:
 * they are a chain of dependent steps, and start as soon as their columns are there. */
OCT_INLINE void rows_reduce_strip(v8 *c, const v8 *t, const v8 *n, const v8 *m, v8 *next, v8 k0)
{
    FOR_BLOCK(i)
    {
        if (i + STRIP >= LIMBS)
            c[i + STRIP] = t[i + STRIP];
        rows_limb(c, n[i], i, m, STRIP);
        if (next && i == 2 * STRIP - 1)
            rows_multiples(c + STRIP, next, n, k0);
    }
    FOR_BLOCK(i) c[i] = c[i + STRIP];
}

/* r = the columns t / R mod n; m clears the first STRIP of them, and has had its carry. */
STEP void rows_reduce(v8 *r, const v8 *restrict t, const v8 *restrict m_in, const v8 *restrict n, const v8 *k0)
{
    v8 c[LIMBS + STRIP], m[STRIP], next[STRIP];
    block_copy(c, t);
    FOR_STRIP(k) m[k] = m_in[k];
    for (int x = 0; x < LIMBS - STRIP; x += STRIP) {
        rows_reduce_strip(c, t + x, n, m, next, *k0);
        FOR_STRIP(k) m[k] = next[k];
    }
    rows_reduce_strip(c, t + LIMBS - STRIP, n, m, NULL, *k0);
    (void)v8_proved_bound(block_carry(r, c, v8_zero()), 0);
}

/* r = a * b / R mod n. The multiples' chain waits beside the products by a. */
STEP void rows_mul(v8 *r, const v8 *a, const v8 *b_in, const v8 *restrict n, const v8 *k0)
{
    v8 c[LIMBS + STRIP], m[STRIP], b[STRIP];
    block_clear(c);
    for (int x = 0; x < LIMBS; x += STRIP) {
        FOR_STRIP(k)
        {
            b[k] = b_in[x + k];
            c[LIMBS + k] = v8_zero();
        }
        FOR_BLOCK(i)
        {
            rows_limb(c, a[i], i, b, 0);
            if (i == STRIP - 1)
                rows_multiples(c, m, n, *k0);
        }
        FOR_BLOCK(i) rows_limb(c, n[i], i, m, STRIP);
        FOR_BLOCK(i) c[i] = c[i + STRIP];
    }
    (void)v8_proved_bound(block_carry(r, c, v8_zero()), 0);
}

/* slot[r] = slot[a]^2 / R mod n on each of `vectors` sides. r may be a. With `bit`, also picks limbs from `at` on. */
static void fold_square(struct fold *s, unsigned vectors, unsigned r, unsigned a, m8 bit[2][WINDOW], unsigned at)
{
    for (unsigned v = 0; v < vectors; v++) {
        rows_square(s[v].t, s[v].m, s[v].slot[a], s[v].n, &s[v].k0);
        rows_reduce(s[v].slot[r], s[v].t, s[v].m, s[v].n, &s[v].k0);
        if (bit)
            fold_picks(&s[v], bit[v], at);
    }
}

/* slot[r] = slot[a] * slot[b] / R mod n on each of `vectors` sides. r may be a or b. */
static void fold_mul(struct fold *s, unsigned vectors, unsigned r, unsigned a, unsigned b)
{
    for (unsigned v = 0; v < vectors; v++)
        rows_mul(s[v].slot[r], s[v].slot[a], s[v].slot[b], s[v].n, &s[v].k0);
}
