/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * RSA keys for `octuple speed`. An RSA-4096 key takes more than a second of CPU, so there are two of a size, which the
 * lanes have in turns, made by two threads and at most once in a run. The keys are throw-away; they are cleared all the
 * same, because both libraries do it anyway.
 */
#include <pthread.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>
#include <openssl/rsa.h>
#include "keys.h"

#define SIZES     3
#define KEYS      2
#define MAX_BYTES 512

static struct speed_keys cache[SIZES];
static OSSL_LIB_CTX *libctx;
static OSSL_PROVIDER *provider;

OSSL_LIB_CTX *speed_libctx(void)
{
    if (libctx == NULL && (libctx = OSSL_LIB_CTX_new()) != NULL)
        provider = OSSL_PROVIDER_load(libctx, "default");
    return provider != NULL ? libctx : NULL;
}

bool speed_openssl_has(const char *name)
{
    ERR_set_mark();
    EVP_KEYMGMT *keymgmt = EVP_KEYMGMT_fetch(speed_libctx(), name, NULL);
    ERR_pop_to_mark();
    EVP_KEYMGMT_free(keymgmt);
    return keymgmt != NULL;
}

struct generation {
    pthread_t thread;
    unsigned bits;
    EVP_PKEY *pkey;
};

static void *generate(void *arg)
{
    struct generation *g = arg;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, "RSA", NULL);
    if (ctx == NULL || EVP_PKEY_keygen_init(ctx) <= 0 || EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, (int)g->bits) <= 0 ||
        EVP_PKEY_generate(ctx, &g->pkey) <= 0)
        g->pkey = NULL;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

/* Returns how many keys were made. */
static int generate_all(struct speed_keys *keys)
{
    struct generation g[KEYS];
    int started = 0, made = 0;
    for (; started < KEYS; started++) {
        g[started] = (struct generation){.bits = keys->bits};
        if (pthread_create(&g[started].thread, NULL, generate, &g[started]) != 0)
            break;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(g[i].thread, NULL);
        keys->pkey[i] = g[i].pkey;
        made += g[i].pkey != NULL;
    }
    return made;
}

/* One number of the key as bytes; len 0 if it is not there. */
static struct oct_bytes number(const EVP_PKEY *pkey, const char *name, uint8_t bytes[MAX_BYTES])
{
    BIGNUM *bn = NULL;
    struct oct_bytes result = {bytes, 0};
    if (EVP_PKEY_get_bn_param(pkey, name, &bn) && BN_num_bytes(bn) <= MAX_BYTES)
        result.len = (size_t)BN_bn2bin(bn, bytes);
    BN_clear_free(bn);
    return result;
}

static int convert(struct oct_rsa_key **key, const EVP_PKEY *pkey)
{
    uint8_t bytes[7][MAX_BYTES];
    struct oct_rsa_numbers numbers = {
        .n = number(pkey, OSSL_PKEY_PARAM_RSA_N, bytes[0]),
        .e = number(pkey, OSSL_PKEY_PARAM_RSA_E, bytes[1]),
        .p = number(pkey, OSSL_PKEY_PARAM_RSA_FACTOR1, bytes[2]),
        .q = number(pkey, OSSL_PKEY_PARAM_RSA_FACTOR2, bytes[3]),
        .dp = number(pkey, OSSL_PKEY_PARAM_RSA_EXPONENT1, bytes[4]),
        .dq = number(pkey, OSSL_PKEY_PARAM_RSA_EXPONENT2, bytes[5]),
        .qinv = number(pkey, OSSL_PKEY_PARAM_RSA_COEFFICIENT1, bytes[6]),
    };
    int status = oct_rsa_key_new(key, &numbers);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return status;
}

static int fill(struct speed_keys *keys)
{
    if (speed_libctx() == NULL || generate_all(keys) != KEYS) {
        cli_say("octuple speed", "OpenSSL cannot make RSA-%u keys: %s", keys->bits,
                ERR_reason_error_string(ERR_peek_error()));
        return 0;
    }
    /* On a machine that is not served there is no Octuple side to need them. */
    for (int i = 0; i < KEYS && cli_operations_on() > 0; i++) {
        int status = convert(&keys->key[i], keys->pkey[i]);
        if (status != OCT_OK) {
            cli_say("octuple speed", "Octuple does not take an RSA-%u key of OpenSSL: %s", keys->bits,
                    oct_status_text(status));
            return 0;
        }
    }
    for (int i = KEYS; i < OCT_LANES; i++) {
        keys->pkey[i] = keys->pkey[i % KEYS];
        keys->key[i] = keys->key[i % KEYS];
    }
    return 1;
}

static void forget(struct speed_keys *keys)
{
    for (int i = 0; i < KEYS; i++) {
        EVP_PKEY_free(keys->pkey[i]);
        oct_rsa_key_free(keys->key[i]);
    }
    *keys = (struct speed_keys){0};
}

const struct speed_keys *speed_keys_get(unsigned bits)
{
    struct speed_keys *keys = cache;
    while (keys->bits != bits && keys->bits != 0)
        keys++;
    if (keys->bits == bits)
        return keys;
    keys->bits = bits;
    if (!fill(keys)) {
        forget(keys);
        return NULL;
    }
    return keys;
}

void speed_keys_forget(void)
{
    for (int i = 0; i < SIZES; i++)
        forget(&cache[i]);
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(libctx);
    provider = NULL;
    libctx = NULL;
}
