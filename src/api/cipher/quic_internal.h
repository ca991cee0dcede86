/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What stands in QUIC keys: for src/api and for tests. */
#ifndef OCT_API_QUIC_INTERNAL_H
#define OCT_API_QUIC_INTERNAL_H

#include "api/cipher/aead_internal.h"

#include <octuple/quic.h>

struct oct_quic_keys {
    struct oct_aead_key key[2]; /* by key phase */
    uint8_t mask_key[OCT_AEAD_MASK_KEY_BYTES];
    uint8_t iv[2][OCT_AEAD_NONCE];
    int has[2];
    uint64_t sealed[2], forged;
};

/* oct_quic_keys_new() with the tier of the caller's choice. */
int oct_quic_keys_new_on(const struct oct_aead_ops *ops, struct oct_quic_keys **keys, int aead, const uint8_t *key,
                         size_t key_len, const uint8_t *iv, const uint8_t *hp);

/* oct_quic_header_key_new() likewise. */
int oct_quic_header_key_new_on(const struct oct_aead_ops *ops, struct oct_quic_header_key **key, int aead,
                               const uint8_t *hp, size_t len);

#endif
