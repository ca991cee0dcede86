/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDSA (FIPS 186-5, 6.4.1), with the nonce given: r = x(k*G) mod n, s = (e + r*d)/k mod n.
 */
struct sign_workspace {
    struct comb_workspace comb;
    struct gcd gcd[2]; /* of Z and of the nonce, side by side */
};

/* s = (e + r*d)/k, below n, where s was 1/k in Montgomery form; where it is not 0. */
static m8 sign_finish(struct num *s, const struct num *r, const struct oct_ec_sign_args *args)
{
    struct num d, e, sum;
    num_load(&d, args->d);
    num_load(&e, args->digest);
    fn_to_mont(&d, &d);
    fn_mul_to(&sum, r, &d);
    num_add(&sum, &sum, &e);
    num_carry(&sum);
    /* (1.3n + 1.1n) * 1.3n / 16n + n: below 2n. */
    fn_mul_to(s, s, &sum);
    num_reduce_once(s, fn_modulus);
    return num_is_nonzero(s);
}

static unsigned sign_run(const struct oct_ec_sign_args *args)
{
    struct sign_workspace *w = args->workspace;
    struct num r, s;
    num_load(&s, args->d);
    m8 good = scalar_is_good(&s);
    fn_load_wide(&w->comb.scalar, args->nonce);
    gcd_start(&w->gcd[1], &w->comb.scalar, fn_modulus, EC_ORDER_K0);
    good = m8_and(good, scalar_make_odd(&w->comb.scalar));
    comb_multiply(&w->comb, (const comb_window *)args->comb);
    point_to_affine_start(&w->gcd[0], &w->comb.sum);
    gcd_run(w->gcd, 2);
    good = m8_and(good, point_to_affine_finish(&r, NULL, &w->comb.sum, &w->gcd[0]));
    gcd_finish(&s, &w->gcd[1]);
    fn_to_mont(&s, &s);
    /* p < 2n */
    num_reduce_once(&r, fn_modulus);
    good = m8_and(good, num_is_nonzero(&r));
    good = m8_and(good, sign_finish(&s, &r, args));
    num_store(args->r, &r, good);
    num_store(args->s, &s, good);
    v8_clear_registers();
    /* Which lanes were refused shows in the status; a good nonce is refused with a probability of 2^-256. */
    return m8_declassify(good);
}
