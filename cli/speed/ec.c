/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * P-256, P-384 and SM2 for `octuple speed`: eight different keys, peers and digests. OpenSSL's contexts are made,
 * initialised and told their digest's name or their peer beforehand, which leaves out its check of the peer's key;
 * Octuple's derivation has that inside. Signatures are of digests as long as a coordinate; OpenSSL wraps its own in
 * DER, in next to no time. Key pairs are made on both sides with the random numbers that they take.
 */
#include <string.h>
#include <stdlib.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/rand.h>
#include "speed.h"
#include "ec.h"
#include "keys.h"

#define MAX_BYTES OCT_EC_MAX_BYTES
#define MAX_POINT (2 * MAX_BYTES)
#define MAX_DER   (2 * MAX_BYTES + 16)

struct ec_state {
    int curve;
    size_t bytes;
    EVP_PKEY_CTX *ctx[OCT_LANES]; /* signs, or derives */
    EVP_PKEY_CTX *generate;
    EVP_PKEY *key[OCT_LANES]; /* that of the lane; in ...-keygen the one that the last openssl() call made */
    struct oct_ecdsa_sign_lane sign[OCT_LANES];
    struct oct_ec_derive_lane derive[OCT_LANES];
    struct oct_ec_keygen_lane keygen[OCT_LANES];
    uint8_t private_key[OCT_LANES][MAX_BYTES];
    uint8_t peer[OCT_LANES][MAX_POINT];
    uint8_t digest[OCT_LANES][MAX_BYTES];
    uint8_t out[OCT_LANES][MAX_POINT];
    uint8_t expected[OCT_LANES][MAX_DER];
};

const struct speed_curve speed_curves[OCT_EC_CURVES] = {
    [OCT_EC_P256] = {"P-256", "SHA256", NID_X9_62_prime256v1, "EC"},
    [OCT_EC_P384] = {"P-384", "SHA384", NID_secp384r1, "EC"},
    [OCT_EC_SM2] = {"SM2", "SM3", NID_sm2, "SM2"},
};

static const char *group_name(int curve)
{
    return speed_curves[curve].group;
}

EVP_PKEY *speed_curve_key(const char *algorithm, int curve)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(speed_libctx(), algorithm, NULL);
    if (ctx != NULL && EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, group_name(curve)) > 0)
        (void)EVP_PKEY_generate(ctx, &key);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static void ec_close(void *arg)
{
    struct ec_state *s = arg;
    if (s == NULL)
        return;
    for (int i = 0; i < OCT_LANES; i++) {
        EVP_PKEY_CTX_free(s->ctx[i]);
        EVP_PKEY_free(s->key[i]);
    }
    EVP_PKEY_CTX_free(s->generate);
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

static int private_bytes(const struct ec_state *s, const EVP_PKEY *key, uint8_t *bytes)
{
    BIGNUM *number = NULL;
    int ok = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) &&
             BN_bn2binpad(number, bytes, (int)s->bytes) == (int)s->bytes;
    BN_clear_free(number);
    return ok;
}

static int public_bytes(const struct ec_state *s, const EVP_PKEY *key, uint8_t *bytes)
{
    uint8_t point[1 + MAX_POINT];
    size_t len = 0;
    int ok = EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point, &len) &&
             len == 1 + 2 * s->bytes && point[0] == POINT_CONVERSION_UNCOMPRESSED;
    if (ok)
        memcpy(bytes, point + 1, 2 * s->bytes);
    return ok;
}

static int ready_to_sign(struct ec_state *s, int i)
{
    EVP_MD *md = EVP_MD_fetch(speed_libctx(), speed_curves[s->curve].digest, NULL);
    int ok = md != NULL && EVP_PKEY_sign_init(s->ctx[i]) > 0 && EVP_PKEY_CTX_set_signature_md(s->ctx[i], md) > 0;
    EVP_MD_free(md);
    return ok;
}

static int ready_to_derive(struct ec_state *s, int i)
{
    EVP_PKEY *peer = speed_curve_key("EC", s->curve);
    int ok = peer != NULL && public_bytes(s, peer, s->peer[i]) && EVP_PKEY_derive_init(s->ctx[i]) > 0 &&
             EVP_PKEY_derive_set_peer(s->ctx[i], peer) > 0;
    EVP_PKEY_free(peer);
    return ok;
}

