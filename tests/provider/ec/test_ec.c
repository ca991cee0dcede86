/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* EC operations outside of fibres: what we make OpenSSL accepts, and the other way, on curves with lanes and without.
 */
#include "ec_keys.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>
#include <string.h>

static void check_sign(const char *curve, OSSL_LIB_CTX *signer, OSSL_LIB_CTX *verifier)
{
    EVP_PKEY *key = ec_generate(signer, curve), *other = ec_move(verifier, key, EVP_PKEY_PUBLIC_KEY);
    uint8_t hash[32], signature[MAX_SIGNATURE];

    assert_int_equal(is_ours(key), signer == octuple_ctx);
    assert_int_equal(is_ours(other), verifier == octuple_ctx);
    for (unsigned i = 0; i < 20; i++) {
        size_t len = sizeof signature;
        fill(hash, sizeof hash, i);
        assert_true(ec_sign(signer, key, hash, signature, &len));
        assert_true(len <= (size_t)EVP_PKEY_get_size(other));
        assert_true(ec_verify(verifier, other, hash, signature, len));
        hash[0] ^= 1;
        assert_false(ec_verify(verifier, other, hash, signature, len));
    }
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
}

static void test_sign(void **state)
{
    (void)state;
    for (int i = 0; ec_curves[i] != NULL; i++) {
        check_sign(ec_curves[i], octuple_ctx, plain_ctx);
        check_sign(ec_curves[i], plain_ctx, octuple_ctx);
        check_sign(ec_curves[i], octuple_ctx, octuple_ctx);
    }
}

/* Both sides, and less room than the secret needs. */
static void check_derive(const char *curve)
{
    EVP_PKEY *a = ec_generate(octuple_ctx, curve), *b = ec_generate(plain_ctx, curve);
    EVP_PKEY *a_public = ec_move(plain_ctx, a, EVP_PKEY_PUBLIC_KEY);
    EVP_PKEY *b_public = ec_move(octuple_ctx, b, EVP_PKEY_PUBLIC_KEY);
    uint8_t x[MAX_SECRET], y[MAX_SECRET];

    for (size_t room = 5; room < 100; room += 30) {
        size_t x_len = room, y_len = room;
        memset(x, 0, sizeof x);
        memset(y, 0, sizeof y);
        assert_int_equal(ec_derive(octuple_ctx, a, b_public, x, &x_len), ec_derive(plain_ctx, b, a_public, y, &y_len));
        assert_int_equal(x_len, y_len);
        assert_memory_equal(x, y, sizeof x);
    }
    EVP_PKEY_free(a);
    EVP_PKEY_free(b);
    EVP_PKEY_free(a_public);
    EVP_PKEY_free(b_public);
}

static void test_derive(void **state)
{
    (void)state;
    for (int i = 0; ec_curves[i] != NULL; i++)
        check_derive(ec_curves[i]);
}

static int derive_kdf(OSSL_LIB_CTX *libctx, EVP_PKEY *own, EVP_PKEY *peer, uint8_t out[50])
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, own, NULL), *copy;
    uint8_t ukm[] = {1, 2, 3};
    size_t want = 50, len = 50;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, (char *)"X963KDF", 0),
        OSSL_PARAM_construct_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_size_t(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, &want),
        OSSL_PARAM_construct_octet_string(OSSL_EXCHANGE_PARAM_KDF_UKM, ukm, sizeof ukm),
        OSSL_PARAM_construct_end(),
    };
    int ok;

    assert_true(EVP_PKEY_derive_init_ex(ctx, params) > 0);
    assert_true(EVP_PKEY_derive_set_peer(ctx, peer) > 0);
    copy = EVP_PKEY_CTX_dup(ctx);
    assert_non_null(copy);
    assert_int_equal(EVP_PKEY_CTX_get_ecdh_kdf_type(copy), EVP_PKEY_ECDH_KDF_X9_63);
    ok = EVP_PKEY_derive(copy, out, &len) > 0 && len == want;
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_CTX_free(copy);
    return ok;
}

