/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See crypto.h. EVP_MAC and EVP_KDF would do the same at several times the cost: they rebuild their state per call. */
#include "crypto.h"

#include <stdio.h>

#define BLOCK_MAX 128 /* SHA-384 */
#define LABEL_MAX 64  /* the longest label in use, with its prefix, is far below */

void load_crypto_require(int ok, const char *what)
{
    if (ok > 0)
        return;
    fprintf(stderr, "octuple-load: libcrypto failed at: %s\n", what);
    exit(3);
}

void load_crypto_init(struct load_crypto *crypto, unsigned bits)
{
    *crypto = (struct load_crypto){
        .md = EVP_MD_fetch(NULL, bits == 256 ? "SHA384" : "SHA256", NULL),
        .cipher = EVP_CIPHER_fetch(NULL, bits == 256 ? "AES-256-GCM" : "AES-128-GCM", NULL),
        .scratch = EVP_MD_CTX_new(),
        .seal = EVP_CIPHER_CTX_new(),
    };
    load_crypto_require(crypto->md && crypto->cipher && crypto->scratch && crypto->seal, "fetching SHA-2 and AES-GCM");
    crypto->hash_len = (size_t)EVP_MD_get_size(crypto->md);
    crypto->block_len = (size_t)EVP_MD_get_block_size(crypto->md);
    crypto->key_len = bits / 8;

    static const uint8_t zeros[LOAD_HASH_MAX];
    uint8_t early[LOAD_HASH_MAX];
    load_transcript_begin(crypto, crypto->scratch);
    load_crypto_require(EVP_DigestFinal_ex(crypto->scratch, crypto->empty_hash, NULL), "hash");
    load_crypto_extract(crypto, early, zeros, (struct load_span){zeros, crypto->hash_len});
    load_crypto_expand(crypto, crypto->early_derived, crypto->hash_len, early, "derived",
                       (struct load_span){crypto->empty_hash, crypto->hash_len});
}

void load_crypto_clear(struct load_crypto *crypto)
{
    EVP_MD_free(crypto->md);
    EVP_CIPHER_free(crypto->cipher);
    EVP_MD_CTX_free(crypto->scratch);
    EVP_CIPHER_CTX_free(crypto->seal);
    *crypto = (struct load_crypto){0};
}

/* Begins one of the two hashes of an HMAC (RFC 2104); the key is at most a block. */
static int begin_padded(struct load_crypto *crypto, struct load_span key, uint8_t pad)
{
    uint8_t block[BLOCK_MAX];
    memset(block, pad, crypto->block_len);
    for (size_t i = 0; i < key.len; i++)
        block[i] ^= ((const uint8_t *)key.data)[i];
    return EVP_DigestInit_ex2(crypto->scratch, crypto->md, NULL) &&
           EVP_DigestUpdate(crypto->scratch, block, crypto->block_len);
}

void load_crypto_hmac(struct load_crypto *crypto, uint8_t *out, struct load_span key, const struct load_span *part,
                      unsigned parts)
{
    uint8_t digest[LOAD_HASH_MAX];
    int ok = 1;
    if (key.len > crypto->block_len) { /* a secret of P-521 with SHA-256 */
        ok = EVP_Digest(key.data, key.len, digest, NULL, crypto->md, NULL);
        key = (struct load_span){digest, crypto->hash_len};
    }
    ok = ok && begin_padded(crypto, key, 0x36);
    for (unsigned i = 0; ok && i < parts; i++)
        ok = EVP_DigestUpdate(crypto->scratch, part[i].data, part[i].len);
    ok = ok && EVP_DigestFinal_ex(crypto->scratch, out, NULL) && begin_padded(crypto, key, 0x5c) &&
         EVP_DigestUpdate(crypto->scratch, out, crypto->hash_len) && EVP_DigestFinal_ex(crypto->scratch, out, NULL);
    load_crypto_require(ok, "HMAC");
}

void load_crypto_extract(struct load_crypto *crypto, uint8_t *out, const uint8_t *salt, struct load_span input)
{
    load_crypto_hmac(crypto, out, (struct load_span){salt, crypto->hash_len}, &input, 1);
}

