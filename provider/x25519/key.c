/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The X25519 key object, and what the provider offers for X25519. See x25519.h. */
#include "x25519.h"

#include "provider/core/provider.h"

#include <openssl/crypto.h>

static void x25519_destroy(void *vkey)
{
    struct oct_prov_x25519 *key = vkey;

    OPENSSL_secure_clear_free(key->private_key, OCT_X25519_BYTES);
    OPENSSL_free(key);
}

void *oct_prov_x25519_new(void *prov)
{
    return oct_prov_key_new(prov, sizeof(struct oct_prov_x25519), x25519_destroy);
}

uint8_t *oct_prov_x25519_private(struct oct_prov_x25519 *key)
{
    return oct_prov_key_private(key->base.prov, &key->private_key, OCT_X25519_BYTES);
}

void oct_prov_x25519_forget_private(struct oct_prov_x25519 *key)
{
    if (key->private_key != NULL)
        OPENSSL_cleanse(key->private_key, OCT_X25519_BYTES);
    key->base.has_private = 0;
}
