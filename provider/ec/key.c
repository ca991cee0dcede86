/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The EC key object. See ec.h. */
#include "ec.h"

#include "base/base.h"
#include "provider/core/provider.h"

#include <openssl/crypto.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

static void ec_destroy(void *vkey)
{
    struct oct_prov_ec *key = vkey;

    EVP_PKEY_CTX_free(atomic_load(&key->verifier));
    EVP_PKEY_free(atomic_load(&key->fallback));
    OPENSSL_secure_clear_free(key->private_key, OCT_EC_MAX_BYTES);
    OPENSSL_free(key);
}

void *oct_prov_ec_new(void *prov)
{
    struct oct_prov_ec *key = oct_prov_key_new(prov, sizeof *key, ec_destroy);

    if (key != NULL)
        key->curve = -1;
    return key;
}

uint8_t *oct_prov_ec_private(struct oct_prov_ec *key)
{
    return oct_prov_key_private(key->base.prov, &key->private_key, OCT_EC_MAX_BYTES);
}

int oct_prov_ec_signs_in_lanes(const struct oct_prov_ec *key)
{
    return key->curve >= 0 && key->base.has_private;
}

/* Setting coordinates fails where they are not below p, or not of the curve; the point at infinity has another
 * encoding. */
static bool is_point(struct oct_prov *prov, int curve, const uint8_t *bytes, size_t len)
{
    const EC_GROUP *group = oct_ec_fallback_group(prov, curve);
    EC_POINT *point = group == NULL ? NULL : EC_POINT_new(group);
    int ok = point != NULL && EC_POINT_oct2point(group, point, bytes, len, NULL);

    EC_POINT_free(point);
    return ok;
}

int oct_prov_ec_set_point(struct oct_prov_ec *key, const uint8_t *bytes, size_t len)
{
    const size_t size = oct_ec_bytes(key->curve);

    if (len != 1 + 2 * size || bytes[0] != POINT_CONVERSION_UNCOMPRESSED ||
        !is_point(key->base.prov, key->curve, bytes, len))
        return OCT_RAISE(key->base.prov, OCT_REASON_POINT);
    EVP_PKEY_CTX_free(atomic_exchange(&key->verifier, NULL));
    EVP_PKEY_free(atomic_exchange(&key->fallback, NULL));
    memcpy(key->public_key, bytes + 1, 2 * size);
    key->base.has_public = 1;
    return 1;
}
