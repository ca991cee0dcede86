/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Verification: x(u1*G + u2*Q) mod n is what it has to be. u1, u2 and that number are of the digest and the signature;
 * how, ECDSA and SM2 each say (scheme_verify).
 *
 * u1*G by the comb that signing has, u2*Q by the windows that ECDH has, and one addition of the two that is right for
 * all points: whoever makes the signature chooses u1 and u2, so equal points, opposite points and, for a digest of
 * zero, infinity can be had at will. Nothing here is secret; it runs in constant time because its parts do.
 */
struct verify_workspace {
    struct derive_workspace derive; /* u2*Q */
    struct comb_workspace comb;     /* u1*G, then the sum */
    struct num e, r, s;             /* not on the stack: this is the deepest of the curves' kernels */
};

/* comb.sum = u1*G + u2*Q, where `differ` u1*G - u2*Q, for odd u1 and u2 and Q in the table's first entry. */
static void verify_sum(struct verify_workspace *w, const comb_window *comb, m8 differ)
{
    comb_multiply(&w->comb, comb);
    derive_multiply(&w->derive);
    point_add_complete(&w->comb.sum, &w->comb.sum, &w->derive.sum, differ, w->derive.scratch);
}

/* Where X = x*Z^2, for x below 2*2^EC_BITS. */
static m8 verify_x_is(const struct num *x, const struct point *p, const struct num *zz)
{
    struct num d;
    fp_to_mont(&d, x);
    fp_mul_to(&d, &d, zz);
    num_sub(&d, &d, &p->x);
    fp_settle(&d);
    return fp_is_zero(&d);
}

/* Where p is not infinity and x(p) mod n is r, for r below n: as the field's prime is below 2n, x(p) is r, or r + n if
 * that is below the prime. */
static m8 verify_matches(const struct num *r, const struct point *p)
{
    struct num zz, wrapped;
    fp_mul_to(&zz, &p->z, &p->z);
    num_constant(&wrapped, fn_modulus);
    num_add(&wrapped, &wrapped, r);
    num_carry(&wrapped);
    const m8 is_wrapped = m8_and(num_below(&wrapped, fp_modulus), verify_x_is(&wrapped, p, &zz));
    return m8_and(m8_not(fp_is_zero(&p->z)), m8_or(is_wrapped, verify_x_is(r, p, &zz)));
}

/* u1 and u2 become odd, an even one by its negative; returns where that befell only one of them: the terms differ in
 * sign there. Where it befell both, the sum is the negative of what it should be, which has the same x. */
static m8 verify_make_odd(struct verify_workspace *w)
{
    const m8 odd1 = v8_test_bit(w->comb.scalar.l[0], 0), odd2 = v8_test_bit(w->derive.scalar.l[0], 0);
    /* 0 becomes n, and n*G is infinity. */
    (void)scalar_make_odd(&w->comb.scalar);
    (void)scalar_make_odd(&w->derive.scalar);
    return m8_or(m8_and(odd1, m8_not(odd2)), m8_and(odd2, m8_not(odd1)));
}

/* What is not 1 .. n-1 is refused, and is nothing to be inverted: such an s becomes 0. */
static m8 verify_load(struct verify_workspace *w, const struct oct_ec_verify_args *args)
{
    num_load(&w->e, args->digest);
    num_load(&w->r, args->r);
    num_load(&w->s, args->s);
    const m8 good = m8_and(scalar_is_good(&w->r), scalar_is_good(&w->s));
    VEC_UNROLL
    for (int j = 0; j < LIMBS; j++)
        w->s.l[j] = v8_select(good, w->s.l[j], v8_zero());
    return good;
}

static OCT_NOINLINE unsigned verify_run(const struct oct_ec_verify_args *args)
{
    struct verify_workspace *w = args->workspace;
    struct point *q = &w->derive.table[0];
    m8 good = verify_load(w, args);
    num_load(&q->x, args->x);
    num_load(&q->y, args->y);
    good = m8_and(good, scheme_verify(&w->comb.scalar, &w->derive.scalar, &w->e, &w->r, &w->s, &w->derive.gcd));
    good = m8_and(good, point_check(&q->x, &q->y));
    fp_one(&q->z);
    verify_sum(w, (const comb_window *)args->comb, verify_make_odd(w));
    good = m8_and(good, verify_matches(&w->r, &w->comb.sum));
    v8_clear_registers();
    /* Signatures, keys and digests are public. */
    return m8_declassify(good);
}