static int ready_to_generate(struct ec_state *s, int i)
{
    if (i != 0)
        return 1;
    s->generate = EVP_PKEY_CTX_new_from_name(speed_libctx(), speed_curves[s->curve].signer, NULL);
    return s->generate != NULL && EVP_PKEY_keygen_init(s->generate) > 0 &&
           EVP_PKEY_CTX_set_group_name(s->generate, group_name(s->curve)) > 0;
}

static void *ec_open(const struct speed_op *op, int (*ready)(struct ec_state *, int))
{
    struct ec_state *s = speed_libctx() != NULL ? calloc(1, sizeof *s) : NULL;
    int ok = s != NULL;
    if (ok) {
        s->curve = (int)op->param;
        s->bytes = oct_ec_bytes(s->curve);
    }
    /* The lane's key, digest and outputs, which all three operations share; then what one of them needs. */
    for (int i = 0; ok && i < OCT_LANES; i++) {
        s->key[i] = speed_curve_key(ready == ready_to_derive ? "EC" : speed_curves[s->curve].signer, s->curve);
        s->ctx[i] = s->key[i] != NULL ? EVP_PKEY_CTX_new_from_pkey(speed_libctx(), s->key[i], NULL) : NULL;
        s->sign[i] = (struct oct_ecdsa_sign_lane){s->private_key[i], s->digest[i], s->bytes, s->out[i]};
        s->derive[i] = (struct oct_ec_derive_lane){s->private_key[i], s->peer[i], s->out[i]};
        s->keygen[i] = (struct oct_ec_keygen_lane){s->private_key[i], s->out[i]};
        ok = s->ctx[i] != NULL && private_bytes(s, s->key[i], s->private_key[i]) &&
             RAND_bytes_ex(speed_libctx(), s->digest[i], s->bytes, 0) > 0 && ready(s, i);
    }
    if (!ok) {
        cli_say("octuple speed", "OpenSSL cannot prepare %s", op->name);
        ec_close(s);
        return NULL;
    }
    return s;
}

static void *open_sign(const struct speed_op *op)
{
    return ec_open(op, ready_to_sign);
}

static void *open_derive(const struct speed_op *op)
{
    return ec_open(op, ready_to_derive);
}

static void *open_keygen(const struct speed_op *op)
{
    return ec_open(op, ready_to_generate);
}

