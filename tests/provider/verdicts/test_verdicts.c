/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Verdicts and errors of RSA: see verdicts.h. */
#include "verdicts.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#define SHA256_SIZE 32

static EVP_PKEY_CTX *start_rsa(EVP_PKEY *key, int (*init)(EVP_PKEY_CTX *), int padding, const char *digest)
{
    EVP_PKEY_CTX *ctx = start(key, init);
    OSSL_PARAM params[2] = {OSSL_PARAM_construct_utf8_string("digest", (char *)digest, 0), OSSL_PARAM_construct_end()};

    if (digest != NULL)
        assert_int_equal(EVP_PKEY_CTX_set_params(ctx, params), 1);
    if (padding != 0)
        assert_int_equal(EVP_PKEY_CTX_set_rsa_padding(ctx, padding), 1);
    return ctx;
}

static int set_text(EVP_PKEY_CTX *ctx, const char *name, const char *text)
{
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(name, (char *)text, 0), OSSL_PARAM_construct_end()};
    return EVP_PKEY_CTX_set_params(ctx, params);
}

static int set_and_free(EVP_PKEY_CTX *ctx, const char *name, const char *text)
{
    const int value = set_text(ctx, name, text);
    EVP_PKEY_CTX_free(ctx);
    return value;
}

static int rsa_mgf1_without_pss(const struct fixture *f)
{
    return set_and_free(start(f->rsa, EVP_PKEY_sign_init), OSSL_SIGNATURE_PARAM_MGF1_DIGEST, "SHA1");
}

static int rsa_salt_without_pss(const struct fixture *f)
{
    return set_and_free(start(f->rsa, EVP_PKEY_sign_init), OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "20");
}

static int rsa_salt_too_low(const struct fixture *f)
{
    return set_and_free(start_rsa(f->rsa, EVP_PKEY_sign_init, RSA_PKCS1_PSS_PADDING, "SHA256"),
                        OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "-5");
}

static int rsa_digest_unknown_to_rsa(const struct fixture *f)
{
    return set_and_free(start(f->rsa, EVP_PKEY_sign_init), OSSL_SIGNATURE_PARAM_DIGEST, "BLAKE2B-512");
}

static int rsa_digest_without_padding(const struct fixture *f)
{
    return set_and_free(start_rsa(f->rsa, EVP_PKEY_sign_init, RSA_NO_PADDING, NULL), OSSL_SIGNATURE_PARAM_DIGEST,
                        "SHA256");
}

static int rsa_digest_unknown_to_x931(const struct fixture *f)
{
    return set_and_free(start_rsa(f->rsa, EVP_PKEY_sign_init, RSA_X931_PADDING, "SHA256"), OSSL_SIGNATURE_PARAM_DIGEST,
                        "SHA224");
}

static int rsa_oaep_to_sign(const struct fixture *f)
{
    EVP_PKEY_CTX *ctx = start(f->rsa, EVP_PKEY_sign_init);
    int mode = RSA_PKCS1_OAEP_PADDING, value;
    const OSSL_PARAM params[] = {OSSL_PARAM_construct_int(OSSL_SIGNATURE_PARAM_PAD_MODE, &mode),
                                 OSSL_PARAM_construct_end()};

    value = EVP_PKEY_CTX_set_params(ctx, params);
    EVP_PKEY_CTX_free(ctx);
    return value;
}

static int rsa_sign_small_buffer(const struct fixture *f)
{
    return sign_with(start_rsa(f->rsa, EVP_PKEY_sign_init, 0, "SHA256"), 255, SHA256_SIZE);
}

static int rsa_sign_wrong_length(const struct fixture *f)
{
    return sign_with(start_rsa(f->rsa, EVP_PKEY_sign_init, 0, "SHA256"), 256, SHA256_SIZE - 1);
}

static int rsa_sign_too_much(const struct fixture *f)
{
    return sign_with(start(f->rsa, EVP_PKEY_sign_init), 256, 246);
}

static int rsa_sign_raw_too_little(const struct fixture *f)
{
    return sign_with(start_rsa(f->rsa, EVP_PKEY_sign_init, RSA_NO_PADDING, NULL), 256, 255);
}

static int rsa_sign_public(const struct fixture *f)
{
    return sign_with(start_rsa(f->rsa_public, EVP_PKEY_sign_init, 0, "SHA256"), 256, SHA256_SIZE);
}

static int rsa_sign_long_salt(const struct fixture *f)
{
    EVP_PKEY_CTX *ctx = start_rsa(f->rsa, EVP_PKEY_sign_init, RSA_PKCS1_PSS_PADDING, "SHA256");

    assert_int_equal(set_text(ctx, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, "223"), 1);
    return sign_with(ctx, 256, SHA256_SIZE);
}

static int verify_zeros(EVP_PKEY_CTX *ctx, size_t len, size_t tbs_len)
{
    uint8_t in[MAX_BYTES] = {0}, tbs[MAX_BYTES] = {0};
    const int value = EVP_PKEY_verify(ctx, in, len, tbs, tbs_len);

    EVP_PKEY_CTX_free(ctx);
    return value;
}

static int rsa_verify_bad(const struct fixture *f)
{
    return verify_zeros(start_rsa(f->rsa_public, EVP_PKEY_verify_init, 0, "SHA256"), 256, SHA256_SIZE);
}

static int rsa_verify_short(const struct fixture *f)
{
    return verify_zeros(start_rsa(f->rsa_public, EVP_PKEY_verify_init, 0, "SHA256"), 255, SHA256_SIZE);
}

