/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "sm4_ref.h"

#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void ref_sm4_mode(const char *name, int encrypt, const uint8_t *key, const uint8_t *iv, const uint8_t *in, size_t len,
                  uint8_t *out)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, name, NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int n = 0;
    assert_non_null(cipher);
    assert_true(EVP_CipherInit_ex2(context, cipher, key, iv, encrypt, NULL));
    assert_true(EVP_CIPHER_CTX_set_padding(context, 0));
    assert_true(EVP_CipherUpdate(context, out, &n, in, (int)len));
    assert_int_equal(n, len);
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
}

/* text xor E of the blocks that count up from `first` in their last `bytes` bytes. */
static void count_blocks(const struct ref_sm4 *r, const uint8_t first[16], size_t bytes)
{
    const size_t blocks = (r->len + 15) / 16;
    uint8_t *stream = calloc(blocks + 1, 16);
    for (size_t i = 0; i < blocks; i++) {
        uint64_t carry = i;
        memcpy(stream + 16 * i, first, 16);
        for (size_t j = 0; j < bytes; j++, carry >>= 8)
            stream[16 * i + 15 - j] = (uint8_t)(carry += first[15 - j]);
    }
    ref_sm4_mode("SM4-ECB", 1, r->key, NULL, stream, 16 * blocks, stream);
    for (size_t i = 0; i < r->len; i++)
        r->out[i] = r->in[i] ^ stream[i];
    free(stream);
}

/* sum = (sum + data, filled up to blocks) * h, block by block; bits as the standard counts them. */
static void hash(uint64_t sum[2], const uint64_t h[2], const uint8_t *data, size_t len)
{
    for (size_t at = 0; at < len; at += 16) {
        uint64_t x[2], z[2] = {0, 0}, v[2] = {h[0], h[1]};
        uint8_t block[16] = {0};
        memcpy(block, data + at, len - at < 16 ? len - at : 16);
        memcpy(x, block, 16);
        for (int i = 0; i < 2; i++)
            x[i] = __builtin_bswap64(x[i]) ^ sum[i];
        for (int bit = 0; bit < 128; bit++) {
            const uint64_t here = (uint64_t)0 - (x[bit / 64] >> (63 - bit % 64) & 1);
            const uint64_t out = (uint64_t)0 - (v[1] & 1);
            z[0] ^= v[0] & here;
            z[1] ^= v[1] & here;
            v[1] = v[1] >> 1 | v[0] << 63;
            v[0] = v[0] >> 1 ^ (out & 0xe100000000000000);
        }
        memcpy(sum, z, sizeof z);
    }
}

static void hash_lengths(uint64_t sum[2], const uint64_t h[2], uint64_t first, uint64_t second)
{
    const uint64_t lengths[2] = {__builtin_bswap64(8 * first), __builtin_bswap64(8 * second)};
    hash(sum, h, (const uint8_t *)lengths, 16);
}

void ref_sm4_gcm(const struct ref_sm4 *r)
{
    uint64_t h[2] = {0, 0}, sum[2] = {0, 0};
    uint8_t j0[16] = {[15] = 1}, next[16], mask[16];
    ref_sm4_mode("SM4-ECB", 1, r->key, NULL, (const uint8_t *)h, 16, (uint8_t *)h);
    h[0] = __builtin_bswap64(h[0]);
    h[1] = __builtin_bswap64(h[1]);
    if (r->nonce_len == 12) {
        memcpy(j0, r->nonce, 12);
    } else {
        hash(sum, h, r->nonce, r->nonce_len);
        hash_lengths(sum, h, 0, r->nonce_len);
        for (int i = 0; i < 2; i++)
            sum[i] = __builtin_bswap64(sum[i]);
        memcpy(j0, sum, 16);
        sum[0] = sum[1] = 0;
    }
    memcpy(next, j0, 16);
    for (int i = 15; i > 11 && ++next[i] == 0; i--)
        ;
    count_blocks(r, next, 4);
    hash(sum, h, r->aad, r->aad_len);
    hash(sum, h, r->out, r->len);
    hash_lengths(sum, h, r->aad_len, r->len);
    ref_sm4_mode("SM4-ECB", 1, r->key, NULL, j0, 16, mask);
    for (size_t i = 0; i < r->tag_len; i++)
        r->tag[i] = mask[i] ^ (uint8_t)(sum[i / 8] >> (56 - 8 * (i % 8)));
}

/* Additional data shorter than 0xff00 bytes. */
void ref_sm4_ccm(const struct ref_sm4 *r)
{
    const size_t aad = r->aad_len ? (r->aad_len + 2 + 15) / 16 * 16 : 0, length = 15 - r->nonce_len;
    const size_t blocks = 1 + aad / 16 + (r->len + 15) / 16;
    uint8_t *data = calloc(blocks, 16), counter[16] = {(uint8_t)(length - 1)}, mask[16];
    static const uint8_t zero[16];
    data[0] = (uint8_t)((r->aad_len > 0) << 6 | (r->tag_len - 2) / 2 << 3 | (length - 1));
    memcpy(data + 1, r->nonce, r->nonce_len);
    for (size_t i = 0; i < length && i < 8; i++)
        data[15 - i] = (uint8_t)(r->len >> 8 * i);
    if (r->aad_len) {
        data[16] = (uint8_t)(r->aad_len >> 8);
        data[17] = (uint8_t)r->aad_len;
        memcpy(data + 18, r->aad, r->aad_len);
    }
    if (r->len)
        memcpy(data + 16 + aad, r->in, r->len);
    ref_sm4_mode("SM4-CBC", 1, r->key, zero, data, 16 * blocks, data);
    memcpy(counter + 1, r->nonce, r->nonce_len);
    ref_sm4_mode("SM4-ECB", 1, r->key, NULL, counter, 16, mask);
    counter[15] = 1;
    count_blocks(r, counter, length < 8 ? length : 8);
    for (size_t i = 0; i < r->tag_len; i++)
        r->tag[i] = mask[i] ^ data[16 * (blocks - 1) + i];
    free(data);
}
