/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Settings of signature and encryption contexts, as names and as numbers, read back; compared with OpenSSL's own
 * answers. */
#include "common.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <stdbool.h>
#include <string.h>

static EVP_PKEY *ours, *theirs;

static int load_keys(void **state)
{
    open_contexts(state);
    ours = load_key(octuple_ctx, "2048a");
    theirs = load_key(plain_ctx, "2048a");
    return 0;
}

static int free_keys(void **state)
{
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
    return close_contexts(state);
}

static EVP_PKEY_CTX *start(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(key == ours ? octuple_ctx : plain_ctx, key, NULL);
    assert_non_null(ctx);
    assert_true(init(ctx) > 0);
    return ctx;
}

static int set_text(EVP_PKEY_CTX *ctx, const char *name, const char *value)
{
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(name, (char *)value, 0), OSSL_PARAM_construct_end()};
    int ok = EVP_PKEY_CTX_set_params(ctx, (OSSL_PARAM *)params) > 0;
    ERR_clear_error();
    return ok;
}

static int set_number(EVP_PKEY_CTX *ctx, const char *name, int value)
{
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_int(name, &value), OSSL_PARAM_construct_end()};
    int ok = EVP_PKEY_CTX_set_params(ctx, (OSSL_PARAM *)params) > 0;
    ERR_clear_error();
    return ok;
}

static int get_text(EVP_PKEY_CTX *ctx, const char *name, char value[64])
{
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(name, value, 64), OSSL_PARAM_construct_end()};
    value[0] = '\0';
    return EVP_PKEY_CTX_get_params(ctx, params) > 0 && OSSL_PARAM_modified(params);
}

static int get_number(EVP_PKEY_CTX *ctx, const char *name, int *value)
{
    OSSL_PARAM params[] = {OSSL_PARAM_construct_int(name, value), OSSL_PARAM_construct_end()};
    return EVP_PKEY_CTX_get_params(ctx, params) > 0 && OSSL_PARAM_modified(params);
}

/* Both implementations take or refuse it alike, and then say the same. */
static void same_text(EVP_PKEY_CTX *one, EVP_PKEY_CTX *two, const char *name, const char *value)
{
    char a[64], b[64];
    int x, y;

    if (set_text(one, name, value) != set_text(two, name, value))
        fail_msg("%s = %s: taken by one only", name, value);
    assert_int_equal(get_text(one, name, a), get_text(two, name, b));
    assert_string_equal(a, b);
    if (strcmp(name, OSSL_SIGNATURE_PARAM_PAD_MODE) == 0 || strcmp(name, OSSL_SIGNATURE_PARAM_PSS_SALTLEN) == 0) {
        assert_true(get_number(one, name, &x));
        assert_true(get_number(two, name, &y));
        assert_int_equal(x, y);
    }
}

static void same_number(EVP_PKEY_CTX *one, EVP_PKEY_CTX *two, const char *name, int value)
{
    int x = -99, y = -99;
    assert_int_equal(set_number(one, name, value), set_number(two, name, value));
    assert_int_equal(get_number(one, name, &x), get_number(two, name, &y));
    assert_int_equal(x, y);
}

