/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "ec_ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* How libcrypto calls a curve and the keys that sign on it. */
static const struct {
    size_t bytes;
    int nid;
    const char *group, *signer;
} known[OCT_EC_CURVES] = {
    [OCT_EC_P256] = {32, NID_X9_62_prime256v1, "P-256", "EC"},
    [OCT_EC_P384] = {48, NID_secp384r1, "P-384", "EC"},
    [OCT_EC_SM2] = {32, NID_sm2, "SM2", "SM2"},
};

void ec_ref_open(struct ec_ref *ref, int curve)
{
    ref->curve = curve;
    ref->bytes = known[curve].bytes;
    ref->group = EC_GROUP_new_by_curve_name(known[curve].nid);
    ref->ctx = BN_CTX_new();
    ref->p = BN_new();
    REQUIRE(ref->group && ref->ctx && ref->p && EC_GROUP_get_curve(ref->group, ref->p, NULL, NULL, ref->ctx));
    ref->n = BN_dup(EC_GROUP_get0_order(ref->group));
    REQUIRE(ref->n);
}

void ec_ref_close(struct ec_ref *ref)
{
    BN_free(ref->p);
    BN_free(ref->n);
    BN_CTX_free(ref->ctx);
    EC_GROUP_free(ref->group);
}

void ec_ref_put(const struct ec_ref *ref, uint8_t *out, const BIGNUM *x)
{
    REQUIRE(BN_bn2binpad(x, out, (int)ref->bytes) == (int)ref->bytes);
}

static BIGNUM *get(const struct ec_ref *ref, const uint8_t *x)
{
    BIGNUM *r = BN_bin2bn(x, (int)ref->bytes, NULL);
    REQUIRE(r);
    return r;
}

static int in_range(const struct ec_ref *ref, const BIGNUM *k)
{
    return !BN_is_zero(k) && BN_cmp(k, ref->n) < 0;
}

int ec_ref_scalar_ok(const struct ec_ref *ref, const uint8_t *scalar)
{
    BIGNUM *k = get(ref, scalar);
    const int ok = in_range(ref, k);
    BN_free(k);
    return ok;
}

static void put_point(const struct ec_ref *ref, uint8_t *x_out, uint8_t *y_out, const EC_POINT *point)
{
    BIGNUM *x = BN_new(), *y = BN_new();
    REQUIRE(x && y && EC_POINT_get_affine_coordinates(ref->group, point, x, y, ref->ctx));
    ec_ref_put(ref, x_out, x);
    if (y_out)
        ec_ref_put(ref, y_out, y);
    BN_free(x);
    BN_free(y);
}

int ec_ref_derive(const struct ec_ref *ref, uint8_t *secret, const uint8_t *scalar, const uint8_t *peer)
{
    BIGNUM *k = get(ref, scalar), *x = get(ref, peer), *y = get(ref, peer + ref->bytes);
    EC_POINT *point = EC_POINT_new(ref->group);
    /* libcrypto takes coordinates modulo p: the range is for us to check. */
    const int ok = in_range(ref, k) && BN_cmp(x, ref->p) < 0 && BN_cmp(y, ref->p) < 0 &&
                   EC_POINT_set_affine_coordinates(ref->group, point, x, y, ref->ctx) == 1;
    memset(secret, 0, ref->bytes);
    if (ok) {
        REQUIRE(EC_POINT_mul(ref->group, point, NULL, point, k, ref->ctx));
        put_point(ref, secret, NULL, point);
    }
    EC_POINT_free(point);
    BN_free(k);
    BN_free(x);
    BN_free(y);
    return ok;
}

int ec_ref_public(const struct ec_ref *ref, uint8_t *public_key, const uint8_t *scalar)
{
    BIGNUM *k = get(ref, scalar);
    EC_POINT *point = EC_POINT_new(ref->group);
    const int ok = in_range(ref, k);
    memset(public_key, 0, 2 * ref->bytes);
    if (ok) {
        REQUIRE(EC_POINT_mul(ref->group, point, k, NULL, NULL, ref->ctx));
        put_point(ref, public_key, public_key + ref->bytes, point);
    }
    EC_POINT_free(point);
    BN_free(k);
    return ok;
}

