/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Keys of the TLS group curveSM2, which OpenSSL has from 4.0 on, as libssl uses them and as programs may: shares and
 * secrets against OpenSSL alone, keys both ways, in fibres and alone, what is cut off, and shares that are none.
 */
#include "common.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <string.h>

#define NAME   "curveSM2"
#define SHARE  65
#define SECRET 32
#define KEYS   16

static int skip_if_missing(void)
{
    if (OPENSSL_version_major() >= 4)
        return 0;
    print_message("skipped: OpenSSL %s has no %s\n", OpenSSL_version(OPENSSL_FULL_VERSION_STRING), NAME);
    return 1;
}

static EVP_PKEY *generate(OSSL_LIB_CTX *ctx, int pair)
{
    EVP_PKEY_CTX *gen = EVP_PKEY_CTX_new_from_name(ctx, NAME, NULL);
    EVP_PKEY *key = NULL;

    assert_non_null(gen);
    assert_true((pair ? EVP_PKEY_keygen_init(gen) : EVP_PKEY_paramgen_init(gen)) > 0);
    assert_true(EVP_PKEY_CTX_set_group_name(gen, "SM2") > 0);
    assert_true((pair ? EVP_PKEY_keygen(gen, &key) : EVP_PKEY_paramgen(gen, &key)) > 0);
    EVP_PKEY_CTX_free(gen);
    assert_int_equal(is_ours(key), ctx != plain_ctx);
    return key;
}

/* A key of the share alone, as libssl makes it; NULL if that is refused. */
static EVP_PKEY *take_share(OSSL_LIB_CTX *ctx, const uint8_t *share, size_t len)
{
    EVP_PKEY *key = generate(ctx, 0);

    if (EVP_PKEY_set1_encoded_public_key(key, share, len) > 0)
        return key;
    EVP_PKEY_free(key);
    return NULL;
}

static void get_share(EVP_PKEY *key, uint8_t share[SHARE])
{
    uint8_t *encoded = NULL;

    assert_int_equal(EVP_PKEY_get1_encoded_public_key(key, &encoded), SHARE);
    memcpy(share, encoded, SHARE);
    OPENSSL_free(encoded);
}

/* Both sides from shares alone, one of them OpenSSL's; 1 if their secrets are the same. */
static int exchange(int index, void *arg)
{
    OSSL_LIB_CTX *const ctx[2] = {octuple_ctx, index % 3 == 0 ? octuple_ctx : plain_ctx};
    EVP_PKEY *own[2], *peer[2];
    uint8_t share[SHARE], secret[2][SECRET];
    size_t len[2] = {SECRET, SECRET};
    int ok = 1;

    (void)arg;
    for (int i = 0; i < 2; i++)
        own[i] = generate(ctx[i], 1);
    for (int i = 0; i < 2; i++) {
        get_share(own[1 - i], share);
        peer[i] = take_share(ctx[i], share, SHARE);
        ok &= peer[i] != NULL && derive_secret(ctx[i], own[i], peer[i], secret[i], &len[i]) && len[i] == SECRET;
    }
    ok &= memcmp(secret[0], secret[1], SECRET) == 0;
    for (int i = 0; i < 2; i++) {
        EVP_PKEY_free(own[i]);
        EVP_PKEY_free(peer[i]);
    }
    return ok;
}

static void test_alone(void **state)
{
    (void)state;
    if (skip_if_missing())
        skip();
    for (int i = 0; i < 4; i++)
        assert_true(exchange(i, NULL));
}

static uint64_t done(int op)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[op].done;
}

static void test_in_fibres(void **state)
{
    const uint64_t before = done(OCT_OP_SM2_DERIVE);

    (void)state;
    if (skip_if_missing())
        skip();
    for (int j = 0; j < 64; j++)
        oct_queue_note_fallback(oct_queue_thread(), OCT_OP_SM2_DERIVE, 10000000000u);
    run_fibres(KEYS, exchange, NULL);
    assert_true(done(OCT_OP_SM2_DERIVE) - before >= KEYS - 1);
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 0);
}

/* A key from one context in the other. */
static EVP_PKEY *copy(OSSL_LIB_CTX *ctx, const EVP_PKEY *key)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, NAME, NULL);
    OSSL_PARAM *params = NULL;
    EVP_PKEY *made = NULL;

    assert_true(EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &params));
    assert_true(pctx != NULL && EVP_PKEY_fromdata_init(pctx) > 0 &&
                EVP_PKEY_fromdata(pctx, &made, EVP_PKEY_KEYPAIR, params) > 0);
    OSSL_PARAM_free(params);
    EVP_PKEY_CTX_free(pctx);
    return made;
}

