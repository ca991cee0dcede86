/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* RSA keys: import, export, parameters, comparison, checks, duplicates, generation; alone and against OpenSSL's own. */
#include "common.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <string.h>

static const char *const numbers[] = {
    OSSL_PKEY_PARAM_RSA_N,
    OSSL_PKEY_PARAM_RSA_E,
    OSSL_PKEY_PARAM_RSA_D,
    OSSL_PKEY_PARAM_RSA_FACTOR1,
    OSSL_PKEY_PARAM_RSA_FACTOR2,
    OSSL_PKEY_PARAM_RSA_FACTOR3,
    OSSL_PKEY_PARAM_RSA_EXPONENT1,
    OSSL_PKEY_PARAM_RSA_EXPONENT2,
    OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
    OSSL_PKEY_PARAM_RSA_EXPONENT3,
    OSSL_PKEY_PARAM_RSA_COEFFICIENT2,
};

static void same_number(const EVP_PKEY *a, const EVP_PKEY *b, const char *name)
{
    BIGNUM *x = NULL, *y = NULL;

    assert_int_equal(EVP_PKEY_get_bn_param(a, name, &x), EVP_PKEY_get_bn_param(b, name, &y));
    if (x != NULL)
        assert_int_equal(BN_cmp(x, y), 0);
    BN_free(x);
    BN_free(y);
    ERR_clear_error();
}

static void test_parameters(void **state)
{
    (void)state;
    for (int k = 0; all_keys[k] != NULL; k++) {
        EVP_PKEY *ours = load_key(octuple_ctx, all_keys[k]), *theirs = load_key(plain_ctx, all_keys[k]);
        char a[64], b[64];
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
            same_number(ours, theirs, numbers[i]);
        assert_int_equal(EVP_PKEY_get_bits(ours), EVP_PKEY_get_bits(theirs));
        assert_int_equal(EVP_PKEY_get_size(ours), EVP_PKEY_get_size(theirs));
        assert_int_equal(EVP_PKEY_get_security_bits(ours), EVP_PKEY_get_security_bits(theirs));
        assert_int_equal(EVP_PKEY_get_default_digest_name(ours, a, sizeof a),
                         EVP_PKEY_get_default_digest_name(theirs, b, sizeof b));
        assert_string_equal(a, b);
        assert_true(EVP_PKEY_is_a(ours, "RSA") && EVP_PKEY_is_a(ours, "rsaEncryption"));
        assert_int_equal(EVP_PKEY_get_base_id(ours), EVP_PKEY_RSA);
        assert_non_null(EVP_PKEY_gettable_params(ours));
        EVP_PKEY_free(ours);
        EVP_PKEY_free(theirs);
    }
}

static size_t der_of(const EVP_PKEY *key, int with_private, uint8_t out[8192])
{
    unsigned char *der = NULL;
    const int len = with_private ? i2d_PrivateKey(key, &der) : i2d_PUBKEY(key, &der);

    assert_true(len > 0 && len <= 8192);
    memcpy(out, der, (size_t)len);
    OPENSSL_clear_free(der, (size_t)len);
    return (size_t)len;
}

/* Written by OpenSSL's encoders from our export, byte for byte what they write of their own key. */
static void test_encoding(void **state)
{
    uint8_t a[8192], b[8192];

    (void)state;
    for (int k = 0; all_keys[k] != NULL; k++) {
        EVP_PKEY *ours = load_key(octuple_ctx, all_keys[k]), *theirs = load_key(plain_ctx, all_keys[k]);
        for (int with_private = 0; with_private < 2; with_private++) {
            const size_t len = der_of(ours, with_private, a);
            assert_int_equal(len, der_of(theirs, with_private, b));
            assert_memory_equal(a, b, len);
        }
        EVP_PKEY_free(ours);
        EVP_PKEY_free(theirs);
    }
}

static void test_comparison(void **state)
{
    EVP_PKEY *a = load_key(octuple_ctx, "2048a"), *again = load_key(octuple_ctx, "2048a");
    EVP_PKEY *other = load_key(octuple_ctx, "2048b"), *theirs = load_key(plain_ctx, "2048a");
    EVP_PKEY *public_key = load_public_key(octuple_ctx, "2048a"), *longer = load_key(octuple_ctx, "3072a");

    (void)state;
    assert_int_equal(EVP_PKEY_eq(a, again), 1);
    assert_int_equal(EVP_PKEY_eq(a, public_key), 1);
    assert_int_equal(EVP_PKEY_eq(public_key, a), 1);
    assert_int_equal(EVP_PKEY_eq(a, theirs), 1);
    assert_int_equal(EVP_PKEY_eq(theirs, a), 1);
    assert_int_equal(EVP_PKEY_eq(a, other), 0);
    assert_int_equal(EVP_PKEY_eq(a, longer), 0);
    assert_int_equal(EVP_PKEY_eq(public_key, other), 0);
    EVP_PKEY_free(a);
    EVP_PKEY_free(again);
    EVP_PKEY_free(other);
    EVP_PKEY_free(theirs);
    EVP_PKEY_free(public_key);
    EVP_PKEY_free(longer);
}

