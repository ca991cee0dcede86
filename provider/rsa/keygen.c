/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA key generation: OpenSSL's own, in the private context; bits, e, primes and progress are passed through. */
#include "provider/contexts/keygen.h"
#include "provider/core/provider.h"
#include "rsa.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

struct generation {
    struct oct_keygen base;
    OSSL_CALLBACK *progress; /* while oct_rsa_gen() runs */
    void *progress_arg;
};

void *oct_rsa_gen_init(void *provctx, int selection, const OSSL_PARAM params[])
{
    struct generation *gen;

    if ((selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return NULL;
    gen = oct_keygen_new(provctx, OCT_FAMILY_rsa, sizeof *gen, selection);
    if (gen != NULL && oct_keygen_fallback(&gen->base) != NULL && oct_keygen_set_fallback(&gen->base, params))
        return gen;
    oct_keygen_cleanup(gen);
    return NULL;
}

int oct_rsa_gen_set_params(void *genctx, const OSSL_PARAM params[])
{
    return oct_keygen_set_fallback(genctx, params);
}

const OSSL_PARAM *oct_rsa_gen_settable_params(void *genctx, void *provctx)
{
    (void)genctx;
    return oct_fallback_gen_settable(provctx, OCT_FAMILY_rsa);
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
    EVP_PKEY *fallback;

    gen->progress = callback;
    gen->progress_arg = arg;
    EVP_PKEY_CTX_set_app_data(gen->base.ctx, gen);
    EVP_PKEY_CTX_set_cb(gen->base.ctx, callback == NULL ? NULL : progress);
    fallback = oct_keygen_generate_fallback(&gen->base);
    if (fallback == NULL)
        return NULL;
    key = oct_prov_rsa_new(gen->base.prov);
    if (key == NULL) {
        EVP_PKEY_free(fallback);
        return NULL;
    }
    if (oct_prov_rsa_set_fallback(key, fallback))
        return key;
    oct_prov_key_free(key);
    return NULL;
}
