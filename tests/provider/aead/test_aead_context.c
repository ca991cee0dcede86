/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tiers */
/* Contexts of AEADs: used again with a new key, a new nonce or both, copied in the middle, and what they refuse. */
#include "aead_peer.h"
#include "own_memory.h"

/* One message after another in one context, each with a nonce of its own and, now and then, a key of its own. */
static void test_used_again(void **state)
{
    uint8_t ours[700], stock[700], tag[2][TAG];
    int n;

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        struct message m = make_message(5, 0, 1);
        EVP_CIPHER_CTX *ctx = begin(pairs[i].ours, &m, 1);
        for (unsigned round = 0; round < 50; round++) {
            const uint8_t *key = m.key;
            m = make_message(round % 20, round * 13, round + 1);
            m.key = round % 7 == 0 ? m.key : key;
            assert_int_equal(EVP_CipherInit_ex(ctx, NULL, NULL, round % 7 == 0 ? m.key : NULL, m.iv, 1), 1);
            feed(ctx, &m, m.text, ours);
            /* Every third one is broken off. */
            if (round % 3 == 0)
                continue;
            assert_int_equal(EVP_CipherFinal_ex(ctx, ours + m.len, &n), 1);
            assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, tag[0]), 1);
            seal(pairs[i].stock, &m, stock, tag[1]);
            assert_memory_equal(ours, stock, m.len);
            assert_memory_equal(tag[0], tag[1], TAG);
        }
        EVP_CIPHER_CTX_free(ctx);
    }
}

/* Key and nonce one after the other, in either order, and the tag before them. */
static void test_apart(void **state)
{
    const struct message m = make_message(20, 100, 4);
    uint8_t out[100], text[100], tag[2][TAG];
    int n;

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        seal(pairs[i].stock, &m, out, tag[0]);
        for (int order = 0; order < 2; order++) {
            EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
            assert_int_equal(EVP_DecryptInit_ex(ctx, pairs[i].ours, NULL, NULL, NULL), 1);
            assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, tag[0]), 1);
            assert_int_equal(EVP_DecryptInit_ex(ctx, NULL, NULL, order ? m.key : NULL, order ? NULL : m.iv), 1);
            assert_int_equal(EVP_DecryptInit_ex(ctx, NULL, NULL, order ? NULL : m.key, order ? m.iv : NULL), 1);
            feed(ctx, &m, out, text);
            assert_int_equal(EVP_CipherFinal_ex(ctx, text, &n), 1);
            assert_memory_equal(text, m.text, m.len);
            EVP_CIPHER_CTX_free(ctx);
        }
    }
}

/* Copies made at every stage go their own ways; the original is gone before the copy goes on, or has another key. */
static void test_copies(void **state)
{
    uint8_t out[300], wanted[300], tag[TAG], wanted_tag[TAG];
    int n;

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        for (size_t cut = 0; cut <= 300; cut += 25) {
            const struct message m = make_message(33, 300, (unsigned)cut), other = make_message(0, 0, 999);
            EVP_CIPHER_CTX *ctx = begin(pairs[i].ours, &m, 1), *copy = EVP_CIPHER_CTX_new();
            seal(pairs[i].stock, &m, wanted, wanted_tag);
            assert_int_equal(EVP_CipherUpdate(ctx, NULL, &n, m.aad, 33), 1);
            if (cut > 0)
                assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, (int)cut), 1);
            assert_int_equal(EVP_CIPHER_CTX_copy(copy, ctx), 1);
            if (cut % 2 == 0)
                assert_int_equal(EVP_CipherInit_ex(ctx, NULL, NULL, other.key, other.iv, 1), 1);
            EVP_CIPHER_CTX_free(ctx);
            assert_int_equal(EVP_CipherUpdate(copy, out + cut, &n, m.text + cut, (int)(300 - cut)), 1);
            assert_int_equal(EVP_CipherFinal_ex(copy, out + 300, &n), 1);
            assert_int_equal(EVP_CIPHER_CTX_ctrl(copy, EVP_CTRL_AEAD_GET_TAG, TAG, tag), 1);
            assert_memory_equal(out, wanted, 300);
            assert_memory_equal(tag, wanted_tag, TAG);
            EVP_CIPHER_CTX_free(copy);
        }
    }
}

