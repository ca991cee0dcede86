/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Montgomery arithmetic for LIMBS limbs of 52 bits, eight moduli at once, one per lane.
 * Include after `#define LIMBS`, `#define STRIP` (divides LIMBS), `#define SLOTS`, and MONT_SQUARE or not.
 *
 * Invariant: a number is held as LIMBS limbs in 0 .. 2^52-1, its value below 4n. With R = 2^(52*LIMBS) > 2^16 n,
 * mont_mul gives (a*b + m*n)/R < 16n^2/R + n < 2n for inputs below 4n: no final subtraction is needed until the end.
 *
 * Method: columns T[] of 64 bits in memory, reduced STRIP columns at a time.
 *   M-step: the STRIP multiples m_k of n that clear the low columns, in mont_chain_impl.h.
 *   B-step: adds m*n (and for a product b*a) to the columns above.
 * M is a chain of dependent steps, B is throughput. Steps are straight lines in functions of their own: one large
 * function makes gcc hoist loads and spill (1.8 times slower).
 */
#include "vec/vec.h"

#define STEP static OCT_NOINLINE

struct mont {
    v8 t[2 * LIMBS + STRIP];
    v8 m[STRIP];
    v8 k0;
    v8 n[LIMBS];
    v8 slot[SLOTS][LIMBS];
};

#include "kernels/rsa/mont_chain_impl.h"

OCT_INLINE void mont_m_finish(v8 *t, v8 above, v8 c[STRIP], v8 *m_out, const v8 *n, v8 k0)
{
    v8 m[STRIP];
    t[STRIP] = v8_add(above, mont_chain(c, m, n, k0));
    VEC_UNROLL
    for (int k = 0; k < STRIP; k++)
        m_out[k] = m[k];
}

/* M-step of a product: columns 0..STRIP-1 of t + a * b[0..STRIP-1], then the chain. In the first strip t is taken for
 * zero, whatever it holds: clearing 2*LIMBS columns would cost as much as a strip. */
OCT_INLINE void mont_m_mul_step(v8 *t, v8 *m, const v8 *a, const v8 *b, const v8 *n, const v8 *k0, int first)
{
    v8 c[STRIP];
    VEC_UNROLL
    for (int x = 0; x < STRIP; x++) {
        v8 lo = first ? v8_zero() : t[x], hi = v8_zero();
        VEC_UNROLL
        for (int k = 0; k <= x; k++) {
            lo = v8_madd52lo(lo, a[x - k], b[k]);
            if (x > k)
                hi = v8_madd52hi(hi, a[x - k - 1], b[k]);
        }
        c[x] = v8_add(lo, hi);
    }
    mont_m_finish(t, first ? v8_zero() : t[STRIP], c, m, n, *k0);
}

STEP void mont_m_mul_first(v8 *t, v8 *m, const v8 *a, const v8 *b, const v8 *n, const v8 *k0)
{
    mont_m_mul_step(t, m, a, b, n, k0, 1);
}

STEP void mont_m_mul_next(v8 *t, v8 *m, const v8 *a, const v8 *b, const v8 *n, const v8 *k0)
{
    mont_m_mul_step(t, m, a, b, n, k0, 0);
}

/* The M-step at column x. */
OCT_INLINE void mont_m_mul(struct mont *s, int x, const v8 *a, const v8 *b)
{
    if (x == 0)
        mont_m_mul_first(s->t, s->m, a, b, s->n, &s->k0);
    else
        mont_m_mul_next(s->t + x, s->m, a, b + x, s->n, &s->k0);
}

#if VEC_WHOLE
/* Products of STRIP limbs by as many: t += all their columns, or the high ones. */
STEP void mont_strip_add(v8 *restrict t, const v8 *x, const v8 *y)
{
    v8_product_from(t, x, y, STRIP, 0, 1, 52);
}

STEP void mont_strip_high_add(v8 *restrict t, const v8 *x, const v8 *y)
{
    v8_product_from(t, x, y, STRIP, STRIP, 1, 52);
}

/* The B-step at column x, strip by strip. */
static void mont_b_mul(struct mont *s, int x, const v8 *a, const v8 *b)
{
    v8 *t = s->t + x;
    for (int j = x == 0 ? STRIP + 1 : LIMBS; j < LIMBS + STRIP; j++)
        t[j] = v8_zero();
    mont_strip_high_add(t + STRIP, a, b + x);
    mont_strip_high_add(t + STRIP, s->n, s->m);
    for (int j = STRIP; j < LIMBS; j += STRIP) {
        mont_strip_add(t + j, a + j, b + x);
        mont_strip_add(t + j, s->n + j, s->m);
    }
}
#else
/*
 * B-step of a product: t += a * b[0..STRIP-1] + n * m, columns STRIP .. LIMBS+STRIP-1. Columns from LIMBS on are
 * written for the first time; in the first strip all are, but for the carry in column STRIP. The window p, q holds
 * columns j .. j+STRIP while limb j of a and n passes by.
 */
