/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The SM2 key object, and what OpenSSL's own code does with it. See sm2.h. */
#include "sm2.h"

#include "provider/contexts/ec_forms.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <string.h>

static void drop_spares(struct oct_prov_sm2 *key)
{
    for (int use = 0; use < OCT_SM2_USES; use++)
        EVP_PKEY_CTX_free(atomic_exchange(&key->spare[use], NULL));
}

static void sm2_destroy(void *vkey)
{
    struct oct_prov_sm2 *key = vkey;

    drop_spares(key);
    EVP_PKEY_free(key->fallback);
    OPENSSL_secure_clear_free(key->private_key, OCT_SM2_BYTES);
    OPENSSL_free(key);
}

struct oct_prov_sm2 *oct_prov_sm2_new(struct oct_prov *prov, const char *type)
{
    struct oct_prov_sm2 *key = oct_prov_key_new(prov, sizeof *key, sm2_destroy);

    if (key != NULL)
        key->type = type;
    return key;
}

uint8_t *oct_prov_sm2_private(struct oct_prov_sm2 *key)
{
    return oct_prov_key_private(key->base.prov, &key->private_key, OCT_SM2_BYTES);
}

static int load_numbers(struct oct_prov_sm2 *key)
{
    uint8_t *d = oct_prov_sm2_private(key);
    bool fits = true;
    int has_public, has_private;

    if (d == NULL)
        return 0;
    has_public = oct_ec_take_point(key->fallback, key->public_key, OCT_SM2_BYTES, &fits);
    has_private = oct_ec_take_number(key->fallback, OSSL_PKEY_PARAM_PRIV_KEY, d, OCT_SM2_BYTES, &fits);
    if (has_public < 0 || has_private < 0)
        return 0;
    key->base.has_public = has_public;
    key->base.has_private = has_private;
    key->has_numbers = fits;
    return 1;
}

int oct_prov_sm2_set_fallback(struct oct_prov_sm2 *key, EVP_PKEY *fallback)
{
    drop_spares(key);
    if (key->fallback != fallback)
        EVP_PKEY_free(key->fallback);
    key->fallback = fallback;
    key->has_numbers = false;
    return load_numbers(key) || OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
}

static int import(struct oct_prov_sm2 *key, int selection, const OSSL_PARAM params[])
{
    EVP_PKEY *fallback = oct_fallback_import_named(key->base.prov, key->type, selection, params);

    if (fallback == NULL)
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    return oct_prov_sm2_set_fallback(key, fallback);
}

int oct_prov_sm2_import(struct oct_prov_sm2 *key, int selection, const OSSL_PARAM params[])
{
    return import(key, selection, params);
}

/* OpenSSL's numbers in parameters are in the machine's order of bytes: little-endian on every machine with lanes. */
int oct_prov_sm2_set_pair(struct oct_prov_sm2 *key, const uint8_t public_key[2 * OCT_SM2_BYTES],
                          const uint8_t private_key[OCT_SM2_BYTES])
{
    uint8_t point[1 + 2 * OCT_SM2_BYTES] = {POINT_CONVERSION_UNCOMPRESSED}, d[OCT_SM2_BYTES];
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"SM2", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point),
        OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, d, sizeof d),
        OSSL_PARAM_construct_end(),
    };
    int ok;

    memcpy(point + 1, public_key, sizeof point - 1);
    for (size_t i = 0; i < sizeof d; i++)
        d[i] = private_key[sizeof d - 1 - i];
    ok = import(key, EVP_PKEY_KEYPAIR, params);
    OPENSSL_cleanse(d, sizeof d);
    return ok;
}

static EVP_PKEY_CTX *take_spare(const struct oct_prov_sm2 *ckey, enum oct_sm2_use use)
{
    struct oct_prov_sm2 *key = (struct oct_prov_sm2 *)ckey;
    EVP_PKEY_CTX *ctx = atomic_exchange(&key->spare[use], NULL);

    if (ctx != NULL)
        return ctx;
    ctx = oct_fallback_key_ctx(key->base.prov, key->fallback);
    if (ctx != NULL && (use == OCT_SM2_SIGN ? EVP_PKEY_sign_init(ctx) : EVP_PKEY_verify_init(ctx)) > 0)
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

static void give_spare(const struct oct_prov_sm2 *ckey, enum oct_sm2_use use, EVP_PKEY_CTX *ctx)
{
    struct oct_prov_sm2 *key = (struct oct_prov_sm2 *)ckey;
    EVP_PKEY_CTX_free(atomic_exchange(&key->spare[use], ctx));
}

/* A length of -1 as in oct_sig_sign_fallback(). */
int oct_sm2_fallback_sign(const struct oct_prov_sm2 *key, uint8_t *der, size_t *der_len, const uint8_t *digest)
{
    const size_t room = *der_len;
    EVP_PKEY_CTX *ctx = take_spare(key, OCT_SM2_SIGN);
    const int ok = ctx != NULL && EVP_PKEY_sign(ctx, der, der_len, digest, OCT_SM2_BYTES) > 0;

    give_spare(key, OCT_SM2_SIGN, ctx);
    return ok && *der_len > room ? OCT_RAISE(key->base.prov, OCT_REASON_MEMORY) : ok;
}

int oct_sm2_fallback_verify(const struct oct_prov_sm2 *key, const uint8_t *der, size_t der_len, const uint8_t *digest)
{
    EVP_PKEY_CTX *ctx = take_spare(key, OCT_SM2_VERIFY);
    const int ok = ctx == NULL ? 0 : EVP_PKEY_verify(ctx, der, der_len, digest, OCT_SM2_BYTES);

    give_spare(key, OCT_SM2_VERIFY, ctx);
    return ok;
}
