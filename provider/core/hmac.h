/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * HMAC (RFC 2104, FIPS 198-1) with SHA-256 and SHA-384, without a fetch and without an allocation.
 *
 * Lengths are public, keys and texts may be secret; nothing branches on them. States of a key are secret as the key is:
 * whoever declares a struct oct_hmac cleanses it.
 */
#ifndef OCT_PROVIDER_HMAC_H
#define OCT_PROVIDER_HMAC_H

#include <openssl/sha.h>
#include <stddef.h>
#include <stdint.h>

enum oct_hash { OCT_HASH_NONE = 0, OCT_HASH_SHA256 = 1, OCT_HASH_SHA384 = 2 };

#define OCT_HASH_MAX_BYTES SHA384_DIGEST_LENGTH

union oct_hash_state {
    SHA256_CTX sha256;
    SHA512_CTX sha384;
};

/* A key, as the two states that have taken it in: those of the inner and of the outer hash. */
struct oct_hmac {
    enum oct_hash hash;
    union oct_hash_state inner, outer;
};

/* Bytes of a digest, and of the block that a key may fill. Both are 0 for OCT_HASH_NONE. */
size_t oct_hash_size(enum oct_hash hash);
size_t oct_hash_block(enum oct_hash hash);

/* Writes the digest of no text at all. */
void oct_hash_nothing(enum oct_hash hash, uint8_t *out);

/* key_len is at most oct_hash_block(hash), which is not OCT_HASH_NONE. */
void oct_hmac_set_key(struct oct_hmac *hmac, enum oct_hash hash, const uint8_t *key, size_t key_len);

/* out = HMAC(key, a || b), oct_hash_size() bytes, which may lie where a does. b may be NULL if b_len is 0. */
void oct_hmac_make(const struct oct_hmac *hmac, uint8_t *out, const uint8_t *a, size_t a_len, const uint8_t *b,
                   size_t b_len);

#endif
