/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the tests of AEADs share: our cipher and OpenSSL's own of the same name, and messages through either by EVP. */
#ifndef OCT_TESTS_PROVIDER_AEAD_PEER_H
#define OCT_TESTS_PROVIDER_AEAD_PEER_H

#include "common.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <string.h>

#define MAX_TEXT 40960
#define TAG      16

/* One AEAD: ours and OpenSSL's. */
struct pair {
    const char *name;
    int gcm;
    size_t key_len;
    EVP_CIPHER *ours, *stock;
};
/* Those that are on. */
extern struct pair pairs[OCT_AEAD_COUNT];
extern int pair_count;

/* Group setup and teardown: both contexts and the ciphers; ends with status 77, saying why, where no AEAD is on. */
int open_pairs(void **state);
int close_pairs(void **state);

/* A message, and how it is cut: aad_piece and piece bytes a call, 0 for all at once. */
struct message {
    const uint8_t *key, *iv, *aad, *text;
    size_t iv_len, aad_len, len, aad_piece, piece;
};

/* Reproducible keys, nonces, additional data and text; of 12 bytes of nonce, all at once. */
struct message make_message(size_t aad_len, size_t len, unsigned seed);

/* A context with key, length of the nonce, and nonce. */
EVP_CIPHER_CTX *begin(EVP_CIPHER *cipher, const struct message *m, int sealing);
/* Additional data and text through a context, without final. */
void feed(EVP_CIPHER_CTX *ctx, const struct message *m, const uint8_t *in, uint8_t *out);

/* The whole way. The second returns what final says. */
void seal(EVP_CIPHER *cipher, const struct message *m, uint8_t *out, uint8_t tag[TAG]);
int open_sealed(EVP_CIPHER *cipher, const struct message *m, const uint8_t *in, uint8_t *out, const uint8_t *tag,
                size_t tag_len);

/* Our side and OpenSSL's seal to the same bytes, and each opens them. */
void check_message(const struct pair *pair, const struct message *m);

#endif
