/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Signatures, with the nonce k given: what ECDSA and SM2 share. Each divides once and needs x(k*G), and says how r and
 * s come of them.
 */
struct sign_workspace {
    struct comb_workspace comb;
    struct gcd gcd[2];  /* of Z and of the divisor, side by side */
    struct num d, e, k; /* not on the stack: secrets */
};

/* r and s, from x(k*G) in r and the inverse in s; returns where they are of use. */
static m8 sign_finish(struct num *r, struct num *s, struct sign_workspace *w)
{
    const struct num x = *r;
    const m8 good = scheme_r(r, &x, &w->e, &w->k);
    scheme_s(s, r, &w->e, &w->d, &w->k);
    return m8_and(good, num_is_nonzero(s));
}

static OCT_NOINLINE unsigned sign_run(const struct oct_ec_sign_args *args)
{
    struct sign_workspace *w = args->workspace;
    struct num r, s;
    num_load(&w->d, args->d);
    num_load(&w->e, args->digest);
    m8 good = scheme_key_is_good(&w->d);
    fn_load_wide(&w->k, args->nonce);
    scheme_divisor(&s, &w->d, &w->k);
    gcd_start(&w->gcd[1], &s, fn_modulus, EC_ORDER_K0);
    w->comb.scalar = w->k;
    good = m8_and(good, scalar_make_odd(&w->comb.scalar));
    comb_multiply(&w->comb, (const comb_window *)args->comb);
    point_to_affine_start(&w->gcd[0], &w->comb.sum);
    gcd_run(w->gcd, 2);
    good = m8_and(good, point_to_affine_finish(&r, NULL, &w->comb.sum, &w->gcd[0]));
    gcd_finish(&s, &w->gcd[1]);
    fn_to_mont(&s, &s);
    good = m8_and(good, sign_finish(&r, &s, w));
    num_store(args->r, &r, good);
    num_store(args->s, &s, good);
    v8_clear_registers();
    /* Which lanes were refused shows in the status; a good nonce is refused with a probability of 2^-256. */
    return m8_declassify(good);
}
