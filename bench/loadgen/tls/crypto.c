/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See crypto.h. EVP_MAC and EVP_KDF would do the same at several times the cost: they rebuild their state per call. */
#include "crypto.h"

#include <stdio.h>

#define BLOCK_MAX 128 /* SHA-384 */
#define LABEL_MAX 64  /* the longest label in use, with its prefix, is far below */

void oct_crypto_require(int ok, const char *what)
{
    if (ok > 0)
        return;
    fprintf(stderr, "octuple-load: libcrypto failed at: %s\n", what);
    exit(3);
}

void oct_crypto_init(struct oct_crypto *crypto, unsigned bits)
{
    *crypto = (struct oct_crypto){
        .md = EVP_MD_fetch(NULL, bits == 256 ? "SHA384" : "SHA256", NULL),
        .cipher = EVP_CIPHER_fetch(NULL, bits == 256 ? "AES-256-GCM" : "AES-128-GCM", NULL),
        .scratch = EVP_MD_CTX_new(),
        .seal = EVP_CIPHER_CTX_new(),
    };
    oct_crypto_require(crypto->md && crypto->cipher && crypto->scratch && crypto->seal, "fetching SHA-2 and AES-GCM");
    crypto->hash_len = (size_t)EVP_MD_get_size(crypto->md);
    crypto->block_len = (size_t)EVP_MD_get_block_size(crypto->md);
    crypto->key_len = bits / 8;

    static const uint8_t zeros[OCT_HASH_MAX];
    uint8_t early[OCT_HASH_MAX];
    oct_transcript_begin(crypto, crypto->scratch);
    oct_crypto_require(EVP_DigestFinal_ex(crypto->scratch, crypto->empty_hash, NULL), "hash");
    oct_crypto_extract(crypto, early, zeros, (struct oct_span){zeros, crypto->hash_len});
    oct_crypto_expand(crypto, crypto->early_derived, crypto->hash_len, early, "derived",
                      (struct oct_span){crypto->empty_hash, crypto->hash_len});
}

void oct_crypto_clear(struct oct_crypto *crypto)
{
    EVP_MD_free(crypto->md);
    EVP_CIPHER_free(crypto->cipher);
    EVP_MD_CTX_free(crypto->scratch);
    EVP_CIPHER_CTX_free(crypto->seal);
    *crypto = (struct oct_crypto){0};
}

/* Begins one of the two hashes of an HMAC (RFC 2104); the key is at most a block. */
static int begin_padded(struct oct_crypto *crypto, struct oct_span key, uint8_t pad)
{
    uint8_t block[BLOCK_MAX];
    memset(block, pad, crypto->block_len);
    for (size_t i = 0; i < key.len; i++)
        block[i] ^= ((const uint8_t *)key.data)[i];
    return EVP_DigestInit_ex2(crypto->scratch, crypto->md, NULL) &&
           EVP_DigestUpdate(crypto->scratch, block, crypto->block_len);
}

void oct_crypto_hmac(struct oct_crypto *crypto, uint8_t *out, struct oct_span key, const struct oct_span *part,
                     unsigned parts)
{
    uint8_t digest[OCT_HASH_MAX];
    int ok = 1;
    if (key.len > crypto->block_len) { /* a secret of P-521 with SHA-256 */
        ok = EVP_Digest(key.data, key.len, digest, NULL, crypto->md, NULL);
        key = (struct oct_span){digest, crypto->hash_len};
    }
    ok = ok && begin_padded(crypto, key, 0x36);
    for (unsigned i = 0; ok && i < parts; i++)
        ok = EVP_DigestUpdate(crypto->scratch, part[i].data, part[i].len);
    ok = ok && EVP_DigestFinal_ex(crypto->scratch, out, NULL) && begin_padded(crypto, key, 0x5c) &&
         EVP_DigestUpdate(crypto->scratch, out, crypto->hash_len) && EVP_DigestFinal_ex(crypto->scratch, out, NULL);
    oct_crypto_require(ok, "HMAC");
}

void oct_crypto_extract(struct oct_crypto *crypto, uint8_t *out, const uint8_t *salt, struct oct_span input)
{
    oct_crypto_hmac(crypto, out, (struct oct_span){salt, crypto->hash_len}, &input, 1);
}

