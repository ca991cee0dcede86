/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "sm2_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/rand.h>

#define BYTES 32
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static BIGNUM *get(const uint8_t *bytes)
{
    BIGNUM *x = BN_bin2bn(bytes, BYTES, NULL);
    REQUIRE(x);
    return x;
}

/* Signs the sample's digest with a random key, which is returned, and nonce. */
static BIGNUM *sign(const struct ec_ref *f, struct ecdsa_sample *s)
{
    uint8_t nonce[64], d[OCT_EC_MAX_BYTES];
    do {
        ec_ref_scalar(f, d, EC_REF_SCALARS - 1);
        REQUIRE(RAND_bytes(nonce, sizeof nonce) == 1);
    } while (!ec_ref_sign(f, s->signature, d, nonce, s->digest, BYTES));
    REQUIRE(ec_ref_public(f, s->key, d));
    return get(d);
}

/* s = r*d/(1 - d), so that s*G is t*P, or -r*d/(1 + d), so that it is -t*P. Where they are one, e is what makes the
 * signature good: r - x of twice the point. */
static void meet(const struct ec_ref *f, struct ecdsa_sample *sample, int opposite)
{
    BIGNUM *d = sign(f, sample), *r = get(sample->signature), *s = BN_new(), *t = BN_new();
    EC_POINT *sum = EC_POINT_new(f->group);
    REQUIRE(s && t && sum && BN_one(t));
    REQUIRE(opposite ? BN_mod_add(t, t, d, f->n, f->ctx) : BN_mod_sub(t, t, d, f->n, f->ctx));
    REQUIRE(BN_mod_inverse(t, t, f->n, f->ctx) && BN_mod_mul(s, r, d, f->n, f->ctx));
    REQUIRE(BN_mod_mul(s, s, t, f->n, f->ctx) && (!opposite || BN_sub(s, f->n, s)));
    ec_ref_put(f, sample->signature + BYTES, s);
    REQUIRE(BN_mod_add(t, s, s, f->n, f->ctx) && EC_POINT_mul(f->group, sum, t, NULL, NULL, f->ctx));
    REQUIRE(EC_POINT_get_affine_coordinates(f->group, sum, t, NULL, f->ctx));
    REQUIRE(BN_mod_sub(t, r, t, f->n, f->ctx));
    ec_ref_put(f, sample->digest, t);
    EC_POINT_free(sum);
    BN_free(d);
    BN_free(r);
    BN_free(s);
    BN_free(t);
}

/* P = (R - s*G)/t for an R whose x is n or more: e + x mod n is r for e = r - x. */
static void above_n(const struct ec_ref *f, struct ecdsa_sample *sample)
{
    BIGNUM *d = sign(f, sample), *r = get(sample->signature), *s = get(sample->signature + BYTES), *x = BN_dup(f->n);
    EC_POINT *sum = EC_POINT_new(f->group), *q = EC_POINT_new(f->group);
    BIGNUM *y = BN_new();
    REQUIRE(x && sum && q && y);
    while (EC_POINT_set_compressed_coordinates(f->group, sum, x, 1, f->ctx) != 1)
        REQUIRE(BN_add_word(x, 1));
    REQUIRE(BN_cmp(x, f->p) < 0 && BN_mod_sub(x, r, x, f->n, f->ctx));
    ec_ref_put(f, sample->digest, x);
    REQUIRE(BN_mod_add(r, r, s, f->n, f->ctx) && BN_mod_inverse(r, r, f->n, f->ctx));
    REQUIRE(BN_mod_mul(s, s, r, f->n, f->ctx) && BN_sub(s, f->n, s));
    REQUIRE(EC_POINT_mul(f->group, q, s, sum, r, f->ctx));
    REQUIRE(EC_POINT_get_affine_coordinates(f->group, q, x, y, f->ctx));
    ec_ref_put(f, sample->key, x);
    ec_ref_put(f, sample->key + BYTES, y);
    EC_POINT_free(sum);
    EC_POINT_free(q);
    BN_free(d);
    BN_free(r);
    BN_free(s);
    BN_free(x);
    BN_free(y);
}

