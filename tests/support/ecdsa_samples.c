/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "ecdsa_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/rand.h>

#define MAX OCT_EC_MAX_BYTES
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static BIGNUM *get(const struct ec_ref *f, const uint8_t *bytes)
{
    BIGNUM *x = BN_bin2bn(bytes, (int)f->bytes, NULL);
    REQUIRE(x);
    return x;
}

/* Signs the sample's digest with a random key and nonce. */
static void sign(const struct ec_ref *f, struct ecdsa_sample *s, uint8_t d[MAX])
{
    uint8_t nonce[64];
    do {
        ec_ref_scalar(f, d, EC_REF_SCALARS - 1);
        REQUIRE(RAND_bytes(nonce, sizeof nonce) == 1);
    } while (!ec_ref_sign(f, s->signature, d, nonce, s->digest, s->len));
    REQUIRE(ec_ref_public(f, s->key, d));
}

/* e = r*d or -r*d, so that u1*G is u2*Q or its negative: twice the point, signed for a k that is known, or infinity,
 * for any s. */
static void meet(const struct ec_ref *f, struct ecdsa_sample *s, int opposite)
{
    uint8_t d[MAX], k[MAX], point[2 * MAX];
    sign(f, s, d);
    ec_ref_scalar(f, k, EC_REF_SCALARS - 1);
    REQUIRE(ec_ref_public(f, point, k));
    BIGNUM *r = get(f, point), *key = get(f, d), *nonce = get(f, k), *e = BN_new(), *t = BN_new();
    REQUIRE(e && t && BN_nnmod(r, r, f->n, f->ctx) && BN_mod_mul(e, r, key, f->n, f->ctx));
    REQUIRE(BN_mod_inverse(t, nonce, f->n, f->ctx) && BN_mod_mul(t, t, e, f->n, f->ctx));
    REQUIRE(BN_mod_lshift1(t, t, f->n, f->ctx)); /* (e + r*d)/k */
    if (opposite)
        REQUIRE(BN_sub(e, f->n, e));
    s->len = f->bytes;
    ec_ref_put(f, s->digest, e);
    ec_ref_put(f, s->signature, r);
    ec_ref_put(f, s->signature + f->bytes, t);
    BN_free(r);
    BN_free(key);
    BN_free(nonce);
    BN_free(e);
    BN_free(t);
}

/* The sample's public key becomes Q = (s*R - e*G)/r, which makes R the sum. */
static void key_for(const struct ec_ref *f, struct ecdsa_sample *s, const EC_POINT *sum)
{
    BIGNUM *r = get(f, s->signature), *v = get(f, s->signature + f->bytes), *e = get(f, s->digest), *y = BN_new();
    EC_POINT *q = EC_POINT_new(f->group);
    REQUIRE(q && y && BN_mod_inverse(r, r, f->n, f->ctx) && BN_mod_mul(v, v, r, f->n, f->ctx));
    REQUIRE(BN_mod_mul(e, e, r, f->n, f->ctx) && BN_sub(e, f->n, e));
    REQUIRE(EC_POINT_mul(f->group, q, e, sum, v, f->ctx) == 1);
    REQUIRE(EC_POINT_get_affine_coordinates(f->group, q, e, y, f->ctx) == 1);
    ec_ref_put(f, s->key, e);
    ec_ref_put(f, s->key + f->bytes, y);
    BN_free(r);
    BN_free(v);
    BN_free(e);
    BN_free(y);
    EC_POINT_free(q);
}

/*
 * A sum whose x is n or a little more, and r = x - n: good. Or one whose x is small, and r = x + p - n, so that r + n
 * is x modulo p but not x: bad. Random signatures come to either once in 2^128 times (P-256) or less.
 */
static void wrap(const struct ec_ref *f, struct ecdsa_sample *s, int almost)
{
    uint8_t d[MAX];
    BIGNUM *x = almost ? BN_new() : BN_dup(f->n), *r = BN_new();
    EC_POINT *sum = EC_POINT_new(f->group);
    s->len = f->bytes;
    sign(f, s, d);
    REQUIRE(x && r && sum && BN_add_word(x, 1));
    while (EC_POINT_set_compressed_coordinates(f->group, sum, x, 1, f->ctx) != 1)
        REQUIRE(BN_add_word(x, 1));
    REQUIRE(BN_cmp(x, f->p) < 0 && BN_sub(r, x, f->n));
    if (almost)
        REQUIRE(BN_add(r, r, f->p));
    REQUIRE(!BN_is_negative(r) && BN_cmp(r, f->n) < 0);
    ec_ref_put(f, s->signature, r);
    key_for(f, s, sum);
    EC_POINT_free(sum);
    BN_free(x);
    BN_free(r);
}

/* n + add. */
static void put_n(const struct ec_ref *f, uint8_t *at, unsigned add)
{
    BIGNUM *x = BN_dup(f->n);
    REQUIRE(x && BN_add_word(x, add));
    ec_ref_put(f, at, x);
    BN_free(x);
}