OCT_INLINE void mont_b_mul_step(v8 *t, const v8 *a, const v8 *b, const v8 *n, const v8 *m, int first)
{
    v8 p[STRIP + 1], q[STRIP + 1], bk[STRIP], mk[STRIP];
    VEC_UNROLL
    for (int k = 0; k < STRIP; k++) {
        p[k] = q[k] = v8_zero();
        bk[k] = b[k];
        mk[k] = m[k];
    }
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++) {
        const v8 aj = a[j], nj = n[j];
        p[STRIP] = j + STRIP < LIMBS && (j == 0 || !first) ? t[j + STRIP] : v8_zero();
        q[STRIP] = v8_zero();
        VEC_UNROLL
        for (int k = 0; k < STRIP; k++) {
            if (j + k < STRIP)
                continue;
            p[k] = v8_madd52lo(p[k], aj, bk[k]);
            q[k] = v8_madd52lo(q[k], nj, mk[k]);
        }
        VEC_UNROLL
        for (int k = 0; k < STRIP; k++) {
            if (j + k + 1 < STRIP)
                continue;
            p[k + 1] = v8_madd52hi(p[k + 1], aj, bk[k]);
            q[k + 1] = v8_madd52hi(q[k + 1], nj, mk[k]);
        }
        if (j >= STRIP)
            t[j] = v8_add(p[0], q[0]);
        VEC_UNROLL
        for (int k = 0; k < STRIP; k++) {
            p[k] = p[k + 1];
            q[k] = q[k + 1];
        }
        VEC_FENCE();
    }
    VEC_UNROLL
    for (int k = 0; k < STRIP; k++)
        t[LIMBS + k] = v8_add(p[k], q[k]);
}

STEP void mont_b_mul_first(v8 *t, const v8 *a, const v8 *b, const v8 *n, const v8 *m)
{
    mont_b_mul_step(t, a, b, n, m, 1);
}

STEP void mont_b_mul_next(v8 *t, const v8 *a, const v8 *b, const v8 *n, const v8 *m)
{
    mont_b_mul_step(t, a, b, n, m, 0);
}

/* The B-step at column x. */
OCT_INLINE void mont_b_mul(struct mont *s, int x, const v8 *a, const v8 *b)
{
    if (x == 0)
        mont_b_mul_first(s->t, a, b, s->n, s->m);
    else
        mont_b_mul_next(s->t + x, a, b + x, s->n, s->m);
}
#endif

/* LIMBS limbs r = the columns t, carried. The carry out of the top is zero because the value is below 2^(52*LIMBS). */
STEP void mont_carry(v8 *r, const v8 *t)
{
    v8 carry = v8_zero();
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++) {
        const v8 x = v8_add(t[j], carry);
        carry = v8_sra(x, 52);
        r[j] = v8_low52(x);
    }
    (void)v8_proved_bound(carry, 0);
}

/* slot[r] = slot[a] * slot[b] / R mod n, below 2n. r may be a or b. */
static void mont_mul(struct mont *s, unsigned r, unsigned a, unsigned b)
{
    for (int x = 0; x < LIMBS; x += STRIP) {
        mont_m_mul(s, x, s->slot[a], s->slot[b]);
        mont_b_mul(s, x, s->slot[a], s->slot[b]);
    }
    mont_carry(s->slot[r], s->t + LIMBS);
}

#ifdef MONT_SQUARE
#if !VEC_WHOLE
/* Column c of the square of the `limbs` limbs a: twice the products above the diagonal, and the diagonal. */
OCT_INLINE v8 mont_square_column(int c, const v8 *a, int limbs)
{
    v8 lo = v8_zero(), hi = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < limbs; i++)
        if (c - i > i && c - i < limbs)
            lo = v8_madd52lo(lo, a[i], a[c - i]);
    VEC_UNROLL
    for (int i = 0; i < limbs; i++)
        if (c - 1 - i > i && c - 1 - i < limbs)
            hi = v8_madd52hi(hi, a[i], a[c - 1 - i]);
    lo = v8_add(lo, hi);
    lo = v8_add(lo, lo);
    return c % 2 == 0 ? v8_madd52lo(lo, a[c / 2], a[c / 2]) : v8_madd52hi(lo, a[c / 2], a[c / 2]);
}
#endif

#define HALF (LIMBS / 2)

STEP void mont_square_half(v8 *restrict t, const v8 *restrict a_in)
{
#if VEC_WHOLE
    v8_square(t, a_in, HALF, 52);
#else
    v8 a[HALF];
    VEC_UNROLL
    for (int i = 0; i < HALF; i++)
        a[i] = a_in[i];
    VEC_UNROLL
    for (int x = 0; x < 2 * HALF; x++)
        t[x] = mont_square_column(x, a, HALF);
#endif
}

/*
 * The middle part of Karatsuba's square: with s = a0 + a1 = s' + c*2^(52*HALF), c a bit, adds s^2 - a0^2 - a1^2
 * to t at column HALF, where t has a0^2 at column 0 and a1^2 at column 2*HALF. A column of the difference may be
 * negative by some 2^58 (low and high halves of products do not subtract column by column), which the signed carries
 * bear.
 */
