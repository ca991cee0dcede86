/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM2 key generation: a pair from the pool. What asks for more than the curve, which is always the same, is OpenSSL's
 * own.
 */
#include "sm2.h"
#include "provider/async/pair.h"
#include "provider/contexts/keygen.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_LEN 80

static void *gen_init(void *provctx, const char *type, int selection, const OSSL_PARAM params[])
{
    struct oct_keygen *gen;

    if ((selection & (OSSL_KEYMGMT_SELECT_KEYPAIR | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS)) == 0)
        return NULL;
    gen = oct_keygen_new(provctx, OCT_FAMILY_sm2, sizeof *gen, selection);
    if (gen == NULL)
        return NULL;
    gen->name = type;
    if (oct_sm2_gen_set_params(gen, params))
        return gen;
    oct_keygen_cleanup(gen);
    return NULL;
}

void *oct_sm2_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    return gen_init(provctx, OCT_SM2_NAME, selection, params);
}

void *oct_sm2_group_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    return gen_init(provctx, OCT_SM2_GROUP, selection, params);
}

/* 1 if the parameters ask for nothing that a pair from the pool has not. */
static bool is_simple(const OSSL_PARAM params[])
{
    char text[NAME_MAX_LEN], *at = text;

    for (const OSSL_PARAM *p = params; p->key != NULL; p++)
        if (strcmp(p->key, OSSL_PKEY_PARAM_GROUP_NAME) != 0 || !OSSL_PARAM_get_utf8_string(p, &at, sizeof text) ||
            strcasecmp(text, "SM2") != 0)
            return 0;
    return 1;
}

int oct_sm2_gen_set_params(void *vgen, const OSSL_PARAM params[])
{
    struct oct_keygen *gen = vgen;

    if (gen == NULL)
        return 0;
    if (params == NULL || (gen->ctx == NULL && is_simple(params)))
        return 1;
    return oct_keygen_set_fallback(gen, params);
}

/* A template has nothing but the curve. */
int oct_sm2_gen_set_template(void *vgen, void *keydata)
{
    return vgen != NULL && keydata != NULL;
}

const OSSL_PARAM *oct_sm2_gen_settable_params(void *vgen, void *provctx)
{
    (void)vgen;
    return oct_fallback_gen_settable(provctx, OCT_FAMILY_sm2);
}

static int generate_fallback(struct oct_keygen *gen, struct oct_prov_sm2 *key)
{
    EVP_PKEY *fallback = oct_keygen_generate_fallback(gen);
    return fallback != NULL && oct_prov_sm2_set_fallback(key, fallback);
}

static int generate(struct oct_keygen *gen, struct oct_prov_sm2 *key)
{
    uint8_t public_key[2 * OCT_SM2_BYTES], private_key[OCT_SM2_BYTES];
    int ok;

    if (gen->ctx != NULL || (gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return generate_fallback(gen, key);
    if (!oct_pair_take(gen->prov, OCT_OP_SM2_KEYGEN, public_key, private_key)) {
        oct_counters_note_fallback(OCT_OP_SM2_KEYGEN);
        return generate_fallback(gen, key);
    }
    ok = oct_prov_sm2_set_pair(key, public_key, private_key);
    OPENSSL_cleanse(private_key, sizeof private_key);
    return ok;
}

void *oct_sm2_gen(void *vgen, OSSL_CALLBACK *callback, void *arg)
{
    struct oct_keygen *gen = vgen;
    struct oct_prov_sm2 *key = gen == NULL ? NULL : oct_prov_sm2_new(gen->prov, gen->name);

    (void)callback, (void)arg;
    if (key == NULL || generate(gen, key))
        return key;
    oct_prov_key_free(key);
    return NULL;
}