static unsigned octuple_sign(void *arg)
{
    struct ec_state *s = arg;
    struct oct_lanes result;
    return oct_ecdsa_sign_x8(s->curve, s->sign, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned openssl_sign(void *arg)
{
    struct ec_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++) {
        size_t len = MAX_DER;
        if (EVP_PKEY_sign(s->ctx[i], s->expected[i], &len, s->digest[i], s->bytes) <= 0)
            return 0;
    }
    return OCT_LANES;
}

/* Writes Octuple's signature of a lane in DER; its length, 0 on failure. */
static int to_der(const struct ec_state *s, int i, uint8_t der[MAX_DER])
{
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(s->out[i], (int)s->bytes, NULL);
    BIGNUM *v = BN_bin2bn(s->out[i] + s->bytes, (int)s->bytes, NULL);
    int len = 0;
    if (pair != NULL && r != NULL && v != NULL && ECDSA_SIG_set0(pair, r, v)) {
        r = v = NULL;
        len = i2d_ECDSA_SIG(pair, &der);
    }
    BN_free(r);
    BN_free(v);
    ECDSA_SIG_free(pair);
    return len > 0 ? len : 0;
}

/* No two signatures are alike, not even of one digest: OpenSSL is asked about Octuple's. */
static int same_sign(void *arg)
{
    struct ec_state *s = arg;
    int ok = 1;
    for (int i = 0; ok && i < OCT_LANES; i++) {
        uint8_t der[MAX_DER];
        int len = to_der(s, i, der);
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(speed_libctx(), s->key[i], NULL);
        ok = len != 0 && ctx != NULL && EVP_PKEY_verify_init(ctx) > 0 &&
             EVP_PKEY_verify(ctx, der, (size_t)len, s->digest[i], s->bytes) == 1;
        EVP_PKEY_CTX_free(ctx);
    }
    return ok;
}

static unsigned octuple_derive(void *arg)
{
    struct ec_state *s = arg;
    struct oct_lanes result;
    return oct_ec_derive_x8(s->curve, s->derive, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned openssl_derive(void *arg)
{
    struct ec_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++) {
        size_t len = MAX_DER;
        if (EVP_PKEY_derive(s->ctx[i], s->expected[i], &len) <= 0 || len != s->bytes)
            return 0;
    }
    return OCT_LANES;
}

static int same_derive(void *arg)
{
    struct ec_state *s = arg;
    int same = 1;
    for (int i = 0; i < OCT_LANES; i++)
        same &= memcmp(s->out[i], s->expected[i], s->bytes) == 0;
    return same;
}

static unsigned octuple_keygen(void *arg)
{
    struct ec_state *s = arg;
    struct oct_lanes result;
    return oct_ec_keygen_x8(s->curve, s->keygen, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned openssl_keygen(void *arg)
{
    struct ec_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++) {
        EVP_PKEY_free(s->key[i]);
        s->key[i] = NULL;
        if (EVP_PKEY_generate(s->generate, &s->key[i]) <= 0)
            return 0;
    }
    return OCT_LANES;
}

static int openssl_knows(const struct ec_state *s, const EC_GROUP *group, int i)
{
    uint8_t point[1 + MAX_POINT];
    BIGNUM *number = BN_bin2bn(s->private_key[i], (int)s->bytes, NULL);
    EC_POINT *product = EC_POINT_new(group);
    int ok = number != NULL && product != NULL && EC_POINT_mul(group, product, number, NULL, NULL, NULL) &&
             EC_POINT_point2oct(group, product, POINT_CONVERSION_UNCOMPRESSED, point, sizeof point, NULL) ==
                 1 + 2 * s->bytes &&
             memcmp(point + 1, s->out[i], 2 * s->bytes) == 0;
    EC_POINT_free(product);
    BN_clear_free(number);
    return ok;
}

static int octuple_knows(struct ec_state *s)
{
    struct oct_ec_public_lane lane[OCT_LANES];
    struct oct_lanes result;
    int ok = 1;
    for (int i = 0; i < OCT_LANES; i++) {
        lane[i] = (struct oct_ec_public_lane){s->private_key[i], s->out[i]};
        ok &= private_bytes(s, s->key[i], s->private_key[i]) && public_bytes(s, s->key[i], s->expected[i]);
    }
    ok = ok && oct_ec_public_x8(s->curve, lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff;
    for (int i = 0; i < OCT_LANES; i++)
        ok &= memcmp(s->out[i], s->expected[i], 2 * s->bytes) == 0;
    return ok;
}

/* The pairs are random: the public keys of Octuple's private ones are computed again by OpenSSL, those of OpenSSL's by
 * Octuple. */
static int same_keygen(void *arg)
{
    struct ec_state *s = arg;
    EC_GROUP *group = EC_GROUP_new_by_curve_name_ex(speed_libctx(), NULL, speed_curves[s->curve].nid);
    int ok = group != NULL;
    for (int i = 0; ok && i < OCT_LANES; i++)
        ok = openssl_knows(s, group, i);
    EC_GROUP_free(group);
    return ok && octuple_knows(s);
}

#define SIGN   open_sign, ec_close, octuple_sign, openssl_sign, same_sign
#define KEYGEN open_keygen, ec_close, octuple_keygen, openssl_keygen, same_keygen
#define DERIVE open_derive, ec_close, octuple_derive, openssl_derive, same_derive

const struct speed_op speed_ec_ops[] = {
    {"p256-sign", "op/s", OCT_OP_P256_SIGN, OCT_EC_P256, SIGN},
    {"p256-keygen", "op/s", OCT_OP_P256_KEYGEN, OCT_EC_P256, KEYGEN},
    {"p256-derive", "op/s", OCT_OP_P256_DERIVE, OCT_EC_P256, DERIVE},
    {"p384-sign", "op/s", OCT_OP_P384_SIGN, OCT_EC_P384, SIGN},
    {"p384-keygen", "op/s", OCT_OP_P384_KEYGEN, OCT_EC_P384, KEYGEN},
    {"p384-derive", "op/s", OCT_OP_P384_DERIVE, OCT_EC_P384, DERIVE},
    {"sm2-sign", "op/s", OCT_OP_SM2_SIGN, OCT_EC_SM2, SIGN},
    {"sm2-keygen", "op/s", OCT_OP_SM2_KEYGEN, OCT_EC_SM2, KEYGEN},
    {"sm2-derive", "op/s", OCT_OP_SM2_DERIVE, OCT_EC_SM2, DERIVE},
    {0},
};