static void test_kdf(void **state)
{
    (void)state;
    for (int i = 0; ec_curves[i] != NULL; i++) {
        EVP_PKEY *a = ec_generate(octuple_ctx, ec_curves[i]), *b = ec_generate(octuple_ctx, ec_curves[i]);
        EVP_PKEY *c = ec_move(plain_ctx, a, EVP_PKEY_KEYPAIR), *d = ec_move(plain_ctx, b, EVP_PKEY_PUBLIC_KEY);
        uint8_t x[50], y[50];

        assert_true(derive_kdf(octuple_ctx, a, b, x));
        assert_true(derive_kdf(plain_ctx, c, d, y));
        assert_memory_equal(x, y, sizeof x);
        EVP_PKEY_free(a);
        EVP_PKEY_free(b);
        EVP_PKEY_free(c);
        EVP_PKEY_free(d);
    }
}

/* A message in pieces, with a copy of the context half way, and in one shot. */
static void check_message(EVP_PKEY *key, EVP_PKEY *other, const char *digest)
{
    EVP_MD_CTX *a = EVP_MD_CTX_new(), *b = EVP_MD_CTX_new(), *v = EVP_MD_CTX_new();
    uint8_t message[1000], signature[2][MAX_SIGNATURE];
    size_t len[2] = {MAX_SIGNATURE, MAX_SIGNATURE};

    fill(message, sizeof message, 3);
    assert_true(EVP_DigestSignInit_ex(a, NULL, digest, octuple_ctx, NULL, key, NULL));
    assert_true(EVP_DigestSignUpdate(a, message, 400));
    assert_true(EVP_MD_CTX_copy_ex(b, a));
    assert_true(EVP_DigestSignUpdate(b, message + 400, 600));
    assert_true(EVP_DigestSignFinal(b, signature[0], &len[0]));
    EVP_MD_CTX_reset(a);
    assert_true(EVP_DigestSignInit_ex(a, NULL, digest, octuple_ctx, NULL, key, NULL));
    assert_true(EVP_DigestSign(a, signature[1], &len[1], message, sizeof message));
    for (int i = 0; i < 2; i++) {
        EVP_MD_CTX_reset(v);
        assert_true(EVP_DigestVerifyInit_ex(v, NULL, digest, plain_ctx, NULL, other, NULL));
        assert_int_equal(EVP_DigestVerify(v, signature[i], len[i], message, sizeof message), 1);
        EVP_MD_CTX_reset(v);
        assert_true(EVP_DigestVerifyInit_ex(v, NULL, digest, octuple_ctx, NULL, key, NULL));
        assert_int_equal(EVP_DigestVerify(v, signature[i], len[i], message, sizeof message), 1);
        EVP_MD_CTX_reset(v);
        assert_true(EVP_DigestVerifyInit_ex(v, NULL, digest, octuple_ctx, NULL, key, NULL));
        assert_int_not_equal(EVP_DigestVerify(v, signature[i], len[i], message, sizeof message - 1), 1);
    }
    EVP_MD_CTX_free(a);
    EVP_MD_CTX_free(b);
    EVP_MD_CTX_free(v);
}

