/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Contexts of Ed25519 signatures: used again, copied, asked, and set to what newer versions of OpenSSL can do. */
#include "ed25519_keys.h"

#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

/* A context serves again after it is initialised without a key, and its copy goes its own way. */
static void test_contexts(void **state)
{
    EVP_PKEY *key = ed25519_generate(octuple_ctx), *other = ed25519_generate(octuple_ctx);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx = NULL, *copy;
    uint8_t signature[SIGNATURE];

    (void)state;
    assert_int_equal(EVP_DigestSignInit_ex(ctx, &pctx, NULL, octuple_ctx, NULL, key, NULL), 1);
    copy = EVP_PKEY_CTX_dup(pctx);
    assert_non_null(copy);
    for (int i = 0; i < 3; i++) {
        size_t len = SIGNATURE;
        assert_int_equal(EVP_DigestSign(ctx, signature, &len, (const uint8_t *)"abc", 3), 1);
        assert_true(ed25519_verify(octuple_ctx, key, (const uint8_t *)"abc", 3, signature, SIGNATURE));
        assert_int_equal(EVP_DigestSignInit_ex(ctx, NULL, NULL, octuple_ctx, NULL, NULL, NULL), 1);
    }
    EVP_MD_CTX_reset(ctx);
    assert_int_equal(EVP_DigestVerifyInit_ex(ctx, NULL, NULL, octuple_ctx, NULL, other, NULL), 1);
    assert_int_equal(EVP_DigestVerify(ctx, signature, SIGNATURE, (const uint8_t *)"abc", 3), 0);
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_CTX_free(copy);
    ERR_clear_error();
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
}

static size_t algorithm_id(OSSL_LIB_CTX *libctx, EVP_PKEY *key, uint8_t der[64])
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, der, 64),
                           OSSL_PARAM_construct_end()};

    assert_true(EVP_DigestSignInit_ex(ctx, &pctx, NULL, libctx, NULL, key, NULL));
    assert_non_null(OSSL_PARAM_locate_const(EVP_PKEY_CTX_gettable_params(pctx), OSSL_SIGNATURE_PARAM_ALGORITHM_ID));
    assert_true(EVP_PKEY_CTX_get_params(pctx, params) > 0);
    EVP_MD_CTX_free(ctx);
    return params[0].return_size;
}

static void test_algorithm_id(void **state)
{
    EVP_PKEY *key = ed25519_generate(octuple_ctx), *other = ed25519_copy(plain_ctx, key);
    uint8_t a[64], b[64];
    const size_t len = algorithm_id(octuple_ctx, key, a);

    (void)state;
    assert_int_equal(len, 7);
    assert_int_equal(algorithm_id(plain_ctx, other, b), len);
    assert_memory_equal(a, b, len);
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
}

/* Settings that a version of OpenSSL takes with these keys (an instance, a context string, from 3.2 on) are taken here
 * too and do the same; those that it does not know are refused or ignored alike. */
static int sign_with(OSSL_LIB_CTX *libctx, EVP_PKEY *key, const OSSL_PARAM params[], int afterwards, uint8_t *out)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx = NULL;
    size_t len = SIGNATURE;
    int ok = EVP_DigestSignInit_ex(ctx, &pctx, NULL, libctx, NULL, key, afterwards ? NULL : params) > 0;

    if (ok && afterwards)
        ok = EVP_PKEY_CTX_set_params(pctx, params) > 0;
    ok = ok && EVP_DigestSign(ctx, out, &len, (const uint8_t *)"abc", 3) > 0;
    EVP_MD_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

