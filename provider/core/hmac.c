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
    static const uint8_t sha256[] = {
        0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24,
        0x27, 0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
    };
    static const uint8_t sha384[] = {
        0x38, 0xb0, 0x60, 0xa7, 0x51, 0xac, 0x96, 0x38, 0x4c, 0xd9, 0x32, 0x7e, 0xb1, 0xb1, 0xe3, 0x6a,
        0x21, 0xfd, 0xb7, 0x11, 0x14, 0xbe, 0x07, 0x43, 0x4c, 0x0c, 0xc7, 0xbf, 0x63, 0xf6, 0xe1, 0xda,
        0x27, 0x4e, 0xde, 0xbf, 0xe7, 0x6f, 0x65, 0xfb, 0xd5, 0x1a, 0xd2, 0xf1, 0x48, 0x98, 0xb9, 0x5b,
    };
    if (hash == OCT_HASH_SHA256)
        memcpy(out, sha256, sizeof sha256);
    else
        memcpy(out, sha384, sizeof sha384);
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