/* A nonce serves once: after the end nothing goes on until there is another, and another key wants another nonce. */
static void test_spent(void **state)
{
    const struct message m = make_message(3, 50, 4);
    uint8_t out[64];
    int n;

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        EVP_CIPHER_CTX *ctx = begin(pairs[i].ours, &m, 1);
        feed(ctx, &m, m.text, out);
        assert_int_equal(EVP_CipherFinal_ex(ctx, out, &n), 1);
        assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, 10), 0);
        assert_int_equal(EVP_CipherUpdate(ctx, NULL, &n, m.aad, 3), 0);
        assert_int_equal(EVP_CipherFinal_ex(ctx, out, &n), 0);
        assert_int_equal(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, NULL, 1), 1);
        assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, 10), 0);
        assert_int_equal(EVP_CipherInit_ex(ctx, NULL, NULL, m.key, NULL, 1), 1);
        assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, 10), !pairs[i].gcm);
        assert_int_equal(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, m.iv, 1), 1);
        assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, 10), 1);
        /* From sealing to opening in the middle. */
        assert_int_equal(EVP_CipherInit_ex(ctx, NULL, NULL, NULL, NULL, 0), 1);
        assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, 10), 0);
        EVP_CIPHER_CTX_free(ctx);
    }
    ERR_clear_error();
}

/* As on OpenSSL's own: a new key with the old nonce for ChaCha20-Poly1305. */
static void test_key_alone(void **state)
{
    const struct pair *p = &pairs[pair_count - 1];
    const struct message first = make_message(3, 50, 4);
    struct message m = make_message(3, 50, 77);
    uint8_t out[2][64], tag[2][TAG];
    int n;

    (void)state;
    if (p->gcm)
        return; /* off: open_pairs() has said so */
    EVP_CIPHER_CTX *ctx = begin(p->ours, &first, 1);
    feed(ctx, &first, first.text, out[0]);
    assert_int_equal(EVP_CipherFinal_ex(ctx, out[0], &n), 1);
    assert_int_equal(EVP_CipherInit_ex(ctx, NULL, NULL, m.key, NULL, 1), 1);
    m.iv = first.iv;
    feed(ctx, &m, m.text, out[0]);
    assert_int_equal(EVP_CipherFinal_ex(ctx, out[0] + m.len, &n), 1);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, tag[0]), 1);
    seal(p->stock, &m, out[1], tag[1]);
    assert_memory_equal(out[0], out[1], m.len);
    assert_memory_equal(tag[0], tag[1], TAG);
    EVP_CIPHER_CTX_free(ctx);
}