static void test_signature_modes(void **state)
{
    EVP_PKEY_CTX *one = start(ours, EVP_PKEY_sign_init), *two = start(theirs, EVP_PKEY_sign_init);

    (void)state;
    same_text(one, two, OSSL_SIGNATURE_PARAM_PAD_MODE, "none");
    same_text(one, two, OSSL_SIGNATURE_PARAM_PAD_MODE, "pkcs1");
    same_text(one, two, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "20"); /* not without PSS */
    same_text(one, two, OSSL_SIGNATURE_PARAM_MGF1_DIGEST, "SHA1");
    same_text(one, two, OSSL_SIGNATURE_PARAM_PAD_MODE, "pss");
    same_text(one, two, OSSL_SIGNATURE_PARAM_DIGEST, "SHA256");
    same_text(one, two, OSSL_SIGNATURE_PARAM_MGF1_DIGEST, "SHA512");
    same_text(one, two, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "digest");
    same_text(one, two, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "max");
    same_text(one, two, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "auto");
    same_text(one, two, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "20");
    same_text(one, two, OSSL_SIGNATURE_PARAM_PAD_MODE, "x931");
    same_text(one, two, OSSL_SIGNATURE_PARAM_PAD_MODE, "nonsense"); /* keeps the old mode */
    same_text(one, two, OSSL_SIGNATURE_PARAM_PAD_MODE, "oaep");
    for (int mode = 0; mode < 10; mode++)
        same_number(one, two, OSSL_SIGNATURE_PARAM_PAD_MODE, mode);
    for (int mode = 6; mode >= 1; mode--)
        same_number(one, two, OSSL_SIGNATURE_PARAM_PAD_MODE, mode);
    same_number(one, two, OSSL_SIGNATURE_PARAM_PAD_MODE, RSA_PKCS1_PSS_PADDING);
    for (int len = -6; len < 4; len++)
        if (len != -4) /* 3.0 does not know it yet */
            same_number(one, two, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, len);
    same_text(one, two, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "12x");
    same_text(one, two, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "");
    EVP_PKEY_CTX_free(one);
    EVP_PKEY_CTX_free(two);
}

static void test_signature_defaults(void **state)
{
    static int (*const init[])(EVP_PKEY_CTX *) = {EVP_PKEY_sign_init, EVP_PKEY_verify_init,
                                                  EVP_PKEY_verify_recover_init};
    (void)state;
    for (int i = 0; i < 3; i++) {
        EVP_PKEY_CTX *one = start(ours, init[i]), *two = start(theirs, init[i]);
        char a[64], b[64];
        int x, y;
        assert_true(get_text(one, OSSL_SIGNATURE_PARAM_PAD_MODE, a) && get_text(two, OSSL_SIGNATURE_PARAM_PAD_MODE, b));
        assert_string_equal(a, b);
        assert_true(get_number(one, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, &x));
        assert_true(get_number(two, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, &y));
        assert_int_equal(x, y);
        assert_int_equal(set_number(one, OSSL_SIGNATURE_PARAM_PAD_MODE, RSA_PKCS1_PSS_PADDING), i < 2);
        assert_int_equal(set_number(two, OSSL_SIGNATURE_PARAM_PAD_MODE, RSA_PKCS1_PSS_PADDING), i < 2);
        assert_true(get_text(one, OSSL_SIGNATURE_PARAM_DIGEST, a) && get_text(two, OSSL_SIGNATURE_PARAM_DIGEST, b));
        assert_string_equal(a, b);
        EVP_PKEY_CTX_free(one);
        EVP_PKEY_CTX_free(two);
    }
}

static void test_digest_properties(void **state)
{
    EVP_PKEY_CTX *ctx = start(ours, EVP_PKEY_sign_init);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, (char *)"provider=default", 0),
        OSSL_PARAM_construct_end(),
    };

    (void)state;
    assert_int_equal(EVP_PKEY_CTX_set_params(ctx, params), 1);
    params[1] = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, (char *)"provider=nobody", 0);
    assert_true(EVP_PKEY_CTX_set_params(ctx, params) <= 0);
    ERR_clear_error();
    /* By object identifier, and in another case of letters. */
    assert_true(set_text(ctx, OSSL_SIGNATURE_PARAM_DIGEST, "2.16.840.1.101.3.4.2.2"));
    assert_true(set_text(ctx, OSSL_SIGNATURE_PARAM_DIGEST, "sha2-512"));
    assert_false(set_text(ctx, OSSL_SIGNATURE_PARAM_DIGEST, "SHAKE128"));
    EVP_PKEY_CTX_free(ctx);
}

