/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What stands in an AEAD key and in a stream: for src/api and for tests. */
#ifndef OCT_API_AEAD_INTERNAL_H
#define OCT_API_AEAD_INTERNAL_H

#include "ops/aead.h"

#include <stdbool.h>

struct oct_aead_key {
    const struct oct_aead_ops *ops;
    int32_t aead;
    uint32_t reserved;
    uint8_t expanded[OCT_AEAD_EXPANDED_BYTES] OCT_ALIGN64;
} __attribute__((aligned(OCT_AEAD_ALIGN)));
_Static_assert(sizeof(struct oct_aead_key) <= OCT_AEAD_KEY_MAX_BYTES, "a key is as small as promised");

/* oct_aead_key_init() with the tier of the caller's choice. */
int oct_aead_key_init_on(const struct oct_aead_ops *ops, void *memory, int aead, const uint8_t *bytes, size_t len);

/* Whether QUIC has it: only these have kernels for packets and masks. */
bool oct_aead_is_for_quic(int aead);

/* Whether the AEAD can seal so much under one nonce: OCT_OK or OCT_ERR_LENGTH. */
int oct_aead_check_lengths(int aead, uint64_t aad_len, uint64_t len);

/* 1 if the first `len` bytes are the same; in constant time, and the answer is public. */
int oct_aead_same_tag(const uint8_t *a, const uint8_t *b, size_t len);

#endif
