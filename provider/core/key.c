/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See key.h. */
#include "key.h"

#include "provider.h"

#include <openssl/crypto.h>
#include <stdbool.h>
#include <string.h>

void *oct_prov_key_new(struct oct_prov *prov, size_t size, void (*destroy)(void *key))
{
    struct oct_prov_key *key = OPENSSL_zalloc(size);

    if (key == NULL) {
        OCT_RAISE(prov, OCT_REASON_MEMORY);
        return NULL;
    }
    atomic_init(&key->references, 1);
    key->prov = prov;
    key->destroy = destroy;
    return key;
}

void oct_prov_key_up_ref(void *vkey)
{
    struct oct_prov_key *key = vkey;

    if (key != NULL)
        atomic_fetch_add_explicit(&key->references, 1, memory_order_relaxed);
}

void oct_prov_key_free(void *vkey)
{
    struct oct_prov_key *key = vkey;

    if (key == NULL || atomic_fetch_sub_explicit(&key->references, 1, memory_order_acq_rel) != 1)
        return;
    key->destroy(key);
}

void oct_prov_key_replace(void **place, void *key)
{
    oct_prov_key_up_ref(key);
    oct_prov_key_free(*place);
    *place = key;
}

bool oct_prov_key_is_unshared(const struct oct_prov_key *key)
{
    return atomic_load(&key->references) == 1;
}

void *oct_prov_key_load(const void *reference, size_t size)
{
    void *key;

    if (size != sizeof key)
        return NULL;
    memcpy(&key, reference, sizeof key);
    memset((void *)reference, 0, sizeof key);
    return key;
}

int oct_prov_key_has(const void *vkey, int selection)
{
    const struct oct_prov_key *key = vkey;

    if (key == NULL)
        return 0;
    if ((selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 && !key->has_public)
        return 0;
    return (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) == 0 || key->has_private;
}

static bool is_whole(const struct oct_prov_key *key, int selection)
{
    return (selection & OSSL_KEYMGMT_SELECT_PUBLIC_KEY) != 0 &&
           (!key->has_private || (selection & OSSL_KEYMGMT_SELECT_PRIVATE_KEY) != 0);
}

void *oct_prov_key_dup(struct oct_prov_key *key, EVP_PKEY *fallback, int selection, OSSL_FUNC_keymgmt_new_fn *make,
                       OSSL_CALLBACK *import)
{
    void *copy;

    if (fallback != NULL && is_whole(key, selection)) {
        oct_prov_key_up_ref(key);
        return key;
    }
    copy = make(key->prov);
    if (copy == NULL || fallback == NULL || (selection & OSSL_KEYMGMT_SELECT_KEYPAIR) == 0)
        return copy;
    if (EVP_PKEY_export(fallback, selection, import, copy))
        return copy;
    oct_prov_key_free(copy);
    return NULL;
}

uint8_t *oct_prov_key_private(struct oct_prov *prov, uint8_t **memory, size_t size)
{
    if (*memory == NULL)
        *memory = OPENSSL_secure_zalloc(size);
    if (*memory == NULL)
        OCT_RAISE(prov, OCT_REASON_MEMORY);
    return *memory;
}
