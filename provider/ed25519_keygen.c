/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Ed25519 key generation: OpenSSL's own, in the private context, with whatever parameters it takes there. */
#include "ed25519.h"
#include "provider.h"

#include <openssl/crypto.h>
#include <openssl/params.h>

struct generation {
    struct oct_prov *prov;
    int selection;
    EVP_PKEY_CTX *ctx;
};

void oct_ed25519_gen_cleanup(void *genctx)
{
    struct generation *gen = genctx;

    if (gen == NULL)
        return;
    EVP_PKEY_CTX_free(gen->ctx);
    OPENSSL_free(gen);
}

void *oct_ed25519_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    OSSL_LIB_CTX *libctx = oct_plain_ctx(provctx);
    struct generation *gen = libctx == NULL ? NULL : OPENSSL_zalloc(sizeof *gen);

    if (gen == NULL)
        return NULL;
    gen->prov = provctx;
    gen->selection = selection;
    gen->ctx = EVP_PKEY_CTX_new_from_name(libctx, "ED25519", NULL);
    if (gen->ctx != NULL && EVP_PKEY_keygen_init(gen->ctx) > 0 && oct_ed25519_gen_set_params(gen, params))
        return gen;
    oct_ed25519_gen_cleanup(gen);
    return NULL;
}

int oct_ed25519_gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    struct generation *gen = genctx;
    return params == NULL || params[0].key == NULL || EVP_PKEY_CTX_set_params(gen->ctx, (OSSL_PARAM *)params) > 0;
}

const OSSL_PARAM *oct_ed25519_gen_settable_params(void *genctx, void *provctx)
{
    EVP_KEYMGMT *plain = oct_plain_ed25519(provctx);
    (void)genctx;
    return plain == NULL ? NULL : EVP_KEYMGMT_gen_settable_params(plain);
}

static int generate(struct generation *gen, struct oct_prov_ed25519 *key)
{
    EVP_PKEY *plain = NULL;
    return EVP_PKEY_generate(gen->ctx, &plain) > 0 && oct_prov_ed25519_set_plain(key, plain);
}

/* Without a key pair asked for, an empty key, as OpenSSL's own. */
void *oct_ed25519_gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct generation *gen = genctx;
    struct oct_prov_ed25519 *key = gen == NULL ? NULL : oct_prov_ed25519_new(gen->prov);

    (void)callback, (void)arg;
    if (key == NULL || (gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0 || generate(gen, key))
        return key;
    oct_prov_key_free(key);
    return NULL;
}
