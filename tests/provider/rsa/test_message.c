/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Signing messages (EVP_DigestSign*, EVP_DigestVerify*): one shot, in pieces, copied in the middle, started again, and
 * in the wrong order; and the DER algorithm identifier that certificates need.
 */
#include "common.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <string.h>

static const char message[] = "The quick brown fox jumps over the lazy dog, eight times at once.";
#define MESSAGE     ((const uint8_t *)message)
#define MESSAGE_LEN (sizeof message - 1)

struct message_work {
    EVP_PKEY *ours, *theirs;
    const char *digest;
    int pad_mode;
    uint8_t signature[EIGHT][MAX_BYTES];
    size_t signature_len[EIGHT];
};

static int start_sign(EVP_MD_CTX *ctx, OSSL_LIB_CTX *libctx, const struct message_work *work, EVP_PKEY *key)
{
    EVP_PKEY_CTX *pctx;
    return EVP_DigestSignInit_ex(ctx, &pctx, work->digest, libctx, NULL, key, NULL) > 0 &&
           EVP_PKEY_CTX_set_rsa_padding(pctx, work->pad_mode) > 0 &&
           (work->pad_mode != RSA_PKCS1_PSS_PADDING ||
            EVP_PKEY_CTX_set_rsa_pss_saltlen(pctx, RSA_PSS_SALTLEN_DIGEST) > 0);
}

static int start_verify(EVP_MD_CTX *ctx, OSSL_LIB_CTX *libctx, const struct message_work *work, EVP_PKEY *key)
{
    EVP_PKEY_CTX *pctx;
    return EVP_DigestVerifyInit_ex(ctx, &pctx, work->digest, libctx, NULL, key, NULL) > 0 &&
           EVP_PKEY_CTX_set_rsa_padding(pctx, work->pad_mode) > 0;
}

/* Even fibres sign in one shot, odd ones in pieces. */
static int sign_message(int i, void *arg)
{
    struct message_work *work = arg;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t *out = work->signature[i];
    size_t *len = &work->signature_len[i], asked = 0;
    int ok = start_sign(ctx, octuple_ctx, work, work->ours);

    *len = MAX_BYTES;
    if (i % 2 == 0) {
        ok = ok && EVP_DigestSign(ctx, NULL, &asked, MESSAGE, MESSAGE_LEN) > 0 &&
             asked == (size_t)EVP_PKEY_get_size(work->ours) && EVP_DigestSign(ctx, out, len, MESSAGE, MESSAGE_LEN) > 0;
    } else {
        ok = ok && EVP_DigestSignUpdate(ctx, MESSAGE, 5) > 0 && EVP_DigestSignUpdate(ctx, MESSAGE, 0) > 0 &&
             EVP_DigestSignUpdate(ctx, MESSAGE + 5, MESSAGE_LEN - 5) > 0 &&
             EVP_DigestSignFinal(ctx, NULL, &asked) > 0 && EVP_DigestSignFinal(ctx, out, len) > 0;
    }
    EVP_MD_CTX_free(ctx);
    return ok;
}

/* The other side of sign_message, by either implementation, whole or in pieces; and a message that differs. */
static int verify_message(const struct message_work *work, OSSL_LIB_CTX *libctx, EVP_PKEY *key, int i)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const uint8_t *in = work->signature[i];
    const size_t len = work->signature_len[i];
    int ok = start_verify(ctx, libctx, work, key) && EVP_DigestVerify(ctx, in, len, MESSAGE, MESSAGE_LEN) > 0;

    EVP_MD_CTX_reset(ctx);
    ok = ok && start_verify(ctx, libctx, work, key) && EVP_DigestVerifyUpdate(ctx, MESSAGE, 3) > 0 &&
         EVP_DigestVerifyUpdate(ctx, MESSAGE + 3, MESSAGE_LEN - 3) > 0 && EVP_DigestVerifyFinal(ctx, in, len) > 0;
    EVP_MD_CTX_reset(ctx);
    ok =
        ok && start_verify(ctx, libctx, work, key) && EVP_DigestVerify(ctx, in, len, MESSAGE + 1, MESSAGE_LEN - 1) <= 0;
    EVP_MD_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

