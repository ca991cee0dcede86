/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Implicit rejection against the scheme written again from its description, with OpenSSL's HMAC and with branches; and
 * against OpenSSL's published answers; in lanes, on the fallback, and on keys without lanes.
 */
#include "common.h"
#include "reject_vectors.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/sha.h>
#include <string.h>

static void reference_prf(uint8_t *out, size_t len, const uint8_t kdk[32], const char *label)
{
    for (size_t i = 0; i * 32 < len; i++) {
        uint8_t input[64], block[32];
        const size_t bits = len * 8, n = strlen(label);
        input[0] = (uint8_t)(i >> 8), input[1] = (uint8_t)i;
        memcpy(input + 2, label, n);
        input[2 + n] = (uint8_t)(bits >> 8), input[3 + n] = (uint8_t)bits;
        assert_non_null(HMAC(EVP_sha256(), kdk, 32, input, 4 + n, block, NULL));
        memcpy(out + i * 32, block, len - i * 32 < 32 ? len - i * 32 : 32);
    }
}

/* What a bad block of that ciphertext must decrypt to; returns its length. */
static size_t reference(EVP_PKEY *key, uint8_t *out, const uint8_t *ciphertext, size_t size)
{
    uint8_t d_bytes[MAX_BYTES], d_hash[32], kdk[32], lengths[256], message[MAX_BYTES];
    size_t chosen = 0, mask = 1;
    BIGNUM *d = NULL;

    assert_int_equal(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_D, &d), 1);
    assert_int_equal(BN_bn2binpad(d, d_bytes, (int)size), (int)size);
    BN_free(d);
    SHA256(d_bytes, size, d_hash);
    assert_non_null(HMAC(EVP_sha256(), d_hash, 32, ciphertext, size, kdk, NULL));
    reference_prf(message, size, kdk, "message");
    reference_prf(lengths, sizeof lengths, kdk, "length");
    while (mask < size - 10)
        mask = mask * 2 + 1;
    for (int i = 0; i < 128; i++) {
        const size_t candidate = (lengths[2 * i] * 256u + lengths[2 * i + 1]) & mask;
        if (candidate < size - 10)
            chosen = candidate;
    }
    memcpy(out, message + size - chosen, chosen);
    return chosen;
}

struct work {
    EVP_PKEY *key;
    size_t size;
    uint8_t ciphertext[EIGHT][MAX_BYTES], expected[EIGHT][MAX_BYTES];
    size_t expected_len[EIGHT], in_len[EIGHT];
    unsigned implicit;
};

/* With implicit rejection the expected message, without it an error and nothing written. */
static int decrypt_bad(int i, void *arg)
{
    struct work *work = arg;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, work->key, NULL);
    OSSL_PARAM params[] = {OSSL_PARAM_construct_uint("implicit-rejection", &work->implicit),
                           OSSL_PARAM_construct_end()};
    uint8_t out[MAX_BYTES];
    size_t len = sizeof out;
    int ok = ctx != NULL && EVP_PKEY_decrypt_init(ctx) > 0 && EVP_PKEY_CTX_set_params(ctx, params) > 0, result;

    out[0] = 0x5a;
    result = EVP_PKEY_decrypt(ctx, out, &len, work->ciphertext[i] + work->size - work->in_len[i], work->in_len[i]);
    if (work->implicit)
        ok = ok && result > 0 && len == work->expected_len[i] && memcmp(out, work->expected[i], len) == 0;
    else
        ok = ok && result <= 0 && out[0] == 0x5a;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

/* Whether the block under a ciphertext is a good one by chance: that happens, most of all with moduli of 8k + 1 bits.
 */
static int is_good(EVP_PKEY *theirs, const uint8_t *ciphertext, size_t size)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(plain_ctx, theirs, NULL);
    uint8_t em[MAX_BYTES];
    size_t len = sizeof em;

    assert_true(EVP_PKEY_decrypt_init(ctx) > 0 && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_NO_PADDING) > 0);
    assert_true(EVP_PKEY_decrypt(ctx, em, &len, ciphertext, size) > 0);
    EVP_PKEY_CTX_free(ctx);
    return em[0] == 0 && em[1] == 2;
}

/* Eight random ciphertexts. All start with a zero byte, which the first one cuts off. */
static void make_bad(struct work *work, EVP_PKEY *theirs, unsigned seed)
{
    for (int i = 0; i < EIGHT; i++) {
        do {
            fill(work->ciphertext[i], work->size, seed++);
            work->ciphertext[i][0] = 0;
        } while (is_good(theirs, work->ciphertext[i], work->size));
        work->in_len[i] = work->size - (i == 0);
        work->expected_len[i] = reference(theirs, work->expected[i], work->ciphertext[i], work->size);
    }
}

/* Headers of before have no name for it. */
#ifndef EVP_R_PROVIDER_ASYM_CIPHER_FAILURE
#define EVP_R_PROVIDER_ASYM_CIPHER_FAILURE 232
#endif

/* Nothing in the queue tells why. From OpenSSL 3.4 on libcrypto itself says that it failed, as the return value does.
 */
