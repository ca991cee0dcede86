/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* QUIC keys: two AEAD keys, by key phase, and one for headers. */
#include "api/cipher/quic_internal.h"

#include <stdlib.h>
#include <string.h>

static int fill_keys(struct oct_quic_keys *keys, const struct oct_aead_ops *ops, int aead, const uint8_t *key,
                     size_t key_len, const uint8_t *iv, const uint8_t *hp)
{
    const int status = oct_aead_key_init_on(ops, &keys->key[0], aead, key, key_len);
    if (status != OCT_OK)
        return status;
    const struct oct_aead_expand_args args = {.mask_key = keys->mask_key, .bytes = hp};
    ops->expand(&args);
    ops->clear_registers();
    memcpy(keys->iv[0], iv, OCT_AEAD_NONCE);
    keys->has[0] = 1;
    return OCT_OK;
}

int oct_quic_keys_new_on(const struct oct_aead_ops *ops, struct oct_quic_keys **keys, int aead, const uint8_t *key,
                         size_t key_len, const uint8_t *iv, const uint8_t *hp)
{
    if (!keys || !key || !iv || !hp || !oct_aead_is_for_quic(aead))
        return OCT_ERR_ARGUMENT;
    struct oct_quic_keys *made = aligned_alloc(OCT_AEAD_ALIGN, sizeof *made);
    if (!made)
        return OCT_ERR_MEMORY;
    memset(made, 0, sizeof *made);
    const int status = fill_keys(made, ops, aead, key, key_len, iv, hp);
    if (status == OCT_OK)
        *keys = made;
    else
        free(made);
    return status;
}

int oct_quic_keys_new(struct oct_quic_keys **keys, int aead, const uint8_t *key, size_t key_len, const uint8_t *iv,
                      const uint8_t *hp)
{
    return oct_quic_keys_new_on(oct_aead_selected(aead, NULL), keys, aead, key, key_len, iv, hp);
}

void oct_quic_keys_free(struct oct_quic_keys *keys)
{
    if (keys)
        oct_cleanse(keys, sizeof *keys);
    free(keys);
}

int oct_quic_keys_update(struct oct_quic_keys *keys, int phase, const uint8_t *key, size_t key_len, const uint8_t *iv)
{
    if (!keys || !key || !iv || (phase != 0 && phase != 1))
        return OCT_ERR_ARGUMENT;
    const struct oct_aead_key *old = &keys->key[0];
    const int status = oct_aead_key_init_on(old->ops, &keys->key[phase], old->aead, key, key_len);
    if (status != OCT_OK)
        return status;
    memcpy(keys->iv[phase], iv, OCT_AEAD_NONCE);
    keys->has[phase] = 1;
    keys->sealed[phase] = 0;
    return OCT_OK;
}

uint64_t oct_quic_keys_sealed(const struct oct_quic_keys *keys, int phase)
{
    return keys->sealed[phase == 1];
}

uint64_t oct_quic_keys_forged(const struct oct_quic_keys *keys)
{
    return keys->forged;
}
