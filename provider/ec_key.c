/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The EC key object, and what the provider offers for EC. See ec.h. */
#include "ec.h"

#include "base/base.h"
#include "provider.h"

#include <openssl/crypto.h>
#include <string.h>
#include <strings.h>

const struct oct_offer oct_ec_offers[] = {
    {OSSL_OP_KEYMGMT,
     {OCT_EC_NAMES, OCT_PROPERTIES, oct_ec_keymgmt_table, "Octuple EC keys"},
     1u << OCT_SETTING_EC_KEYMGMT,
     OCT_OP_P256_SIGN,
     OCT_OP_P384_DERIVE},
    {OSSL_OP_KEYEXCH,
     {"ECDH", OCT_PROPERTIES, oct_ec_exchange_table, "Octuple ECDH"},
     1u << OCT_SETTING_EC_KEYMGMT | 1u << OCT_SETTING_EC_EXCHANGE,
     OCT_OP_P256_SIGN,
     OCT_OP_P384_DERIVE},
    {OSSL_OP_SIGNATURE,
     {"ECDSA", OCT_PROPERTIES, oct_ec_signature_table, "Octuple ECDSA"},
     1u << OCT_SETTING_EC_KEYMGMT | 1u << OCT_SETTING_EC_SIGNATURE,
     OCT_OP_P256_SIGN,
     OCT_OP_P384_DERIVE},
    {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
};

/* OpenSSL's own name comes first. */
static const char *const curve_names[OCT_EC_CURVES][3] = {
    [OCT_EC_P256] = {"prime256v1", "P-256", "1.2.840.10045.3.1.7"},
    [OCT_EC_P384] = {"secp384r1", "P-384", "1.3.132.0.34"},
};

int oct_ec_curve_by_name(const char *name)
{
    for (int curve = 0; curve < OCT_EC_CURVES; curve++)
        for (size_t i = 0; i < OCT_ARRAY_LEN(curve_names[curve]); i++)
            if (strcasecmp(name, curve_names[curve][i]) == 0)
                return curve;
    return -1;
}

const char *oct_ec_curve_name(int curve)
{
    return curve_names[curve][0];
}

static void ec_destroy(void *vkey)
{
    struct oct_prov_ec *key = vkey;

    EVP_PKEY_CTX_free(atomic_load(&key->verifier));
    EVP_PKEY_free(atomic_load(&key->plain));
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
static int is_point(struct oct_prov *prov, int curve, const uint8_t *bytes, size_t len)
{
    const EC_GROUP *group = oct_plain_ec_group(prov, curve);
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
    EVP_PKEY_free(atomic_exchange(&key->plain, NULL));
    memcpy(key->public_key, bytes + 1, 2 * size);
    key->base.has_public = 1;
    return 1;
}