static int rsa_verify_pss_bad(const struct fixture *f)
{
    return verify_zeros(start_rsa(f->rsa_public, EVP_PKEY_verify_init, RSA_PKCS1_PSS_PADDING, "SHA256"), 256,
                        SHA256_SIZE);
}

static int rsa_recover_small_buffer(const struct fixture *f)
{
    EVP_PKEY_CTX *ctx = start_rsa(f->rsa_public, EVP_PKEY_verify_recover_init, 0, "SHA256");
    uint8_t in[256] = {0}, out[256];
    size_t len = SHA256_SIZE - 1;
    const int value = EVP_PKEY_verify_recover(ctx, out, &len, in, sizeof in);

    EVP_PKEY_CTX_free(ctx);
    /* Releases of 3.0 before 3.0.22 raise other errors here, and ours are those of the last one. */
    if (OpenSSL_version_num() < 0x30000160)
        ERR_clear_error();
    return value;
}

static int encrypt_with(EVP_PKEY_CTX *ctx, size_t len, size_t in_len)
{
    uint8_t out[MAX_BYTES], in[MAX_BYTES] = {0};
    const int value = EVP_PKEY_encrypt(ctx, out, &len, in, in_len);

    EVP_PKEY_CTX_free(ctx);
    return value;
}

static int rsa_encrypt_too_much(const struct fixture *f)
{
    return encrypt_with(start(f->rsa_public, EVP_PKEY_encrypt_init), 256, 246);
}

static int rsa_encrypt_oaep_too_much(const struct fixture *f)
{
    return encrypt_with(start_rsa(f->rsa_public, EVP_PKEY_encrypt_init, RSA_PKCS1_OAEP_PADDING, NULL), 256, 215);
}

static int rsa_encrypt_small_buffer(const struct fixture *f)
{
    return encrypt_with(start(f->rsa_public, EVP_PKEY_encrypt_init), 255, 10);
}

static int decrypt_zeros(EVP_PKEY_CTX *ctx, size_t len, size_t in_len)
{
    uint8_t out[MAX_BYTES], in[MAX_BYTES] = {0};
    const int value = EVP_PKEY_decrypt(ctx, out, &len, in, in_len);

    EVP_PKEY_CTX_free(ctx);
    return value;
}

static int rsa_decrypt_small_buffer(const struct fixture *f)
{
    return decrypt_zeros(start(f->rsa, EVP_PKEY_decrypt_init), 255, 256);
}

static int rsa_decrypt_oaep_bad(const struct fixture *f)
{
    return decrypt_zeros(start_rsa(f->rsa, EVP_PKEY_decrypt_init, RSA_PKCS1_OAEP_PADDING, NULL), 256, 256);
}

static const struct verdict_case cases[] = {
    CASE(rsa_mgf1_without_pss),       CASE(rsa_salt_without_pss),
    CASE(rsa_salt_too_low),           CASE(rsa_digest_unknown_to_rsa),
    CASE(rsa_digest_without_padding), CASE(rsa_digest_unknown_to_x931),
    CASE(rsa_oaep_to_sign),           CASE(rsa_sign_small_buffer),
    CASE(rsa_sign_wrong_length),      CASE(rsa_sign_too_much),
    CASE(rsa_sign_raw_too_little),    CASE(rsa_sign_public),
    CASE(rsa_sign_long_salt),         CASE(rsa_verify_bad),
    CASE(rsa_verify_short),           CASE(rsa_verify_pss_bad),
    CASE(rsa_recover_small_buffer),   CASE(rsa_encrypt_too_much),
    CASE(rsa_encrypt_oaep_too_much),  CASE(rsa_encrypt_small_buffer),
    CASE(rsa_decrypt_small_buffer),   CASE(rsa_decrypt_oaep_bad),
};

static void test_cases(void **state)
{
    (void)state;
    expect_same_verdicts(cases, sizeof cases / sizeof cases[0]);
}

/* Numbers that are no key: OpenSSL imports them, and fails when they are used. */
static int import_numbers(OSSL_LIB_CTX *ctx, uint64_t n, uint64_t e, uint64_t d)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_uint64(OSSL_PKEY_PARAM_RSA_N, &n),
        OSSL_PARAM_construct_uint64(OSSL_PKEY_PARAM_RSA_E, &e),
        OSSL_PARAM_construct_uint64(OSSL_PKEY_PARAM_RSA_D, &d),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, "RSA", NULL);
    EVP_PKEY *key = NULL;
    int value;

    assert_int_equal(EVP_PKEY_fromdata_init(pctx), 1);
    value = EVP_PKEY_fromdata(pctx, &key, EVP_PKEY_KEYPAIR, (OSSL_PARAM *)params);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(pctx);
    return value;
}

static void test_senseless_keys(void **state)
{
    static const uint64_t numbers[][3] = {{0, 0, 0}, {3, 3, 1u << 20}, {1, 0, 0}, {0, 3, 5}, {255, 65537, UINT64_MAX}};

    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        assert_int_equal(import_numbers(octuple_ctx, numbers[i][0], numbers[i][1], numbers[i][2]),
                         import_numbers(plain_ctx, numbers[i][0], numbers[i][1], numbers[i][2]));
    ERR_clear_error();
}

int main(void)
{
    return RUN_TESTS(open_fixture, close_fixture, test_cases, test_senseless_keys);
}
