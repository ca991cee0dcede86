/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA keys: parameters, import, comparison, checks, files, switches, and what is announced to libssl. */
#include "mldsa_keys.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <string.h>

static void same_list(const OSSL_PARAM *ours, const OSSL_PARAM *theirs)
{
    for (; theirs != NULL && theirs->key != NULL; theirs++) {
        const OSSL_PARAM *p = OSSL_PARAM_locate_const(ours, theirs->key);
        assert_non_null(p);
        assert_int_equal(p->data_type, theirs->data_type);
    }
}

static void same_numbers(const EVP_PKEY *ours, const EVP_PKEY *theirs, int set)
{
    char digest[32] = "?";

    assert_int_equal(EVP_PKEY_get_bits(ours), EVP_PKEY_get_bits(theirs));
    assert_int_equal(EVP_PKEY_get_security_bits(ours), EVP_PKEY_get_security_bits(theirs));
    assert_int_equal(EVP_PKEY_get_size(ours), EVP_PKEY_get_size(theirs));
    assert_int_equal(EVP_PKEY_get_size(ours), oct_mldsa_signature_bytes(set));
    assert_int_equal(
        EVP_PKEY_get_utf8_string_param(ours, OSSL_PKEY_PARAM_MANDATORY_DIGEST, digest, sizeof digest, NULL), 1);
    assert_string_equal(digest, "");
}

static void test_parameters(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        EVP_PKEY *ours = mldsa_generate(octuple_ctx, set), *theirs = mldsa_copy(plain_ctx, ours, set);
        same_numbers(ours, theirs, set);
        same_list(EVP_PKEY_gettable_params(ours), EVP_PKEY_gettable_params(theirs));
        assert_true(EVP_PKEY_can_sign(ours));
        assert_true(EVP_PKEY_is_a(ours, set == OCT_MLDSA_44 ? "2.16.840.1.101.3.4.3.17" : "id-ml-dsa-65"));
        assert_false(EVP_PKEY_is_a(ours, mldsa_names[!set]));
        EVP_PKEY_free(ours);
        EVP_PKEY_free(theirs);
    }
}

/* An empty key says of itself what a full one does, and signs nothing. */
static void test_empty(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        EVP_PKEY *key = mldsa_generate(octuple_ctx, set), *empty = EVP_PKEY_new();
        uint8_t signature[MAX_SIGNATURE];
        assert_int_equal(EVP_PKEY_copy_parameters(empty, key), 1);
        same_numbers(empty, key, set);
        assert_int_equal(EVP_PKEY_eq(empty, key) == 1, 0);
        assert_false(mldsa_sign(octuple_ctx, empty, NULL, (const uint8_t *)"abc", 3, signature));
        EVP_PKEY_free(key);
        EVP_PKEY_free(empty);
        ERR_clear_error();
    }
}

static void test_import(void **state)
{
    uint8_t private_key[MAX_PRIVATE], public_key[MAX_PUBLIC];
    size_t len;

    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        EVP_PKEY *theirs = mldsa_generate(plain_ctx, set), *ours;
        assert_int_equal(EVP_PKEY_get_raw_private_key(theirs, private_key, &(size_t){sizeof private_key}), 1);
        len = sizeof public_key;
        assert_int_equal(EVP_PKEY_get_raw_public_key(theirs, public_key, &len), 1);
        ours = mldsa_import(octuple_ctx, set, private_key, NULL); /* the public key is computed */
        assert_true(is_ours(ours));
        assert_int_equal(EVP_PKEY_eq(ours, theirs), 1);
        EVP_PKEY_free(ours);
        public_key[40] ^= 1;
        assert_null(mldsa_import(octuple_ctx, set, private_key, public_key));
        assert_null(mldsa_import(octuple_ctx, set, NULL, NULL));
        memset(private_key + 128, 0xff, 32); /* numbers of s1 that are out of range */
        assert_null(mldsa_import(octuple_ctx, set, private_key, NULL));
        EVP_PKEY_free(theirs);
        ERR_clear_error();
    }
}

static int checks(OSSL_LIB_CTX *libctx, EVP_PKEY *key, int (*check)(EVP_PKEY_CTX *))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    const int ok = check(ctx);

    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return ok > 0;
}

