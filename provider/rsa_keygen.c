/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA key generation: OpenSSL's own, in the private context; bits, e, primes and progress are passed through. */
#include "provider.h"
#include "rsa.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>

struct generation {
    struct oct_prov *prov;
    EVP_PKEY_CTX *ctx;
    OSSL_CALLBACK *progress; /* while oct_rsa_gen() runs */
    void *progress_arg;
};

void oct_rsa_gen_cleanup(void *genctx)
{
    struct generation *gen = genctx;

    if (gen == NULL)
        return;
    EVP_PKEY_CTX_free(gen->ctx);
    OPENSSL_free(gen);
}

void *oct_rsa_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    OSSL_LIB_CTX *libctx = oct_plain_ctx(provctx);
    struct generation *gen;

    if (libctx == NULL || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return NULL;
    gen = OPENSSL_zalloc(sizeof *gen);
    if (gen == NULL)
        return NULL;
    gen->prov = provctx;
    gen->ctx = EVP_PKEY_CTX_new_from_name(libctx, "RSA", NULL);
    if (gen->ctx != NULL && EVP_PKEY_keygen_init(gen->ctx) > 0 && oct_rsa_gen_set_params(gen, params))
        return gen;
    oct_rsa_gen_cleanup(gen);
    return NULL;
}

int oct_rsa_gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    struct generation *gen = genctx;
    return params == NULL || params[0].key == NULL || EVP_PKEY_CTX_set_params(gen->ctx, (OSSL_PARAM *)params) > 0;
}

const OSSL_PARAM *oct_rsa_gen_settable_params(void *genctx, void *provctx)
{
    EVP_KEYMGMT *plain = oct_plain_rsa(provctx);
    (void)genctx;
    return plain == NULL ? NULL : EVP_KEYMGMT_gen_settable_params(plain);
}

/* OpenSSL's progress numbers, handed on in the form that the core expects. */
static int progress(EVP_PKEY_CTX *ctx)
{
    struct generation *gen = EVP_PKEY_CTX_get_app_data(ctx);
    int potential = EVP_PKEY_CTX_get_keygen_info(ctx, 0), iteration = EVP_PKEY_CTX_get_keygen_info(ctx, 1);
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_int(OSSL_GEN_PARAM_POTENTIAL, &potential),
        OSSL_PARAM_construct_int(OSSL_GEN_PARAM_ITERATION, &iteration),
        OSSL_PARAM_construct_end(),
    };
    return gen->progress(params, gen->progress_arg);
}

void *oct_rsa_gen(void *genctx, OSSL_CALLBACK *callback, void *arg)
{
    struct generation *gen = genctx;
    struct oct_prov_rsa *key;
    EVP_PKEY *plain = NULL;

    gen->progress = callback;
    gen->progress_arg = arg;
    EVP_PKEY_CTX_set_app_data(gen->ctx, gen);
    EVP_PKEY_CTX_set_cb(gen->ctx, callback == NULL ? NULL : progress);
    if (EVP_PKEY_generate(gen->ctx, &plain) <= 0)
        return NULL;
    key = oct_prov_rsa_new(gen->prov);
    if (key == NULL) {
        EVP_PKEY_free(plain);
        return NULL;
    }
    if (oct_prov_rsa_set_plain(key, plain))
        return key;
    oct_prov_key_free(key);
    return NULL;
}
