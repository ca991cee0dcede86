/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * AEADs for `octuple speed`: records of one size with 13 bytes of additional data, as TLS 1.2 has them, one key, one
 * core; what is counted is text. OpenSSL's side is a context made and keyed beforehand, which gets a nonce, the
 * additional data and the text for each record, and gives or checks the tag: what libssl does. It has SM4-GCM from 3.2
 * on.
 */
#include <stdlib.h>
#include <string.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include "speed.h"
#include "keys.h"

#define MAX_RECORD 16384
#define AAD_BYTES  13
#define RECORDS    16 /* one call */

struct aead_state {
    struct oct_aead_key *key;
    EVP_CIPHER_CTX *seal, *open; /* NULL where OpenSSL has no such AEAD */
    size_t len;
    uint64_t nonce;
    uint8_t iv[OCT_AEAD_NONCE_BYTES], aad[AAD_BYTES];
    uint8_t text[MAX_RECORD], sealed[MAX_RECORD], sealed_tag[OCT_AEAD_TAG_BYTES]; /* under the nonce 0 */
    uint8_t out[MAX_RECORD], tag[OCT_AEAD_TAG_BYTES];
    uint8_t expected[MAX_RECORD], expected_tag[OCT_AEAD_TAG_BYTES];
};

static void aead_close(void *arg)
{
    struct aead_state *s = arg;
    if (s == NULL)
        return;
    EVP_CIPHER_CTX_free(s->seal);
    EVP_CIPHER_CTX_free(s->open);
    oct_aead_key_free(s->key);
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

/* The nonce of the i-th record since the state was made; records to open all have the first one. */
static const uint8_t *nonce_of(struct aead_state *s, uint64_t i)
{
    memcpy(s->iv, &i, sizeof i);
    return s->iv;
}

static int openssl_seal_one(struct aead_state *s, uint64_t nonce, uint8_t *out, uint8_t *tag)
{
    int n;
    return EVP_EncryptInit_ex2(s->seal, NULL, NULL, nonce_of(s, nonce), NULL) &&
           EVP_EncryptUpdate(s->seal, NULL, &n, s->aad, AAD_BYTES) &&
           EVP_EncryptUpdate(s->seal, out, &n, s->text, (int)s->len) && EVP_EncryptFinal_ex(s->seal, out, &n) &&
           EVP_CIPHER_CTX_ctrl(s->seal, EVP_CTRL_AEAD_GET_TAG, OCT_AEAD_TAG_BYTES, tag) > 0;
}

static int aead_prepare(struct aead_state *s, int aead)
{
    uint8_t key[32];
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(speed_libctx(), oct_aead_name(aead), NULL);
    int ok = (cipher != NULL || aead == OCT_AEAD_SM4_GCM) &&
             RAND_priv_bytes_ex(speed_libctx(), key, sizeof key, 0) > 0 &&
             RAND_bytes_ex(speed_libctx(), s->text, s->len, 0) > 0 &&
             RAND_bytes_ex(speed_libctx(), s->aad, AAD_BYTES, 0) > 0;
    if (ok && oct_aead_is_on(aead))
        ok = oct_aead_key_new(&s->key, aead, key, oct_aead_key_len(aead)) == OCT_OK;
    if (ok && cipher != NULL) {
        s->seal = EVP_CIPHER_CTX_new();
        s->open = EVP_CIPHER_CTX_new();
        ok = s->seal != NULL && s->open != NULL && EVP_EncryptInit_ex2(s->seal, cipher, key, NULL, NULL) &&
             EVP_DecryptInit_ex2(s->open, cipher, key, NULL, NULL) && openssl_seal_one(s, 0, s->sealed, s->sealed_tag);
    } else if (ok && s->key != NULL) {
        ok = oct_aead_seal(s->key, nonce_of(s, 0), s->aad, AAD_BYTES, s->text, s->len, s->sealed, s->sealed_tag) ==
             OCT_OK;
    }
    EVP_CIPHER_free(cipher);
    OPENSSL_cleanse(key, sizeof key);
    return ok;
}

static void *aead_open_state(const struct speed_op *op)
{
    struct aead_state *s = speed_libctx() != NULL ? calloc(1, sizeof *s) : NULL;
    if (s != NULL)
        s->len = op->param;
    if (s == NULL || !aead_prepare(s, SPEED_AEAD(op->oct_op))) {
        cli_say("octuple speed", "OpenSSL cannot prepare %s", op->name);
        aead_close(s);
        return NULL;
    }
    return s;
}

static unsigned octuple_seal(void *arg)
{
    struct aead_state *s = arg;
    for (uint64_t i = 0; i < RECORDS; i++)
        if (oct_aead_seal(s->key, nonce_of(s, i), s->aad, AAD_BYTES, s->text, s->len, s->out, s->tag) != OCT_OK)
            return 0;
    return (unsigned)(RECORDS * s->len);
}

static unsigned openssl_seal(void *arg)
{
    struct aead_state *s = arg;
    if (s->seal == NULL)
        return SPEED_NONE;
    for (uint64_t i = 0; i < RECORDS; i++)
        if (!openssl_seal_one(s, i, s->expected, s->expected_tag))
            return 0;
    return (unsigned)(RECORDS * s->len);
}

static int same_seal(void *arg)
{
    struct aead_state *s = arg;
    if (s->seal == NULL)
        return 1;
    return memcmp(s->out, s->expected, s->len) == 0 && memcmp(s->tag, s->expected_tag, sizeof s->tag) == 0;
}

static unsigned octuple_open(void *arg)
{
    struct aead_state *s = arg;
    for (int i = 0; i < RECORDS; i++)
        if (oct_aead_open(s->key, nonce_of(s, 0), s->aad, AAD_BYTES, s->sealed, s->len, s->out, s->sealed_tag) !=
            OCT_OK)
            return 0;
    return (unsigned)(RECORDS * s->len);
}

static unsigned openssl_open(void *arg)
{
    struct aead_state *s = arg;
    int n;
    if (s->open == NULL)
        return SPEED_NONE;
    for (int i = 0; i < RECORDS; i++)
        if (!EVP_DecryptInit_ex2(s->open, NULL, NULL, nonce_of(s, 0), NULL) ||
            !EVP_DecryptUpdate(s->open, NULL, &n, s->aad, AAD_BYTES) ||
            !EVP_DecryptUpdate(s->open, s->expected, &n, s->sealed, (int)s->len) ||
            EVP_CIPHER_CTX_ctrl(s->open, EVP_CTRL_AEAD_SET_TAG, OCT_AEAD_TAG_BYTES, s->sealed_tag) <= 0 ||
            EVP_DecryptFinal_ex(s->open, s->expected, &n) <= 0)
            return 0;
    return (unsigned)(RECORDS * s->len);
}

static int same_open(void *arg)
{
    struct aead_state *s = arg;
    return memcmp(s->out, s->text, s->len) == 0 && (s->open == NULL || memcmp(s->expected, s->text, s->len) == 0);
}

#define AEAD_OP(text, verb, size, which)                                                                               \
    {                                                                                                                  \
        text "-" #verb "-" #size, "GB/s", SPEED_AEAD(which), size, aead_open_state, aead_close, octuple_##verb,        \
            openssl_##verb, same_##verb                                                                                \
    }
#define AEAD_OPS(text, which)                                                                                          \
    AEAD_OP(text, seal, 64, which), AEAD_OP(text, seal, 256, which), AEAD_OP(text, seal, 1440, which),                 \
        AEAD_OP(text, seal, 16384, which), AEAD_OP(text, open, 64, which), AEAD_OP(text, open, 256, which),            \
        AEAD_OP(text, open, 1440, which), AEAD_OP(text, open, 16384, which)

const struct speed_op speed_aead_ops[] = {
    AEAD_OPS("aes128gcm", OCT_AEAD_AES_128_GCM),
    AEAD_OPS("aes256gcm", OCT_AEAD_AES_256_GCM),
    AEAD_OPS("chacha20poly1305", OCT_AEAD_CHACHA20_POLY1305),
    AEAD_OPS("sm4gcm", OCT_AEAD_SM4_GCM),
    {0},
};
