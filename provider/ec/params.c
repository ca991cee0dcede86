/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Parameters of EC keys. Those are OpenSSL's own, asked in the private context; but what a handshake asks of an
 * ephemeral key is answered from its numbers.
 */
#include "ec.h"
#include "provider/core/provider.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <string.h>

static int give_point(const struct oct_prov_ec *key, OSSL_PARAM *p)
{
    const size_t size = oct_ec_bytes(key->curve);
    uint8_t point[1 + 2 * OCT_EC_MAX_BYTES] = {POINT_CONVERSION_UNCOMPRESSED};

    memcpy(point + 1, key->public_key, 2 * size);
    return OSSL_PARAM_set_octet_string(p, point, 1 + 2 * size);
}

/* 1 answered, 0 failed, -1 not known here. */
static int give(const struct oct_prov_ec *key, OSSL_PARAM *p)
{
    if (strcmp(p->key, OSSL_PKEY_PARAM_BITS) == 0)
        return OSSL_PARAM_set_int(p, oct_prov_curves[key->curve].bits);
    if (strcmp(p->key, OSSL_PKEY_PARAM_SECURITY_BITS) == 0)
        return OSSL_PARAM_set_int(p, oct_prov_curves[key->curve].security_bits);
    if (strcmp(p->key, OSSL_PKEY_PARAM_MAX_SIZE) == 0)
        return OSSL_PARAM_set_int(p, oct_prov_curves[key->curve].signature_size);
    if (strcmp(p->key, OSSL_PKEY_PARAM_GROUP_NAME) == 0)
        return OSSL_PARAM_set_utf8_string(p, oct_prov_curves[key->curve].names[0]);
    if (strcmp(p->key, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY) == 0 && key->base.has_public)
        return give_point(key, p);
#ifdef OSSL_PKEY_PARAM_SECURITY_CATEGORY
    if (strcmp(p->key, OSSL_PKEY_PARAM_SECURITY_CATEGORY) == 0)
        return OSSL_PARAM_set_int(p, 0);
#endif
    return -1;
}

int oct_ec_get_params(void *keydata, OSSL_PARAM params[])
{
    const struct oct_prov_ec *key = keydata;
    EVP_PKEY *fallback;
    int done = -1;

    if (key == NULL)
        return 0;
    if (!key->is_fallback && key->curve >= 0) {
        done = 1;
        for (OSSL_PARAM *p = params; done > 0 && p->key != NULL; p++)
            done = give(key, p);
    }
    if (done >= 0)
        return done;
    fallback = oct_prov_ec_fallback(key);
    return fallback != NULL && EVP_PKEY_get_params(fallback, params);
}

const OSSL_PARAM *oct_ec_gettable_params(void *provctx)
{
    return oct_fallback_gettable(provctx, OCT_FAMILY_ec);
}

/* What a TLS peer sends: nothing but a point in its usual encoding, for a key without a private part. */
static const OSSL_PARAM *peer_point(const struct oct_prov_ec *key, const OSSL_PARAM params[])
{
    const OSSL_PARAM *p = &params[0];

    if (key->is_fallback || key->curve < 0 || key->base.has_private || p[1].key != NULL ||
        strcmp(p->key, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY) != 0 || p->data_type != OSSL_PARAM_OCTET_STRING)
        return NULL;
    if (p->data == NULL || p->data_size != 1 + 2 * oct_ec_bytes(key->curve))
        return NULL;
    return *(const uint8_t *)p->data == POINT_CONVERSION_UNCOMPRESSED ? p : NULL;
}

/* Anything else makes it a key of OpenSSL's own for good. */
int oct_ec_set_params(void *keydata, const OSSL_PARAM params[])
{
    struct oct_prov_ec *key = keydata;
    const OSSL_PARAM *point;
    EVP_PKEY *fallback;

    if (key == NULL)
        return 0;
    if (params == NULL || params[0].key == NULL)
        return 1;
    point = peer_point(key, params);
    if (point != NULL)
        return oct_prov_ec_set_point(key, point->data, point->data_size);
    fallback = oct_prov_ec_fallback(key);
    return fallback != NULL && EVP_PKEY_set_params(fallback, (OSSL_PARAM *)params) > 0 &&
           oct_prov_ec_set_fallback(key, fallback);
}

const OSSL_PARAM *oct_ec_settable_params(void *provctx)
{
    return oct_fallback_settable(provctx, OCT_FAMILY_ec);
}