static void assert_untold(void)
{
    while (ERR_GET_LIB(ERR_peek_error()) == ERR_LIB_EVP &&
           ERR_GET_REASON(ERR_peek_error()) == EVP_R_PROVIDER_ASYM_CIPHER_FAILURE)
        ERR_get_error();
    assert_int_equal(ERR_peek_error(), 0);
}

static void test_rejection(void **state)
{
    struct work *work = test_calloc(1, sizeof *work);

    (void)state;
    for (int k = 0; all_keys[k] != NULL; k++) {
        EVP_PKEY *theirs = load_key(plain_ctx, all_keys[k]);
        work->key = load_key(octuple_ctx, all_keys[k]);
        work->size = (size_t)EVP_PKEY_get_size(theirs);
        for (unsigned round = 0; round < (is_slow() ? 1u : 8u); round++) {
            make_bad(work, theirs, 10000 * (unsigned)k + 100 * round);
            work->implicit = 1;
            run_fibres(EIGHT, decrypt_bad, work);
            for (int i = 0; i < EIGHT; i++)
                assert_true(decrypt_bad(i, work));
            work->implicit = 0;
            run_fibres(EIGHT, decrypt_bad, work);
            assert_untold();
        }
        EVP_PKEY_free(work->key);
        EVP_PKEY_free(theirs);
    }
    test_free(work);
}

static BIGNUM *from_hex(const char *hex)
{
    BIGNUM *bn = NULL;
    assert_true(BN_hex2bn(&bn, hex) > 0);
    return bn;
}

/* The numbers p, q and those that follow from them. */
static EVP_PKEY *make_key(const struct reject_key *numbers)
{
    static const char *const names[] = {
        OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
        OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
    };
    BIGNUM *p = from_hex(numbers->p), *q = from_hex(numbers->q), *e = from_hex("10001");
    BIGNUM *n = BN_new(), *d = BN_new(), *dp = BN_new(), *dq = BN_new(), *qinv = BN_new();
    BIGNUM *p1 = BN_dup(p), *q1 = BN_dup(q), *phi = BN_new();
    BIGNUM *const all[] = {n, e, d, p, q, dp, dq, qinv};
    BN_CTX *ctx = BN_CTX_new();
    OSSL_PARAM_BLD *bld = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(octuple_ctx, "RSA", NULL);
    EVP_PKEY *key = NULL;
    OSSL_PARAM *params;

    assert_true(BN_mul(n, p, q, ctx) && BN_sub_word(p1, 1) && BN_sub_word(q1, 1) && BN_mul(phi, p1, q1, ctx));
    assert_non_null(BN_mod_inverse(d, e, phi, ctx));
    assert_true(BN_mod(dp, d, p1, ctx) && BN_mod(dq, d, q1, ctx));
    assert_non_null(BN_mod_inverse(qinv, q, p, ctx));
    for (int i = 0; i < 8; i++)
        assert_int_equal(OSSL_PARAM_BLD_push_BN(bld, names[i], all[i]), 1);
    params = OSSL_PARAM_BLD_to_param(bld);
    assert_true(EVP_PKEY_fromdata_init(pctx) > 0 && EVP_PKEY_fromdata(pctx, &key, EVP_PKEY_KEYPAIR, params) > 0);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(bld);
    EVP_PKEY_CTX_free(pctx);
    BN_CTX_free(ctx);
    for (int i = 0; i < 8; i++)
        BN_free(all[i]);
    BN_free(p1);
    BN_free(q1);
    BN_free(phi);
    return key;
}

static size_t unhex(uint8_t *out, const char *hex)
{
    const size_t len = strlen(hex) / 2;
    for (size_t i = 0; i < len; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        out[i] = (uint8_t)byte;
    }
    return len;
}

/* Each answer, eight times at once and once alone. */
static void test_vectors(void **state)
{
    struct work *work = test_calloc(1, sizeof *work);
    EVP_PKEY *key[2] = {make_key(&reject_keys[0]), make_key(&reject_keys[1])};
    uint8_t ciphertext[MAX_BYTES];

    (void)state;
    work->implicit = 1;
    for (size_t v = 0; v < sizeof reject_vectors / sizeof reject_vectors[0]; v++) {
        const size_t len = unhex(ciphertext, reject_vectors[v].ciphertext);
        work->key = key[reject_vectors[v].key];
        work->size = (size_t)EVP_PKEY_get_size(work->key);
        for (int i = 0; i < EIGHT; i++) {
            work->in_len[i] = len;
            memcpy(work->ciphertext[i] + work->size - len, ciphertext, len);
            work->expected_len[i] = unhex(work->expected[i], reject_vectors[v].message);
        }
        if (!decrypt_bad(0, work))
            fail_msg("%s", reject_vectors[v].name);
        run_fibres(EIGHT, decrypt_bad, work);
    }
    EVP_PKEY_free(key[0]);
    EVP_PKEY_free(key[1]);
    test_free(work);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_rejection, test_vectors);
}
