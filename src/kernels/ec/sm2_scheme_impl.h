/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What is SM2's of a signature (GB/T 32918.2, 6 and 7): r = e + x(k*G) mod n, s = (k - r*d)/(1 + d) mod n, which is
 * (k + r)/(1 + d) - r; and e + x(s*G + t*P) mod n = r, with t = r + s mod n. ec_ecdsa_impl.h is the other one.
 */

/* Where the carried d is a private key: 1 .. n-2. */
static m8 scheme_key_is_good(const struct num *d)
{
    static const uint64_t one[LIMBS] = {1};
    struct num next;
    num_constant(&next, one);
    num_add(&next, &next, d);
    num_carry(&next);
    return m8_and(num_is_nonzero(d), num_below(&next, fn_modulus));
}

/* What a signature divides by: 1 + d, below n; 0 for a d that is refused. */
static void scheme_divisor(struct num *divisor, const struct num *d, const struct num *k)
{
    static const uint64_t zero[LIMBS] = {0}, one[LIMBS] = {1};
    struct num none;
    (void)k;
    num_constant(&none, zero);
    num_constant(divisor, one);
    num_add(divisor, divisor, d);
    num_carry(divisor);
    num_select(divisor, scheme_key_is_good(d), divisor, &none);
}

/* The carried a + b, of numbers below n, mod n. */
static void scheme_add(struct num *sum, const struct num *a, const struct num *b)
{
    num_add(sum, a, b);
    num_carry(sum);
    num_reduce_once(sum, fn_modulus);
}

/* a - b mod n, of numbers below n. */
static void scheme_sub(struct num *r, const struct num *a, const struct num *b)
{
    struct num n;
    num_constant(&n, fn_modulus);
    num_sub(&n, &n, b);
    num_add(r, a, &n);
    num_carry(r);
    num_reduce_once(r, fn_modulus);
}

/* r, below n, from x(k*G) below p and e below 2^EC_BITS, which are below 2n. Returns where it is of use: neither r nor
 * r + k is 0 mod n. */
static m8 scheme_r(struct num *r, const struct num *x, const struct num *e, const struct num *k)
{
    struct num sum = *e;
    *r = *x;
    num_reduce_once(r, fn_modulus);
    num_reduce_once(&sum, fn_modulus);
    scheme_add(r, r, &sum);
    scheme_add(&sum, r, k);
    return m8_and(num_is_nonzero(r), num_is_nonzero(&sum));
}

/* s = (k + r)/(1 + d) - r, below n, where s was 1/(1 + d) in Montgomery form. */
static void scheme_s(struct num *s, const struct num *r, const struct num *e, const struct num *d, const struct num *k)
{
    struct num sum;
    (void)e, (void)d;
    scheme_add(&sum, r, k);
    /* n * 1.3n / 16n + n: below 2n. */
    fn_mul_to(&sum, s, &sum);
    num_reduce_once(&sum, fn_modulus);
    scheme_sub(s, &sum, r);
}

/* u1 = s and u2 = r + s, below n, from e below 2^EC_BITS and from r and s of 1 .. n-1, or an s of 0. What x(u1*G +
 * u2*Q) mod n has to be, r - e, is left in r. Returns where they are of use. */
static m8 scheme_verify(struct num *u1, struct num *u2, const struct num *e, struct num *r, const struct num *s,
                        struct gcd *gcd)
{
    struct num digest = *e, sum = *r;
    (void)gcd;
    /* For an r that is refused. */
    num_reduce_once(&sum, fn_modulus);
    *r = sum;
    *u1 = *s;
    scheme_add(u2, &sum, s);
    num_reduce_once(&digest, fn_modulus);
    scheme_sub(r, &sum, &digest);
    return m8_and(num_is_nonzero(s), num_is_nonzero(u2));
}