static int verify_message_ours(int i, void *arg)
{
    struct message_work *work = arg;
    return verify_message(work, octuple_ctx, work->ours, i);
}

static void test_interop(void **state)
{
    static const char *const digests[] = {"SHA256", "SHA384", "SHA512", "SHA1", "SHA3-256"};
    struct message_work *work = test_calloc(1, sizeof *work);

    (void)state;
    for (int k = 0; lane_keys[k] != NULL; k++) {
        work->ours = load_key(octuple_ctx, lane_keys[k]);
        work->theirs = load_key(plain_ctx, lane_keys[k]);
        for (int n = 0; n < 2 * (is_slow() ? 1 : 5); n++) {
            work->digest = digests[n / 2];
            work->pad_mode = n % 2 == 0 ? RSA_PKCS1_PADDING : RSA_PKCS1_PSS_PADDING;
            run_fibres(EIGHT, sign_message, work);
            for (int i = 0; i < EIGHT; i++)
                assert_true(verify_message(work, plain_ctx, work->theirs, i));
            run_fibres(EIGHT, verify_message_ours, work);
        }
        EVP_PKEY_free(work->ours);
        EVP_PKEY_free(work->theirs);
    }
    test_free(work);
}

/* A copy made in the middle goes its own way. */
static void test_copy(void **state)
{
    struct message_work work = {.digest = "SHA256", .pad_mode = RSA_PKCS1_PADDING};
    EVP_MD_CTX *ctx = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
    uint8_t one[512], two[512];
    size_t one_len = sizeof one, two_len = sizeof two;

    (void)state;
    work.ours = load_key(octuple_ctx, "2048a");
    assert_true(start_sign(ctx, octuple_ctx, &work, work.ours));
    assert_int_equal(EVP_DigestSignUpdate(ctx, MESSAGE, 10), 1);
    assert_int_equal(EVP_MD_CTX_copy_ex(copy, ctx), 1);
    assert_int_equal(EVP_DigestSignUpdate(ctx, MESSAGE + 10, MESSAGE_LEN - 10), 1);
    assert_int_equal(EVP_DigestSignUpdate(copy, MESSAGE + 10, MESSAGE_LEN - 10), 1);
    assert_int_equal(EVP_DigestSignFinal(ctx, one, &one_len), 1);
    EVP_MD_CTX_free(ctx);
    assert_int_equal(EVP_DigestSignFinal(copy, two, &two_len), 1);
    EVP_MD_CTX_free(copy);
    assert_int_equal(one_len, two_len);
    assert_memory_equal(one, two, one_len);
    EVP_PKEY_free(work.ours);
}

/* One context, used for three messages; without a digest named, the key's default (SHA-256) is used. */
static void test_start_again(void **state)
{
    EVP_PKEY *ours = load_key(octuple_ctx, "2048a"), *theirs = load_key(plain_ctx, "2048a");
    EVP_MD_CTX *ctx = EVP_MD_CTX_new(), *check = EVP_MD_CTX_new();
    uint8_t out[512];

    (void)state;
    assert_int_equal(EVP_DigestSignInit_ex(ctx, NULL, NULL, octuple_ctx, NULL, ours, NULL), 1);
    for (int i = 0; i < 3; i++) {
        size_t len = sizeof out;
        if (i > 0)
            assert_int_equal(EVP_DigestSignInit(ctx, NULL, NULL, NULL, NULL), 1);
        assert_int_equal(EVP_DigestSign(ctx, out, &len, MESSAGE, MESSAGE_LEN - (size_t)i), 1);
        assert_int_equal(EVP_DigestVerifyInit_ex(check, NULL, "SHA256", plain_ctx, NULL, theirs, NULL), 1);
        assert_int_equal(EVP_DigestVerify(check, out, len, MESSAGE, MESSAGE_LEN - (size_t)i), 1);
        EVP_MD_CTX_reset(check);
    }
    EVP_MD_CTX_free(ctx);
    EVP_MD_CTX_free(check);
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
}

