/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See fallback.h. */
#include "fallback.h"

#include "provider/core/provider.h"

#include <openssl/rsa.h>

void oct_fallback_spares_free(struct oct_fallback_spares *spares)
{
    for (int i = 0; i < OCT_RAW_KINDS; i++)
        EVP_PKEY_CTX_free(atomic_exchange(&spares->ctx[i], NULL));
}

static EVP_PKEY_CTX *raw_ctx_new(struct oct_prov *prov, EVP_PKEY *key, enum oct_raw_kind kind)
{
    EVP_PKEY_CTX *ctx = oct_fallback_key_ctx(prov, key);
    int ok;

    if (ctx == NULL)
        return NULL;
    if (kind == OCT_RAW_SIGN)
        ok = EVP_PKEY_sign_init(ctx);
    else if (kind == OCT_RAW_DECRYPT)
        ok = EVP_PKEY_decrypt_init(ctx);
    else
        ok = EVP_PKEY_encrypt_init(ctx);
    if (ok > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) > 0)
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

int oct_fallback_raw(struct oct_prov *prov, EVP_PKEY *key, struct oct_fallback_spares *spares, enum oct_raw_kind kind,
                     uint8_t *out, const uint8_t *in, size_t size)
{
    EVP_PKEY_CTX *ctx = atomic_exchange(&spares->ctx[kind], NULL);
    size_t len = size;
    int ok;

    if (ctx == NULL)
        ctx = raw_ctx_new(prov, key, kind);
    if (ctx == NULL)
        return 0;
    if (kind == OCT_RAW_SIGN)
        ok = EVP_PKEY_sign(ctx, out, &len, in, size);
    else if (kind == OCT_RAW_DECRYPT)
        ok = EVP_PKEY_decrypt(ctx, out, &len, in, size);
    else
        ok = EVP_PKEY_encrypt(ctx, out, &len, in, size);
    EVP_PKEY_CTX_free(atomic_exchange(&spares->ctx[kind], ctx));
    return ok > 0 && len == size;
}