static void test_refused(void **state)
{
    const struct message m = make_message(3, 50, 4);
    uint8_t out[64], tag[TAG + 1] = {0};
    int n;

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
        assert_int_equal(EVP_EncryptInit_ex(ctx, pairs[i].ours, NULL, NULL, m.iv), 1);
        assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, 10), 0); /* no key */
        assert_int_equal(EVP_EncryptInit_ex(ctx, NULL, NULL, m.key, m.iv), 1);
        assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, tag), 0); /* not made yet */
        assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, tag), 0); /* not asked for */
        assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, 10), 1);
        assert_int_equal(EVP_CipherUpdate(ctx, NULL, &n, m.aad, 3), 0); /* too late */
        assert_int_equal(EVP_CipherFinal_ex(ctx, out, &n), 1);
        assert_true(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG + 1, tag) <= 0);
        assert_true(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 0, tag) <= 0);
        assert_true(EVP_CIPHER_CTX_set_key_length(ctx, (int)pairs[i].key_len - 8) <= 0);
        for (int len = 0; len <= 200; len++) {
            const int good = pairs[i].gcm ? len >= 1 && len <= 128 : len == 12;
            assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, len, NULL) > 0, good);
        }
        EVP_CIPHER_CTX_free(ctx);

        ctx = begin(pairs[i].ours, &m, 0);
        assert_true(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG + 1, tag) <= 0);
        assert_true(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 0, tag) <= 0);
        assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, tag), 0);
        assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, 10), 1);
        /* No tag to check: ChaCha20-Poly1305 opens without one, as OpenSSL's own does. */
        assert_int_equal(EVP_CipherFinal_ex(ctx, out, &n), !pairs[i].gcm);
        EVP_CIPHER_CTX_free(ctx);

        ctx = EVP_CIPHER_CTX_new();
        assert_int_equal(EVP_DecryptInit_ex(ctx, pairs[i].ours, NULL, m.key, NULL), 1);
        assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, 10), 0); /* no nonce */
        EVP_CIPHER_CTX_free(ctx);
    }
    ERR_clear_error();
}

/* A nonce of the provider's making: to be had before and after, of every length from 96 bits on, and never twice the
 * same. */
static void test_random_iv(void **state)
{
    uint8_t out[64], iv[2][16], tag[TAG], text[64];
    int n;

    (void)state;
    for (int i = 0; i < pair_count; i++) {
        struct message m = make_message(3, 50, 4);
        for (size_t len = 11; len <= 16; len++) {
            EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
            const int good = pairs[i].gcm && len >= 12;
            assert_int_equal(EVP_EncryptInit_ex(ctx, pairs[i].ours, NULL, m.key, NULL), 1);
            EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)len, NULL);
            assert_int_equal(EVP_CIPHER_CTX_get_updated_iv(ctx, iv[0], len), good);
            assert_int_equal(EVP_CipherUpdate(ctx, out, &n, m.text, 50), good);
            if (good) {
                assert_int_equal(EVP_CIPHER_CTX_get_original_iv(ctx, iv[1], len), 1);
                assert_memory_equal(iv[0], iv[1], len);
                assert_int_equal(EVP_CipherFinal_ex(ctx, out + 50, &n), 1);
                assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, TAG, tag), 1);
                m.iv = iv[0], m.iv_len = len, m.aad_len = 0;
                assert_int_equal(open_sealed(pairs[i].stock, &m, out, text, tag, TAG), 1);
            }
            EVP_CIPHER_CTX_free(ctx);
        }
    }
    ERR_clear_error();
}

/* Contexts and keys are kept for the next ones, but no key in them: neither behind the end nor in the middle. On
 * vectors a key of AES is the first of its round keys. */
static void test_nothing_stays(void **state)
{
    static uint8_t key[32];
    uint8_t out[100];
    int n;

    (void)state;
    if (!own_memory_shows)
        skip();
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(41 * i + 5);
    for (int i = 0; i < 2 * pair_count; i++) {
        struct message m = make_message(20, 100, 4);
        m.key = key;
        EVP_CIPHER_CTX *ctx = begin(pairs[i / 2].ours, &m, 1), *copy = EVP_CIPHER_CTX_new();
        feed(ctx, &m, m.text, out);
        assert_int_equal(EVP_CIPHER_CTX_copy(copy, ctx), 1);
        if (i % 2 == 0)
            assert_int_equal(EVP_CipherFinal_ex(ctx, out + m.len, &n), 1);
        EVP_CIPHER_CTX_free(ctx);
        EVP_CIPHER_CTX_free(copy);
        assert_int_equal(own_memory_count(key, 16), 1);
    }
}

int main(void)
{
    return RUN_TESTS(open_pairs, close_pairs, test_nothing_stays, test_used_again, test_apart, test_copies, test_spent,
                     test_key_alone, test_refused, test_random_iv);
}