STEP void mont_square_middle(v8 *restrict t, const v8 *restrict a)
{
    v8 s[HALF], carry = v8_zero();
    VEC_UNROLL
    for (int i = 0; i < HALF; i++) {
        const v8 x = v8_add(v8_add(a[i], a[HALF + i]), carry);
        carry = v8_sra(x, 52);
        s[i] = v8_low52(x);
    }
    const m8 overflow = v8_is_nonzero(carry);
#if VEC_WHOLE
    v8 square[2 * HALF];
    mont_square_half(square, s);
#endif
    v8 upper[HALF]; /* columns HALF.. of a0^2, which the second half overwrites before it needs them */
    VEC_UNROLL
    for (int x = 0; x < 2 * HALF; x++) {
#if VEC_WHOLE
        v8 d = square[x];
#else
        v8 d = mont_square_column(x, s, HALF);
#endif
        if (x >= HALF)
            d = v8_add(d, v8_select(overflow, v8_add(s[x - HALF], s[x - HALF]), v8_zero()));
        const v8 low = x < HALF ? t[x] : upper[x - HALF];
        d = v8_sub(d, v8_add(low, t[2 * HALF + x]));
        if (x < HALF)
            upper[x] = t[HALF + x];
        t[HALF + x] = v8_add(t[HALF + x], d);
        VEC_FENCE();
    }
    t[3 * HALF] = v8_add(t[3 * HALF], carry);
}

/* t += n * m, columns STRIP .. LIMBS+STRIP-1. */
#if VEC_WHOLE
static void mont_b_square(v8 *t, const v8 *n, const v8 *m)
{
    mont_strip_high_add(t + STRIP, n, m);
    for (int j = STRIP; j < LIMBS; j += STRIP)
        mont_strip_add(t + j, n + j, m);
}
#else
STEP void mont_b_square(v8 *t, const v8 *n, const v8 *m_in)
{
    v8 m[STRIP];
    VEC_UNROLL
    for (int k = 0; k < STRIP; k++)
        m[k] = m_in[k];
    VEC_UNROLL
    for (int x = STRIP; x < LIMBS + STRIP; x++) {
        v8 lo = t[x], hi = v8_zero();
        VEC_UNROLL
        for (int k = 0; k < STRIP; k++) {
            if (x - k < LIMBS)
                lo = v8_madd52lo(lo, n[x - k], m[k]);
            if (x - k - 1 < LIMBS)
                hi = v8_madd52hi(hi, n[x - k - 1], m[k]);
        }
        t[x] = v8_add(lo, hi);
    }
}
#endif

STEP void mont_m_square(v8 *t, v8 *m, const v8 *n, const v8 *k0)
{
    v8 c[STRIP];
    VEC_UNROLL
    for (int k = 0; k < STRIP; k++)
        c[k] = t[k];
    mont_m_finish(t, t[STRIP], c, m, n, *k0);
}

/* slot[r] = slot[a]^2 / R mod n, below 2n. r may be a. */
static void mont_square(struct mont *s, unsigned r, unsigned a)
{
    mont_square_half(s->t, s->slot[a]);
    mont_square_half(s->t + 2 * HALF, s->slot[a] + HALF);
    mont_square_middle(s->t, s->slot[a]);
    for (int x = 0; x < LIMBS; x += STRIP) {
        mont_m_square(s->t + x, s->m, s->n, &s->k0);
        mont_b_square(s->t + x, s->n, s->m);
    }
    mont_carry(s->slot[r], s->t + LIMBS);
}
#else
/* Moduli this long are only seen by the public operation: 17 squarings, and a few per cent do not pay for more code. */
static void mont_square(struct mont *s, unsigned r, unsigned a)
{
    mont_mul(s, r, a, a);
}
#endif

static void mont_load(v8 *r, const oct_limb8 *x, int limbs)
{
    for (int j = 0; j < limbs; j++)
        r[j] = v8_load52(x[j]);
}

/* slot[r] = 1. */
static void mont_set_one(struct mont *s, unsigned r)
{
    for (int j = 0; j < LIMBS; j++)
        s->slot[r][j] = j == 0 ? v8_set1(1) : v8_zero();
}

/* slot[r] - n if that is not negative, else slot[r]: brings a value of at most 2n-1 below n. */
static void mont_reduce_once(struct mont *s, unsigned r)
{
    v8 *x = s->slot[r], *d = s->t, borrow = v8_zero();
    for (int j = 0; j < LIMBS; j++) {
        const v8 y = v8_add(v8_sub(x[j], s->n[j]), borrow);
        borrow = v8_sra(y, 52);
        d[j] = v8_low52(y);
    }
    const m8 keep = v8_is_negative(borrow);
    for (int j = 0; j < LIMBS; j++)
        x[j] = v8_select(keep, x[j], d[j]);
}
