/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * X25519 for `octuple speed`: eight different keys and peers. OpenSSL derives with contexts made, initialised and told
 * their peers beforehand, and generates with one initialised context: what `openssl speed` measures, and less than a
 * server pays. Octuple's key generation is its public keys from scalars that OpenSSL's generator has just made, so that
 * both sides pay for their randomness.
 */
#include <string.h>
#include <stdlib.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include "speed.h"
#include "keys.h"

#define BYTES OCT_X25519_BYTES

struct x25519_state {
    EVP_PKEY_CTX *derive[OCT_LANES];
    EVP_PKEY_CTX *generate;
    EVP_PKEY *made[OCT_LANES]; /* by the last openssl() call of x25519-keygen */
    struct oct_x25519_lane lane[OCT_LANES];
    uint8_t scalar[OCT_LANES][BYTES];
    uint8_t peer[OCT_LANES][BYTES];
    uint8_t out[OCT_LANES][BYTES];
    uint8_t expected[OCT_LANES][BYTES];
};

static void x25519_close(void *arg)
{
    struct x25519_state *s = arg;
    if (s == NULL)
        return;
    for (int i = 0; i < OCT_LANES; i++) {
        EVP_PKEY_CTX_free(s->derive[i]);
        EVP_PKEY_free(s->made[i]);
    }
    EVP_PKEY_CTX_free(s->generate);
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

static int raw(const EVP_PKEY *key, const char *name, uint8_t bytes[BYTES])
{
    size_t len = 0;
    return EVP_PKEY_get_octet_string_param(key, name, bytes, BYTES, &len) && len == BYTES;
}

static void *x25519_open(const struct speed_op *op)
{
    struct x25519_state *s = speed_libctx() != NULL ? calloc(1, sizeof *s) : NULL;
    int ok = s != NULL;
    for (int i = 0; ok && i < OCT_LANES; i++) {
        EVP_PKEY *own = EVP_PKEY_Q_keygen(speed_libctx(), NULL, "X25519");
        EVP_PKEY *peer = EVP_PKEY_Q_keygen(speed_libctx(), NULL, "X25519");
        ok = own != NULL && peer != NULL && raw(own, OSSL_PKEY_PARAM_PRIV_KEY, s->scalar[i]) &&
             raw(peer, OSSL_PKEY_PARAM_PUB_KEY, s->peer[i]);
        s->lane[i] = (struct oct_x25519_lane){s->scalar[i], s->peer[i], s->out[i]};
        s->derive[i] = ok ? EVP_PKEY_CTX_new_from_pkey(speed_libctx(), own, NULL) : NULL;
        ok = s->derive[i] != NULL && EVP_PKEY_derive_init(s->derive[i]) > 0 &&
             EVP_PKEY_derive_set_peer(s->derive[i], peer) > 0;
        EVP_PKEY_free(own);
        EVP_PKEY_free(peer);
    }
    if (ok) {
        s->generate = EVP_PKEY_CTX_new_from_name(speed_libctx(), "X25519", NULL);
        ok = s->generate != NULL && EVP_PKEY_keygen_init(s->generate) > 0;
    }
    if (!ok) {
        cli_say("octuple speed", "OpenSSL cannot prepare %s", op->name);
        x25519_close(s);
        return NULL;
    }
    return s;
}

static unsigned octuple_derive(void *arg)
{
    struct x25519_state *s = arg;
    struct oct_lanes result;
    return oct_x25519_derive_x8(s->lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff ? OCT_LANES : 0;
}

static unsigned openssl_derive(void *arg)
{
    struct x25519_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++) {
        size_t len = BYTES;
        if (EVP_PKEY_derive(s->derive[i], s->expected[i], &len) <= 0)
            return 0;
    }
    return OCT_LANES;
}

static int same_derive(void *arg)
{
    struct x25519_state *s = arg;
    return memcmp(s->out, s->expected, sizeof s->out) == 0;
}

static unsigned octuple_keygen(void *arg)
{
    struct x25519_state *s = arg;
    struct oct_lanes result;
    return RAND_priv_bytes_ex(speed_libctx(), s->scalar[0], sizeof s->scalar, 0) > 0 &&
                   oct_x25519_public_x8(s->lane, OCT_LANES, &result) == OCT_OK && result.ok == 0xff
               ? OCT_LANES
               : 0;
}

static unsigned openssl_keygen(void *arg)
{
    struct x25519_state *s = arg;
    for (int i = 0; i < OCT_LANES; i++) {
        EVP_PKEY_free(s->made[i]);
        s->made[i] = NULL;
        if (EVP_PKEY_generate(s->generate, &s->made[i]) <= 0)
            return 0;
    }
    return OCT_LANES;
}

/* Both pairs are random: those that OpenSSL made are computed again from their private keys. */
static int same_keygen(void *arg)
{
    struct x25519_state *s = arg;
    struct oct_lanes result;
    for (int i = 0; i < OCT_LANES; i++)
        if (!raw(s->made[i], OSSL_PKEY_PARAM_PRIV_KEY, s->scalar[i]) ||
            !raw(s->made[i], OSSL_PKEY_PARAM_PUB_KEY, s->expected[i]))
            return 0;
    return oct_x25519_public_x8(s->lane, OCT_LANES, &result) == OCT_OK &&
           memcmp(s->out, s->expected, sizeof s->out) == 0;
}

const struct speed_op speed_x25519_ops[] = {
    {"x25519-derive", "op/s", OCT_OP_X25519_DERIVE, 0, x25519_open, x25519_close, octuple_derive, openssl_derive,
     same_derive},
    {"x25519-keygen", "op/s", OCT_OP_X25519_KEYGEN, 0, x25519_open, x25519_close, octuple_keygen, openssl_keygen,
     same_keygen},
    {0},
};