void load_crypto_expand(struct load_crypto *crypto, uint8_t *out, size_t len, const uint8_t *secret, const char *label,
                        struct load_span context)
{
    uint8_t info[2 + 1 + LABEL_MAX + 1 + LOAD_HASH_MAX + 1], block[LOAD_HASH_MAX];
    struct load_writer writer = {info, 0, sizeof info};
    load_write_number(&writer, (uint32_t)len, 2);
    size_t opened = load_write_open(&writer, 1);
    load_write_bytes(&writer, "tls13 ", 6);
    load_write_bytes(&writer, label, strlen(label));
    load_write_close(&writer, opened, 1);
    load_write_number(&writer, (uint32_t)context.len, 1);
    load_write_bytes(&writer, context.data, context.len);
    load_write_number(&writer, 1, 1);
    struct load_span all = {info, writer.len};
    load_crypto_hmac(crypto, block, (struct load_span){secret, crypto->hash_len}, &all, 1);
    memcpy(out, block, len);
}

void load_crypto_prf(struct load_crypto *crypto, uint8_t *out, size_t len, struct load_span secret, const char *label,
                     struct load_span seed1, struct load_span seed2)
{
    uint8_t a[LOAD_HASH_MAX], block[LOAD_HASH_MAX];
    struct load_span seed[4] = {{a, crypto->hash_len}, {label, strlen(label)}, seed1, seed2};
    load_crypto_hmac(crypto, a, secret, seed + 1, 3);
    for (size_t done = 0; done < len; done += crypto->hash_len) {
        load_crypto_hmac(crypto, block, secret, seed, 4);
        memcpy(out + done, block, len - done < crypto->hash_len ? len - done : crypto->hash_len);
        if (len - done > crypto->hash_len)
            load_crypto_hmac(crypto, a, secret, seed, 1);
    }
}

void load_transcript_begin(struct load_crypto *crypto, EVP_MD_CTX *transcript)
{
    load_crypto_require(EVP_DigestInit_ex2(transcript, crypto->md, NULL), "hash");
}

void load_transcript_add(EVP_MD_CTX *transcript, const uint8_t *bytes, size_t len)
{
    load_crypto_require(EVP_DigestUpdate(transcript, bytes, len), "hash");
}

void load_transcript_value(struct load_crypto *crypto, uint8_t *out, const EVP_MD_CTX *transcript)
{
    int ok = EVP_MD_CTX_copy_ex(crypto->scratch, transcript) && EVP_DigestFinal_ex(crypto->scratch, out, NULL);
    load_crypto_require(ok, "hash");
}

void load_aead_key(struct load_crypto *crypto, EVP_CIPHER_CTX *ctx, const uint8_t *key, int for_sealing)
{
    load_crypto_require(EVP_CipherInit_ex2(ctx, crypto->cipher, key, NULL, for_sealing, NULL), "AES-GCM key");
}

void load_aead_seal(EVP_CIPHER_CTX *ctx, uint8_t *out, const uint8_t *nonce, struct load_span aad, const uint8_t *in,
                    size_t len)
{
    int n;
    int ok = EVP_EncryptInit_ex2(ctx, NULL, NULL, nonce, NULL) &&
             EVP_EncryptUpdate(ctx, NULL, &n, aad.data, (int)aad.len) &&
             EVP_EncryptUpdate(ctx, out, &n, in, (int)len) && EVP_EncryptFinal_ex(ctx, out + len, &n) &&
             EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, LOAD_TAG_LEN, out + len);
    load_crypto_require(ok, "AES-GCM seal");
}

bool load_aead_open(EVP_CIPHER_CTX *ctx, uint8_t *data, size_t len, const uint8_t *nonce, struct load_span aad)
{
    int n;
    return EVP_DecryptInit_ex2(ctx, NULL, NULL, nonce, NULL) > 0 &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, LOAD_TAG_LEN, data + len) > 0 &&
           EVP_DecryptUpdate(ctx, NULL, &n, aad.data, (int)aad.len) > 0 &&
           EVP_DecryptUpdate(ctx, data, &n, data, (int)len) > 0 && EVP_DecryptFinal_ex(ctx, data + len, &n) > 0;
}
