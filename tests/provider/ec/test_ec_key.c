/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* EC keys: everything that can be asked of one is answered as OpenSSL's own answers, however the key came about. */
#include "ec_keys.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <string.h>

static void same_text(const EVP_PKEY *a, const EVP_PKEY *b, const char *name)
{
    char x[100] = "", y[100] = "";
    size_t len;

    assert_int_equal(EVP_PKEY_get_utf8_string_param(a, name, x, sizeof x, &len),
                     EVP_PKEY_get_utf8_string_param(b, name, y, sizeof y, &len));
    assert_string_equal(x, y);
}

static void same_bytes(const EVP_PKEY *a, const EVP_PKEY *b, const char *name)
{
    uint8_t x[300] = {0}, y[300] = {0};
    size_t x_len = 0, y_len = 0;

    assert_int_equal(EVP_PKEY_get_octet_string_param(a, name, x, sizeof x, &x_len),
                     EVP_PKEY_get_octet_string_param(b, name, y, sizeof y, &y_len));
    assert_int_equal(x_len, y_len);
    assert_memory_equal(x, y, sizeof x);
}

static void same_number(const EVP_PKEY *a, const EVP_PKEY *b, const char *name)
{
    BIGNUM *x = NULL, *y = NULL;

    assert_int_equal(EVP_PKEY_get_bn_param(a, name, &x), EVP_PKEY_get_bn_param(b, name, &y));
    assert_true(x == NULL ? y == NULL : BN_cmp(x, y) == 0);
    BN_free(x);
    BN_free(y);
}

static void same_encodings(const EVP_PKEY *a, const EVP_PKEY *b, int with_private)
{
    uint8_t *x = NULL, *y = NULL;
    int len = i2d_PUBKEY(a, &x);

    assert_true(len > 0);
    assert_int_equal(i2d_PUBKEY(b, &y), len);
    assert_memory_equal(x, y, (size_t)len);
    OPENSSL_free(x);
    OPENSSL_free(y);
    x = y = NULL;
    if (!with_private)
        return;
    len = i2d_PrivateKey(a, &x);
    assert_true(len > 0);
    assert_int_equal(i2d_PrivateKey(b, &y), len);
    assert_memory_equal(x, y, (size_t)len);
    OPENSSL_free(x);
    OPENSSL_free(y);
}

static void same_key(const EVP_PKEY *a, const EVP_PKEY *b, int with_private)
{
    static const char *const texts[] = {OSSL_PKEY_PARAM_GROUP_NAME, OSSL_PKEY_PARAM_EC_ENCODING,
                                        OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, OSSL_PKEY_PARAM_DEFAULT_DIGEST,
                                        OSSL_PKEY_PARAM_EC_FIELD_TYPE};
    static const char *const strings[] = {OSSL_PKEY_PARAM_PUB_KEY, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY,
                                          OSSL_PKEY_PARAM_EC_GENERATOR};
    static const char *const numbers[] = {OSSL_PKEY_PARAM_EC_PUB_X, OSSL_PKEY_PARAM_EC_PUB_Y,
                                          OSSL_PKEY_PARAM_PRIV_KEY, OSSL_PKEY_PARAM_EC_P,
                                          OSSL_PKEY_PARAM_EC_ORDER, OSSL_PKEY_PARAM_EC_COFACTOR};

    assert_int_equal(EVP_PKEY_get_bits(a), EVP_PKEY_get_bits(b));
    assert_int_equal(EVP_PKEY_get_security_bits(a), EVP_PKEY_get_security_bits(b));
    assert_int_equal(EVP_PKEY_get_size(a), EVP_PKEY_get_size(b));
    assert_int_equal(EVP_PKEY_get_ec_point_conv_form(a), EVP_PKEY_get_ec_point_conv_form(b));
    for (int i = 0; i < 5; i++)
        same_text(a, b, texts[i]);
    for (int i = 0; i < 3; i++)
        same_bytes(a, b, strings[i]);
    for (int i = 0; i < 6; i++)
        same_number(a, b, numbers[i]);
    same_encodings(a, b, with_private);
}

