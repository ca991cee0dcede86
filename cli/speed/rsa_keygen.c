/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA key generation for `octuple speed`: one key a call on either side, as lanes are full within one. OpenSSL's side
 * is EVP_PKEY_generate() of its default provider. How many candidates a key takes is chance: single pairs differ a lot.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/rsa.h>
#include "speed.h"
#include "keys.h"

#define MAX_BYTES 512

struct keygen_state {
    unsigned bits;
    EVP_PKEY_CTX *generate;
    EVP_PKEY *theirs; /* the last one */
    uint8_t n[MAX_BYTES], d[MAX_BYTES];
    uint8_t p[MAX_BYTES / 2], q[MAX_BYTES / 2], dp[MAX_BYTES / 2], dq[MAX_BYTES / 2], qinv[MAX_BYTES / 2];
};

static void keygen_close(void *arg)
{
    struct keygen_state *s = arg;
    if (s == NULL)
        return;
    EVP_PKEY_CTX_free(s->generate);
    EVP_PKEY_free(s->theirs);
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

static void *keygen_open(const struct speed_op *op)
{
    struct keygen_state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->bits = op->param;
    s->generate = EVP_PKEY_CTX_new_from_name(speed_libctx(), "RSA", NULL);
    if (s->generate != NULL && EVP_PKEY_keygen_init(s->generate) > 0 &&
        EVP_PKEY_CTX_set_rsa_keygen_bits(s->generate, (int)s->bits) > 0)
        return s;
    cli_say("octuple speed", "OpenSSL cannot prepare %s", op->name);
    keygen_close(s);
    return NULL;
}

static unsigned keygen_octuple(void *arg)
{
    struct keygen_state *s = arg;
    const struct oct_rsa_generated out = {s->n, s->d, s->p, s->q, s->dp, s->dq, s->qinv};
    return oct_rsa_generate(&out, s->bits, NULL) == OCT_OK;
}

static unsigned keygen_openssl(void *arg)
{
    struct keygen_state *s = arg;
    EVP_PKEY_free(s->theirs);
    s->theirs = NULL;
    return EVP_PKEY_generate(s->generate, &s->theirs) > 0;
}

/* OpenSSL's key of our numbers. */
static EVP_PKEY *ours_of(const struct keygen_state *s)
{
    static const char *const name[] = {OSSL_PKEY_PARAM_RSA_N,           OSSL_PKEY_PARAM_RSA_D,
                                       OSSL_PKEY_PARAM_RSA_FACTOR1,     OSSL_PKEY_PARAM_RSA_FACTOR2,
                                       OSSL_PKEY_PARAM_RSA_EXPONENT1,   OSSL_PKEY_PARAM_RSA_EXPONENT2,
                                       OSSL_PKEY_PARAM_RSA_COEFFICIENT1};
    const uint8_t *const from[] = {s->n, s->d, s->p, s->q, s->dp, s->dq, s->qinv};
    uint8_t number[7][MAX_BYTES];
    unsigned e = RSA_F4;
    OSSL_PARAM params[9];
    for (int i = 0; i < 7; i++) {
        const size_t len = i < 2 ? s->bits / 8 : s->bits / 16;
        for (size_t j = 0; j < len; j++) /* numbers of OSSL_PARAM have the machine's byte order */
            number[i][j] = from[i][len - 1 - j];
        params[i] = OSSL_PARAM_construct_BN(name[i], number[i], len);
    }
    params[7] = OSSL_PARAM_construct_uint(OSSL_PKEY_PARAM_RSA_E, &e);
    params[8] = OSSL_PARAM_construct_end();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(speed_libctx(), "RSA", NULL);
    EVP_PKEY *key = NULL;
    if (ctx != NULL && EVP_PKEY_fromdata_init(ctx) > 0)
        (void)EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_KEYPAIR, params);
    EVP_PKEY_CTX_free(ctx);
    OPENSSL_cleanse(number, sizeof number);
    return key;
}

/* Nobody makes the same key twice: both are as long, and OpenSSL finds nothing wrong with ours, primes included. */
static int keygen_same(void *arg)
{
    const struct keygen_state *s = arg;
    EVP_PKEY *ours = ours_of(s);
    EVP_PKEY_CTX *check = ours == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(speed_libctx(), ours, NULL);
    const bool same =
        check != NULL && EVP_PKEY_get_bits(ours) == EVP_PKEY_get_bits(s->theirs) && EVP_PKEY_check(check) > 0;
    EVP_PKEY_CTX_free(check);
    EVP_PKEY_free(ours);
    return same;
}

#define KEYGEN_OP(bits)                                                                                                \
    {                                                                                                                  \
        "rsa" #bits "-keygen", "op/s", OCT_OP_RSA##bits##_KEYGEN, bits, keygen_open, keygen_close, keygen_octuple,     \
            keygen_openssl, keygen_same                                                                                \
    }

const struct speed_op speed_rsa_keygen_ops[] = {
    KEYGEN_OP(2048),
    KEYGEN_OP(3072),
    KEYGEN_OP(4096),
    {0},
};
