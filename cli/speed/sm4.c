/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4's modes for `octuple speed`: OCT_SM4_LANES texts of one size under one key, which CBC encryption and CCM take
 * side by side; what is counted is text. OpenSSL's side has a context that was keyed beforehand and gets a vector for
 * each text; it has SM4-CCM from 3.2 on. Records of CCM have 13 bytes of additional data.
 */
#include <stdlib.h>
#include <string.h>
#include <octuple/sm4.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include "speed.h"
#include "keys.h"

#define MAX_TEXT  16384
#define TEXTS     OCT_SM4_LANES
#define AAD_BYTES 13
#define NONCE     12
#define TAG       16

struct sm4_state {
    struct oct_sm4_key key;
    EVP_CIPHER_CTX *context; /* NULL where OpenSSL has no such mode */
    size_t len;
    uint8_t bytes[16], iv[TEXTS][16], aad[AAD_BYTES];
    uint8_t text[TEXTS][MAX_TEXT], out[TEXTS][MAX_TEXT], expected[TEXTS][MAX_TEXT];
    uint8_t tag[TEXTS][TAG], expected_tag[TEXTS][TAG];
};

static void sm4_close(void *arg)
{
    struct sm4_state *s = arg;
    if (s != NULL) {
        EVP_CIPHER_CTX_free(s->context);
        OPENSSL_cleanse(s, sizeof *s);
    }
    free(s);
}

/* The mode is that of the operation's name. */
static int openssl_prepare(struct sm4_state *s, const char *name)
{
    const int encrypt = strstr(name, "-decrypt-") == NULL, is_ccm = strncmp(name, "sm4ccm", 6) == 0;
    const char *mode = is_ccm ? "SM4-CCM" : strncmp(name, "sm4ctr", 6) == 0 ? "SM4-CTR" : "SM4-CBC";
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(speed_libctx(), mode, NULL);
    int ok = cipher == NULL;
    if (cipher != NULL) {
        s->context = EVP_CIPHER_CTX_new();
        ok = s->context != NULL && EVP_CipherInit_ex2(s->context, cipher, NULL, NULL, encrypt, NULL);
        if (ok && is_ccm) {
            ok = EVP_CIPHER_CTX_ctrl(s->context, EVP_CTRL_AEAD_SET_IVLEN, NONCE, NULL) > 0 &&
                 EVP_CIPHER_CTX_ctrl(s->context, EVP_CTRL_AEAD_SET_TAG, TAG, NULL) > 0;
        }
        ok = ok && EVP_CipherInit_ex2(s->context, NULL, s->bytes, s->iv[0], encrypt, NULL) &&
             EVP_CIPHER_CTX_set_padding(s->context, 0);
    }
    EVP_CIPHER_free(cipher);
    return ok;
}

static void *sm4_open_state(const struct speed_op *op)
{
    struct sm4_state *s =
        speed_libctx() != NULL ? aligned_alloc(_Alignof(struct sm4_state), sizeof(struct sm4_state)) : NULL;
    int ok = s != NULL;
    if (ok) {
        memset(s, 0, sizeof *s);
        s->len = op->param;
        ok = RAND_priv_bytes_ex(speed_libctx(), s->bytes, sizeof s->bytes, 0) > 0 &&
             RAND_bytes_ex(speed_libctx(), s->iv[0], sizeof s->iv, 0) > 0 &&
             RAND_bytes_ex(speed_libctx(), s->text[0], sizeof s->text, 0) > 0 && openssl_prepare(s, op->name) &&
             (!oct_sm4_is_on() || oct_sm4_key_init(&s->key, s->bytes) == OCT_OK);
    }
    if (!ok) {
        cli_say("octuple speed", "OpenSSL cannot prepare %s", op->name);
        sm4_close(s);
        return NULL;
    }
    return s;
}

static unsigned all(const struct sm4_state *s, int good)
{
    return good ? (unsigned)(TEXTS * s->len) : 0;
}

static unsigned octuple_ctr(void *arg)
{
    struct sm4_state *s = arg;
    int good = 1;
    for (int i = 0; i < TEXTS; i++) {
        uint8_t counter[16];
        memcpy(counter, s->iv[i], sizeof counter);
        good &= oct_sm4_ctr(&s->key, counter, s->text[i], s->len, s->out[i]) == OCT_OK;
    }
    return all(s, good);
}

