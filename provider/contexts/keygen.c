/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See keygen.h. */
#include "keygen.h"

#include "provider/core/provider.h"

#include <openssl/crypto.h>

void *oct_keygen_new(struct oct_prov *prov, int family, size_t size, int selection)
{
    struct oct_keygen *gen = OPENSSL_zalloc(size);

    if (gen == NULL) {
        OCT_RAISE(prov, OCT_REASON_MEMORY);
        return NULL;
    }
    gen->prov = prov;
    gen->family = family;
    gen->selection = selection;
    return gen;
}

void oct_keygen_cleanup(void *vgen)
{
    struct oct_keygen *gen = vgen;

    if (gen == NULL)
        return;
    EVP_PKEY_CTX_free(gen->ctx);
    OPENSSL_free(gen);
}

EVP_PKEY_CTX *oct_keygen_fallback(struct oct_keygen *gen)
{
    const int pair = (gen->selection & OSSL_KEYMGMT_SELECT_KEYPAIR) != 0;

    if (gen->ctx != NULL)
        return gen->ctx;
    gen->ctx =
        gen->name == NULL ? oct_fallback_new_ctx(gen->prov, gen->family) : oct_fallback_named_ctx(gen->prov, gen->name);
    if (gen->ctx != NULL && (pair ? EVP_PKEY_keygen_init(gen->ctx) : EVP_PKEY_paramgen_init(gen->ctx)) > 0)
        return gen->ctx;
    EVP_PKEY_CTX_free(gen->ctx);
    return gen->ctx = NULL;
}

int oct_keygen_set_fallback(struct oct_keygen *gen, const OSSL_PARAM params[])
{
    EVP_PKEY_CTX *ctx;

    if (params == NULL || params[0].key == NULL)
        return 1;
    ctx = oct_keygen_fallback(gen);
    return ctx != NULL && EVP_PKEY_CTX_set_params(ctx, params) > 0;
}

EVP_PKEY *oct_keygen_generate_fallback(struct oct_keygen *gen)
{
    EVP_PKEY_CTX *ctx = oct_keygen_fallback(gen);
    EVP_PKEY *fallback = NULL;

    return ctx != NULL && EVP_PKEY_generate(ctx, &fallback) > 0 ? oct_fallback_whole(fallback) : NULL;
}