/* Generated here and moved, moved here, and duplicated. */
static void test_params(void **state)
{
    (void)state;
    for (int i = 0; ec_curves[i] != NULL; i++) {
        EVP_PKEY *a = ec_generate(octuple_ctx, ec_curves[i]), *b = ec_move(plain_ctx, a, EVP_PKEY_KEYPAIR);
        EVP_PKEY *c = ec_move(octuple_ctx, b, EVP_PKEY_KEYPAIR), *d = EVP_PKEY_dup(a), *e = EVP_PKEY_dup(c);
        EVP_PKEY *f = ec_move(octuple_ctx, b, EVP_PKEY_PUBLIC_KEY), *g = ec_move(plain_ctx, b, EVP_PKEY_PUBLIC_KEY);

        assert_true(is_ours(a) && !is_ours(b) && is_ours(c) && is_ours(d) && is_ours(e) && is_ours(f));
        same_key(a, b, 1);
        same_key(c, b, 1);
        same_key(d, b, 1);
        same_key(e, b, 1);
        same_key(f, g, 0);
        EVP_PKEY *all[] = {a, b, c, d, e, f, g};
        for (int j = 0; j < 7; j++) {
            assert_int_equal(EVP_PKEY_eq(a, all[j]), 1);
            assert_int_equal(EVP_PKEY_parameters_eq(all[j], f), 1);
        }
        for (int j = 0; j < 7; j++)
            EVP_PKEY_free(all[j]);
    }
}

static int check_with(OSSL_LIB_CTX *libctx, EVP_PKEY *key, int (*function)(EVP_PKEY_CTX *))
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    const int ok = function(ctx) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static void test_checks(void **state)
{
    (void)state;
    for (int i = 0; ec_curves[i] != NULL; i++) {
        EVP_PKEY *a = ec_generate(octuple_ctx, ec_curves[i]), *b = ec_generate(octuple_ctx, ec_curves[i]);
        EVP_PKEY *c = ec_generate(octuple_ctx, i == 0 ? "P-384" : "P-256");

        assert_true(check_with(octuple_ctx, a, EVP_PKEY_check));
        assert_true(check_with(octuple_ctx, a, EVP_PKEY_pairwise_check));
        assert_true(check_with(octuple_ctx, a, EVP_PKEY_public_check));
        assert_true(check_with(octuple_ctx, a, EVP_PKEY_private_check));
        assert_true(check_with(octuple_ctx, a, EVP_PKEY_param_check));
        assert_int_not_equal(EVP_PKEY_eq(a, b), 1);
        assert_int_equal(EVP_PKEY_parameters_eq(a, b), 1);
        assert_int_not_equal(EVP_PKEY_eq(a, c), 1);
        assert_int_not_equal(EVP_PKEY_parameters_eq(a, c), 1);
        EVP_PKEY_free(a);
        EVP_PKEY_free(b);
        EVP_PKEY_free(c);
    }
}

