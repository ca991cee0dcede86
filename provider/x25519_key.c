/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The X25519 key object, and what the provider offers for X25519. See x25519.h. */
#include "x25519.h"

#include "provider.h"

#include <openssl/crypto.h>

const struct oct_offer oct_x25519_offers[] = {
    {OSSL_OP_KEYMGMT,
     {OCT_X25519_NAMES, "provider=octuple", oct_x25519_keymgmt_table, "Octuple X25519 keys"},
     1u << OCT_SETTING_X25519_KEYMGMT,
     OCT_OP_X25519_DERIVE,
     OCT_OP_X25519_KEYGEN},
    {OSSL_OP_KEYEXCH,
     {OCT_X25519_NAMES, "provider=octuple", oct_x25519_exchange_table, "Octuple X25519 key exchange"},
     1u << OCT_SETTING_X25519_KEYMGMT | 1u << OCT_SETTING_X25519_EXCHANGE,
     OCT_OP_X25519_DERIVE,
     OCT_OP_X25519_DERIVE},
    {0, {NULL, NULL, NULL, NULL}, 0, 0, 0},
};

struct oct_prov_x25519 *oct_prov_x25519_new(struct oct_prov *prov)
{
    struct oct_prov_x25519 *key = OPENSSL_zalloc(sizeof *key);

    if (key == NULL) {
        OCT_RAISE(prov, OCT_REASON_MEMORY);
        return NULL;
    }
    atomic_init(&key->references, 1);
    key->prov = prov;
    return key;
}

void oct_prov_x25519_up_ref(struct oct_prov_x25519 *key)
{
    atomic_fetch_add_explicit(&key->references, 1, memory_order_relaxed);
}

void oct_prov_x25519_free(struct oct_prov_x25519 *key)
{
    if (key == NULL || atomic_fetch_sub_explicit(&key->references, 1, memory_order_acq_rel) != 1)
        return;
    OPENSSL_secure_clear_free(key->private_key, OCT_X25519_BYTES);
    OPENSSL_free(key);
}

uint8_t *oct_prov_x25519_private(struct oct_prov_x25519 *key)
{
    if (key->private_key == NULL)
        key->private_key = OPENSSL_secure_zalloc(OCT_X25519_BYTES);
    if (key->private_key == NULL)
        OCT_RAISE(key->prov, OCT_REASON_MEMORY);
    return key->private_key;
}

void oct_prov_x25519_forget_private(struct oct_prov_x25519 *key)
{
    if (key->private_key != NULL)
        OPENSSL_cleanse(key->private_key, OCT_X25519_BYTES);
    key->has_private = 0;
}
