/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tiers SOURCES tests/library/diff/sm4_ref.c */
/*
 * SM4 through EVP: our ciphers against OpenSSL's own where it has them, else against tests/library/diff/sm4_ref.c.
 * Texts of all lengths in all pieces, what contexts say of themselves, copies, padding, and the ways in which each may
 * fail.
 */
#include "common.h"
#include "tests/library/diff/sm4_ref.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT 4096

static uint8_t text[MAX_TEXT + 32], key[16], iv[16];

static EVP_CIPHER *ours(const char *name)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(octuple_ctx, name, NULL);
    assert_non_null(cipher);
    assert_string_equal(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "octuple");
    return cipher;
}

static EVP_CIPHER_CTX *begin(const EVP_CIPHER *cipher, int encrypt, int pads)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    assert_int_equal(EVP_CipherInit_ex2(ctx, cipher, key, iv, encrypt, NULL), 1);
    assert_int_equal(EVP_CIPHER_CTX_set_padding(ctx, pads), 1);
    return ctx;
}

/* A text in pieces of `piece` bytes; returns the output's length, -1 if the end was refused. After the first piece a
 * copy goes on instead. */
static int run(const EVP_CIPHER *cipher, int encrypt, int pads, const uint8_t *in, int len, int piece, uint8_t *out,
               uint8_t updated[16])
{
    EVP_CIPHER_CTX *ctx = begin(cipher, encrypt, pads), *copy;
    int total = 0, n;
    for (int at = 0; at < len; at += piece) {
        assert_int_equal(EVP_CipherUpdate(ctx, out + total, &n, in + at, len - at < piece ? len - at : piece), 1);
        total += n;
        if (at == 0 && (copy = EVP_CIPHER_CTX_new()) != NULL && EVP_CIPHER_CTX_copy(copy, ctx) == 1) {
            EVP_CIPHER_CTX_free(ctx);
            ctx = copy;
        }
    }
    const int good = EVP_CipherFinal_ex(ctx, out + total, &n);
    assert_int_equal(EVP_CIPHER_CTX_get_updated_iv(ctx, updated, 16), 1);
    EVP_CIPHER_CTX_free(ctx);
    return good ? total + n : -1;
}

/* Both directions, ours and OpenSSL's, to the same bytes. */
static void check_mode(const EVP_CIPHER *our, const EVP_CIPHER *stock, int pads, int len, int piece)
{
    static uint8_t a[MAX_TEXT + 32], b[MAX_TEXT + 32], back[MAX_TEXT + 32];
    uint8_t our_iv[16], stock_iv[16];
    const int n = run(our, 1, pads, text, len, piece, a, our_iv),
              m = run(stock, 1, pads, text, len, piece, b, stock_iv);
    assert_int_equal(n, m);
    if (n < 0)
        return;
    assert_memory_equal(a, b, (size_t)n);
    assert_memory_equal(our_iv, stock_iv, 16);
    assert_int_equal(run(our, 0, pads, b, n, piece, back, our_iv), run(stock, 0, pads, b, n, piece, a, stock_iv));
    assert_memory_equal(back, text, (size_t)len);
    assert_memory_equal(our_iv, stock_iv, 16);
    /* Cut or forged it ends as OpenSSL's does. */
    if (pads && n > 0) {
        b[n - 1] ^= 1;
        assert_int_equal(run(our, 0, 1, b, n, piece, back, our_iv), run(stock, 0, 1, b, n, piece, a, stock_iv));
        assert_int_equal(run(our, 0, 1, b, n - 1, piece, back, our_iv), -1);
    }
}