static void negate(const struct ec_ref *f, uint8_t *at, const BIGNUM *modulus)
{
    BIGNUM *x = get(f, at);
    REQUIRE(BN_sub(x, modulus, x));
    ec_ref_put(f, at, x);
    BN_free(x);
}

/* r becomes r + n, which is the very x of a sum that wrap() chose. */
static void leave_unreduced(const struct ec_ref *f, uint8_t *at)
{
    BIGNUM *x = get(f, at);
    REQUIRE(BN_add(x, x, f->n) && BN_cmp(x, f->p) < 0);
    ec_ref_put(f, at, x);
    BN_free(x);
}

static void make_signature(const struct ec_ref *f, struct ecdsa_sample *s, enum ecdsa_kind kind)
{
    uint8_t d[MAX], *const r = s->signature, *const v = r + f->bytes;
    if (kind == GOOD_ZERO_DIGEST)
        memset(s->digest, 0, sizeof s->digest);
    if (kind == GOOD_ONES_DIGEST)
        memset(s->digest, 0xff, sizeof s->digest);
    if (kind == GOOD_DIGEST_N) {
        put_n(f, s->digest, 0);
        s->len = f->bytes;
    }
    sign(f, s, d);
    if (kind == GOOD_DOUBLING || kind == BAD_OPPOSITE)
        meet(f, s, kind == BAD_OPPOSITE);
    if (kind == GOOD_WRAPPED || kind == BAD_ALMOST_WRAPPED || kind == BAD_UNREDUCED)
        wrap(f, s, kind == BAD_ALMOST_WRAPPED);
    if (kind == BAD_UNREDUCED)
        leave_unreduced(f, r);
    if (kind == GOOD_NEGATED_S)
        negate(f, v, f->n);
    if (kind == BAD_NEGATED_R)
        negate(f, r, f->n);
    if (kind == BAD_R)
        r[f->bytes - 1] ^= 1;
    if (kind == BAD_S)
        v[3] ^= 0x10;
    if (kind == BAD_DIGEST)
        s->digest[0] ^= 0x80;
    if (kind == BAD_SWAPPED) {
        memcpy(d, r, f->bytes);
        memmove(r, v, f->bytes);
        memcpy(v, d, f->bytes);
    }
}

/* r or s, or both, that are not 1 .. n-1 and have nothing to do with a good one. */
static void leave_range(const struct ec_ref *f, struct ecdsa_sample *s, enum ecdsa_kind kind)
{
    uint8_t *const r = s->signature, *const v = r + f->bytes;
    if (kind == ZERO_R || kind == ZERO_BOTH)
        memset(r, 0, f->bytes);
    if (kind == ZERO_S || kind == ZERO_BOTH)
        memset(v, 0, f->bytes);
    if (kind == N_R || kind == N_BOTH || kind == N1_R)
        put_n(f, r, kind == N1_R);
    if (kind == N_S || kind == N_BOTH || kind == N1_S)
        put_n(f, v, kind == N1_S);
    if (kind == ONES_R || kind == ONES_BOTH)
        memset(r, 0xff, f->bytes);
    if (kind == ONES_S || kind == ONES_BOTH)
        memset(v, 0xff, f->bytes);
}

/* A signature that is good but for n added to r or s: with s small, chosen; with r small, from a sum whose x is small.
 */
static void add_n(const struct ec_ref *f, struct ecdsa_sample *s, int to_s)
{
    BIGNUM *x = BN_new(), *number = BN_new();
    EC_POINT *sum = EC_POINT_new(f->group);
    uint8_t *const r = s->signature, *const v = r + f->bytes;
    s->len = f->bytes;
    REQUIRE(x && number && sum && BN_set_word(x, 2) && BN_set_word(number, 12345));
    while (EC_POINT_set_compressed_coordinates(f->group, sum, x, 0, f->ctx) != 1)
        REQUIRE(BN_add_word(x, 1));
    ec_ref_put(f, r, x);
    if (to_s)
        ec_ref_put(f, v, number);
    key_for(f, s, sum);
    REQUIRE(ec_ref_verify(f, s->signature, s->key, s->digest, s->len));
    REQUIRE(BN_add(to_s ? number : x, to_s ? number : x, f->n));
    ec_ref_put(f, to_s ? v : r, to_s ? number : x);
    EC_POINT_free(sum);
    BN_free(x);
    BN_free(number);
}