static int checks(EVP_PKEY *key, int (*check)(EVP_PKEY_CTX *))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    const int result = check(ctx) > 0;

    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return result;
}

static void test_validation(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a"), *public_key = load_public_key(octuple_ctx, "2048a");

    (void)state;
    assert_true(checks(key, EVP_PKEY_check) && checks(key, EVP_PKEY_private_check) &&
                checks(key, EVP_PKEY_public_check) && checks(key, EVP_PKEY_public_check_quick) &&
                checks(key, EVP_PKEY_pairwise_check) && checks(key, EVP_PKEY_param_check));
    assert_true(checks(public_key, EVP_PKEY_public_check));
    assert_false(checks(public_key, EVP_PKEY_private_check));
    assert_false(checks(public_key, EVP_PKEY_pairwise_check));
    EVP_PKEY_free(key);
    EVP_PKEY_free(public_key);
}

/* Signs and verifies once; the key is whole and works. */
static int works(EVP_PKEY *key)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t out[MAX_BYTES];
    size_t len = sizeof out;
    int ok = EVP_DigestSignInit_ex(ctx, NULL, "SHA256", octuple_ctx, NULL, key, NULL) > 0 &&
             EVP_DigestSign(ctx, out, &len, (const uint8_t *)"abc", 3) > 0;

    EVP_MD_CTX_reset(ctx);
    ok = ok && EVP_DigestVerifyInit_ex(ctx, NULL, "SHA256", octuple_ctx, NULL, key, NULL) > 0 &&
         EVP_DigestVerify(ctx, out, len, (const uint8_t *)"abc", 3) > 0;
    EVP_MD_CTX_free(ctx);
    ERR_clear_error();
    return ok;
}

/* Builds a key from chosen numbers of another. */
static EVP_PKEY *from_numbers(const EVP_PKEY *source, const char *const names[], int selection, const char *spoil)
{
    OSSL_PARAM_BLD *bld = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(octuple_ctx, "RSA", NULL);
    BIGNUM *bn[16] = {NULL};
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params;

    for (int i = 0; names[i] != NULL; i++) {
        assert_int_equal(EVP_PKEY_get_bn_param(source, names[i], &bn[i]), 1);
        if (spoil != NULL && strcmp(names[i], spoil) == 0)
            assert_int_equal(BN_add_word(bn[i], 2), 1);
        assert_int_equal(OSSL_PARAM_BLD_push_BN(bld, names[i], bn[i]), 1);
    }
    params = OSSL_PARAM_BLD_to_param(bld);
    assert_int_equal(EVP_PKEY_fromdata_init(ctx), 1);
    if (EVP_PKEY_fromdata(ctx, &key, selection, params) > 0)
        assert_true(is_ours(key));
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(bld);
    EVP_PKEY_CTX_free(ctx);
    for (int i = 0; i < 16; i++)
        BN_clear_free(bn[i]);
    ERR_clear_error();
    return key;
}

static int sign_in_fibre(int i, void *arg)
{
    (void)i;
    return works(arg);
}

