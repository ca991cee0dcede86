/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * See hmac.h. The hashes are OpenSSL's, by its low-level functions. They are deprecated in favour of EVP, which makes
 * and frees a context of the digest for every hash that begins and for every state that is copied: here that would be
 * half of the time. None of these functions can fail.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "hmac.h"

#include <string.h>

size_t oct_hash_size(enum oct_hash hash)
{
    static const size_t size[] = {0, SHA256_DIGEST_LENGTH, SHA384_DIGEST_LENGTH};
    return size[hash];
}

size_t oct_hash_block(enum oct_hash hash)
{
    static const size_t block[] = {0, SHA256_CBLOCK, SHA512_CBLOCK};
    return block[hash];
}

static void begin(enum oct_hash hash, union oct_hash_state *state)
{
    if (hash == OCT_HASH_SHA256)
        SHA256_Init(&state->sha256);
    else
        SHA384_Init(&state->sha384);
}

static void update(enum oct_hash hash, union oct_hash_state *state, const uint8_t *data, size_t len)
{
    if (hash == OCT_HASH_SHA256)
        SHA256_Update(&state->sha256, data, len);
    else
        SHA384_Update(&state->sha384, data, len);
}

static void end(enum oct_hash hash, union oct_hash_state *state, uint8_t *out)
{
    if (hash == OCT_HASH_SHA256)
        SHA256_Final(out, &state->sha256);
    else
        SHA384_Final(out, &state->sha384);
}

void oct_hash_nothing(enum oct_hash hash, uint8_t *out)
{
    union oct_hash_state state;

    begin(hash, &state);
    end(hash, &state, out);
}

void oct_hmac_set_key(struct oct_hmac *hmac, enum oct_hash hash, const uint8_t *key, size_t key_len)
{
    const size_t block = oct_hash_block(hash);
    uint8_t pad[SHA512_CBLOCK] = {0};

    hmac->hash = hash;
    memcpy(pad, key, key_len);
    for (size_t i = 0; i < sizeof pad; i++)
        pad[i] ^= 0x36;
    begin(hash, &hmac->inner);
    update(hash, &hmac->inner, pad, block);
    for (size_t i = 0; i < sizeof pad; i++)
        pad[i] ^= 0x36 ^ 0x5c;
    begin(hash, &hmac->outer);
    update(hash, &hmac->outer, pad, block);
    explicit_bzero(pad, sizeof pad);
}

void oct_hmac_make(const struct oct_hmac *hmac, uint8_t *out, const uint8_t *a, size_t a_len, const uint8_t *b,
                   size_t b_len)
{
    union oct_hash_state state = hmac->inner;
    uint8_t digest[OCT_HASH_MAX_BYTES];

    update(hmac->hash, &state, a, a_len);
    if (b_len > 0)
        update(hmac->hash, &state, b, b_len);
    end(hmac->hash, &state, digest);
    state = hmac->outer;
    update(hmac->hash, &state, digest, oct_hash_size(hmac->hash));
    end(hmac->hash, &state, out);
    explicit_bzero(&state, sizeof state);
    explicit_bzero(digest, sizeof digest);
}