/* r or s (`place` 0 or 1) becomes n + by. */
static void near_n(const struct ec_ref *f, struct ecdsa_sample *s, unsigned place, int by)
{
    BIGNUM *x = BN_dup(f->n);
    REQUIRE(x && (by == 0 || BN_sub_word(x, (BN_ULONG)-by)));
    ec_ref_put(f, s->signature + BYTES * place, x);
    BN_free(x);
}

/* s = n - r */
static void zero_t(const struct ec_ref *f, struct ecdsa_sample *s)
{
    BIGNUM *r = get(s->signature);
    REQUIRE(BN_sub(r, f->n, r));
    ec_ref_put(f, s->signature + BYTES, r);
    BN_free(r);
}

static void spoil_numbers(const struct ec_ref *f, struct ecdsa_sample *s, enum sm2_kind kind)
{
    uint8_t r[BYTES];
    memcpy(r, s->signature, BYTES);
    if (kind == SM2_ZERO_T)
        zero_t(f, s);
    if (kind == SM2_ZERO_R || kind == SM2_ZERO_BOTH)
        memset(s->signature, 0, BYTES);
    if (kind == SM2_ZERO_S || kind == SM2_ZERO_BOTH)
        memset(s->signature + BYTES, 0, BYTES);
    if (kind >= SM2_N_R && kind <= SM2_N1_S)
        near_n(f, s, (kind - SM2_N_R) % 2, kind >= SM2_N1_R ? -1 : 0);
    if (kind == SM2_ONES_BOTH)
        memset(s->signature, 0xff, 2 * BYTES);
    if (kind == SM2_BAD_E)
        s->digest[7] ^= 0x10;
    if (kind == SM2_BAD_R || kind == SM2_BAD_S)
        s->signature[(kind == SM2_BAD_S) * BYTES + BYTES - 1] ^= 1;
    if (kind == SM2_SWAPPED) {
        memcpy(s->signature, s->signature + BYTES, BYTES);
        memcpy(s->signature + BYTES, r, BYTES);
    }
}

/* A key whose x is small, written as x + p. */
static void plus_p(const struct ec_ref *f, struct ecdsa_sample *s)
{
    ec_ref_peer(f, s->key, 8);
}

static void spoil_key(const struct ec_ref *f, struct ecdsa_sample *s, enum sm2_kind kind)
{
    uint8_t d[OCT_EC_MAX_BYTES];
    BIGNUM *y = get(s->key + BYTES);
    if (kind == SM2_OTHER_KEY) {
        ec_ref_scalar(f, d, EC_REF_SCALARS - 1);
        REQUIRE(ec_ref_public(f, s->key, d));
    }
    if (kind == SM2_NEGATED_KEY) {
        REQUIRE(BN_sub(y, f->p, y));
        ec_ref_put(f, s->key + BYTES, y);
    }
    if (kind == SM2_KEY_PLUS_P)
        plus_p(f, s);
    if (kind >= SM2_FIRST_REF_KEY)
        ec_ref_peer(f, s->key, 6 + (unsigned)(kind - SM2_FIRST_REF_KEY));
    BN_free(y);
}

void sm2_sample_make(const struct ec_ref *f, struct ecdsa_sample *s, enum sm2_kind kind)
{
    memset(s, 0, sizeof *s);
    s->len = BYTES;
    s->good = kind < SM2_FIRST_BAD;
    if (kind == SM2_GOOD_N_E)
        ec_ref_put(f, s->digest, f->n);
    else if (kind == SM2_GOOD_ONES_E)
        memset(s->digest, 0xff, BYTES);
    else if (kind != SM2_GOOD_ZERO_E)
        REQUIRE(RAND_bytes(s->digest, BYTES) == 1);
    if (kind == SM2_GOOD_DOUBLED || kind == SM2_INFINITY)
        meet(f, s, kind == SM2_INFINITY);
    else if (kind == SM2_GOOD_X_ABOVE_N)
        above_n(f, s);
    else
        BN_free(sign(f, s));
    spoil_numbers(f, s, kind);
    spoil_key(f, s, kind);
}