static void test_message(void **state)
{
    static const char *const digests[] = {"SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "SHA3-256", NULL};

    (void)state;
    for (int i = 0; ec_curves[i] != NULL; i++) {
        EVP_PKEY *key = ec_generate(octuple_ctx, ec_curves[i]), *other = ec_move(plain_ctx, key, EVP_PKEY_PUBLIC_KEY);
        for (int j = 0; digests[j] != NULL; j++)
            check_message(key, other, digests[j]);
        check_message(key, other, NULL); /* the key's default */
        EVP_PKEY_free(key);
        EVP_PKEY_free(other);
    }
}

/* Signatures that are no DER: OpenSSL's own verification says -1 to them, which must not pass for true. */
static void test_malformed(void **state)
{
    uint8_t hash[32] = {9}, signature[MAX_SIGNATURE] = {0};

    (void)state;
    for (int i = 0; ec_curves[i] != NULL; i++) {
        EVP_PKEY *key = ec_generate(octuple_ctx, ec_curves[i]);
        EVP_MD_CTX *ctx = EVP_MD_CTX_new();
        size_t len = sizeof signature;

        assert_true(ec_sign(octuple_ctx, key, hash, signature, &len));
        assert_true(ec_verify(octuple_ctx, key, hash, signature, len));
        for (size_t cut = 0; cut < len; cut += 7) {
            assert_false(ec_verify(octuple_ctx, key, hash, signature, cut));
            EVP_MD_CTX_reset(ctx);
            assert_true(EVP_DigestVerifyInit_ex(ctx, NULL, "SHA256", octuple_ctx, NULL, key, NULL));
            assert_int_not_equal(EVP_DigestVerify(ctx, signature, cut, hash, sizeof hash), 1);
            EVP_MD_CTX_reset(ctx);
            assert_true(EVP_DigestVerifyInit_ex(ctx, NULL, "SHA256", octuple_ctx, NULL, key, NULL));
            assert_true(EVP_DigestVerifyUpdate(ctx, hash, sizeof hash));
            assert_int_not_equal(EVP_DigestVerifyFinal(ctx, signature, cut), 1);
        }
        EVP_MD_CTX_free(ctx);
        EVP_PKEY_free(key);
    }
}

static size_t algorithm_id(OSSL_LIB_CTX *libctx, EVP_PKEY *key, const char *digest, uint8_t der[64])
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    EVP_PKEY_CTX *pctx;
    OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, der, 64),
                           OSSL_PARAM_construct_end()};

    assert_true(EVP_DigestSignInit_ex(ctx, &pctx, digest, libctx, NULL, key, NULL));
    assert_true(EVP_PKEY_CTX_get_params(pctx, params) > 0);
    EVP_MD_CTX_free(ctx);
    return params[0].return_size;
}

static void test_algorithm_id(void **state)
{
    EVP_PKEY *key = ec_generate(octuple_ctx, "P-256"), *other = ec_move(plain_ctx, key, EVP_PKEY_KEYPAIR);
    static const char *const digests[] = {"SHA1", "SHA256", "SHA384", "SHA512"};
    uint8_t a[64], b[64];

    (void)state;
    for (int i = 0; i < 4; i++) {
        const size_t len = algorithm_id(octuple_ctx, key, digests[i], a);
        assert_true(len > 8);
        assert_int_equal(algorithm_id(plain_ctx, other, digests[i], b), len);
        assert_memory_equal(a, b, len);
    }
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
}

static void test_refusals(void **state)
{
    EVP_PKEY *key = ec_generate(octuple_ctx, "P-256"), *other = ec_generate(octuple_ctx, "P-384");
    EVP_PKEY *public_key = ec_move(octuple_ctx, key, EVP_PKEY_PUBLIC_KEY);
    uint8_t hash[32] = {1}, out[MAX_SIGNATURE];
    size_t len = 40;

    (void)state;
    assert_false(ec_sign(octuple_ctx, key, hash, out, &len)); /* no room */
    len = sizeof out;
    assert_false(ec_sign(octuple_ctx, public_key, hash, out, &len));
    len = sizeof out;
    assert_false(ec_derive(octuple_ctx, key, other, out, &len)); /* two curves */
    len = sizeof out;
    assert_false(ec_derive(octuple_ctx, public_key, key, out, &len));
    EVP_PKEY_free(key);
    EVP_PKEY_free(other);
    EVP_PKEY_free(public_key);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_sign, test_derive, test_kdf, test_message, test_malformed,
                     test_algorithm_id, test_refusals);
}
