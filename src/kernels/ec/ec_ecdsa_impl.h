/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What is ECDSA's of a signature (FIPS 186-5, 6.4): r = x(k*G) mod n, s = (e + r*d)/k mod n; and x(u1*G + u2*Q) mod n =
 * r, with u1 = e/s and u2 = r/s. sm2_scheme_impl.h is the other one.
 */

/* Where the carried d is a private key. */
static m8 scheme_key_is_good(const struct num *d)
{
    return scalar_is_good(d);
}

/* What a signature divides by: k, below n. */
static void scheme_divisor(struct num *divisor, const struct num *d, const struct num *k)
{
    (void)d;
    *divisor = *k;
}

/* r, below n, from x(k*G) below p, which is below 2n. Returns where it is of use. */
static m8 scheme_r(struct num *r, const struct num *x, const struct num *e, const struct num *k)
{
    (void)e, (void)k;
    *r = *x;
    num_reduce_once(r, fn_modulus);
    return num_is_nonzero(r);
}

/* s = (e + r*d)/k, below n, where s was 1/k in Montgomery form. */
static void scheme_s(struct num *s, const struct num *r, const struct num *e, const struct num *d, const struct num *k)
{
    struct num sum;
    (void)k;
    fn_to_mont(&sum, d);
    fn_mul_to(&sum, r, &sum);
    num_add(&sum, &sum, e);
    num_carry(&sum);
    /* (1.3n + 1.1n) * 1.3n / 16n + n: below 2n. */
    fn_mul_to(s, s, &sum);
    num_reduce_once(s, fn_modulus);
}

/*
 * u1 and u2, below n, from e below 2^EC_BITS and from r and s of 1 .. n-1, or an s of 0: then they are 0. What x(u1*G +
 * u2*Q) mod n has to be is left in r, below n. Returns where they are of use.
 */
static m8 scheme_verify(struct num *u1, struct num *u2, const struct num *e, struct num *r, const struct num *s,
                        struct gcd *gcd)
{
    struct num inverse;
    gcd_start(gcd, s, fn_modulus, EC_ORDER_K0);
    gcd_run(gcd, 1);
    gcd_finish(&inverse, gcd);
    fn_to_mont(&inverse, &inverse);
    /* 1.1n * 2n / 16n + n: below 2n. */
    fn_mul_to(u1, e, &inverse);
    num_reduce_once(u1, fn_modulus);
    fn_mul_to(u2, r, &inverse);
    num_reduce_once(u2, fn_modulus);
    return num_is_nonzero(s);
}