int ec_ref_signs(const struct ec_ref *ref, const uint8_t *key)
{
    BIGNUM *d = get(ref, key);
    int ok = in_range(ref, d);
    REQUIRE(BN_add_word(d, 1));
    if (ref->curve == OCT_EC_SM2)
        ok = ok && BN_cmp(d, ref->n) < 0;
    BN_free(d);
    return ok;
}

/* s of ECDSA, (e + r*d)/k; it overwrites k. 0 if it is not to be had. */
static int ecdsa_finish(const struct ec_ref *ref, BIGNUM *r, BIGNUM *s, BIGNUM *k, const BIGNUM *d, const BIGNUM *e)
{
    REQUIRE(BN_nnmod(r, r, ref->n, ref->ctx) && BN_mod_mul(s, r, d, ref->n, ref->ctx));
    REQUIRE(BN_mod_add(s, s, e, ref->n, ref->ctx) && BN_mod_inverse(k, k, ref->n, ref->ctx));
    REQUIRE(BN_mod_mul(s, s, k, ref->n, ref->ctx));
    return !BN_is_zero(r) && !BN_is_zero(s);
}

/* r and s of SM2, as the standard writes them: e + x and (k - r*d)/(1 + d). */
static int sm2_finish(const struct ec_ref *ref, BIGNUM *r, BIGNUM *s, BIGNUM *k, const BIGNUM *d, const BIGNUM *e)
{
    BIGNUM *t = BN_dup(d);
    REQUIRE(t && BN_mod_add(r, r, e, ref->n, ref->ctx) && BN_mod_add(s, r, k, ref->n, ref->ctx));
    const int ok = !BN_is_zero(r) && !BN_is_zero(s);
    REQUIRE(BN_mod_mul(s, r, d, ref->n, ref->ctx) && BN_mod_sub(s, k, s, ref->n, ref->ctx));
    REQUIRE(BN_add_word(t, 1) && BN_mod_inverse(t, t, ref->n, ref->ctx) && BN_mod_mul(s, s, t, ref->n, ref->ctx));
    BN_free(t);
    return ok && !BN_is_zero(s);
}

int ec_ref_sign(const struct ec_ref *ref, uint8_t *signature, const uint8_t *key, const uint8_t nonce[64],
                const uint8_t *digest, size_t digest_len)
{
    const size_t used = digest_len < ref->bytes ? digest_len : ref->bytes;
    BIGNUM *d = get(ref, key), *k = BN_bin2bn(nonce, 64, NULL), *e = BN_bin2bn(digest, (int)used, NULL);
    BIGNUM *r = BN_new(), *s = BN_new();
    EC_POINT *point = EC_POINT_new(ref->group);
    REQUIRE(k && e && r && s && point && BN_nnmod(k, k, ref->n, ref->ctx));
    int ok = ec_ref_signs(ref, key) && !BN_is_zero(k);
    memset(signature, 0, 2 * ref->bytes);
    if (ok) {
        REQUIRE(EC_POINT_mul(ref->group, point, k, NULL, NULL, ref->ctx));
        REQUIRE(EC_POINT_get_affine_coordinates(ref->group, point, r, NULL, ref->ctx));
        ok = ref->curve == OCT_EC_SM2 ? sm2_finish(ref, r, s, k, d, e) : ecdsa_finish(ref, r, s, k, d, e);
    }
    if (ok) {
        ec_ref_put(ref, signature, r);
        ec_ref_put(ref, signature + ref->bytes, s);
    }
    EC_POINT_free(point);
    BN_free(d);
    BN_free(k);
    BN_free(e);
    BN_free(r);
    BN_free(s);
    return ok;
}

static EVP_PKEY *public_pkey(const struct ec_ref *ref, const uint8_t *public_key)
{
    const char *name = known[ref->curve].group;
    uint8_t encoded[1 + 2 * OCT_EC_MAX_BYTES] = {4};
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, known[ref->curve].signer, NULL);
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;
    memcpy(encoded + 1, public_key, 2 * ref->bytes);
    REQUIRE(OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, name, 0));
    REQUIRE(OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, encoded, 1 + 2 * ref->bytes));
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(build);
    REQUIRE(params && EVP_PKEY_fromdata_init(ctx) == 1 &&
            EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_PUBLIC_KEY, params) == 1);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