static void test_wrong_order(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx;
    uint8_t out[512];
    size_t len = 100;

    (void)state;
    assert_int_equal(EVP_DigestSignInit_ex(ctx, &pctx, "SHA256", octuple_ctx, NULL, key, NULL), 1);
    /* The digest is fixed now; naming the same again is fine. */
    assert_true(EVP_PKEY_CTX_set_signature_md(pctx, EVP_sha512()) <= 0);
    /* Too small a buffer does not use the message up; but newer versions of libcrypto refuse another call by
     * themselves. */
    assert_true(EVP_DigestSign(ctx, out, &len, MESSAGE, MESSAGE_LEN) <= 0);
    len = sizeof out;
    ERR_clear_error();
    if (EVP_DigestSign(ctx, out, &len, MESSAGE, MESSAGE_LEN) != 1)
        assert_int_equal(ERR_GET_REASON(ERR_peek_error()), EVP_R_FINAL_ERROR);
    assert_true(EVP_DigestSign(ctx, out, &len, MESSAGE, MESSAGE_LEN) <= 0);
    assert_true(EVP_DigestSignInit_ex(ctx, &pctx, "no-such-digest", octuple_ctx, NULL, key, NULL) <= 0);
    assert_true(EVP_DigestSignInit_ex(ctx, &pctx, "SHAKE256", octuple_ctx, NULL, key, NULL) <= 0);
    ERR_clear_error();
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
}

static size_t algorithm_id(OSSL_LIB_CTX *libctx, EVP_PKEY *key, const char *digest, int pad_mode, int salt_len,
                           uint8_t out[256])
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx;
    OSSL_PARAM params[2] = {
        OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, out, 256),
        OSSL_PARAM_construct_end(),
    };
    size_t len = 0;

    assert_int_equal(EVP_DigestSignInit_ex(ctx, &pctx, digest, libctx, NULL, key, NULL), 1);
    assert_true(EVP_PKEY_CTX_set_rsa_padding(pctx, pad_mode) > 0);
    if (pad_mode == RSA_PKCS1_PSS_PADDING)
        assert_true(EVP_PKEY_CTX_set_rsa_pss_saltlen(pctx, salt_len) > 0);
    if (EVP_PKEY_CTX_get_params(pctx, params) > 0)
        len = params[0].return_size;
    EVP_MD_CTX_free(ctx);
    ERR_clear_error();
    return len;
}

static void test_algorithm_id(void **state)
{
    static const char *const digests[] = {"SHA1",       "SHA224",   "SHA256",   "SHA384",   "SHA512",   "SHA512-224",
                                          "SHA512-256", "SHA3-224", "SHA3-256", "SHA3-384", "SHA3-512", "MD5"};
    static const int salts[] = {RSA_PSS_SALTLEN_DIGEST, RSA_PSS_SALTLEN_AUTO, RSA_PSS_SALTLEN_MAX, 0, 11};
    EVP_PKEY *ours = load_key(octuple_ctx, "2048a"), *theirs = load_key(plain_ctx, "2048a");
    uint8_t one[256], two[256];
    size_t found = 0;

    (void)state;
    for (size_t d = 0; d < sizeof digests / sizeof digests[0]; d++) {
        for (size_t s = 0; s <= sizeof salts / sizeof salts[0]; s++) {
            const int pad_mode = s == 0 ? RSA_PKCS1_PADDING : RSA_PKCS1_PSS_PADDING, salt = s == 0 ? 0 : salts[s - 1];
            const size_t len = algorithm_id(octuple_ctx, ours, digests[d], pad_mode, salt, one);
            assert_int_equal(len, algorithm_id(plain_ctx, theirs, digests[d], pad_mode, salt, two));
            assert_memory_equal(one, two, len);
            found += len > 0;
        }
    }
    assert_true(found >= 40);
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_interop, test_copy, test_start_again, test_wrong_order,
                     test_algorithm_id);
}