static void test_settings(void **state)
{
    static const char *const instances[] = {"Ed25519", "Ed25519ctx", "Ed25519ph", "Ed448", NULL};
    EVP_PKEY *key = ed25519_generate(octuple_ctx), *other = ed25519_copy(plain_ctx, key);

    (void)state;
    for (int i = 0; instances[i] != NULL; i++) {
        const OSSL_PARAM params[] = {
            OSSL_PARAM_construct_utf8_string("instance", (char *)instances[i], 0),
            OSSL_PARAM_construct_octet_string("context-string", (void *)"why", 3),
            OSSL_PARAM_construct_end(),
        };
        for (int afterwards = 0; afterwards < 2; afterwards++) {
            uint8_t a[SIGNATURE] = {0}, b[SIGNATURE] = {0};
            assert_int_equal(sign_with(octuple_ctx, key, params, afterwards, a),
                             sign_with(plain_ctx, other, params, afterwards, b));
            assert_memory_equal(a, b, SIGNATURE);
        }
    }
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
}

/* EVP_PKEY_sign() is there where OpenSSL's own has it, and nowhere else: a caller who has digested what he signs must
 * not get a signature of the digest as if that were the message. */
static void test_caller_digest(void **state)
{
    EVP_PKEY *key = ed25519_generate(octuple_ctx), *other = ed25519_copy(plain_ctx, key);
    EVP_PKEY_CTX *a = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    EVP_PKEY_CTX *b = EVP_PKEY_CTX_new_from_pkey(plain_ctx, other, NULL);
    uint8_t digest[64] = {1}, signature[SIGNATURE];
    size_t len = SIGNATURE;
    int ours = EVP_PKEY_sign_init(a);

    (void)state;
    assert_int_equal(ours, EVP_PKEY_sign_init(b));
    assert_int_not_equal(EVP_PKEY_sign(a, signature, &len, digest, sizeof digest), 1);
    assert_int_equal(EVP_PKEY_verify_init(a), EVP_PKEY_verify_init(b));
    assert_int_not_equal(EVP_PKEY_verify(a, signature, SIGNATURE, digest, sizeof digest), 1);
    ERR_clear_error();
    EVP_PKEY_CTX_free(a);
    EVP_PKEY_CTX_free(b);
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
}

typedef int start_fn(EVP_PKEY_CTX *ctx, EVP_SIGNATURE *algorithm, const OSSL_PARAM params[]);

static int sign_by(start_fn *start, OSSL_LIB_CTX *libctx, EVP_PKEY *key, const char *algorithm, const char *instance,
                   uint8_t *out)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string("instance", (char *)instance, 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    EVP_SIGNATURE *fetched = EVP_SIGNATURE_fetch(libctx, algorithm, NULL);
    uint8_t message[64] = {5};
    size_t len = SIGNATURE;
    const int ok = fetched != NULL && start(ctx, fetched, instance == NULL ? NULL : params) > 0 &&
                   EVP_PKEY_sign(ctx, out, &len, message, sizeof message) > 0;

    EVP_SIGNATURE_free(fetched);
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

/* The ways in that OpenSSL 3.4 has added, by name: where the library that runs has them, they do what its own do. */
static void test_newer_ways(void **state)
{
    static const char *const algorithms[] = {"ED25519", "ED25519ph", "ED25519ctx"};
    static const char *const instances[] = {NULL, "Ed25519", "Ed25519ph", "Ed25519ctx"};
    static const char *const starts[] = {"EVP_PKEY_sign_message_init", "EVP_PKEY_sign_init_ex2"};
    EVP_PKEY *key = ed25519_generate(octuple_ctx), *other = ed25519_copy(plain_ctx, key);

    (void)state;
    for (int i = 0; i < 2 * 3 * 4; i++) {
        start_fn *start = (start_fn *)dlsym(RTLD_DEFAULT, starts[i % 2]);
        const char *algorithm = algorithms[i / 2 % 3], *instance = instances[i / 6];
        uint8_t a[SIGNATURE] = {0}, b[SIGNATURE] = {0};

        assert_int_equal(start != NULL, OPENSSL_version_major() > 3 || OPENSSL_version_minor() >= 4);
        if (start == NULL)
            continue;
        assert_int_equal(sign_by(start, octuple_ctx, key, algorithm, instance, a),
                         sign_by(start, plain_ctx, other, algorithm, instance, b));
        assert_memory_equal(a, b, SIGNATURE);
    }
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_contexts, test_algorithm_id, test_settings, test_caller_digest,
                     test_newer_ways);
}