static void check_modes(const char *name)
{
    static const int pieces[] = {MAX_TEXT, 1, 7, 16, 33, 256, 300};
    EVP_CIPHER *our = ours(name), *stock = EVP_CIPHER_fetch(plain_ctx, name, NULL);
    const int slow = is_slow(), longest = slow ? 400 : MAX_TEXT, cbc = EVP_CIPHER_get_mode(our) == EVP_CIPH_CBC_MODE;
    assert_non_null(stock);
    assert_int_equal(EVP_CIPHER_get_mode(our), EVP_CIPHER_get_mode(stock));
    assert_int_equal(EVP_CIPHER_get_block_size(our), EVP_CIPHER_get_block_size(stock));
    assert_int_equal(EVP_CIPHER_get_iv_length(our), EVP_CIPHER_get_iv_length(stock));
    assert_int_equal(EVP_CIPHER_get_key_length(our), EVP_CIPHER_get_key_length(stock));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (int len = 0; len < longest; len += slow ? 1 + len : 1 + len / 8)
            for (int pads = 0; pads <= cbc; pads++) {
                check_mode(our, stock, pads, len, pieces[i]);
                check_mode(our, stock, pads, len / 16 * 16, pieces[i]);
            }
    EVP_CIPHER_free(our);
    EVP_CIPHER_free(stock);
}

static void test_ctr(void **state)
{
    (void)state;
    memset(iv, 0xff, 15);
    check_modes("SM4-CTR");
}

static void test_cbc(void **state)
{
    (void)state;
    check_modes("SM4-CBC");
    check_modes("SM4");
}

/* Another key or vector in the middle of a text, and none of both. */
static void test_again(void **state)
{
    static const char *const names[] = {"SM4-CTR", "SM4-CBC"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        EVP_CIPHER *cipher[2] = {ours(names[i]), EVP_CIPHER_fetch(plain_ctx, names[i], NULL)};
        uint8_t out[2][400], updated[2][16];
        for (int side = 0; side < 2; side++) {
            EVP_CIPHER_CTX *ctx = begin(cipher[side], 1, 0);
            uint8_t *to = out[side];
            int n;
            memset(to, 0, sizeof out[side]);
            assert_int_equal(EVP_EncryptUpdate(ctx, to, &n, text, i ? 32 : 37), 1);
            assert_int_equal(EVP_EncryptInit_ex2(ctx, NULL, text, NULL, NULL), 1);
            assert_int_equal(EVP_EncryptUpdate(ctx, to + 64, &n, text, i ? 48 : 50), 1);
            assert_int_equal(EVP_EncryptInit_ex2(ctx, NULL, NULL, text + 5, NULL), 1);
            assert_int_equal(EVP_EncryptUpdate(ctx, to + 128, &n, text, 64), 1);
            assert_int_equal(EVP_EncryptInit_ex2(ctx, NULL, NULL, NULL, NULL), 1);
            assert_int_equal(EVP_EncryptUpdate(ctx, to + 192, &n, text, 64), 1);
            assert_int_equal(EVP_CIPHER_CTX_get_updated_iv(ctx, updated[side], 16), 1);
            EVP_CIPHER_CTX_free(ctx);
            EVP_CIPHER_free(cipher[side]);
        }
        assert_memory_equal(out[0], out[1], sizeof out[0]);
        assert_memory_equal(updated[0], updated[1], 16);
    }
}

/* An AEAD's record by EVP: sealed, or opened with the tag; returns what EVP says of the text and the end. */
static int record(const EVP_CIPHER *cipher, const struct ref_sm4 *r, int seal, int ccm, uint8_t *out, uint8_t *tag)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int n = 0, good;
    assert_int_equal(EVP_CipherInit_ex2(ctx, cipher, NULL, NULL, seal, NULL), 1);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)r->nonce_len, NULL), 1);
    if (ccm || !seal)
        assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, (int)r->tag_len, seal ? NULL : tag), 1);
    assert_int_equal(EVP_CipherInit_ex2(ctx, NULL, r->key, r->nonce, seal, NULL), 1);
    if (ccm)
        assert_int_equal(EVP_CipherUpdate(ctx, NULL, &n, NULL, (int)r->len), 1);
    if (r->aad_len)
        assert_int_equal(EVP_CipherUpdate(ctx, NULL, &n, r->aad, (int)r->aad_len), 1);
    good = (seal && r->len == 0) || EVP_CipherUpdate(ctx, out, &n, r->in, (int)r->len);
    if (good && (seal || !ccm))
        good = EVP_CipherFinal_ex(ctx, out + r->len, &n);
    if (good && seal)
        assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, (int)r->tag_len, tag), 1);
    EVP_CIPHER_CTX_free(ctx);
    return good;
}

