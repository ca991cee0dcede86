/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* MGF1 (RFC 8017 appendix B.2.1), XORed into its target as OAEP and PSS use it. */
#include "pad.h"

#include <openssl/crypto.h>

static int mgf1_block(EVP_MD_CTX *ctx, uint8_t out[EVP_MAX_MD_SIZE], const EVP_MD *md, const uint8_t *seed,
                      size_t seed_len, uint32_t counter)
{
    const uint8_t bytes[4] = {(uint8_t)(counter >> 24), (uint8_t)(counter >> 16), (uint8_t)(counter >> 8),
                              (uint8_t)counter};

    return EVP_DigestInit_ex2(ctx, md, NULL) && EVP_DigestUpdate(ctx, seed, seed_len) &&
           EVP_DigestUpdate(ctx, bytes, sizeof bytes) && EVP_DigestFinal_ex(ctx, out, NULL);
}

int oct_mgf1_xor(uint8_t *data, size_t len, const uint8_t *seed, size_t seed_len, const EVP_MD *md)
{
    const size_t step = (size_t)EVP_MD_get_size(md);
    uint8_t block[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int ok = ctx != NULL && step > 0 && step <= sizeof block;

    for (size_t at = 0; ok && at < len; at += step) {
        ok = mgf1_block(ctx, block, md, seed, seed_len, (uint32_t)(at / step));
        for (size_t i = 0; ok && i < step && at + i < len; i++)
            data[at + i] ^= block[i];
    }
    OPENSSL_cleanse(block, sizeof block);
    EVP_MD_CTX_free(ctx);
    return ok;
}
