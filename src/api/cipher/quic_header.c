/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Header protection apart from the AEAD: for stacks whose packet keys and header keys are two objects. */
#include "api/cipher/quic_internal.h"
#include "base/checkmem.h"

#include <stdlib.h>
#include <string.h>

struct oct_quic_header_key {
    const struct oct_aead_ops *ops;
    uint8_t expanded[OCT_AEAD_MASK_KEY_BYTES] __attribute__((aligned(OCT_AEAD_ALIGN)));
};

int oct_quic_header_key_new_on(const struct oct_aead_ops *ops, struct oct_quic_header_key **key, int aead,
                               const uint8_t *hp, size_t len)
{
    if (!key || !hp || !oct_aead_is_for_quic(aead))
        return OCT_ERR_ARGUMENT;
    if (len != oct_aead_key_len(aead))
        return OCT_ERR_LENGTH;
    if (!ops)
        return OCT_ERR_UNSUPPORTED;
    struct oct_quic_header_key *made = aligned_alloc(OCT_AEAD_ALIGN, sizeof *made);
    if (!made)
        return OCT_ERR_MEMORY;
    memset(made, 0, sizeof *made);
    made->ops = ops;
    const struct oct_aead_expand_args args = {.mask_key = made->expanded, .bytes = hp};
    ops->expand(&args);
    ops->clear_registers();
    *key = made;
    return OCT_OK;
}

int oct_quic_header_key_new(struct oct_quic_header_key **key, int aead, const uint8_t *hp, size_t len)
{
    return oct_quic_header_key_new_on(oct_aead_selected(aead, NULL), key, aead, hp, len);
}

void oct_quic_header_key_free(struct oct_quic_header_key *key)
{
    if (key)
        oct_cleanse(key, sizeof *key);
    free(key);
}

/* Up to OCT_AEAD_BURST of them. */
static void mask_burst(const struct oct_quic_header_key *key, uint8_t mask[][OCT_QUIC_MASK_BYTES],
                       const uint8_t *const sample[], size_t count)
{
    uint8_t whole[OCT_AEAD_BURST][OCT_QUIC_SAMPLE_BYTES];
    struct oct_aead_mask_args args = {.mask_key = key->expanded, .count = count, .mask = whole[0]};
    for (size_t i = 0; i < count; i++)
        args.sample[i] = sample[i];
    key->ops->mask(&args);
    /* They are sent, xored to what is known. */
    OCT_DECLASSIFY(whole, OCT_QUIC_SAMPLE_BYTES * count);
    for (size_t i = 0; i < count; i++)
        memcpy(mask[i], whole[i], OCT_QUIC_MASK_BYTES);
}

int oct_quic_header_mask(const struct oct_quic_header_key *key, uint8_t mask[][OCT_QUIC_MASK_BYTES],
                         const uint8_t *const sample[], size_t count)
{
    if (!key || (count && (!mask || !sample)))
        return OCT_ERR_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        if (!sample[i])
            return OCT_ERR_ARGUMENT;
    for (size_t i = 0; i < count; i += OCT_AEAD_BURST)
        mask_burst(key, mask + i, sample + i, count - i < OCT_AEAD_BURST ? count - i : OCT_AEAD_BURST);
    key->ops->clear_registers();
    return OCT_OK;
}
