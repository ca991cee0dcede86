/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* X25519 on OpenSSL's own code, of the private context: a key of its own is made for each operation and cleared after
 * it. */
#include "provider/core/provider.h"
#include "direct.h"
#include "x25519.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

/* The pair of a private key. */
static EVP_PKEY *make_key(struct oct_prov *prov, const uint8_t *private_key)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)private_key, OCT_X25519_BYTES),
        OSSL_PARAM_construct_end(),
    };
    return oct_fallback_import(prov, OCT_FAMILY_x25519, EVP_PKEY_KEYPAIR, params);
}

static int get_bytes(EVP_PKEY *key, const char *name, uint8_t bytes[OCT_X25519_BYTES])
{
    size_t len = 0;
    return EVP_PKEY_get_octet_string_param(key, name, bytes, OCT_X25519_BYTES, &len) && len == OCT_X25519_BYTES;
}

int oct_x25519_fallback_derive(const struct oct_prov_x25519 *own, const struct oct_prov_x25519 *peer,
                               uint8_t secret[OCT_X25519_BYTES])
{
    const struct oct_x25519_direct *direct = oct_fallback_part(own->base.prov, OCT_FAMILY_x25519);
    const int done =
        direct == NULL ? 0
                       : oct_x25519_direct_derive(direct, secret, own->private_key, own->public_key, peer->public_key);

    return done >= 0 ? done : OCT_RAISE(own->base.prov, OCT_REASON_MEMORY);
}

int oct_x25519_fallback_public(struct oct_prov *prov, uint8_t public_key[OCT_X25519_BYTES],
                               const uint8_t private_key[OCT_X25519_BYTES])
{
    EVP_PKEY *key = make_key(prov, private_key);
    int ok = key != NULL && get_bytes(key, OSSL_PKEY_PARAM_PUB_KEY, public_key);

    EVP_PKEY_free(key);
    return ok;
}

int oct_x25519_fallback_generate(struct oct_prov *prov, EVP_PKEY_CTX *ctx, uint8_t public_key[OCT_X25519_BYTES],
                                 uint8_t private_key[OCT_X25519_BYTES])
{
    OSSL_LIB_CTX *libctx = oct_fallback_ctx(prov);
    EVP_PKEY *key = NULL;
    int ok;

    if (ctx == NULL && libctx != NULL)
        key = EVP_PKEY_Q_keygen(libctx, NULL, "X25519");
    else if (ctx != NULL && EVP_PKEY_generate(ctx, &key) <= 0)
        key = NULL;
    ok = key != NULL && get_bytes(key, OSSL_PKEY_PARAM_PUB_KEY, public_key) &&
         get_bytes(key, OSSL_PKEY_PARAM_PRIV_KEY, private_key);
    EVP_PKEY_free(key);
    return ok;
}