/* As TLS does: a place for the peer's share, then the share; and a pair after its example. */
static EVP_PKEY *make_parameters(OSSL_LIB_CTX *libctx, const char *curve)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, "EC", NULL);
    EVP_PKEY *key = NULL;

    assert_true(EVP_PKEY_paramgen_init(ctx) > 0);
    assert_true(EVP_PKEY_CTX_set_group_name(ctx, curve) > 0);
    assert_true(EVP_PKEY_paramgen(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static void test_template(void **state)
{
    (void)state;
    for (int i = 0; ec_curves[i] != NULL; i++) {
        EVP_PKEY *params = make_parameters(octuple_ctx, ec_curves[i]), *key = NULL, *empty = EVP_PKEY_new(), *own;
        EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, params, NULL);

        assert_true(EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_keygen(ctx, &key) > 0);
        assert_true(is_ours(key));
        assert_int_equal(EVP_PKEY_parameters_eq(key, params), 1);
        own = ec_move(plain_ctx, key, EVP_PKEY_KEYPAIR);
        assert_true(check_with(plain_ctx, own, EVP_PKEY_check));
        assert_true(EVP_PKEY_copy_parameters(empty, key));
        assert_int_equal(EVP_PKEY_parameters_eq(empty, own), 1);
        EVP_PKEY_CTX_free(ctx);
        EVP_PKEY_free(params);
        EVP_PKEY_free(key);
        EVP_PKEY_free(empty);
        EVP_PKEY_free(own);
    }
}

/* Shares that a peer may send, good and bad: the verdict is OpenSSL's, and so is the key. */
static void check_share(const char *curve, const uint8_t *share, size_t len, int good)
{
    EVP_PKEY *a = make_parameters(octuple_ctx, curve), *b = make_parameters(plain_ctx, curve);

    assert_int_equal(EVP_PKEY_set1_encoded_public_key(b, share, len) > 0, good);
    assert_int_equal(EVP_PKEY_set1_encoded_public_key(a, share, len) > 0, good);
    if (good) {
        same_bytes(a, b, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY);
        same_number(a, b, OSSL_PKEY_PARAM_EC_PUB_X);
        same_number(a, b, OSSL_PKEY_PARAM_EC_PUB_Y);
        if (share[0] == POINT_CONVERSION_UNCOMPRESSED) /* else OpenSSL 3.0 loses the form on the way to an encoder */
            same_key(a, b, 0);
        assert_true(check_with(octuple_ctx, a, EVP_PKEY_public_check));
    } else {
        assert_false(check_with(octuple_ctx, a, EVP_PKEY_public_check));
    }
    EVP_PKEY_free(a);
    EVP_PKEY_free(b);
}

static void test_shares(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        EVP_PKEY *key = ec_generate(plain_ctx, ec_curves[i]);
        uint8_t *share, bad[140];
        const size_t len = EVP_PKEY_get1_encoded_public_key(key, &share), size = (len - 1) / 2;

        check_share(ec_curves[i], share, len, 1);
        memcpy(bad, share, len);
        bad[len - 1] ^= 1; /* off the curve */
        check_share(ec_curves[i], bad, len, 0);
        memset(bad + 1, 0xff, size); /* x is no number below p */
        check_share(ec_curves[i], bad, len, 0);
        memset(bad + 1, 0, 2 * size);
        check_share(ec_curves[i], bad, len, 0);
        check_share(ec_curves[i], share, len - 1, 0);
        memcpy(bad, share, len);
        bad[0] = 5;
        check_share(ec_curves[i], bad, len, 0);
        bad[0] = (uint8_t)(2 + (share[len - 1] & 1)); /* compressed: OpenSSL takes it */
        check_share(ec_curves[i], bad, 1 + size, 1);
        bad[0] = (uint8_t)(6 + (share[len - 1] & 1)); /* hybrid */
        check_share(ec_curves[i], bad, len, 1);
        OPENSSL_free(share);
        EVP_PKEY_free(key);
    }
}

