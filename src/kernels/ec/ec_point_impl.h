/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Points of y^2 = x^3 - 3x + b in Jacobian coordinates (X/Z^2, Y/Z^3), Montgomery form; Z = 0 is infinity. The formulas
 * (Explicit-Formulas Database: dbl-2001-b, add-1998-cmo) do not know b, so they can be tested on curves with few
 * points.
 *
 * X and Y of a point are settled, Z is a carried product or twice one. A product that only enters a sum stays as
 * columns. The two inputs of a multiplication that stand side by side do not depend on each other: that is what fills
 * the pipeline.
 */
struct point {
    struct num x, y, z;
};

/* Where the carried a is 0 modulo p. */
STEP m8 fp_is_zero(const struct num *a)
{
    struct num x;
    fp_from_mont(&x, a);
    return m8_not(num_is_nonzero(&x));
}

/* r = 1 in Montgomery form. */
STEP void fp_one(struct num *r)
{
    static const uint64_t one[LIMBS] = {1};
    num_constant(r, one);
    fp_to_mont(r, r);
}

/* r = 2p, for all points. r may be p. */
STEP void point_double(struct point *r, const struct point *p)
{
    struct num delta, gamma, u, v, beta, yz;
    fp_sqr(&delta, &p->z);
    fp_sqr_carry(&gamma, &p->y);
    num_sub(&u, &p->x, &delta);
    fp_settle(&u);
    num_add(&delta, &p->x, &delta);
    num_sll(&v, &delta, 1);
    num_add(&v, &v, &delta);
    fp_carry(&v);
    fp_mul(&beta, &p->x, &gamma);
    fp_mul_carry(&v, &u, &v); /* alpha = 3*(x - delta)*(x + delta) */
    fp_mul(&yz, &p->y, &p->z);
    fp_sqr(&gamma, &gamma);
    num_sll(&r->z, &yz, 1);
    fp_carry(&r->z);
    fp_sqr(&u, &v);
    num_sll(&beta, &beta, 2);
    num_sll(&delta, &beta, 1); /* 8*beta */
    num_add(&beta, &beta, &delta);
    num_sub(&beta, &beta, &u);
    fp_settle(&beta); /* 4*beta - X3 */
    num_sub(&r->x, &u, &delta);
    fp_settle(&r->x);
    fp_mul(&u, &v, &beta);
    num_sll(&gamma, &gamma, 3);
    num_sub(&r->y, &u, &gamma);
    fp_settle(&r->y);
}

/* The second half of both additions: from H = U2 - U1, R = S2 - S1, U1, S1 and Z1*Z2. Overwrites h and rr; r may hold
 * u1, s1, z. */
VEC_STEP void point_add_finish(struct point *r, struct num *h, struct num *rr, const struct num *u1,
                               const struct num *s1, const struct num *z)
{
    struct num hhh, v, t;
    fp_sqr_carry(&hhh, h);
    fp_sqr(&t, rr);
    fp_mul_carry(&r->z, z, h);
    fp_mul(&v, u1, &hhh);
    fp_mul_carry(&hhh, h, &hhh);
    num_sub(&t, &t, &hhh);
    num_sll(h, &v, 1);
    num_sub(&r->x, &t, h);
    num_sub(&t, h, &t);
    num_add(&t, &t, &v);
    fp_settle(&t); /* V - X3 */
    fp_settle(&r->x);
    fp_mul(&hhh, s1, &hhh);
    fp_mul(&t, rr, &t);
    num_sub(&r->y, &t, &hhh);
    fp_settle(&r->y);
}

/*
 * r = p + q, where `negative` p - q, for q = (x2, y2) affine, carried. Right unless p is infinity or p = q: then Z3 =
 * 0, and in the second case X3 = 0 as well. Where p = -q, Z3 = 0 and X3 is not 0: infinity, as it should be. r may be
 * p.
 */
STEP void point_add_mixed(struct point *r, const struct point *p, const struct num *x2, const struct num *y2,
                          m8 negative)
{
    struct num zz, h, rr;
    fp_sqr_carry(&zz, &p->z);
    fp_mul(&h, x2, &zz);
    fp_mul_carry(&zz, &p->z, &zz);
    num_sub(&h, &h, &p->x);
    fp_settle(&h);
    fp_mul(&rr, y2, &zz);
    num_negate_if(&rr, negative, &rr);
    num_sub(&rr, &rr, &p->y);
    fp_settle(&rr);
    point_add_finish(r, &h, &rr, &p->x, &p->y, &p->z);
}