static void test_match(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        EVP_PKEY *a = mldsa_generate(octuple_ctx, set), *b = mldsa_generate(octuple_ctx, set);
        EVP_PKEY *theirs = mldsa_copy(plain_ctx, a, set), *copy = EVP_PKEY_dup(a);
        EVP_PKEY *public_key = mldsa_copy_public(octuple_ctx, a, set);
        assert_int_equal(EVP_PKEY_eq(a, b), 0);
        assert_int_equal(EVP_PKEY_eq(a, copy), 1);
        assert_int_equal(EVP_PKEY_eq(a, public_key), 1);
        assert_int_equal(EVP_PKEY_eq(theirs, a), 1);
        assert_int_equal(EVP_PKEY_eq(b, theirs), 0);
        assert_true(checks(octuple_ctx, a, EVP_PKEY_check));
        assert_true(checks(octuple_ctx, public_key, EVP_PKEY_public_check));
        assert_false(checks(octuple_ctx, public_key, EVP_PKEY_check));
        EVP_PKEY_free(a);
        EVP_PKEY_free(b);
        EVP_PKEY_free(copy);
        EVP_PKEY_free(theirs);
        EVP_PKEY_free(public_key);
    }
}

/* OpenSSL's encoders write the same bytes, seed included, and what they write comes back as ours. */
static void test_files(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        EVP_PKEY *ours = mldsa_generate(octuple_ctx, set), *theirs, *back;
        unsigned char *a = NULL, *b = NULL;
        const int len = i2d_PrivateKey(ours, &a);
        const unsigned char *in = a;
        assert_true(len > 0);
        theirs = d2i_AutoPrivateKey_ex(NULL, &in, len, plain_ctx, NULL);
        assert_non_null(theirs);
        assert_int_equal(i2d_PrivateKey(theirs, &b), len);
        assert_memory_equal(a, b, (size_t)len);
        in = b;
        back = d2i_AutoPrivateKey_ex(NULL, &in, len, octuple_ctx, NULL);
        assert_int_equal(EVP_PKEY_eq(back, theirs), 1);
        EVP_PKEY_free(back);
        OPENSSL_free(a);
        OPENSSL_free(b);
        EVP_PKEY_free(ours);
        EVP_PKEY_free(theirs);
    }
}

static int count_them(const OSSL_PARAM params[], void *arg)
{
    const OSSL_PARAM *p = OSSL_PARAM_locate_const(params, "tls-sigalg-iana-name");
    const char *name = "";

    assert_true(p != NULL && OSSL_PARAM_get_utf8_string_ptr(p, &name));
    assert_true(strcmp(name, "mldsa44") == 0 || strcmp(name, "mldsa65") == 0);
    ++*(int *)arg;
    return 1;
}

/* With a switch off the next provider serves, with keys of ours if they are still ours. */
static void check_switch(const char *settings, int ours)
{
    OSSL_LIB_CTX *ctx = new_octuple_ctx(settings);
    OSSL_PROVIDER *provider = OSSL_PROVIDER_load(ctx, "octuple");
    EVP_SIGNATURE *fetched = EVP_SIGNATURE_fetch(ctx, "ML-DSA-65", "provider=octuple");
    EVP_PKEY *key = EVP_PKEY_Q_keygen(ctx, NULL, "ML-DSA-65");
    uint8_t signature[MAX_SIGNATURE];
    int announced = 0;

    assert_int_equal(OSSL_PROVIDER_get_capabilities(provider, "TLS-SIGALG", count_them, &announced), 1);
    assert_int_equal(announced, ours ? OCT_MLDSA_SETS : 0);
    assert_int_equal(is_ours(key), ours);
    assert_int_equal(fetched != NULL, ours);
    assert_true(mldsa_sign(ctx, key, NULL, (const uint8_t *)"abc", 3, signature));
    assert_true(mldsa_verify(ctx, key, NULL, (const uint8_t *)"abc", 3, signature, MAX_SIGNATURE));
    assert_false(mldsa_verify(ctx, key, NULL, (const uint8_t *)"abd", 3, signature, MAX_SIGNATURE));
    ERR_clear_error();
    EVP_SIGNATURE_free(fetched);
    EVP_PKEY_free(key);
    OSSL_PROVIDER_unload(provider);
    OSSL_LIB_CTX_free(ctx);
}

static void test_switches(void **state)
{
    (void)state;
    check_switch(NULL, 1);
    check_switch("mldsa = off", 0);
}

int main(void)
{
    return RUN_TESTS(mldsa_open, close_contexts, test_parameters, test_empty, test_import, test_match, test_files,
                     test_switches);
}
