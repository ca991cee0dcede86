/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The twisted Edwards curve -x^2 + y^2 = 1 + d x^2 y^2 over 2^255-19 (RFC 8032), extended coordinates: x = X/Z, y =
 * Y/Z, T = XY/Z. d is no square, so the addition formulas hold for all pairs of points: nothing here asks whether two
 * points are equal, or one of them the identity. Formulas: Hisil, Wong, Carter, Dawson, "Twisted Edwards Curves
 * Revisited" (2008), 3.1 and 3.3.
 */
#ifndef OCT_KERNELS_EDWARDS25519_IMPL_H
#define OCT_KERNELS_EDWARDS25519_IMPL_H

#include "kernels/curve25519/fe25519.h"

/* Coordinates as products leave them; y and z with the bias, since they are what is subtracted from. */
struct ed_point {
    fe_wide x, y, z, t;
};

/* What an addition wants to know of its second operand: y + x, y - x, 2 d t, with z = 1. */
struct ed_affine {
    fe sum, difference, dt2;
};
/* The same with a z of its own. */
struct ed_cached {
    fe sum, difference, dt2, z;
};

VEC_STEP fe ed_constant(const uint64_t limb[FE_LIMBS])
{
    fe r;
    VEC_UNROLL
    for (int i = 0; i < FE_LIMBS; i++)
        r.l[i] = v8_set1(limb[i]);
    return r;
}

/* 2 d = -2 * 121665/121666 */
VEC_STEP fe ed_2d(void)
{
    static const uint64_t limb[FE_LIMBS] = {0x69b9426b2f159, 0x35050762add7a, 0x3cf44c0038052, 0x6738cc7407977,
                                            0x2406d9dc56dff};
    return ed_constant(limb);
}

VEC_STEP fe ed_d(void)
{
    static const uint64_t limb[FE_LIMBS] = {0x34dca135978a3, 0x1a8283b156ebd, 0x5e7a26001c029, 0x739c663a03cbb,
                                            0x52036cee2b6ff};
    return ed_constant(limb);
}
VEC_STEP fe ed_sqrt_minus_1(void)
{
    static const uint64_t limb[FE_LIMBS] = {0x61b274a0ea0b0, 0xd5a5fc8f189d, 0x7ef5e9cbd0c60, 0x78595a6804c9e,
                                            0x2b8324804fc1d};
    return ed_constant(limb);
}

/* Where the affine (x, y) satisfies the equation. */
VEC_STEP m8 ed_is_on_curve(fe x, fe y)
{
    const fe xx = fe_sqr(x), yy = fe_sqr(y);
    const fe right = fe_add(fe_mul(fe_mul(xx, yy), ed_d()), fe_set_small(1));
    return fe_is_same(fe_canonical(fe_sub(yy, xx)), fe_canonical(right));
}

VEC_STEP void ed_set_identity(struct ed_point *p)
{
    p->x = p->t = fe_wide_zero();
    p->y = p->z = fe_biased(fe_set_small(1));
}

/* The last four products of every formula. */
VEC_STEP void ed_complete(struct ed_point *r, fe e, fe f, fe g, fe h)
{
    r->x = fe_mul_wide(e, f);
    r->y = fe_mul_biased(g, h);
    r->z = fe_mul_biased(f, g);
    r->t = fe_mul_wide(e, h);
}

/* p += q. */
VEC_STEP void ed_add_affine(struct ed_point *p, const struct ed_affine *q)
{
    const fe_wide a = fe_mul_wide(fe_carried_difference(p->y, p->x), q->difference);
    const fe_wide b = fe_mul_biased(fe_carried_sum(p->y, p->x), q->sum);
    const fe_wide c = fe_mul_wide(fe_carry(p->t), q->dt2), d = fe_wide_add(p->z, p->z);
    ed_complete(p, fe_carried_difference(b, a), fe_carried_difference(d, c), fe_carried_sum(d, c),
                fe_carried_sum(b, a));
}
VEC_STEP void ed_add_cached(struct ed_point *p, const struct ed_cached *q)
{
    const fe_wide a = fe_mul_wide(fe_carried_difference(p->y, p->x), q->difference);
    const fe_wide b = fe_mul_biased(fe_carried_sum(p->y, p->x), q->sum);
    const fe_wide c = fe_mul_wide(fe_carry(p->t), q->dt2), zz = fe_mul_biased(fe_carry(p->z), q->z);
    const fe_wide d = fe_wide_add(zz, zz);
    ed_complete(p, fe_carried_difference(b, a), fe_carried_difference(d, c), fe_carried_sum(d, c),
                fe_carried_sum(b, a));
}

VEC_STEP void ed_cache(struct ed_cached *r, const struct ed_point *p)
{
    r->sum = fe_carried_sum(p->y, p->x);
    r->difference = fe_carried_difference(p->y, p->x);
    r->dt2 = fe_mul(fe_carry(p->t), ed_2d());
    r->z = fe_carry(p->z);
}

/* The factors of 2 p's coordinates; t of p is not read. */
struct ed_factors {
    fe e, f, g, h;
};
VEC_STEP void ed_double_factors(struct ed_factors *r, const struct ed_point *p)
{
    const fe_wide xx = fe_sqr_wide(fe_carry(p->x)), yy = fe_sqr_biased(fe_carry(p->y));
    const fe_wide zz = fe_sqr_biased(fe_carry(p->z)), ss = fe_sqr_biased(fe_carried_sum(p->x, p->y));
    r->h = fe_carried_sum(yy, xx);
    r->g = fe_carried_difference(yy, xx);
    r->e = fe_carried_difference(ss, fe_widen(r->h));
    r->f = fe_carried_difference(fe_wide_add(zz, zz), fe_widen(r->g));
}

/* p = 2 p; all four coordinates come out negated, which is the same point. */
VEC_STEP void ed_double(struct ed_point *p)
{
    struct ed_factors r;
    ed_double_factors(&r, p);
    ed_complete(p, r.e, r.f, r.g, r.h);
}

/* p = 2^times p, times > 0. What is doubled again needs no t. */
VEC_CHAIN void ed_double_times(struct ed_point *p, unsigned times)
{
    struct ed_point q = *p;
    struct ed_factors r;
    for (unsigned i = 1; i < times; i++) {
        ed_double_factors(&r, &q);
        q.x = fe_mul_wide(r.e, r.f);
        q.y = fe_mul_biased(r.g, r.h);
        q.z = fe_mul_biased(r.f, r.g);
    }
    ed_double(&q);
    *p = q;
}

#endif