/* r = p + q, where `negative` p - q. Right unless p or q is infinity, or p = q; then as above. r may be p. */
STEP void point_add(struct point *r, const struct point *p, const struct point *q, m8 negative)
{
    struct num zz1, zz2, h, rr, u1, s1;
    fp_sqr_carry(&zz1, &p->z);
    fp_sqr_carry(&zz2, &q->z);
    fp_mul(&h, &q->x, &zz1);
    fp_mul_carry(&u1, &p->x, &zz2);
    fp_mul_carry(&zz1, &p->z, &zz1);
    fp_mul_carry(&zz2, &q->z, &zz2);
    num_sub(&h, &h, &u1);
    fp_settle(&h);
    fp_mul(&rr, &q->y, &zz1);
    fp_mul_carry(&s1, &p->y, &zz2);
    fp_mul_carry(&zz1, &p->z, &q->z);
    num_negate_if(&rr, negative, &rr);
    num_sub(&rr, &rr, &s1);
    fp_settle(&rr);
    point_add_finish(r, &h, &rr, &u1, &s1, &zz1);
}

VEC_STEP void point_select(struct point *r, m8 m, const struct point *a, const struct point *b)
{
    num_select(&r->x, m, &a->x, &b->x);
    num_select(&r->y, m, &a->y, &b->y);
    num_select(&r->z, m, &a->z, &b->z);
}

/*
 * What an addition leaves out, mended: `sum` is what it gave for p and q, q with its final sign; `twice` is
 * overwritten. It costs a doubling and four zero tests, so it is for the additions that can meet these cases.
 */
static void point_mend(struct point *sum, const struct point *p, const struct point *q, struct point *twice)
{
    const m8 p_infinite = fp_is_zero(&p->z), q_infinite = fp_is_zero(&q->z);
    const m8 same = m8_and(fp_is_zero(&sum->z), fp_is_zero(&sum->x));
    point_double(twice, p);
    point_select(sum, same, twice, sum);
    point_select(sum, q_infinite, p, sum);
    point_select(sum, p_infinite, q, sum);
}

/* q = (x, y), where `negative` (x, -y). */
static void point_from_affine(struct point *q, const struct num *x, const struct num *y, m8 negative)
{
    q->x = *x;
    num_negate_if(&q->y, negative, y);
    fp_settle(&q->y);
    fp_one(&q->z);
}

/* r = p + q, where `negative` p - q: right for all points, infinity and p = q included. r may be p. */
static void point_add_complete(struct point *r, const struct point *p, const struct point *q, m8 negative,
                               struct point scratch[3])
{
    scratch[2] = *q;
    num_negate_if(&scratch[2].y, negative, &q->y);
    fp_settle(&scratch[2].y);
    point_add(&scratch[0], p, q, negative);
    point_mend(&scratch[0], p, &scratch[2], &scratch[1]);
    *r = scratch[0];
}

static void point_add_mixed_complete(struct point *r, const struct point *p, const struct num *x2, const struct num *y2,
                                     m8 negative, struct point scratch[3])
{
    point_from_affine(&scratch[2], x2, y2, negative);
    point_add_mixed(&scratch[0], p, x2, y2, negative);
    point_mend(&scratch[0], p, &scratch[2], &scratch[1]);
    *r = scratch[0];
}

/* Starts the inversion of Z. */
static void point_to_affine_start(struct gcd *s, const struct point *p)
{
    struct num z;
    fp_from_mont(&z, &p->z);
    gcd_start(s, &z, fp_modulus, EC_FIELD_K0);
}

/*
 * Affine coordinates out of Montgomery form, below p, when the inversion has run; y may be NULL. Returns where p is not
 * infinity; where it is, they are 0.
 */
static m8 point_to_affine_finish(struct num *x, struct num *y, const struct point *p, const struct gcd *s)
{
    struct num zi, zi2;
    gcd_finish(&zi, s);
    fp_to_mont(&zi, &zi);
    fp_mul_to(&zi2, &zi, &zi);
    fp_mul_to(x, &p->x, &zi2);
    fp_from_mont(x, x);
    if (y) {
        fp_mul_to(&zi2, &zi2, &zi);
        fp_mul_to(y, &p->y, &zi2);
        fp_from_mont(y, y);
    }
    return m8_not(fp_is_zero(&p->z));
}

static m8 point_to_affine(struct num *x, struct num *y, const struct point *p, struct gcd *s)
{
    point_to_affine_start(s, p);
    gcd_run(s, 1);
    return point_to_affine_finish(x, y, p, s);
}

/* Where (x, y), both below R and out of Montgomery form, are coordinates below p of a point on the curve; into
 * Montgomery form. */
static m8 point_check(struct num *x, struct num *y)
{
    const m8 in_range = m8_and(num_below(x, fp_modulus), num_below(y, fp_modulus));
    struct num sum, t;
    fp_to_mont(x, x);
    fp_to_mont(y, y);
    num_constant(&sum, ec_b);
    fp_to_mont(&sum, &sum);
    num_sub(&sum, &sum, x);
    num_sub(&sum, &sum, x);
    num_sub(&sum, &sum, x);
    fp_mul_to(&t, y, y);
    num_sub(&sum, &sum, &t);
    fp_mul_to(&t, x, x);
    fp_mul_to(&t, &t, x);
    num_add(&sum, &sum, &t);
    fp_settle(&sum); /* x^3 - 3x + b - y^2 */
    return m8_and(in_range, fp_is_zero(&sum));
}