static void test_import(void **state)
{
    static const char *const public_names[] = {OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, NULL};
    static const char *const short_names[] = {OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D,
                                              NULL};
    static const char *const full_names[] = {OSSL_PKEY_PARAM_RSA_N,
                                             OSSL_PKEY_PARAM_RSA_E,
                                             OSSL_PKEY_PARAM_RSA_D,
                                             OSSL_PKEY_PARAM_RSA_FACTOR1,
                                             OSSL_PKEY_PARAM_RSA_FACTOR2,
                                             OSSL_PKEY_PARAM_RSA_EXPONENT1,
                                             OSSL_PKEY_PARAM_RSA_EXPONENT2,
                                             OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
                                             NULL};
    EVP_PKEY *source = load_key(plain_ctx, "2048a"), *key;

    (void)state;
    key = from_numbers(source, public_names, EVP_PKEY_PUBLIC_KEY, NULL);
    assert_non_null(key);
    assert_int_equal(EVP_PKEY_eq(key, source), 1);
    assert_false(works(key));
    EVP_PKEY_free(key);
    key = from_numbers(source, short_names, EVP_PKEY_KEYPAIR, NULL); /* without CRT values: no lanes, but it works */
    assert_non_null(key);
    assert_true(works(key));
    run_fibres(EIGHT, sign_in_fibre, key);
    EVP_PKEY_free(key);
    key = from_numbers(source, full_names, EVP_PKEY_KEYPAIR, NULL);
    assert_non_null(key);
    run_fibres(EIGHT, sign_in_fibre, key);
    EVP_PKEY_free(key);
    /* A wrong CRT value: lanes refuse the key. OpenSSL's code notices the wrong result and takes the long way. */
    for (int i = 5; i < 8; i++) {
        key = from_numbers(source, full_names, EVP_PKEY_KEYPAIR, full_names[i]);
        if (key != NULL)
            run_fibres(EIGHT, sign_in_fibre, key);
        EVP_PKEY_free(key);
    }
    EVP_PKEY_free(source);
}

/* A key from a file stays in OpenSSL's key management, and is imported into ours when it is used. */
static void test_decoded_key(void **state)
{
    (void)state;
    for (int k = 0; all_keys[k] != NULL; k++) {
        EVP_PKEY *key = decode_key(all_keys[k]), *ours = load_key(octuple_ctx, all_keys[k]);
        const uint64_t before = lanes_done();
        const int has_lanes = EVP_PKEY_get_bits(key) % 1024 == 0 && k < 5;
        run_fibres(EIGHT, sign_in_fibre, key);
        assert_true(!has_lanes || lanes_done() - before >= EIGHT);
        assert_int_equal(EVP_PKEY_eq(key, ours), 1);
        EVP_PKEY_free(key);
        EVP_PKEY_free(ours);
    }
}

static void test_duplicates(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a"), *copy = EVP_PKEY_dup(key);
    OSSL_PARAM *params = NULL;

    (void)state;
    assert_non_null(copy);
    assert_int_equal(EVP_PKEY_eq(key, copy), 1);
    EVP_PKEY_free(key);
    assert_true(works(copy));
    assert_int_equal(EVP_PKEY_todata(copy, EVP_PKEY_KEYPAIR, &params), 1);
    assert_non_null(OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_RSA_COEFFICIENT1));
    OSSL_PARAM_free(params);
    assert_int_equal(EVP_PKEY_todata(copy, EVP_PKEY_PUBLIC_KEY, &params), 1);
    assert_null(OSSL_PARAM_locate(params, OSSL_PKEY_PARAM_RSA_D));
    OSSL_PARAM_free(params);
    EVP_PKEY_free(copy);
}

static int progress_calls;

static int count_progress(EVP_PKEY_CTX *ctx)
{
    (void)ctx;
    progress_calls++;
    return 1;
}

static int stop_at_once(EVP_PKEY_CTX *ctx)
{
    (void)ctx;
    return 0;
}

static EVP_PKEY *generate(int bits, unsigned long e, int primes, int (*callback)(EVP_PKEY_CTX *))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(octuple_ctx, "RSA", NULL);
    BIGNUM *exponent = BN_new();
    EVP_PKEY *key = NULL;

    BN_set_word(exponent, e);
    assert_int_equal(EVP_PKEY_keygen_init(ctx), 1);
    assert_int_equal(EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits), 1);
    assert_int_equal(EVP_PKEY_CTX_set1_rsa_keygen_pubexp(ctx, exponent), 1);
    if (primes != 2)
        assert_int_equal(EVP_PKEY_CTX_set_rsa_keygen_primes(ctx, primes), 1);
    EVP_PKEY_CTX_set_cb(ctx, callback);
    (void)EVP_PKEY_generate(ctx, &key);
    BN_free(exponent);
    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return key;
}

static void check_generated(int bits, unsigned long e, int primes)
{
    EVP_PKEY *key = generate(bits, e, primes, count_progress);
    BIGNUM *exponent = NULL, *third = NULL;

    assert_non_null(key);
    assert_true(is_ours(key));
    assert_int_equal(EVP_PKEY_get_bits(key), bits);
    assert_int_equal(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent), 1);
    assert_int_equal(BN_get_word(exponent), e);
    assert_int_equal(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_FACTOR3, &third), primes > 2);
    assert_true(checks(key, EVP_PKEY_pairwise_check));
    run_fibres(EIGHT, sign_in_fibre, key);
    BN_free(exponent);
    BN_free(third);
    EVP_PKEY_free(key);
    ERR_clear_error();
}