/* A point near x = 5: of the curve, or, whatever its y, of one with another b, which the formulas do not tell apart. */
static EC_GROUP *choose_point(const struct ec_ref *f, BIGNUM *x, BIGNUM *y, int other_curve)
{
    BIGNUM *a = BN_dup(f->p), *b = BN_new(), *t = BN_new();
    EC_GROUP *group = NULL;
    EC_POINT *q = EC_POINT_new(f->group);
    REQUIRE(a && b && t && q && BN_set_word(x, 5) && BN_set_word(y, 7) && BN_sub_word(a, 3));
    if (other_curve) { /* y^2 - x^3 + 3x */
        REQUIRE(BN_mod_sqr(b, y, f->p, f->ctx) && BN_mod_sqr(t, x, f->p, f->ctx) && BN_sub_word(t, 3));
        REQUIRE(BN_mod_mul(t, t, x, f->p, f->ctx) && BN_mod_sub(b, b, t, f->p, f->ctx));
        REQUIRE((group = EC_GROUP_new_curve_GFp(f->p, a, b, f->ctx)) != NULL);
    } else {
        while (EC_POINT_set_compressed_coordinates(f->group, q, x, 1, f->ctx) != 1)
            REQUIRE(BN_add_word(x, 1));
        REQUIRE(EC_POINT_get_affine_coordinates(f->group, q, x, y, f->ctx) == 1);
        REQUIRE((group = EC_GROUP_dup(f->group)) != NULL);
    }
    EC_POINT_free(q);
    BN_free(a);
    BN_free(b);
    BN_free(t);
    return group;
}

/* For a digest of zero anybody can sign in the name of any Q: r = x(u*Q), s = r/u. So here is one that only the check
 * of the key stops: Q is written with an x that is not below p, or is of another curve. u is odd, and so used as it is.
 */
static void forge(const struct ec_ref *f, struct ecdsa_sample *s, int other_curve)
{
    BIGNUM *x = BN_new(), *y = BN_new(), *u = BN_new(), *r = BN_new();
    REQUIRE(x && y && u && r && BN_rand_range(u, f->n) && (BN_is_odd(u) || BN_sub(u, f->n, u)));
    EC_GROUP *group = choose_point(f, x, y, other_curve);
    EC_POINT *q = EC_POINT_new(group);
    REQUIRE(q && EC_POINT_set_affine_coordinates(group, q, x, y, f->ctx) == 1);
    REQUIRE(EC_POINT_mul(group, q, NULL, q, u, f->ctx) == 1);
    REQUIRE(EC_POINT_get_affine_coordinates(group, q, r, NULL, f->ctx) == 1 && BN_nnmod(r, r, f->n, f->ctx));
    REQUIRE(BN_mod_inverse(u, u, f->n, f->ctx) && BN_mod_mul(u, u, r, f->n, f->ctx));
    memset(s->digest, 0, sizeof s->digest);
    ec_ref_put(f, s->signature, r);
    ec_ref_put(f, s->signature + f->bytes, u);
    ec_ref_put(f, s->key, x);
    ec_ref_put(f, s->key + f->bytes, y);
    if (!other_curve) {
        REQUIRE(ec_ref_verify(f, s->signature, s->key, s->digest, s->len) && BN_add(x, x, f->p));
        ec_ref_put(f, s->key, x);
    }
    EC_POINT_free(q);
    EC_GROUP_free(group);
    BN_free(x);
    BN_free(y);
    BN_free(u);
    BN_free(r);
}

static void change_key(const struct ec_ref *f, struct ecdsa_sample *s, enum ecdsa_kind kind)
{
    uint8_t one[MAX] = {0};
    if (kind == OTHER_KEY)
        ec_ref_peer(f, s->key, 0);
    if (kind == NEGATED_KEY)
        negate(f, s->key + f->bytes, f->p);
    if (kind == KEY_PLUS_P || kind == KEY_OTHER_CURVE)
        forge(f, s, kind == KEY_OTHER_CURVE);
    if (kind >= FIRST_REF_KEY)
        ec_ref_peer(f, s->key, (unsigned)kind - FIRST_REF_KEY + 6);
    if (kind == GOOD_KEY_G) {
        uint8_t nonce[64];
        one[f->bytes - 1] = 1;
        REQUIRE(RAND_bytes(nonce, sizeof nonce) == 1);
        REQUIRE(ec_ref_public(f, s->key, one));
        REQUIRE(ec_ref_sign(f, s->signature, one, nonce, s->digest, s->len));
    }
}

/* libcrypto has to say the same; bad keys it does not take at all. */
void ecdsa_sample_make(const struct ec_ref *f, struct ecdsa_sample *s, enum ecdsa_kind kind, size_t len)
{
    memset(s, 0, sizeof *s);
    REQUIRE(RAND_bytes(s->digest, sizeof s->digest) == 1);
    s->len = len;
    s->good = kind < FIRST_BAD;
    make_signature(f, s, kind);
    leave_range(f, s, kind);
    if (kind == BAD_R_PLUS_N || kind == BAD_S_PLUS_N)
        add_n(f, s, kind == BAD_S_PLUS_N);
    change_key(f, s, kind);
    if (kind < FIRST_BAD_KEY)
        REQUIRE(ec_ref_verify(f, s->signature, s->key, s->digest, s->len) == s->good);
}
