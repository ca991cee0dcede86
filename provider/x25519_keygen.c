/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * X25519 key generation: a pair from the pool, or one of OpenSSL's own. TLS names the group and nothing else; with any
 * other parameter (a seed for the key, say) generation is OpenSSL's own in the private context.
 */
#include "pool.h"
#include "provider.h"
#include "x25519.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <strings.h>

struct generation {
    struct oct_prov *prov;
    int selection;
    EVP_PKEY_CTX *ctx; /* NULL: no parameters that matter */
};

void oct_x25519_gen_cleanup(void *genctx)
{
    struct generation *gen = genctx;

    if (gen == NULL)
        return;
    EVP_PKEY_CTX_free(gen->ctx);
    OPENSSL_free(gen);
}

void *oct_x25519_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    struct generation *gen = OPENSSL_zalloc(sizeof *gen);

    if (gen == NULL) {
        OCT_RAISE(provctx, OCT_REASON_MEMORY);
        return NULL;
    }
    gen->prov = provctx;
    gen->selection = selection;
    if (oct_x25519_gen_set_params(gen, params))
        return gen;
    oct_x25519_gen_cleanup(gen);
    return NULL;
}

static int check_group(const struct generation *gen, const OSSL_PARAM *p)
{
    if (p->data_type == OSSL_PARAM_UTF8_STRING && p->data != NULL && strcasecmp(p->data, "X25519") == 0)
        return 1;
    return OCT_RAISE(gen->prov, OCT_REASON_GROUP);
}

static int set_others(struct generation *gen, const OSSL_PARAM params[])
{
    OSSL_LIB_CTX *libctx = oct_plain_ctx(gen->prov);

    if (libctx == NULL)
        return 0;
    if (gen->ctx == NULL) {
        gen->ctx = EVP_PKEY_CTX_new_from_name(libctx, "X25519", NULL);
        if (gen->ctx == NULL || EVP_PKEY_keygen_init(gen->ctx) <= 0)
            return OCT_RAISE(gen->prov, OCT_REASON_INTERNAL);
    }
    return EVP_PKEY_CTX_set_params(gen->ctx, (OSSL_PARAM *)params) > 0;
}

/* Property queries are about what generation fetches: nothing here. */
int oct_x25519_gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    struct generation *gen = genctx;
    int others = 0;

    if (gen == NULL)
        return 0;
    for (const OSSL_PARAM *p = params; p != NULL && p->key != NULL; p++) {
        if (strcasecmp(p->key, OSSL_PKEY_PARAM_GROUP_NAME) == 0) {
            if (!check_group(gen, p))
                return 0;
        } else if (strcasecmp(p->key, OSSL_PKEY_PARAM_PROPERTIES) != 0) {
            others = 1;
        }
    }
    return !others || set_others(gen, params);
}

const OSSL_PARAM *oct_x25519_gen_settable_params(void *genctx, void *provctx)
{
    EVP_KEYMGMT *plain = oct_plain_x25519(provctx);
    (void)genctx;
    return plain == NULL ? NULL : EVP_KEYMGMT_gen_settable_params(plain);
}

static int make_pair(struct generation *gen, struct oct_prov_x25519 *key)
{
    uint8_t *private_key = oct_prov_x25519_private(key);

    if (private_key == NULL)
        return 0;
    if (gen->ctx != NULL || !oct_pool_take(gen->prov, OCT_POOL_X25519, key->public_key, private_key)) {
        oct_counters_note_plain(OCT_OP_X25519_KEYGEN);
        if (!oct_x25519_plain_generate(gen->prov, gen->ctx, key->public_key, private_key))
            return 0;
    }
    key->base.has_public = key->base.has_private = 1;
    return 1;
}

/* Without a key pair asked for, a key to be filled in: so a TLS server makes the place for its peer's share. */
void *oct_x25519_gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct generation *gen = genctx;
    struct oct_prov_x25519 *key = gen == NULL ? NULL : oct_prov_x25519_new(gen->prov);

    (void)callback, (void)arg;
    if (key == NULL || (gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0 || make_pair(gen, key))
        return key;
    oct_prov_key_free(key);
    return NULL;
}