static void check_aead(const EVP_CIPHER *our, const EVP_CIPHER *stock, int ccm, size_t nonce_len, size_t tag_len,
                       size_t aad_len, size_t len)
{
    static uint8_t a[MAX_TEXT], want[MAX_TEXT], back[MAX_TEXT];
    uint8_t tag[16], want_tag[16];
    struct ref_sm4 r = {key, iv, nonce_len, text + 3, aad_len, text, len, want, want_tag, tag_len};
    (ccm ? ref_sm4_ccm : ref_sm4_gcm)(&r);
    assert_int_equal(record(our, &r, 1, ccm, a, tag), 1);
    assert_memory_equal(a, want, len);
    assert_memory_equal(tag, want_tag, tag_len);
    if (stock) {
        assert_int_equal(record(stock, &r, 1, ccm, a, tag), 1);
        assert_memory_equal(a, want, len);
        assert_memory_equal(tag, want_tag, tag_len);
    }
    r.in = want;
    assert_int_equal(record(our, &r, 0, ccm, back, tag), 1);
    assert_memory_equal(back, text, len);
    tag[len % tag_len] ^= 4;
    assert_int_equal(record(our, &r, 0, ccm, back, tag), 0);
}

static void check_aeads(const char *name, int ccm)
{
    EVP_CIPHER *our = ours(name), *stock = EVP_CIPHER_fetch(plain_ctx, name, NULL);
    const size_t step = is_slow() ? 4 : 1, longest = is_slow() ? 400 : MAX_TEXT;
    assert_int_equal(EVP_CIPHER_get_mode(our), ccm ? EVP_CIPH_CCM_MODE : EVP_CIPH_GCM_MODE);
    assert_true(EVP_CIPHER_get_flags(our) & EVP_CIPH_FLAG_AEAD_CIPHER);
    assert_true(!stock || (EVP_CIPHER_get_flags(our) == EVP_CIPHER_get_flags(stock) &&
                           EVP_CIPHER_get_iv_length(our) == EVP_CIPHER_get_iv_length(stock)));
    for (size_t len = 0; len < longest; len += step * (1 + len / 4))
        for (size_t aad_len = 0; aad_len < 60; aad_len += 13 * step)
            check_aead(our, stock, ccm, 12, 16, aad_len, len);
    for (size_t nonce_len = ccm ? 7 : 1; nonce_len <= (ccm ? 13 : 16); nonce_len++)
        for (size_t tag_len = 4; tag_len <= 16; tag_len += 2 * step)
            check_aead(our, stock, ccm, nonce_len, tag_len, 20, 100);
    EVP_CIPHER_free(our);
    EVP_CIPHER_free(stock);
    ERR_clear_error();
}

static void test_gcm(void **state)
{
    (void)state;
    check_aeads("SM4-GCM", 0);
}

static void test_ccm(void **state)
{
    (void)state;
    check_aeads("SM4-CCM", 1);
}

/* The text's length has to come before additional data, and to be the text's; a tag to open with before the text. */
static void test_ccm_order(void **state)
{
    EVP_CIPHER *cipher = ours("SM4-CCM");
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t out[64];
    int n;
    (void)state;
    assert_int_equal(EVP_EncryptInit_ex2(ctx, cipher, key, NULL, NULL), 1);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, 14, NULL), 0);
    assert_int_equal(EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 5, NULL), 0);
    assert_int_equal(EVP_EncryptUpdate(ctx, out, &n, text, 16), 0);
    assert_int_equal(EVP_EncryptInit_ex2(ctx, NULL, NULL, iv, NULL), 1);
    assert_int_equal(EVP_EncryptUpdate(ctx, NULL, &n, text, 16), 0);
    assert_int_equal(EVP_EncryptUpdate(ctx, NULL, &n, NULL, 17), 1);
    assert_int_equal(EVP_EncryptUpdate(ctx, NULL, &n, text, 16), 1);
    assert_int_equal(EVP_EncryptUpdate(ctx, out, &n, text, 16), 0);
    assert_int_equal(EVP_DecryptInit_ex2(ctx, NULL, NULL, iv, NULL), 1);
    assert_int_equal(EVP_DecryptUpdate(ctx, out, &n, text, 16), 0);
    EVP_CIPHER_CTX_free(ctx);
    EVP_CIPHER_free(cipher);
    ERR_clear_error();
}