static void test_cipher_modes(void **state)
{
    EVP_PKEY_CTX *one = start(ours, EVP_PKEY_decrypt_init), *two = start(theirs, EVP_PKEY_decrypt_init);

    (void)state;
    same_text(one, two, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, "none");
    same_text(one, two, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, "pkcs1");
    assert_false(set_text(one, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, "pss"));
    same_text(one, two, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, "oaep");
    assert_true(set_text(one, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, "oeap"));
    assert_false(set_text(one, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, "nonsense"));
    same_text(one, two, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, "SHA2-256");
    same_text(one, two, OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, "SHA1");
    assert_false(set_text(one, OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, "nonsense"));
    same_number(one, two, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, RSA_PKCS1_PADDING);
    same_number(one, two, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, RSA_PKCS1_PSS_PADDING);
    same_number(one, two, OSSL_ASYM_CIPHER_PARAM_PAD_MODE, RSA_PKCS1_WITH_TLS_PADDING);
    same_number(one, two, OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, 0x0303);
    same_number(one, two, OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION, 0x0302);
    EVP_PKEY_CTX_free(one);
    EVP_PKEY_CTX_free(two);
}

static void test_implicit_rejection_switch(void **state)
{
    EVP_PKEY_CTX *ctx = start(ours, EVP_PKEY_decrypt_init), *copy;
    EVP_PKEY_CTX *their = start(theirs, EVP_PKEY_decrypt_init);
    const bool has_it = OSSL_PARAM_locate_const(EVP_PKEY_CTX_settable_params(their), "implicit-rejection") != NULL;
    unsigned on = 7;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("implicit-rejection", &on), OSSL_PARAM_construct_end()};

    (void)state;
    assert_int_equal(EVP_PKEY_CTX_get_params(ctx, params), 1);
    assert_int_equal(on, has_it);
    for (unsigned value = 0; value < 2; value++) {
        on = value;
        assert_int_equal(EVP_PKEY_CTX_set_params(ctx, params), 1);
        copy = EVP_PKEY_CTX_dup(ctx);
        on = 7;
        assert_int_equal(EVP_PKEY_CTX_get_params(copy, params), 1);
        assert_int_equal(on, value);
        EVP_PKEY_CTX_free(copy);
    }
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_CTX_free(their);
}

static void test_label(void **state)
{
    EVP_PKEY_CTX *ctx = start(ours, EVP_PKEY_encrypt_init), *copy;
    unsigned char *label;

    (void)state;
    assert_true(EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_OAEP_PADDING) > 0);
    assert_true(EVP_PKEY_CTX_set0_rsa_oaep_label(ctx, OPENSSL_strdup("label"), 5) > 0);
    copy = EVP_PKEY_CTX_dup(ctx);
    EVP_PKEY_CTX_free(ctx);
    assert_int_equal(EVP_PKEY_CTX_get0_rsa_oaep_label(copy, &label), 5);
    assert_memory_equal(label, "label", 5);
    EVP_PKEY_CTX_free(copy);
}

/* What a context says it takes and gives, it takes and gives. */
static void test_lists(void **state)
{
    static const char *const expected[] = {OSSL_SIGNATURE_PARAM_PAD_MODE, OSSL_SIGNATURE_PARAM_DIGEST,
                                           OSSL_SIGNATURE_PARAM_PSS_SALTLEN, OSSL_SIGNATURE_PARAM_MGF1_DIGEST};
    EVP_PKEY_CTX *ctx = start(ours, EVP_PKEY_sign_init);

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(OSSL_PARAM_locate_const(EVP_PKEY_CTX_settable_params(ctx), expected[i]));
        assert_non_null(OSSL_PARAM_locate_const(EVP_PKEY_CTX_gettable_params(ctx), expected[i]));
    }
    assert_non_null(OSSL_PARAM_locate_const(EVP_PKEY_CTX_gettable_params(ctx), OSSL_SIGNATURE_PARAM_ALGORITHM_ID));
    EVP_PKEY_CTX_free(ctx);
    ctx = start(ours, EVP_PKEY_decrypt_init);
    assert_non_null(OSSL_PARAM_locate_const(EVP_PKEY_CTX_settable_params(ctx), "implicit-rejection"));
    assert_non_null(OSSL_PARAM_locate_const(EVP_PKEY_CTX_gettable_params(ctx), OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL));
    EVP_PKEY_CTX_free(ctx);
}

int main(void)
{
    return RUN_TESTS(load_keys, free_keys, test_signature_modes, test_signature_defaults, test_digest_properties,
                     test_cipher_modes, test_implicit_rejection_switch, test_label, test_lists);
}
