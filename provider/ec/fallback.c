/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Between the numbers of an EC key and the key of OpenSSL's own implementation, both ways. */
#include "ec.h"
#include "provider/contexts/ec_forms.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

#define NAME_MAX_LEN 80

/* The key's curve, or -1 for one without a name or lanes, which is no error. 0 if it cannot be read. */
static int take_curve(EVP_PKEY *fallback, int *curve)
{
    char name[NAME_MAX_LEN] = "";
    OSSL_PARAM p = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, name, sizeof name - 1);
    const int has = oct_fallback_ask(fallback, &p);

    *curve = has > 0 ? oct_ec_curve_by_name(name) : -1;
    return has >= 0;
}

/* Without lanes all is left to the fallback. */
static int load_numbers(struct oct_prov_ec *key, EVP_PKEY *fallback)
{
    int curve, has_public, has_private;
    bool fits = true;
    size_t size;
    uint8_t *d;

    if (!take_curve(fallback, &curve))
        return 0;
    size = curve < 0 ? 0 : oct_ec_bytes(curve);
    has_public = oct_ec_take_point(fallback, curve < 0 ? NULL : key->public_key, size, &fits);
    has_private = oct_ec_take_number(fallback, OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0, &fits);
    if (has_public < 0 || has_private < 0)
        return 0;
    if (has_private && curve >= 0) {
        d = oct_prov_ec_private(key);
        if (d == NULL || oct_ec_take_number(fallback, OSSL_PKEY_PARAM_PRIV_KEY, d, size, &fits) <= 0)
            return 0;
    }
    key->base.has_public = has_public;
    key->base.has_private = has_private;
    key->curve = fits ? curve : -1;
    return 1;
}

int oct_prov_ec_set_fallback(struct oct_prov_ec *key, EVP_PKEY *fallback)
{
    EVP_PKEY *before = atomic_exchange(&key->fallback, fallback);

    EVP_PKEY_CTX_free(atomic_exchange(&key->verifier, NULL));
    if (before != fallback)
        EVP_PKEY_free(before);
    key->is_fallback = 1;
    key->curve = -1;
    return load_numbers(key, fallback) || OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
}

static EVP_PKEY *from_data(struct oct_prov *prov, int selection, const OSSL_PARAM params[])
{
    EVP_PKEY *fallback = oct_fallback_import(prov, OCT_FAMILY_ec, selection, params);

    if (fallback == NULL)
        OCT_RAISE(prov, OCT_REASON_KEY_IMPORT);
    return fallback;
}

int oct_prov_ec_import(struct oct_prov_ec *key, int selection, const OSSL_PARAM params[])
{
    EVP_PKEY *fallback = from_data(key->base.prov, selection, params);
    return fallback != NULL && oct_prov_ec_set_fallback(key, fallback);
}

static EVP_PKEY *from_numbers(const struct oct_prov_ec *key)
{
    const size_t size = oct_ec_bytes(key->curve);
    uint8_t point[1 + 2 * OCT_EC_MAX_BYTES] = {POINT_CONVERSION_UNCOMPRESSED}, d[OCT_EC_MAX_BYTES];
    OSSL_PARAM params[4], *p = params;
    EVP_PKEY *fallback;

    *p++ =
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)oct_prov_curves[key->curve].names[0], 0);
    if (key->base.has_public) {
        memcpy(point + 1, key->public_key, 2 * size);
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, 1 + 2 * size);
    }
    if (key->base.has_private) {
        /* OpenSSL's numbers in parameters are in the machine's order of bytes: little-endian on every machine with
         * lanes. */
        for (size_t i = 0; i < size; i++)
            d[i] = key->private_key[size - 1 - i];
        *p++ = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, d, size);
    }
    *p = OSSL_PARAM_construct_end();
    fallback =
        from_data(key->base.prov,
                  key->base.has_private || key->base.has_public ? EVP_PKEY_KEYPAIR : EVP_PKEY_KEY_PARAMETERS, params);
    OPENSSL_cleanse(d, sizeof d);
    return fallback;
}

/* Threads that race keep the first one stored. */
EVP_PKEY *oct_prov_ec_fallback(const struct oct_prov_ec *ckey)
{
    struct oct_prov_ec *key = (struct oct_prov_ec *)ckey;
    EVP_PKEY *fallback = atomic_load_explicit(&key->fallback, memory_order_acquire), *none = NULL;

    if (fallback != NULL)
        return fallback;
    if (key->curve < 0) {
        OCT_RAISE(key->base.prov, OCT_REASON_NO_KEY);
        return NULL;
    }
    fallback = from_numbers(key);
    if (fallback != NULL && !atomic_compare_exchange_strong(&key->fallback, &none, fallback)) {
        EVP_PKEY_free(fallback);
        fallback = none;
    }
    return fallback;
}

static EVP_PKEY_CTX *verifier_new(const struct oct_prov_ec *key)
{
    EVP_PKEY_CTX *ctx = oct_fallback_key_ctx(key->base.prov, oct_prov_ec_fallback(key));

    if (ctx != NULL && EVP_PKEY_verify_init(ctx) > 0)
        return ctx;
    EVP_PKEY_CTX_free(ctx);
    return NULL;
}

/* OpenSSL's own answer, which is negative for a malformed signature. */
int oct_prov_ec_verify_fallback(const struct oct_prov_ec *ckey, const uint8_t *der, size_t der_len,
                                const uint8_t *digest, size_t digest_len)
{
    struct oct_prov_ec *key = (struct oct_prov_ec *)ckey;
    EVP_PKEY_CTX *ctx = atomic_exchange(&key->verifier, NULL);
    int ok;

    if (ctx == NULL)
        ctx = verifier_new(key);
    if (ctx == NULL)
        return 0;
    /* A verdict raises nothing in OpenSSL's own provider. From 3.4 on EVP adds an error of its own, and it does so
     * here. */
    ERR_set_mark();
    ok = EVP_PKEY_verify(ctx, der, der_len, digest, digest_len);
    if (ok >= 0)
        ERR_pop_to_mark();
    else
        ERR_clear_last_mark();
    EVP_PKEY_CTX_free(atomic_exchange(&key->verifier, ctx));
    return ok;
}