static void test_keys(void **state)
{
    (void)state;
    if (skip_if_missing())
        skip();
    for (int i = 0; i < 4; i++) {
        OSSL_LIB_CTX *from = i % 2 ? octuple_ctx : plain_ctx, *to = i % 2 ? plain_ctx : octuple_ctx;
        EVP_PKEY *key = generate(from, 1), *other = generate(to, 1), *made = copy(to, key), *dup = EVP_PKEY_dup(made);
        uint8_t secret[2][SECRET];
        size_t len[2] = {SECRET, SECRET};

        assert_int_equal(EVP_PKEY_eq(made, dup), 1);
        assert_int_equal(EVP_PKEY_eq(made, other), 0);
        assert_int_equal(EVP_PKEY_get_bits(made), EVP_PKEY_get_bits(key));
        assert_int_equal(EVP_PKEY_get_security_bits(made), EVP_PKEY_get_security_bits(key));
        assert_true(derive_secret(to, made, other, secret[0], &len[0]));
        assert_true(derive_secret(to, other, dup, secret[1], &len[1]));
        assert_memory_equal(secret[0], secret[1], SECRET);
        EVP_PKEY_free(key);
        EVP_PKEY_free(other);
        EVP_PKEY_free(made);
        EVP_PKEY_free(dup);
    }
}

/* What has a KDF is OpenSSL's own, and a short buffer gets the beginning. */
static void test_parameters(void **state)
{
    EVP_PKEY *own, *peer;
    uint8_t secret[2][48];

    (void)state;
    if (skip_if_missing())
        skip();
    own = generate(octuple_ctx, 1);
    peer = generate(octuple_ctx, 1);
    for (int i = 0; i < 2; i++) {
        OSSL_LIB_CTX *ctx = i ? plain_ctx : octuple_ctx;
        EVP_PKEY *a = i ? copy(ctx, own) : own, *b = i ? copy(ctx, peer) : peer;
        EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(ctx, a, NULL);
        size_t len = sizeof secret[i];

        assert_true(EVP_PKEY_derive_init(pctx) > 0 && EVP_PKEY_derive_set_peer(pctx, b) > 0);
        assert_true(EVP_PKEY_CTX_set_ecdh_kdf_type(pctx, EVP_PKEY_ECDH_KDF_X9_63) > 0);
        assert_true(EVP_PKEY_CTX_set_ecdh_kdf_md(pctx, EVP_sha256()) > 0);
        assert_true(EVP_PKEY_CTX_set_ecdh_kdf_outlen(pctx, (int)len) > 0);
        assert_true(EVP_PKEY_derive(pctx, secret[i], &len) > 0 && len == sizeof secret[i]);
        EVP_PKEY_CTX_free(pctx);
        if (i) {
            EVP_PKEY_free(a);
            EVP_PKEY_free(b);
        }
    }
    assert_memory_equal(secret[0], secret[1], sizeof secret[0]);
    EVP_PKEY_free(own);
    EVP_PKEY_free(peer);
}

/* The same verdict as OpenSSL alone, of every byte that is wrong. */
static void test_bad_shares(void **state)
{
    uint8_t share[SHARE + 1] = {0};
    EVP_PKEY *key;

    (void)state;
    if (skip_if_missing())
        skip();
    key = generate(octuple_ctx, 1);
    get_share(key, share);
    for (int i = 0; i < SHARE + 4; i++) {
        const size_t len = i < SHARE ? SHARE : (const size_t[]){0, 1, SHARE - 1, SHARE + 1}[i - SHARE];
        share[i % SHARE] ^= i < SHARE;
        EVP_PKEY *ours = take_share(octuple_ctx, share, len), *theirs = take_share(plain_ctx, share, len);
        assert_int_equal(ours != NULL, theirs != NULL);
        assert_null(ours);
        share[i % SHARE] ^= i < SHARE;
        EVP_PKEY_free(ours);
        EVP_PKEY_free(theirs);
    }
    ERR_clear_error();
    EVP_PKEY_free(key);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_alone, test_in_fibres, test_keys, test_parameters,
                     test_bad_shares);
}