static void check_provider(OSSL_LIB_CTX *ctx, const char *name, const char *wanted)
{
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(ctx, name, NULL);
    if (cipher || wanted)
        assert_string_equal(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), wanted ? wanted : "none");
    EVP_CIPHER_free(cipher);
    ERR_clear_error();
}

/* The end of a text that never came: the tag is that of the empty text, with additional data and without. */
static void test_ccm_without_text(void **state)
{
    (void)state;
    static const unsigned char secret[16] = {1}, nonce[12] = {2}, aad[5] = {3};
    for (int with_aad = 0; with_aad < 2; with_aad++) {
        unsigned char tag[2][16] = {{0}}, out[16];
        int len;
        for (int updates = 0; updates < 2; updates++) {
            EVP_CIPHER *cipher = EVP_CIPHER_fetch(octuple_ctx, "SM4-CCM", NULL);
            EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
            assert_non_null(cipher);
            assert_int_equal(EVP_EncryptInit_ex(c, cipher, NULL, NULL, NULL), 1);
            assert_int_equal(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL), 1);
            assert_int_equal(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, 16, NULL), 1);
            assert_int_equal(EVP_EncryptInit_ex(c, NULL, NULL, secret, nonce), 1);
            if (with_aad) {
                assert_int_equal(EVP_EncryptUpdate(c, NULL, &len, NULL, 0), 1);
                assert_int_equal(EVP_EncryptUpdate(c, NULL, &len, aad, sizeof aad), 1);
            }
            if (updates)
                assert_int_equal(EVP_EncryptUpdate(c, out, &len, out, 0), 1);
            assert_int_equal(EVP_EncryptFinal_ex(c, out, &len), 1);
            assert_int_equal(len, 0);
            assert_int_equal(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag[updates]), 1);
            EVP_CIPHER_CTX_free(c);
            EVP_CIPHER_free(cipher);
        }
        assert_memory_equal(tag[0], tag[1], 16);
    }
}

static void test_switches(void **state)
{
    OSSL_LIB_CTX *ctx = new_octuple_ctx("sm4 = off");
    (void)state;
    check_provider(ctx, "SM4-CTR", "default");
    check_provider(ctx, "SM4-CBC", "default");
    assert_null(EVP_CIPHER_fetch(ctx, "SM4-CCM", "provider=octuple"));
    assert_null(EVP_CIPHER_fetch(ctx, "SM4-GCM", "provider=octuple"));
    ERR_clear_error();
    OSSL_LIB_CTX_free(ctx);
    ctx = new_octuple_ctx("sm4 = on");
    for (int i = 0; i < 4; i++)
        check_provider(ctx, (const char *const[]){"SM4-CTR", "SM4-CBC", "SM4-CCM", "SM4-GCM"}[i], "octuple");
    OSSL_LIB_CTX_free(ctx);
}

static int setup(void **state)
{
    (void)state;
    if (!oct_sm4_is_on()) {
        printf("skipped: SM4 is off (%s)\n", oct_sm4_reason());
        exit(77);
    }
    octuple_ctx = new_octuple_ctx(NULL);
    plain_ctx = OSSL_LIB_CTX_new();
    assert_non_null(OSSL_PROVIDER_load(plain_ctx, "default"));
    fill(text, sizeof text, 3);
    fill(key, sizeof key, 4);
    fill(iv, sizeof iv, 5);
    return 0;
}

int main(void)
{
    return RUN_TESTS(setup, close_contexts, test_ctr, test_cbc, test_again, test_gcm, test_ccm, test_ccm_order,
                     test_switches, test_ccm_without_text);
}
