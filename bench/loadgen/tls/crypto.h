/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Hash, HMAC, the key schedules of TLS 1.3 (RFC 8446, section 7.1) and TLS 1.2 (RFC 5246, section 5), and AES-GCM
 * records, on libcrypto. A handshake needs some forty of these calls, so nothing is fetched, allocated or looked up in
 * one: algorithms are fetched once per process, and contexts are reused.
 *
 * Nothing here is meant to be secret: the keys of a load generator protect nothing.
 */
#ifndef OCTUPLE_LOADGEN_CRYPTO_H
#define OCTUPLE_LOADGEN_CRYPTO_H

#include <openssl/evp.h>

#include "bytes.h"

#define LOAD_HASH_MAX   48 /* SHA-384 */
#define LOAD_KEY_MAX    32 /* AES-256 */
#define LOAD_IV_LEN     12
#define LOAD_TAG_LEN    16
#define LOAD_RANDOM_LEN 32

/* The algorithms of the one cipher suite of this run. */
struct load_crypto {
    EVP_MD *md;
    EVP_CIPHER *cipher;
    EVP_MD_CTX *scratch;  /* HMACs, and copies of transcripts */
    EVP_CIPHER_CTX *seal; /* a client seals so little that all connections share it */
    size_t hash_len, block_len, key_len;
    uint8_t empty_hash[LOAD_HASH_MAX];    /* of no bytes */
    uint8_t early_derived[LOAD_HASH_MAX]; /* TLS 1.3: the salt of the handshake secret when there is no PSK */
};

/* Bytes to hash. */
struct load_span {
    const void *data;
    size_t len;
};

/* Ends the program if libcrypto could not do `what` (it has no memory, or lacks an algorithm that TLS cannot do
 * without). */
void load_crypto_require(int ok, const char *what);

/* bits: 128 for AES-128-GCM with SHA-256, 256 for AES-256-GCM with SHA-384. */
void load_crypto_init(struct load_crypto *crypto, unsigned bits);
void load_crypto_clear(struct load_crypto *crypto);

/* out: hash_len bytes. */
void load_crypto_hmac(struct load_crypto *crypto, uint8_t *out, struct load_span key, const struct load_span *part,
                      unsigned parts);

/* HKDF-Expand-Label with len at most hash_len; secret is hash_len bytes. */
void load_crypto_expand(struct load_crypto *crypto, uint8_t *out, size_t len, const uint8_t *secret, const char *label,
                        struct load_span context);

/* HKDF-Extract. */
void load_crypto_extract(struct load_crypto *crypto, uint8_t *out, const uint8_t *salt, struct load_span input);

/* The PRF of TLS 1.2. */
void load_crypto_prf(struct load_crypto *crypto, uint8_t *out, size_t len, struct load_span secret, const char *label,
                     struct load_span seed1, struct load_span seed2);

/* A hash that goes on: begin, add, and the value so far. */
void load_transcript_begin(struct load_crypto *crypto, EVP_MD_CTX *transcript);
void load_transcript_add(EVP_MD_CTX *transcript, const uint8_t *bytes, size_t len);
void load_transcript_value(struct load_crypto *crypto, uint8_t *out, const EVP_MD_CTX *transcript);

/* One AES-GCM message. The context has been given its key by load_aead_key(). */
void load_aead_key(struct load_crypto *crypto, EVP_CIPHER_CTX *ctx, const uint8_t *key, int for_sealing);
/* out: len + LOAD_TAG_LEN bytes; may be `in`. */
void load_aead_seal(EVP_CIPHER_CTX *ctx, uint8_t *out, const uint8_t *nonce, struct load_span aad, const uint8_t *in,
                    size_t len);
/* In place; len is without the tag, which follows. False if the tag does not fit. */
bool load_aead_open(EVP_CIPHER_CTX *ctx, uint8_t *data, size_t len, const uint8_t *nonce, struct load_span aad);

#endif