static void test_generation(void **state)
{
    (void)state;
    progress_calls = 0;
    check_generated(2048, 65537, 2);
    check_generated(1024, 3, 2);
    check_generated(2048, 17, 3);
    assert_true(progress_calls > 0);
    assert_null(generate(2048, 65537, 2, stop_at_once));
    assert_null(generate(2048, 65536, 2, NULL)); /* an even exponent */
}

/* What a callback is told while a key is made in lanes. */
static struct {
    int told[4], stop_at, last[2];
} lanes_progress;

static int hear_progress(EVP_PKEY_CTX *ctx)
{
    const int potential = EVP_PKEY_CTX_get_keygen_info(ctx, 0), iteration = EVP_PKEY_CTX_get_keygen_info(ctx, 1);
    const int *told = lanes_progress.told;

    assert_true(potential >= 0 && potential <= 3);
    lanes_progress.told[potential]++;
    lanes_progress.last[0] = potential;
    lanes_progress.last[1] = iteration;
    return lanes_progress.stop_at == 0 || told[0] + told[1] + told[2] + told[3] < lanes_progress.stop_at;
}

#define ROUNDS 15 /* that are told: eight of one prime, and seven of the other */

/* And then both primes are told. OpenSSL's own makes more rounds, on its auxiliary primes. */
static void test_generation_in_lanes(void **state)
{
    (void)state;
    for (int bits = 2048; bits <= (is_slow() ? 2048 : 4096); bits += 1024) {
        memset(&lanes_progress, 0, sizeof lanes_progress);
        EVP_PKEY *key = generate(bits, 65537, 2, hear_progress);
        assert_non_null(key);
        assert_true(is_ours(key));
        assert_int_equal(EVP_PKEY_get_bits(key), bits);
        assert_int_equal(lanes_progress.told[1], ROUNDS);
        assert_int_equal(lanes_progress.told[3], 2);
        assert_int_equal(lanes_progress.last[0], 3);
        assert_int_equal(lanes_progress.last[1], 1);
        assert_true(checks(key, EVP_PKEY_pairwise_check) && checks(key, EVP_PKEY_check));
        EVP_PKEY_free(key);
    }
    /* Other sizes are OpenSSL's. */
    memset(&lanes_progress, 0, sizeof lanes_progress);
    EVP_PKEY *key = generate(2560, 65537, 2, hear_progress);
    assert_non_null(key);
    assert_int_equal(EVP_PKEY_get_bits(key), 2560);
    assert_true(lanes_progress.told[1] > ROUNDS);
    EVP_PKEY_free(key);
}

/* Whether a callback ends it looks the same from outside as with OpenSSL's own. All rounds are told, so no key is
 * made, by chance, before the last of these calls. */
static void test_generation_stopped(void **state)
{
    static const int at[] = {1, 8, ROUNDS};
    OSSL_LIB_CTX *const both[] = {octuple_ctx, plain_ctx};
    (void)state;
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        int result[2];
        unsigned long error[2];
        for (int j = 0; j < 2; j++) {
            EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(both[j], "RSA", NULL);
            EVP_PKEY *key = NULL;
            memset(&lanes_progress, 0, sizeof lanes_progress);
            lanes_progress.stop_at = at[i];
            assert_int_equal(EVP_PKEY_keygen_init(ctx), 1);
            EVP_PKEY_CTX_set_cb(ctx, hear_progress);
            ERR_clear_error();
            result[j] = EVP_PKEY_generate(ctx, &key);
            error[j] = ERR_peek_error();
            assert_null(key);
            EVP_PKEY_CTX_free(ctx);
        }
        assert_int_equal(result[0], result[1]);
        assert_int_equal(error[0], error[1]);
        ERR_clear_error();
    }
}

/* Old applications ask for the RSA structure itself. */
#ifndef OPENSSL_NO_DEPRECATED_3_0
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void test_legacy_structure(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    RSA *rsa = EVP_PKEY_get1_RSA(key);

    (void)state;
    assert_non_null(rsa);
    assert_int_equal(RSA_check_key(rsa), 1);
    RSA_free(rsa);
    assert_true(works(key));
    EVP_PKEY_free(key);
}
#pragma GCC diagnostic pop
#endif

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_parameters, test_encoding, test_comparison, test_validation,
                     test_import, test_decoded_key, test_duplicates, test_generation, test_generation_in_lanes,
                     test_generation_stopped, test_legacy_structure);
}
