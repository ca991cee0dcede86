/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 for `octuple speed`: eight different keys, and messages of 130 bytes, which is what a TLS 1.3 server signs
 * under SHA-256. OpenSSL signs and verifies with a context that was made and initialised beforehand.
 */
#include <stdbool.h>
#include <string.h>
#include <stdlib.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include "speed.h"
#include "keys.h"

#define MESSAGE   130
#define SIGNATURE OCT_ED25519_SIGNATURE_BYTES

struct ed25519_state {
    EVP_MD_CTX *sign[OCT_LANES], *verify[OCT_LANES];
    struct oct_ed25519_key *key[OCT_LANES];
    struct oct_ed25519_sign_lane sign_lane[OCT_LANES];
    struct oct_ed25519_verify_lane verify_lane[OCT_LANES];
    uint8_t message[OCT_LANES][MESSAGE];
    uint8_t public_key[OCT_LANES][OCT_ED25519_PUBLIC_BYTES];
    uint8_t out[OCT_LANES][SIGNATURE];
    uint8_t expected[OCT_LANES][SIGNATURE];
};

static void ed25519_close(void *arg)
{
    struct ed25519_state *s = arg;
    if (s == NULL)
        return;
    for (int i = 0; i < OCT_LANES; i++) {
        EVP_MD_CTX_free(s->sign[i]);
        EVP_MD_CTX_free(s->verify[i]);
        oct_ed25519_key_free(s->key[i]);
    }
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

/* From OpenSSL 3.4 on, a context signs or verifies once, and then has to be made ready again. */
static bool is_ready(EVP_MD_CTX *ctx, int (*init)(EVP_MD_CTX *, EVP_PKEY_CTX **, const char *, OSSL_LIB_CTX *,
                                                  const char *, EVP_PKEY *, const OSSL_PARAM *))
{
    return OpenSSL_version_num() < 0x30400000L || init(ctx, NULL, NULL, speed_libctx(), NULL, NULL, NULL) > 0;
}

/* The same key on both sides, from a new seed; on one side, where Octuple does not serve it. */
static int fill_lane(struct ed25519_state *s, int i)
{
    uint8_t seed[OCT_ED25519_SEED_BYTES];
    size_t len = SIGNATURE, public_len = OCT_ED25519_PUBLIC_BYTES;
    int ok = RAND_priv_bytes_ex(speed_libctx(), seed, sizeof seed, 0) > 0;
    if (ok && oct_op_is_on(OCT_OP_ED25519_SIGN))
        ok = oct_ed25519_key_new(&s->key[i], seed) == OCT_OK;
    EVP_PKEY *key = ok ? EVP_PKEY_new_raw_private_key_ex(speed_libctx(), "ED25519", NULL, seed, sizeof seed) : NULL;
    OPENSSL_cleanse(seed, sizeof seed);
    s->sign[i] = EVP_MD_CTX_new();
    s->verify[i] = EVP_MD_CTX_new();
    ok = s->sign[i] != NULL && s->verify[i] != NULL && key != NULL &&
         EVP_DigestSignInit_ex(s->sign[i], NULL, NULL, speed_libctx(), NULL, key, NULL) > 0 &&
         EVP_DigestVerifyInit_ex(s->verify[i], NULL, NULL, speed_libctx(), NULL, key, NULL) > 0 &&
         EVP_PKEY_get_raw_public_key(key, s->public_key[i], &public_len) > 0 &&
         RAND_bytes_ex(speed_libctx(), s->message[i], MESSAGE, 0) > 0 &&
         EVP_DigestSign(s->sign[i], s->expected[i], &len, s->message[i], MESSAGE) > 0 && len == SIGNATURE;
    EVP_PKEY_free(key);
    s->sign_lane[i] = (struct oct_ed25519_sign_lane){s->key[i], s->message[i], MESSAGE, s->out[i]};
    s->verify_lane[i] = (struct oct_ed25519_verify_lane){s->public_key[i], s->message[i], MESSAGE, s->expected[i]};
    return ok;
}

static void *ed25519_open(const struct speed_op *op)
{
    struct ed25519_state *s = speed_libctx() != NULL ? calloc(1, sizeof *s) : NULL;
    int ok = s != NULL;
    for (int i = 0; ok && i < OCT_LANES; i++)
        ok = fill_lane(s, i);
    if (!ok) {
        cli_say("octuple speed", "cannot prepare %s", op->name);
        ed25519_close(s);
        return NULL;
    }
    return s;
}

static unsigned octuple_sign(void *arg)
{
    struct ed25519_state *s = arg;
    struct oct_lanes result;
    return oct_ed25519_sign_x8(s->sign_lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned openssl_sign(void *arg)
{
    struct ed25519_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++) {
        size_t len = SIGNATURE;
        if (!is_ready(s->sign[i], EVP_DigestSignInit_ex) ||
            EVP_DigestSign(s->sign[i], s->expected[i], &len, s->message[i], MESSAGE) <= 0)
            return 0;
    }
    return OCT_LANES;
}

static int same_sign(void *arg)
{
    struct ed25519_state *s = arg;
    return memcmp(s->out, s->expected, sizeof s->out) == 0;
}

static unsigned octuple_verify(void *arg)
{
    struct ed25519_state *s = arg;
    struct oct_lanes result;
    return oct_ed25519_verify_x8(s->verify_lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned openssl_verify(void *arg)
{
    struct ed25519_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++)
        if (!is_ready(s->verify[i], EVP_DigestVerifyInit_ex) ||
            EVP_DigestVerify(s->verify[i], s->expected[i], SIGNATURE, s->message[i], MESSAGE) <= 0)
            return 0;
    return OCT_LANES;
}

/* Both have called all signatures good; both have to see a bad one. */
static int same_verify(void *arg)
{
    struct ed25519_state *s = arg;
    struct oct_lanes result;
    s->message[3][0] ^= 1;
    const int same = oct_ed25519_verify_x8(s->verify_lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xf7 &&
                     is_ready(s->verify[3], EVP_DigestVerifyInit_ex) &&
                     EVP_DigestVerify(s->verify[3], s->expected[3], SIGNATURE, s->message[3], MESSAGE) <= 0;
    s->message[3][0] ^= 1;
    return same;
}

const struct speed_op speed_ed25519_ops[] = {
    {"ed25519-sign", "op/s", OCT_OP_ED25519_SIGN, 0, ed25519_open, ed25519_close, octuple_sign, openssl_sign,
     same_sign},
    {"ed25519-verify", "op/s", OCT_OP_ED25519_VERIFY, 0, ed25519_open, ed25519_close, octuple_verify, openssl_verify,
     same_verify},
    {0},
};