void oct_crypto_expand(struct oct_crypto *crypto, uint8_t *out, size_t len, const uint8_t *secret, const char *label,
                       struct oct_span context)
{
    uint8_t info[2 + 1 + LABEL_MAX + 1 + OCT_HASH_MAX + 1], block[OCT_HASH_MAX];
    struct oct_writer writer = {info, 0, sizeof info};
    oct_write_number(&writer, (uint32_t)len, 2);
    size_t opened = oct_write_open(&writer, 1);
    oct_write_bytes(&writer, "tls13 ", 6);
    oct_write_bytes(&writer, label, strlen(label));
    oct_write_close(&writer, opened, 1);
    oct_write_number(&writer, (uint32_t)context.len, 1);
    oct_write_bytes(&writer, context.data, context.len);
    oct_write_number(&writer, 1, 1);
    struct oct_span all = {info, writer.len};
    oct_crypto_hmac(crypto, block, (struct oct_span){secret, crypto->hash_len}, &all, 1);
    memcpy(out, block, len);
}

void oct_crypto_prf(struct oct_crypto *crypto, uint8_t *out, size_t len, struct oct_span secret, const char *label,
                    struct oct_span seed1, struct oct_span seed2)
{
    uint8_t a[OCT_HASH_MAX], block[OCT_HASH_MAX];
    struct oct_span seed[4] = {{a, crypto->hash_len}, {label, strlen(label)}, seed1, seed2};
    oct_crypto_hmac(crypto, a, secret, seed + 1, 3);
    for (size_t done = 0; done < len; done += crypto->hash_len) {
        oct_crypto_hmac(crypto, block, secret, seed, 4);
        memcpy(out + done, block, len - done < crypto->hash_len ? len - done : crypto->hash_len);
        if (len - done > crypto->hash_len)
            oct_crypto_hmac(crypto, a, secret, seed, 1);
    }
}

void oct_transcript_begin(struct oct_crypto *crypto, EVP_MD_CTX *transcript)
{
    oct_crypto_require(EVP_DigestInit_ex2(transcript, crypto->md, NULL), "hash");
}

void oct_transcript_add(EVP_MD_CTX *transcript, const uint8_t *bytes, size_t len)
{
    oct_crypto_require(EVP_DigestUpdate(transcript, bytes, len), "hash");
}

void oct_transcript_value(struct oct_crypto *crypto, uint8_t *out, const EVP_MD_CTX *transcript)
{
    int ok = EVP_MD_CTX_copy_ex(crypto->scratch, transcript) && EVP_DigestFinal_ex(crypto->scratch, out, NULL);
    oct_crypto_require(ok, "hash");
}

void oct_aead_key(struct oct_crypto *crypto, EVP_CIPHER_CTX *ctx, const uint8_t *key, int for_sealing)
{
    oct_crypto_require(EVP_CipherInit_ex2(ctx, crypto->cipher, key, NULL, for_sealing, NULL), "AES-GCM key");
}

void oct_aead_seal(EVP_CIPHER_CTX *ctx, uint8_t *out, const uint8_t *nonce, struct oct_span aad, const uint8_t *in,
                   size_t len)
{
    int n;
    int ok = EVP_EncryptInit_ex2(ctx, NULL, NULL, nonce, NULL) &&
             EVP_EncryptUpdate(ctx, NULL, &n, aad.data, (int)aad.len) &&
             EVP_EncryptUpdate(ctx, out, &n, in, (int)len) && EVP_EncryptFinal_ex(ctx, out + len, &n) &&
             EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, OCT_TAG_LEN, out + len);
    oct_crypto_require(ok, "AES-GCM seal");
}

bool oct_aead_open(EVP_CIPHER_CTX *ctx, uint8_t *data, size_t len, const uint8_t *nonce, struct oct_span aad)
{
    int n;
    return EVP_DecryptInit_ex2(ctx, NULL, NULL, nonce, NULL) > 0 &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, OCT_TAG_LEN, data + len) > 0 &&
           EVP_DecryptUpdate(ctx, NULL, &n, aad.data, (int)aad.len) > 0 &&
           EVP_DecryptUpdate(ctx, data, &n, data, (int)len) > 0 && EVP_DecryptFinal_ex(ctx, data + len, &n) > 0;
}
