/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A group's curve on OpenSSL's own code: see hybrid.h. */
#include "hybrid.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

EVP_PKEY *oct_hybrid_fallback_generate(struct oct_prov *prov, const struct oct_prov_group *group)
{
    OSSL_LIB_CTX *libctx = oct_fallback_ctx(prov);
    return libctx == NULL ? NULL : EVP_PKEY_Q_keygen(libctx, NULL, group->algorithm, group->curve);
}

static EVP_PKEY *from_data(struct oct_prov *prov, const struct oct_prov_group *group, int selection,
                           OSSL_PARAM params[])
{
    OSSL_LIB_CTX *libctx = oct_fallback_ctx(prov);
    EVP_PKEY_CTX *ctx = libctx == NULL ? NULL : EVP_PKEY_CTX_new_from_name(libctx, group->algorithm, NULL);
    EVP_PKEY *key = NULL;

    if (ctx != NULL && EVP_PKEY_fromdata_init(ctx) > 0 && EVP_PKEY_fromdata(ctx, &key, selection, params) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return key;
}

EVP_PKEY *oct_hybrid_fallback_import(struct oct_prov *prov, const struct oct_prov_group *group,
                                     const uint8_t *private_key, const uint8_t *point)
{
    const bool is_x25519 = group->point == OCT_X25519_BYTES;
    uint8_t number[OCT_HYBRID_MAX_PRIVATE];
    OSSL_PARAM params[4], *p = params;
    EVP_PKEY *key;

    if (is_x25519) {
        *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)private_key, group->number);
    } else {
        /* OpenSSL's numbers in parameters are in the machine's order of bytes: little-endian on every machine with
         * lanes. */
        for (size_t i = 0; i < group->number; i++)
            number[i] = private_key[group->number - 1 - i];
        *p++ = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group->curve, 0);
        *p++ = OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, number, group->number);
    }
    *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, group->point);
    *p = OSSL_PARAM_construct_end();
    key = from_data(prov, group, EVP_PKEY_KEYPAIR, params);
    OPENSSL_cleanse(number, sizeof number);
    return key;
}

int oct_hybrid_fallback_point(const struct oct_prov_group *group, EVP_PKEY *own, uint8_t *point)
{
    unsigned char *encoded = NULL;
    const size_t len = EVP_PKEY_get1_encoded_public_key(own, &encoded);
    const int ok = len == group->point;

    if (ok)
        memcpy(point, encoded, len);
    OPENSSL_free(encoded);
    return ok;
}

static EVP_PKEY *peer_key(struct oct_prov *prov, const struct oct_prov_group *group, const uint8_t *point)
{
    OSSL_PARAM params[3], *p = params;

    if (group->curve != NULL)
        *p++ = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group->curve, 0);
    *p++ = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, group->point);
    *p = OSSL_PARAM_construct_end();
    return from_data(prov, group, EVP_PKEY_PUBLIC_KEY, params);
}

/* Compressed and hybrid encodings have other lengths or first bytes. Any 32 bytes are a point to X25519. */
bool oct_hybrid_fallback_is_point(struct oct_prov *prov, const struct oct_prov_group *group, const uint8_t *point)
{
    EVP_PKEY *key;

    if (group->curve == NULL)
        return 1;
    key = point[0] == POINT_CONVERSION_UNCOMPRESSED ? peer_key(prov, group, point) : NULL;
    EVP_PKEY_free(key);
    return key != NULL;
}

int oct_hybrid_fallback_derive(struct oct_prov *prov, const struct oct_prov_group *group, EVP_PKEY *own,
                               const uint8_t *point, uint8_t *secret)
{
    EVP_PKEY *peer = peer_key(prov, group, point);
    EVP_PKEY_CTX *ctx = peer == NULL ? NULL : oct_fallback_key_ctx(prov, own);
    size_t len = group->number;
    const int ok = ctx != NULL && EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, peer) > 0 &&
                   EVP_PKEY_derive(ctx, secret, &len) > 0 && len == group->number;

    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(peer);
    return ok;
}