/* Settings that only OpenSSL's own generation has. */
static EVP_PKEY *generate_explicit(OSSL_LIB_CTX *libctx, const char *curve)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, "EC", NULL);
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, (char *)"compressed", 0),
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_EC_ENCODING, (char *)"explicit", 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *key = NULL;

    assert_true(EVP_PKEY_keygen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, curve) > 0);
    assert_true(EVP_PKEY_CTX_set_params(ctx, params) > 0);
    assert_true(EVP_PKEY_generate(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static void test_generation_params(void **state)
{
    (void)state;
    for (int i = 0; ec_curves[i] != NULL; i++) {
        EVP_PKEY *key = generate_explicit(octuple_ctx, ec_curves[i]),
                 *plain = generate_explicit(plain_ctx, ec_curves[i]);
        EVP_PKEY *other = ec_move(plain_ctx, key, EVP_PKEY_KEYPAIR),
                 *both = ec_move(plain_ctx, plain, EVP_PKEY_KEYPAIR);

        /* Not the form that was asked for, in OpenSSL 3.0, and another after a move; but the same as there. */
        assert_int_equal(EVP_PKEY_get_ec_point_conv_form(key), EVP_PKEY_get_ec_point_conv_form(plain));
        assert_int_equal(EVP_PKEY_get_ec_point_conv_form(other), EVP_PKEY_get_ec_point_conv_form(both));
        same_text(key, plain, OSSL_PKEY_PARAM_EC_ENCODING);
        same_bytes(key, plain, OSSL_PKEY_PARAM_EC_GENERATOR);
        assert_int_equal(EVP_PKEY_eq(key, other), 1);
        same_number(key, other, OSSL_PKEY_PARAM_PRIV_KEY);
        EVP_PKEY_free(key);
        EVP_PKEY_free(plain);
        EVP_PKEY_free(both);
        EVP_PKEY_free(other);
    }
}

/* Changing a pair from the pool makes it a key like any other. */
static void test_set_params(void **state)
{
    (void)state;
    for (int i = 0; ec_curves[i] != NULL; i++) {
        EVP_PKEY *a = ec_generate(octuple_ctx, ec_curves[i]), *b = ec_move(plain_ctx, a, EVP_PKEY_KEYPAIR);
        uint8_t hash[32] = {(uint8_t)i}, signature[MAX_SIGNATURE];
        size_t len = sizeof signature;

        assert_true(EVP_PKEY_set_utf8_string_param(a, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "compressed"));
        assert_true(EVP_PKEY_set_utf8_string_param(b, OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, "compressed"));
        assert_int_equal(EVP_PKEY_get_ec_point_conv_form(a), POINT_CONVERSION_COMPRESSED);
        same_bytes(a, b, OSSL_PKEY_PARAM_PUB_KEY);
        same_number(a, b, OSSL_PKEY_PARAM_PRIV_KEY);
        assert_true(ec_sign(octuple_ctx, a, hash, signature, &len) && ec_verify(plain_ctx, b, hash, signature, len));
        EVP_PKEY_free(a);
        EVP_PKEY_free(b);
    }
}

static void test_unknown_group(void **state)
{
    (void)state;
    assert_null(EVP_PKEY_Q_keygen(octuple_ctx, NULL, "EC", "P-257"));
}

/* Switched off: somebody else serves, and everything still works. */
static void test_switches(void **state)
{
    static const char *const settings[] = {"ec = off", "pools = off"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        OSSL_LIB_CTX *libctx = new_octuple_ctx(settings[i]);
        EVP_PKEY *a = ec_generate(libctx, "P-256"), *b = ec_generate(libctx, "P-256");
        EVP_KEYEXCH *ecdh = EVP_KEYEXCH_fetch(libctx, "ECDH", NULL);
        EVP_SIGNATURE *ecdsa = EVP_SIGNATURE_fetch(libctx, "ECDSA", NULL);
        uint8_t hash[32] = {7}, signature[MAX_SIGNATURE], x[MAX_SECRET], y[MAX_SECRET];
        size_t len = sizeof signature, x_len = sizeof x, y_len = sizeof y;

        assert_int_equal(is_ours(a), i);
        assert_int_equal(strcmp(OSSL_PROVIDER_get0_name(EVP_KEYEXCH_get0_provider(ecdh)), "octuple") == 0, i);
        assert_int_equal(strcmp(OSSL_PROVIDER_get0_name(EVP_SIGNATURE_get0_provider(ecdsa)), "octuple") == 0, i);
        assert_true(ec_sign(libctx, a, hash, signature, &len) && ec_verify(libctx, a, hash, signature, len));
        assert_true(ec_derive(libctx, a, b, x, &x_len) && ec_derive(libctx, b, a, y, &y_len));
        assert_int_equal(x_len, 32);
        assert_memory_equal(x, y, 32);
        EVP_KEYEXCH_free(ecdh);
        EVP_SIGNATURE_free(ecdsa);
        EVP_PKEY_free(a);
        EVP_PKEY_free(b);
        OSSL_LIB_CTX_free(libctx);
    }
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_params, test_checks, test_template, test_shares,
                     test_generation_params, test_unknown_group, test_set_params, test_switches);
}
