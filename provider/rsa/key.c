/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The RSA key object: references and import. See rsa.h. */
#include "rsa.h"

#include "provider/core/provider.h"

#include <openssl/crypto.h>

static void rsa_destroy(void *vkey)
{
    struct oct_prov_rsa *key = vkey;

    oct_fallback_spares_free(&key->spares);
    EVP_PKEY_free(key->fallback);
    oct_rsa_key_free(atomic_load(&key->lanes));
    OPENSSL_clear_free(key, sizeof *key);
}

void *oct_prov_rsa_new(void *prov)
{
    return oct_prov_key_new(prov, sizeof(struct oct_prov_rsa), rsa_destroy);
}

int oct_prov_rsa_set_fallback(struct oct_prov_rsa *key, EVP_PKEY *fallback)
{
    oct_fallback_spares_free(&key->spares);
    EVP_PKEY_free(key->fallback);
    oct_rsa_key_free(atomic_exchange(&key->lanes, NULL));
    atomic_store(&key->lane_requests, 0);
    key->fallback = fallback;
    return oct_prov_rsa_load_numbers(key);
}

int oct_prov_rsa_import(struct oct_prov_rsa *key, int selection, const OSSL_PARAM params[])
{
    EVP_PKEY *fallback = oct_fallback_import(key->base.prov, OCT_FAMILY_rsa, selection, params);

    if (fallback == NULL)
        return OCT_RAISE(key->base.prov, OCT_REASON_KEY_IMPORT);
    return oct_prov_rsa_set_fallback(key, fallback);
}

int oct_rsa_op(unsigned bits, enum oct_raw_kind kind)
{
    int is_public = kind == OCT_RAW_PUBLIC;

    if (bits == 2048)
        return is_public ? OCT_OP_RSA2048_PUBLIC : OCT_OP_RSA2048_PRIVATE;
    if (bits == 3072)
        return is_public ? OCT_OP_RSA3072_PUBLIC : OCT_OP_RSA3072_PRIVATE;
    if (bits == 4096)
        return is_public ? OCT_OP_RSA4096_PUBLIC : OCT_OP_RSA4096_PRIVATE;
    return -1;
}
