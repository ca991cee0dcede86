/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA on OpenSSL's own code, in the private context. */
#include "mldsa.h"
#include "provider/core/provider.h"

/* Of OpenSSL 3.4 and later, while this module loads on 3.0 too: there they are NULL, and nobody calls them, because the
 * family offers nothing before 3.5. */
#define WEAK extern __attribute__((weak))
WEAK int EVP_PKEY_sign_message_init(EVP_PKEY_CTX *ctx, EVP_SIGNATURE *algorithm, const OSSL_PARAM params[]);
WEAK int EVP_PKEY_sign_message_update(EVP_PKEY_CTX *ctx, const unsigned char *in, size_t len);
WEAK int EVP_PKEY_sign_message_final(EVP_PKEY_CTX *ctx, unsigned char *signature, size_t *len);
WEAK int EVP_PKEY_verify_message_init(EVP_PKEY_CTX *ctx, EVP_SIGNATURE *algorithm, const OSSL_PARAM params[]);
WEAK int EVP_PKEY_verify_message_update(EVP_PKEY_CTX *ctx, const unsigned char *in, size_t len);
WEAK int EVP_PKEY_verify_message_final(EVP_PKEY_CTX *ctx);

static int start(EVP_PKEY_CTX *ctx, EVP_SIGNATURE *signature, enum oct_mldsa_use use, const OSSL_PARAM params[])
{
    if (use == OCT_MLDSA_SIGN)
        return EVP_PKEY_sign_message_init(ctx, signature, params) > 0;
    return EVP_PKEY_verify_message_init(ctx, signature, params) > 0;
}

EVP_PKEY_CTX *oct_mldsa_fallback_ctx(const struct oct_prov_mldsa *key, enum oct_mldsa_use use,
                                     const OSSL_PARAM params[])
{
    const struct oct_mldsa_part *part = oct_mldsa_part(key->base.prov);
    EVP_PKEY_CTX *ctx = part == NULL ? NULL : oct_fallback_key_ctx(key->base.prov, key->fallback);

    if (ctx != NULL && start(ctx, part->signature[key->set], use, params))
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

int oct_mldsa_fallback_update(EVP_PKEY_CTX *ctx, enum oct_mldsa_use use, const uint8_t *data, size_t len)
{
    return (use == OCT_MLDSA_SIGN ? EVP_PKEY_sign_message_update(ctx, data, len)
                                  : EVP_PKEY_verify_message_update(ctx, data, len)) > 0;
}

int oct_mldsa_fallback_sign_final(EVP_PKEY_CTX *ctx, uint8_t *signature, size_t *len)
{
    return EVP_PKEY_sign_message_final(ctx, signature, len) > 0;
}

int oct_mldsa_fallback_verify_final(EVP_PKEY_CTX *ctx)
{
    return EVP_PKEY_verify_message_final(ctx) > 0;
}

/* The one with the settings, the spare one, or a new one. */
static EVP_PKEY_CTX *take(struct oct_prov_mldsa *key, enum oct_mldsa_use use, const struct oct_mldsa_text *text)
{
    EVP_PKEY_CTX *ctx = text->fallback != NULL ? text->fallback : atomic_exchange(&key->spare[use], NULL);
    return ctx != NULL ? ctx : oct_mldsa_fallback_ctx(key, use, NULL);
}

static void give_back(struct oct_prov_mldsa *key, enum oct_mldsa_use use, const struct oct_mldsa_text *text,
                      EVP_PKEY_CTX *ctx)
{
    if (ctx != text->fallback)
        EVP_PKEY_CTX_free(atomic_exchange(&key->spare[use], ctx));
}

int oct_mldsa_fallback_sign(struct oct_prov_mldsa *key, uint8_t *signature, const struct oct_mldsa_text *text)
{
    EVP_PKEY_CTX *ctx = take(key, OCT_MLDSA_SIGN, text);
    size_t len = oct_mldsa_signature_bytes(key->set);
    int ok;

    if (ctx == NULL)
        return 0;
    ok = EVP_PKEY_sign(ctx, signature, &len, text->message, text->message_len) > 0 &&
         len == oct_mldsa_signature_bytes(key->set);
    give_back(key, OCT_MLDSA_SIGN, text, ctx);
    return ok;
}

int oct_mldsa_fallback_verify(struct oct_prov_mldsa *key, const uint8_t *signature, const struct oct_mldsa_text *text)
{
    EVP_PKEY_CTX *ctx = take(key, OCT_MLDSA_VERIFY, text);
    int ok;

    if (ctx == NULL)
        return 0;
    ok = EVP_PKEY_verify(ctx, signature, oct_mldsa_signature_bytes(key->set), text->message, text->message_len) == 1;
    give_back(key, OCT_MLDSA_VERIFY, text, ctx);
    return ok ? 1 : OCT_RAISE(key->base.prov, OCT_REASON_BAD_SIGNATURE);
}
