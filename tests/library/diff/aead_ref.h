/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* libcrypto as the reference of AEADs, and what their tests share. */
#ifndef OCT_TESTS_DIFF_AEAD_REF_H
#define OCT_TESTS_DIFF_AEAD_REF_H

#include "api/cipher/aead_internal.h"

#include <octuple/octuple.h>

#define REF_MAX 70000

/* A key on both sides. */
struct ref {
    int aead;
    void *cipher, *context; /* EVP_CIPHER, EVP_CIPHER_CTX */
    uint8_t bytes[32];
    uint8_t memory[OCT_AEAD_KEY_MAX_BYTES] __attribute__((aligned(OCT_AEAD_ALIGN)));
    struct oct_aead_key *key; /* in `memory` */
};

/* A random key for a tier; ref_close() after it. */
void ref_open(struct ref *r, const struct oct_aead_ops *ops, int aead);
void ref_close(struct ref *r);

/* What libcrypto makes of a record. */
void ref_seal(struct ref *r, const uint8_t *iv, size_t iv_len, const uint8_t *aad, size_t aad_len, const uint8_t *in,
              size_t len, uint8_t *out, uint8_t tag[16]);

/* The first 16 bytes of the mask that protects a header of QUIC's. context: an EVP_CIPHER_CTX for this alone. */
void ref_mask(void *context, int aead, const uint8_t *hp, const uint8_t *sample, uint8_t mask[16]);

void ref_random(uint8_t *out, size_t len);
/* 0 .. below - 1 */
size_t ref_below(size_t below);

#endif
