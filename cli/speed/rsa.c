/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA for `octuple speed`: the raw operations, two keys in turns, each lane with its own input. OpenSSL's side is its
 * own EVP implementation without padding (blinding, CRT and its own result check included, as in a server), with the
 * contexts made and initialised beforehand.
 */
#include <string.h>
#include <stdlib.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include "speed.h"
#include "keys.h"

#define MAX_BYTES 512

struct rsa_state {
    size_t bytes;
    EVP_PKEY_CTX *ctx[OCT_LANES];
    struct oct_rsa_lane lane[OCT_LANES];
    uint8_t in[OCT_LANES][MAX_BYTES];
    uint8_t out[OCT_LANES][MAX_BYTES];
    uint8_t expected[OCT_LANES][MAX_BYTES];
};

static void rsa_close(void *arg)
{
    struct rsa_state *s = arg;
    for (int i = 0; s != NULL && i < OCT_LANES; i++)
        EVP_PKEY_CTX_free(s->ctx[i]);
    free(s);
}

static void *rsa_open(const struct speed_op *op, int (*init)(EVP_PKEY_CTX *))
{
    const struct speed_keys *keys = speed_keys_get(op->param);
    struct rsa_state *s = keys != NULL ? calloc(1, sizeof *s) : NULL;
    if (s == NULL)
        return NULL;
    s->bytes = op->param / 8;
    for (int i = 0; i < OCT_LANES; i++) {
        s->lane[i] = (struct oct_rsa_lane){keys->key[i], s->in[i], s->out[i]};
        s->ctx[i] = EVP_PKEY_CTX_new_from_pkey(speed_libctx(), keys->pkey[i], NULL);
        /* The leading byte is 0, so that the input is below every modulus. */
        if (s->ctx[i] == NULL || init(s->ctx[i]) <= 0 || EVP_PKEY_CTX_set_rsa_padding(s->ctx[i], RSA_NO_PADDING) <= 0 ||
            RAND_bytes_ex(speed_libctx(), s->in[i] + 1, s->bytes - 1, 0) <= 0) {
            cli_say("octuple speed", "OpenSSL cannot prepare %s", op->name);
            rsa_close(s);
            return NULL;
        }
    }
    return s;
}

static void *rsa_open_private(const struct speed_op *op)
{
    return rsa_open(op, EVP_PKEY_sign_init);
}

static void *rsa_open_public(const struct speed_op *op)
{
    return rsa_open(op, EVP_PKEY_verify_recover_init);
}

static unsigned rsa_octuple_private(void *arg)
{
    struct rsa_state *s = arg;
    struct oct_lanes result;
    return oct_rsa_private_x8(s->lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned rsa_octuple_public(void *arg)
{
    struct rsa_state *s = arg;
    struct oct_lanes result;
    return oct_rsa_public_x8(s->lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned rsa_openssl_private(void *arg)
{
    struct rsa_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++) {
        size_t len = s->bytes;
        if (EVP_PKEY_sign(s->ctx[i], s->expected[i], &len, s->in[i], s->bytes) <= 0)
            return 0;
    }
    return OCT_LANES;
}

static unsigned rsa_openssl_public(void *arg)
{
    struct rsa_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++) {
        size_t len = s->bytes;
        if (EVP_PKEY_verify_recover(s->ctx[i], s->expected[i], &len, s->in[i], s->bytes) <= 0)
            return 0;
    }
    return OCT_LANES;
}

static int rsa_same(void *arg)
{
    struct rsa_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++)
        if (memcmp(s->out[i], s->expected[i], s->bytes) != 0)
            return 0;
    return 1;
}

#define RSA_OP(bits, verb, VERB)                                                                                       \
    {                                                                                                                  \
        "rsa" #bits "-" #verb, "op/s", OCT_OP_RSA##bits##_##VERB, bits, rsa_open_##verb, rsa_close,                    \
            rsa_octuple_##verb, rsa_openssl_##verb, rsa_same                                                           \
    }

const struct speed_op speed_rsa_ops[] = {
    RSA_OP(2048, private, PRIVATE),
    RSA_OP(3072, private, PRIVATE),
    RSA_OP(4096, private, PRIVATE),
    RSA_OP(2048, public, PUBLIC),
    RSA_OP(3072, public, PUBLIC),
    RSA_OP(4096, public, PUBLIC),
    {0},
};
