/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Verification on P-256 and P-384 (ECDSA) and of SM2 for `octuple speed`: eight different keys, digests and signatures
 * that OpenSSL has made. OpenSSL's contexts are made and initialised beforehand, with keys that it has checked;
 * Octuple's side checks the keys each time. OpenSSL takes its signatures out of DER, in next to no time.
 */
#include <string.h>
#include <stdlib.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/rand.h>
#include "speed.h"
#include "ec.h"
#include "keys.h"

#define MAX_BYTES OCT_EC_MAX_BYTES
#define MAX_DER   (2 * MAX_BYTES + 16)

struct verify_state {
    int curve;
    size_t bytes;
    EVP_PKEY *key[OCT_LANES];
    EVP_PKEY_CTX *ctx[OCT_LANES];
    struct oct_ecdsa_verify_lane lane[OCT_LANES];
    uint8_t point[OCT_LANES][1 + 2 * MAX_BYTES];
    uint8_t digest[OCT_LANES][MAX_BYTES];
    uint8_t signature[OCT_LANES][2 * MAX_BYTES];
    uint8_t der[OCT_LANES][MAX_DER];
    size_t der_len[OCT_LANES];
};

static void verify_close(void *arg)
{
    struct verify_state *s = arg;
    if (s == NULL)
        return;
    for (int i = 0; i < OCT_LANES; i++) {
        EVP_PKEY_CTX_free(s->ctx[i]);
        EVP_PKEY_free(s->key[i]);
    }
    free(s);
}

/* OpenSSL's, in DER, and r and s out of that. */
static int make_signature(struct verify_state *s, int i)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(speed_libctx(), s->key[i], NULL);
    s->der_len[i] = MAX_DER;
    int ok = ctx != NULL && RAND_bytes_ex(speed_libctx(), s->digest[i], s->bytes, 0) > 0 &&
             EVP_PKEY_sign_init(ctx) > 0 && EVP_PKEY_sign(ctx, s->der[i], &s->der_len[i], s->digest[i], s->bytes) > 0;
    EVP_PKEY_CTX_free(ctx);
    const uint8_t *at = s->der[i];
    ECDSA_SIG *pair = ok ? d2i_ECDSA_SIG(NULL, &at, (long)s->der_len[i]) : NULL;
    int len = (int)s->bytes;
    ok = pair != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(pair), s->signature[i], len) == len &&
         BN_bn2binpad(ECDSA_SIG_get0_s(pair), s->signature[i] + len, len) == len;
    ECDSA_SIG_free(pair);
    return ok;
}

static int fill_lane(struct verify_state *s, int i)
{
    size_t len = 0;
    s->key[i] = speed_curve_key(speed_curves[s->curve].signer, s->curve);
    if (s->key[i] == NULL ||
        !EVP_PKEY_get_octet_string_param(s->key[i], OSSL_PKEY_PARAM_PUB_KEY, s->point[i], sizeof s->point[i], &len) ||
        len != 1 + 2 * s->bytes || s->point[i][0] != POINT_CONVERSION_UNCOMPRESSED || !make_signature(s, i))
        return 0;
    s->lane[i] = (struct oct_ecdsa_verify_lane){s->point[i] + 1, s->digest[i], s->bytes, s->signature[i]};
    s->ctx[i] = EVP_PKEY_CTX_new_from_pkey(speed_libctx(), s->key[i], NULL);
    EVP_MD *md = EVP_MD_fetch(speed_libctx(), speed_curves[s->curve].digest, NULL);
    int ok = md != NULL && s->ctx[i] != NULL && EVP_PKEY_verify_init(s->ctx[i]) > 0 &&
             EVP_PKEY_CTX_set_signature_md(s->ctx[i], md) > 0;
    EVP_MD_free(md);
    return ok;
}

static void *verify_open(const struct speed_op *op)
{
    struct verify_state *s = speed_libctx() != NULL ? calloc(1, sizeof *s) : NULL;
    int ok = s != NULL;
    if (ok) {
        s->curve = (int)op->param;
        s->bytes = oct_ec_bytes(s->curve);
    }
    for (int i = 0; ok && i < OCT_LANES; i++)
        ok = fill_lane(s, i);
    if (!ok) {
        cli_say("octuple speed", "OpenSSL cannot prepare %s", op->name);
        verify_close(s);
        return NULL;
    }
    return s;
}

static unsigned octuple_verify(void *arg)
{
    struct verify_state *s = arg;
    struct oct_lanes result;
    return oct_ecdsa_verify_x8(s->curve, s->lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static int openssl_accepts(struct verify_state *s, int i)
{
    return EVP_PKEY_verify(s->ctx[i], s->der[i], s->der_len[i], s->digest[i], s->bytes) == 1;
}

static unsigned openssl_verify(void *arg)
{
    struct verify_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++)
        if (!openssl_accepts(s, i))
            return 0;
    return OCT_LANES;
}

/* Both have accepted all. With one bit of half of the digests changed, both refuse those, and still accept the others.
 */
static int same_verify(void *arg)
{
    struct verify_state *s = arg;
    struct oct_lanes result;
    int same = 1;
    for (int i = 0; i < OCT_LANES; i += 2)
        s->digest[i][i] ^= 1;
    same &= oct_ecdsa_verify_x8(s->curve, s->lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xaa;
    for (int i = 0; i < OCT_LANES; i++)
        same &= openssl_accepts(s, i) == (i & 1);
    for (int i = 0; i < OCT_LANES; i += 2)
        s->digest[i][i] ^= 1;
    return same;
}

#define VERIFY verify_open, verify_close, octuple_verify, openssl_verify, same_verify

const struct speed_op speed_ec_verify_ops[] = {
    {"p256-verify", "op/s", OCT_OP_P256_VERIFY, OCT_EC_P256, VERIFY},
    {"p384-verify", "op/s", OCT_OP_P384_VERIFY, OCT_EC_P384, VERIFY},
    {"sm2-verify", "op/s", OCT_OP_SM2_VERIFY, OCT_EC_SM2, VERIFY},
    {0},
};
