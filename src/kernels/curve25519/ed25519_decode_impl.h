/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Points from their encodings (RFC 8032, 5.1.3), two in each lane side by side: the square root is a chain of 252
 * dependent squarings, and two chains hide each other's latency. With u = y^2 - 1 and v = d y^2 + 1 the candidate is x
 * = u v^3 (u v^7)^((p-5)/8); v x^2 is then u, or -u and sqrt(-1) x is the root, or u/v is no square.
 */
#ifndef OCT_KERNELS_ED25519_DECODE_IMPL_H
#define OCT_KERNELS_ED25519_DECODE_IMPL_H

#include "kernels/curve25519/edwards25519_impl.h"

#define DECODED 2

struct fe2 {
    fe e[DECODED];
};

struct decode_workspace {
    struct fe2 x, y; /* the points, canonical */
    struct fe2 u, v, uv3, uv7, power[4];
    m8 negative[DECODED]; /* what the encodings say of x */
};

/* r = a * b; r may be an input, here and below. */
VEC_CHAIN void fe2_mul(struct fe2 *r, const struct fe2 *a, const struct fe2 *b)
{
    for (int i = 0; i < DECODED; i++)
        r->e[i] = fe_mul(a->e[i], b->e[i]);
}

/* r = a^(2^times) */
VEC_CHAIN void fe2_sqr_times(struct fe2 *r, const struct fe2 *a, unsigned times)
{
    fe x = a->e[0], y = a->e[1];
    for (unsigned i = 0; i < times; i++) {
        x = fe_sqr(x);
        y = fe_sqr(y);
    }
    r->e[0] = x;
    r->e[1] = y;
}

/* r = a^(2^times) * b */
VEC_CHAIN void fe2_extend(struct fe2 *r, const struct fe2 *a, unsigned times, const struct fe2 *b)
{
    struct fe2 x;
    fe2_sqr_times(&x, a, times);
    fe2_mul(r, &x, b);
}

/* power[0] = a^(2^252 - 3). The comments are exponents. */
VEC_CHAIN void decode_power(struct fe2 power[4], const struct fe2 *a)
{
    struct fe2 *r = &power[0], *x = &power[1], *x10 = &power[2], *x50 = &power[3];
    fe2_sqr_times(r, a, 1);   /* 2 */
    fe2_extend(x, r, 2, a);   /* 9 */
    fe2_mul(r, x, r);         /* 11 */
    fe2_extend(x, r, 1, x);   /* 31 = 2^5 - 1 */
    fe2_extend(x10, x, 5, x); /* 2^10 - 1 */
    fe2_extend(x, x10, 10, x10);
    fe2_extend(x, x, 20, x); /* 2^40 - 1 */
    fe2_extend(x50, x, 10, x10);
    fe2_extend(x, x50, 50, x50);
    fe2_extend(x, x, 100, x);  /* 2^200 - 1 */
    fe2_extend(x, x, 50, x50); /* 2^250 - 1 */
    fe2_extend(r, x, 2, a);    /* 2^252 - 3 */
}

/* Takes an encoding apart; where its y is below p. */
VEC_CHAIN m8 decode_load(fe *y_out, m8 *negative, const oct_limb8 *encoded)
{
    fe y = fe_load(encoded);
    *negative = v8_test_bit(y.l[FE_LIMBS - 1], FE_BITS);
    y.l[FE_LIMBS - 1] = v8_low(y.l[FE_LIMBS - 1], FE_BITS);
    *y_out = fe_canonical(y);
    return fe_is_same(y, *y_out);
}

VEC_CHAIN void decode_fraction(fe *u, fe *v, const fe *y)
{
    const fe yy = fe_sqr(*y);
    *u = fe_sub(yy, fe_set_small(1));
    *v = fe_add(fe_mul(yy, ed_d()), fe_set_small(1));
}

/* x, from the candidate x and v x^2 for it, becomes the root that the encoding means; where there is one. */
VEC_CHAIN m8 decode_root(fe *x, const fe *vxx, const fe *u, const m8 *negative)
{
    const fe square = fe_canonical(*vxx);
    const m8 right = fe_is_same(square, fe_canonical(*u));
    const m8 other = fe_is_same(square, fe_canonical(fe_sub(fe_set_small(0), *u)));
    const fe root = fe_canonical(fe_select(right, *x, fe_mul(*x, ed_sqrt_minus_1())));
    const m8 odd = v8_test_bit(root.l[0], 0), zero = fe_is_same(root, fe_set_small(0));
    const m8 turn = m8_or(m8_and(odd, m8_not(*negative)), m8_and(*negative, m8_not(odd)));
    *x = fe_canonical(fe_select(turn, fe_sub(fe_set_small(0), root), root));
    return m8_and(m8_or(right, other), m8_not(m8_and(zero, *negative)));
}

/* w->x and w->y from two arrays of encodings: where both are points, canonically encoded. Elsewhere they are some
 * numbers. */
VEC_CHAIN m8 decode_points(struct decode_workspace *w, const oct_limb8 *first, const oct_limb8 *second)
{
    m8 good = m8_and(decode_load(&w->y.e[0], &w->negative[0], first), decode_load(&w->y.e[1], &w->negative[1], second));
    for (int i = 0; i < DECODED; i++)
        decode_fraction(&w->u.e[i], &w->v.e[i], &w->y.e[i]);
    fe2_extend(&w->x, &w->v, 1, &w->v); /* v^3 */
    fe2_mul(&w->uv3, &w->x, &w->u);
    fe2_mul(&w->x, &w->x, &w->v);
    fe2_mul(&w->uv7, &w->x, &w->uv3);
    decode_power(w->power, &w->uv7);
    fe2_mul(&w->x, &w->uv3, &w->power[0]);
    fe2_extend(&w->uv7, &w->x, 1, &w->v); /* v x^2 */
    for (int i = 0; i < DECODED; i++)
        good = m8_and(good, decode_root(&w->x.e[i], &w->uv7.e[i], &w->u.e[i], &w->negative[i]));
    return good;
}

#endif