static unsigned octuple_cbc(struct sm4_state *s,
                            int (*run)(const struct oct_sm4_key *key, const struct oct_sm4_cbc *text, size_t count))
{
    struct oct_sm4_cbc text[TEXTS];
    uint8_t iv[TEXTS][16];
    memcpy(iv, s->iv, sizeof iv);
    for (int i = 0; i < TEXTS; i++)
        text[i] = (struct oct_sm4_cbc){iv[i], s->text[i], s->len, s->out[i]};
    return all(s, run(&s->key, text, TEXTS) == OCT_OK);
}

static unsigned octuple_encrypt(void *arg)
{
    return octuple_cbc(arg, oct_sm4_cbc_encrypt);
}

static unsigned octuple_decrypt(void *arg)
{
    return octuple_cbc(arg, oct_sm4_cbc_decrypt);
}

/* What counter mode and CBC have in common. */
static unsigned openssl_mode(void *arg)
{
    struct sm4_state *s = arg;
    int good = s->context != NULL, n;
    for (int i = 0; i < TEXTS && good; i++) {
        good = EVP_CipherInit_ex2(s->context, NULL, NULL, s->iv[i], -1, NULL) &&
               EVP_CipherUpdate(s->context, s->expected[i], &n, s->text[i], (int)s->len);
    }
    return all(s, good);
}

static unsigned octuple_ccm(void *arg)
{
    struct sm4_state *s = arg;
    struct oct_sm4_ccm record[TEXTS];
    for (int i = 0; i < TEXTS; i++)
        record[i] = (struct oct_sm4_ccm){s->iv[i], s->aad, AAD_BYTES, s->text[i], s->len, s->out[i], s->tag[i], OCT_OK};
    return all(s, oct_sm4_ccm_seal(&s->key, NONCE, TAG, record, TEXTS) == OCT_OK);
}

static unsigned openssl_ccm(void *arg)
{
    struct sm4_state *s = arg;
    int good = 1, n;
    if (s->context == NULL)
        return SPEED_NONE;
    for (int i = 0; i < TEXTS && good; i++) {
        good = EVP_EncryptInit_ex2(s->context, NULL, NULL, s->iv[i], NULL) &&
               EVP_EncryptUpdate(s->context, NULL, &n, NULL, (int)s->len) &&
               EVP_EncryptUpdate(s->context, NULL, &n, s->aad, AAD_BYTES) &&
               EVP_EncryptUpdate(s->context, s->expected[i], &n, s->text[i], (int)s->len) &&
               EVP_CIPHER_CTX_ctrl(s->context, EVP_CTRL_AEAD_GET_TAG, TAG, s->expected_tag[i]) > 0;
    }
    return all(s, good);
}

/* Modes leave their tags as zeros. */
static int sm4_same(void *arg)
{
    const struct sm4_state *s = arg;
    int same = s->context == NULL || memcmp(s->tag, s->expected_tag, sizeof s->tag) == 0;
    for (int i = 0; i < TEXTS && s->context != NULL; i++)
        same = same && memcmp(s->out[i], s->expected[i], s->len) == 0;
    return same;
}

#define SM4_OP(text, ours, theirs, size)                                                                               \
    {                                                                                                                  \
        text "-" #size, "GB/s", SPEED_AEAD(OCT_AEAD_SM4_CCM), size, sm4_open_state, sm4_close, octuple_##ours,         \
            openssl_##theirs, sm4_same                                                                                 \
    }
#define SM4_OPS(text, ours, theirs)                                                                                    \
    SM4_OP(text, ours, theirs, 64), SM4_OP(text, ours, theirs, 256), SM4_OP(text, ours, theirs, 1440),                 \
        SM4_OP(text, ours, theirs, 16384)

const struct speed_op speed_sm4_ops[] = {
    SM4_OPS("sm4ccm-seal", ccm, ccm),
    SM4_OPS("sm4ctr", ctr, mode),
    SM4_OPS("sm4cbc-encrypt", encrypt, mode),
    SM4_OPS("sm4cbc-decrypt", decrypt, mode),
    {0},
};
