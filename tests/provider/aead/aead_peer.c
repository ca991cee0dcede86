/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See aead_peer.h. */
#include "aead_peer.h"

#include <openssl/provider.h>
#include <stdlib.h>

struct pair pairs[OCT_AEAD_COUNT];
int pair_count;

static const char *const names[OCT_AEAD_COUNT] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM", "ChaCha20-Poly1305",
                                                  "SM4-GCM"};

static uint8_t pool[2 * MAX_TEXT];

/* SM4-CCM is no stream, and OpenSSL has SM4-GCM from 3.2 on: test_sm4.c has both. */
static int is_comparable(int aead)
{
    EVP_CIPHER *stock = names[aead] == NULL ? NULL : EVP_CIPHER_fetch(plain_ctx, names[aead], NULL);

    EVP_CIPHER_free(stock);
    ERR_clear_error();
    return stock != NULL;
}

static EVP_CIPHER *fetch(OSSL_LIB_CTX *ctx, const char *name, const char *provider)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(ctx, name, NULL);

    assert_non_null(cipher);
    assert_string_equal(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), provider);
    return cipher;
}

int open_pairs(void **state)
{
    (void)state;
    octuple_ctx = new_octuple_ctx(NULL);
    plain_ctx = OSSL_LIB_CTX_new();
    assert_non_null(OSSL_PROVIDER_load(plain_ctx, "default"));
    for (int aead = 0; aead < OCT_AEAD_COUNT; aead++) {
        if (!oct_aead_is_on(aead)) {
            printf("%s is off (%s)\n", oct_aead_name(aead), oct_aead_reason(aead));
            continue;
        }
        if (!is_comparable(aead))
            continue;
        pairs[pair_count++] =
            (struct pair){names[aead], aead != OCT_AEAD_CHACHA20_POLY1305, oct_aead_key_len(aead),
                          fetch(octuple_ctx, names[aead], "octuple"), fetch(plain_ctx, names[aead], "default")};
    }
    if (pair_count == 0) {
        printf("skipped: no AEAD is on\n");
        exit(77);
    }
    fill(pool, sizeof pool, 7);
    return 0;
}

int close_pairs(void **state)
{
    for (int i = 0; i < pair_count; i++) {
        EVP_CIPHER_free(pairs[i].ours);
        EVP_CIPHER_free(pairs[i].stock);
    }
    return close_contexts(state);
}

struct message make_message(size_t aad_len, size_t len, unsigned seed)
{
    const uint8_t *at = pool + seed % 1000;
    assert_true(aad_len <= MAX_TEXT / 2 && len <= MAX_TEXT);
    return (struct message){.key = at,
                            .iv = at + 32,
                            .iv_len = 12,
                            .aad = at + 160,
                            .aad_len = aad_len,
                            .text = at + 160 + aad_len,
                            .len = len};
}

EVP_CIPHER_CTX *begin(EVP_CIPHER *cipher, const struct message *m, int sealing)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

    assert_int_equal(EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, sealing), 1);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)m->iv_len, NULL), 1);
    assert_int_equal(EVP_CipherInit_ex(ctx, NULL, NULL, m->key, m->iv, sealing), 1);
    return ctx;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

void feed(EVP_CIPHER_CTX *ctx, const struct message *m, const uint8_t *in, uint8_t *out)
{
    const size_t aad_piece = m->aad_piece ? m->aad_piece : MAX_TEXT, piece = m->piece ? m->piece : MAX_TEXT;
    int n;

    for (size_t at = 0, step; at < m->aad_len; at += step) {
        step = least(aad_piece, m->aad_len - at);
        assert_int_equal(EVP_CipherUpdate(ctx, NULL, &n, m->aad + at, (int)step), 1);
        assert_int_equal(n, step);
    }
    for (size_t at = 0, step; at < m->len; at += step) {
        step = least(piece, m->len - at);
        assert_int_equal(EVP_CipherUpdate(ctx, out + at, &n, in + at, (int)step), 1);
        assert_int_equal(n, step);
    }
}

void seal(EVP_CIPHER *cipher, const struct message *m, uint8_t *out, uint8_t tag[TAG])
{
    EVP_CIPHER_CTX *ctx = begin(cipher, m, 1);
    int n = 1;

    feed(ctx, m, m->text, out);
    assert_int_equal(EVP_CipherFinal_ex(ctx, out + m->len, &n), 1);
    assert_int_equal(n, 0);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, tag), 1);
    EVP_CIPHER_CTX_free(ctx);
}

int open_sealed(EVP_CIPHER *cipher, const struct message *m, const uint8_t *in, uint8_t *out, const uint8_t *tag,
                size_t tag_len)
{
    EVP_CIPHER_CTX *ctx = begin(cipher, m, 0);
    int n = 1, ok;

    assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)tag_len, (void *)tag), 1);
    feed(ctx, m, in, out);
    ok = EVP_CipherFinal_ex(ctx, out + m->len, &n);
    EVP_CIPHER_CTX_free(ctx);
    return ok;
}

void check_message(const struct pair *pair, const struct message *m)
{
    static uint8_t ours[MAX_TEXT + TAG], stock[MAX_TEXT + TAG], text[MAX_TEXT + TAG];
    uint8_t our_tag[TAG], stock_tag[TAG];

    seal(pair->ours, m, ours, our_tag);
    seal(pair->stock, m, stock, stock_tag);
    assert_memory_equal(ours, stock, m->len);
    assert_memory_equal(our_tag, stock_tag, TAG);
    memset(text, 0, m->len);
    assert_int_equal(open_sealed(pair->ours, m, stock, text, stock_tag, TAG), 1);
    assert_memory_equal(text, m->text, m->len);
    memset(text, 0, m->len);
    assert_int_equal(open_sealed(pair->stock, m, ours, text, our_tag, TAG), 1);
    assert_memory_equal(text, m->text, m->len);
}