int ec_ref_verify(const struct ec_ref *ref, const uint8_t *signature, const uint8_t *public_key, const uint8_t *digest,
                  size_t digest_len)
{
    EVP_PKEY *key = public_pkey(ref, public_key);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    ECDSA_SIG *pair = ECDSA_SIG_new();
    uint8_t *der = NULL;
    REQUIRE(ECDSA_SIG_set0(pair, get(ref, signature), get(ref, signature + ref->bytes)));
    const int len = i2d_ECDSA_SIG(pair, &der);
    REQUIRE(len > 0 && EVP_PKEY_verify_init(ctx) == 1);
    const int ok = EVP_PKEY_verify(ctx, der, (size_t)len, digest, digest_len) == 1;
    OPENSSL_free(der);
    ECDSA_SIG_free(pair);
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(key);
    return ok;
}

/* The scalars that add two equal points at the end: 38 and n-38 with the windows of P-384's derivation, 30*2^252 - n
 * with the comb of P-256 and SM2 (its top digit is 15), and the like with other tops. */
static void doubling_scalar(const struct ec_ref *ref, BIGNUM *k, unsigned kind)
{
    const int top = ref->curve == OCT_EC_P384 ? 378 : 252;
    if (kind < 2) {
        REQUIRE(BN_set_word(k, 38));
        REQUIRE(kind == 0 || BN_sub(k, ref->n, k));
        return;
    }
    REQUIRE(BN_set_word(k, ref->curve == OCT_EC_P384 ? 2 * 63 : 30) && BN_lshift(k, k, top) && BN_sub(k, k, ref->n));
    REQUIRE(kind == 2 || BN_sub(k, ref->n, k));
}

void ec_ref_scalar(const struct ec_ref *ref, uint8_t *out, unsigned kind)
{
    BIGNUM *k = BN_dup(ref->n);
    REQUIRE(k);
    if (kind < 4)
        REQUIRE(BN_set_word(k, kind));
    else if (kind < 6)
        REQUIRE(BN_sub_word(k, 6 - kind));
    else if (kind < 8)
        REQUIRE(BN_add_word(k, kind - 6));
    else if (kind < 12)
        doubling_scalar(ref, k, kind - 8);
    else if (kind < 15)
        REQUIRE(BN_one(k) && BN_lshift(k, k, (int)(4 * ref->bytes * (kind - 12)) + (kind < 14 ? 31 : -1)));
    else
        REQUIRE(BN_rand_range(k, ref->n));
    if (kind == 15)
        memset(out, 0xff, ref->bytes);
    else
        ec_ref_put(ref, out, k);
    BN_free(k);
}

/* The first point with x >= from. */
static void point_from(const struct ec_ref *ref, BIGNUM *x, BIGNUM *y)
{
    EC_POINT *point = EC_POINT_new(ref->group);
    while (EC_POINT_set_compressed_coordinates(ref->group, point, x, 1, ref->ctx) != 1)
        REQUIRE(BN_add_word(x, 1));
    REQUIRE(EC_POINT_get_affine_coordinates(ref->group, point, x, y, ref->ctx));
    EC_POINT_free(point);
}

static void random_point(const struct ec_ref *ref, BIGNUM *x, BIGNUM *y)
{
    REQUIRE(BN_rand_range(x, ref->p));
    point_from(ref, x, y);
}

void ec_ref_peer(const struct ec_ref *ref, uint8_t *out, unsigned kind)
{
    BIGNUM *x = BN_new(), *y = BN_new();
    random_point(ref, x, y);
    if (kind == 4 || kind == 5)
        REQUIRE(EC_POINT_get_affine_coordinates(ref->group, EC_GROUP_get0_generator(ref->group), x, y, ref->ctx));
    if (kind == 5)
        REQUIRE(BN_sub(y, ref->p, y));
    if (kind == 6) {
        BN_zero(x);
        BN_zero(y);
    }
    if (kind == 7)
        REQUIRE(BN_add_word(y, 1));
    if (kind == 8) { /* good modulo p, but written as x + p */
        BN_zero(x);
        point_from(ref, x, y);
        REQUIRE(BN_add(x, x, ref->p));
    }
    if (kind == 9)
        REQUIRE(BN_copy(y, ref->p));
    ec_ref_put(ref, out, kind == 10 ? y : x);
    ec_ref_put(ref, out + ref->bytes, kind == 10 ? x : y);
    if (kind == 11)
        memset(out, 0xff, 2 * ref->bytes);
    BN_free(x);
    BN_free(y);
}
