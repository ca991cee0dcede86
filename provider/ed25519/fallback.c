/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Ed25519 on OpenSSL's own code, in the private context. */
#include "ed25519.h"
#include "provider/core/provider.h"

int oct_ed25519_fallback_seed(const struct oct_prov_ed25519 *key, uint8_t seed[OCT_ED25519_SEED_BYTES])
{
    size_t len = OCT_ED25519_SEED_BYTES;

    if (EVP_PKEY_get_raw_private_key(key->fallback, seed, &len) > 0 && len == OCT_ED25519_SEED_BYTES)
        return 1;
    return OCT_RAISE(key->base.prov, key->base.has_private ? OCT_REASON_INTERNAL : OCT_REASON_NOT_PRIVATE);
}

/* Without a key the context keeps the one that it has. */
static int start(EVP_MD_CTX *ctx, OSSL_LIB_CTX *libctx, EVP_PKEY *key, enum oct_ed25519_use use,
                 const OSSL_PARAM params[])
{
    if (use == OCT_ED25519_SIGN)
        return EVP_DigestSignInit_ex(ctx, NULL, NULL, libctx, NULL, key, params) > 0;
    return EVP_DigestVerifyInit_ex(ctx, NULL, NULL, libctx, NULL, key, params) > 0;
}

EVP_MD_CTX *oct_ed25519_fallback_ctx(const struct oct_prov_ed25519 *key, enum oct_ed25519_use use,
                                     const OSSL_PARAM params[])
{
    OSSL_LIB_CTX *libctx = oct_fallback_ctx(key->base.prov);
    EVP_MD_CTX *ctx = libctx == NULL ? NULL : EVP_MD_CTX_new();

    if (ctx == NULL) {
        OCT_RAISE(key->base.prov, OCT_REASON_MEMORY);
        return NULL;
    }
    if (start(ctx, libctx, key->fallback, use, params))
        return ctx;
    EVP_MD_CTX_free(ctx);
    return NULL;
}

int oct_ed25519_fallback_restart(EVP_MD_CTX *ctx, enum oct_ed25519_use use)
{
    return start(ctx, NULL, NULL, use, NULL);
}

/* The spare one, or a new one. */
static EVP_MD_CTX *take(struct oct_prov_ed25519 *key, enum oct_ed25519_use use)
{
    EVP_MD_CTX *ctx = atomic_exchange(&key->spare[use], NULL);

    if (ctx != NULL && oct_ed25519_fallback_restart(ctx, use))
        return ctx;
    EVP_MD_CTX_free(ctx);
    return oct_ed25519_fallback_ctx(key, use, NULL);
}

static void give_back(struct oct_prov_ed25519 *key, enum oct_ed25519_use use, EVP_MD_CTX *ctx)
{
    EVP_MD_CTX_free(atomic_exchange(&key->spare[use], ctx));
}

int oct_ed25519_fallback_sign(struct oct_prov_ed25519 *key, uint8_t signature[OCT_ED25519_SIGNATURE_BYTES],
                              const uint8_t *message, size_t message_len)
{
    EVP_MD_CTX *ctx = take(key, OCT_ED25519_SIGN);
    size_t len = OCT_ED25519_SIGNATURE_BYTES;
    int ok;

    if (ctx == NULL)
        return 0;
    ok = EVP_DigestSign(ctx, signature, &len, message, message_len) > 0 && len == OCT_ED25519_SIGNATURE_BYTES;
    give_back(key, OCT_ED25519_SIGN, ctx);
    return ok;
}

int oct_ed25519_fallback_verify(struct oct_prov_ed25519 *key, const uint8_t signature[OCT_ED25519_SIGNATURE_BYTES],
                                const uint8_t *message, size_t message_len)
{
    EVP_MD_CTX *ctx = take(key, OCT_ED25519_VERIFY);
    int ok;

    if (ctx == NULL)
        return 0;
    ok = EVP_DigestVerify(ctx, signature, OCT_ED25519_SIGNATURE_BYTES, message, message_len) == 1;
    give_back(key, OCT_ED25519_VERIFY, ctx);
    return ok ? 1 : OCT_RAISE(key->base.prov, OCT_REASON_BAD_SIGNATURE);
}
