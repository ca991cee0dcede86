/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 signatures outside of fibres: they are deterministic, so that ours are OpenSSL's, byte for byte; and all that
 * can be wrong with them is wrong in both.
 */
#include "ed25519_keys.h"

#include <openssl/err.h>
#include <pthread.h>
#include <string.h>

/* RFC 8032, section 7.1, TEST 2: one byte is signed. */
static void test_rfc(void **state)
{
    static const uint8_t seed[ED25519] = {0x4c, 0xcd, 0x08, 0x9b, 0x28, 0xff, 0x96, 0xda, 0x9d, 0xb6, 0xc3,
                                          0x46, 0xec, 0x11, 0x4e, 0x0f, 0x5b, 0x8a, 0x31, 0x9f, 0x35, 0xab,
                                          0xa6, 0x24, 0xda, 0x8c, 0xf6, 0xed, 0x4f, 0xb8, 0xa6, 0xfb};
    static const uint8_t want[SIGNATURE] = {
        0x92, 0xa0, 0x09, 0xa9, 0xf0, 0xd4, 0xca, 0xb8, 0x72, 0x0e, 0x82, 0x0b, 0x5f, 0x64, 0x25, 0x40,
        0xa2, 0xb2, 0x7b, 0x54, 0x16, 0x50, 0x3f, 0x8f, 0xb3, 0x76, 0x22, 0x23, 0xeb, 0xdb, 0x69, 0xda,
        0x08, 0x5a, 0xc1, 0xe4, 0x3e, 0x15, 0x99, 0x6e, 0x45, 0x8f, 0x36, 0x13, 0xd0, 0xf1, 0x1d, 0x8c,
        0x38, 0x7b, 0x2e, 0xae, 0xb4, 0x30, 0x2a, 0xee, 0xb0, 0x0d, 0x29, 0x16, 0x12, 0xbb, 0x0c, 0x00};
    EVP_PKEY *key = ed25519_import(octuple_ctx, seed, NULL);
    uint8_t signature[SIGNATURE];

    (void)state;
    for (int i = 0; i < 10; i++) { /* the fallback at first, and in lanes if a vector of its own pays */
        assert_true(ed25519_sign(octuple_ctx, key, (const uint8_t *)"\x72", 1, signature));
        assert_memory_equal(signature, want, SIGNATURE);
    }
    EVP_PKEY_free(key);
}

/* Around the sizes of blocks, around the longest that lanes take, and far beyond. */
static void test_both_ways(void **state)
{
    static const size_t lengths[] = {0,   1,   31,  47,  48,  63,   64,   79,   80,   111,
                                     112, 127, 128, 175, 300, 1024, 4095, 4096, 4097, 70000};
    uint8_t *message = test_malloc(70001), a[SIGNATURE], b[SIGNATURE];
    EVP_PKEY *ours = ed25519_generate(octuple_ctx), *theirs = ed25519_copy(plain_ctx, ours);
    EVP_PKEY *public_key = ed25519_import(octuple_ctx, NULL, ed25519_pair(ours).point);

    (void)state;
    fill(message, 70001, 5);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const size_t len = lengths[i];
        assert_true(ed25519_sign(octuple_ctx, ours, message, len, a));
        assert_true(ed25519_sign(plain_ctx, theirs, message, len, b));
        assert_memory_equal(a, b, SIGNATURE);
        assert_true(ed25519_verify(octuple_ctx, public_key, message, len, a, SIGNATURE));
        assert_true(ed25519_verify(octuple_ctx, theirs, message, len, a, SIGNATURE)); /* their key, exported to us */
        assert_false(ed25519_verify(octuple_ctx, public_key, message, len + 1, a, SIGNATURE));
        assert_false(has_raised("bad signature")); /* a verdict is no error: OpenSSL's own raises none */
        a[i % SIGNATURE] ^= 1;
        assert_false(ed25519_verify(octuple_ctx, public_key, message, len, a, SIGNATURE));
    }
    ERR_clear_error();
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
    EVP_PKEY_free(public_key);
    test_free(message);
}

/* Every bit of a signature counts, and every byte of its length. */
static void test_wrong_signatures(void **state)
{
    EVP_PKEY *ours = ed25519_generate(octuple_ctx), *theirs = ed25519_copy(plain_ctx, ours);
    uint8_t signature[SIGNATURE + 1] = {0};

    (void)state;
    assert_true(ed25519_sign(octuple_ctx, ours, (const uint8_t *)"abc", 3, signature));
    for (int bit = 0; bit < 8 * SIGNATURE; bit += is_slow() ? 61 : 3) {
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(ed25519_verify(octuple_ctx, ours, (const uint8_t *)"abc", 3, signature, SIGNATURE));
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t len = 0; len <= SIGNATURE + 1; len++) {
        assert_int_equal(ed25519_verify(octuple_ctx, ours, (const uint8_t *)"abc", 3, signature, len),
                         len == SIGNATURE);
        assert_int_equal(ed25519_verify(plain_ctx, theirs, (const uint8_t *)"abc", 3, signature, len),
                         len == SIGNATURE);
    }
    ERR_clear_error();
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
}

/* A seed with the public key of another: what OpenSSL does with it, lanes never do. They would sign under the right
 * one, and both signatures together give the private key away. */
static void test_mixed_pair(void **state)
{
    EVP_PKEY *good = ed25519_generate(plain_ctx), *other = ed25519_generate(plain_ctx);
    const struct pair a = ed25519_pair(good), b = ed25519_pair(other);
    EVP_PKEY *ours = ed25519_import(octuple_ctx, a.seed, b.point), *theirs = ed25519_import(plain_ctx, a.seed, b.point);
    const uint64_t before = ed25519_counters(OCT_OP_ED25519_SIGN).done;
    uint8_t x[SIGNATURE], y[SIGNATURE];

    (void)state;
    assert_int_equal(ours != NULL, theirs != NULL);
    for (int i = 0; ours != NULL && i < 10; i++) {
        assert_int_equal(ed25519_sign(octuple_ctx, ours, (const uint8_t *)"abc", 3, x),
                         ed25519_sign(plain_ctx, theirs, (const uint8_t *)"abc", 3, y));
        assert_memory_equal(x, y, SIGNATURE);
    }
    assert_int_equal(ed25519_counters(OCT_OP_ED25519_SIGN).done, before);
    ERR_clear_error();
    EVP_PKEY_free(good);
    EVP_PKEY_free(other);
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
}

static void test_misuse(void **state)
{
    EVP_PKEY *key = ed25519_generate(octuple_ctx);
    EVP_PKEY *public_key = ed25519_import(octuple_ctx, NULL, ed25519_pair(key).point);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t out[SIGNATURE + 1];
    size_t len = 0;

    (void)state;
    assert_int_not_equal(EVP_DigestSignInit_ex(ctx, NULL, "SHA512", octuple_ctx, NULL, key, NULL), 1);
    assert_true(has_raised("invalid digest"));
    EVP_MD_CTX_reset(ctx);
    assert_int_not_equal(EVP_DigestVerifyInit_ex(ctx, NULL, "SHA256", octuple_ctx, NULL, key, NULL), 1);
    assert_true(has_raised("invalid digest"));
    EVP_MD_CTX_reset(ctx);
    assert_int_equal(EVP_DigestSignInit_ex(ctx, NULL, NULL, octuple_ctx, NULL, key, NULL), 1);
    assert_int_not_equal(EVP_DigestSignUpdate(ctx, "abc", 3), 1); /* in one piece or not at all */
    EVP_MD_CTX_reset(ctx);
    ERR_clear_error();
    assert_int_equal(EVP_DigestSignInit_ex(ctx, NULL, NULL, octuple_ctx, NULL, key, NULL), 1);
    assert_int_equal(EVP_DigestSign(ctx, NULL, &len, (const uint8_t *)"abc", 3), 1);
    assert_int_equal(len, SIGNATURE);
    len = SIGNATURE - 1;
    assert_int_not_equal(EVP_DigestSign(ctx, out, &len, (const uint8_t *)"abc", 3), 1);
    assert_true(has_raised("output buffer too small"));
    out[SIGNATURE] = 0xee;
    len = sizeof out;
    EVP_MD_CTX_reset(ctx);
    assert_int_equal(EVP_DigestSignInit_ex(ctx, NULL, NULL, octuple_ctx, NULL, key, NULL), 1);
    assert_int_equal(EVP_DigestSign(ctx, out, &len, (const uint8_t *)"abc", 3), 1);
    assert_int_equal(len, SIGNATURE);
    assert_int_equal(out[SIGNATURE], 0xee);
    assert_true(ed25519_verify(octuple_ctx, public_key, (const uint8_t *)"abc", 3, out, SIGNATURE));
    assert_false(ed25519_sign(octuple_ctx, public_key, (const uint8_t *)"abc", 3, out));
    assert_true(has_raised("not a private key"));
    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
    EVP_PKEY_free(public_key);
}

/* Whatever the queue finds cheaper, it is right, and it is counted. */
static void test_alone(void **state)
{
    EVP_PKEY *key = ed25519_generate(octuple_ctx);
    const struct oct_op_counters sign = ed25519_counters(OCT_OP_ED25519_SIGN);
    const struct oct_op_counters verify = ed25519_counters(OCT_OP_ED25519_VERIFY);
    struct oct_op_counters after;
    uint8_t signature[SIGNATURE];

    (void)state;
    for (uint8_t i = 0; i < 100; i++) {
        assert_true(ed25519_sign(octuple_ctx, key, &i, 1, signature));
        assert_true(ed25519_verify(octuple_ctx, key, &i, 1, signature, SIGNATURE));
    }
    after = ed25519_counters(OCT_OP_ED25519_SIGN);
    assert_int_equal(after.done - sign.done + after.fallback - sign.fallback, 100);
    after = ed25519_counters(OCT_OP_ED25519_VERIFY);
    assert_int_equal(after.done - verify.done + after.fallback - verify.fallback, 100);
    EVP_PKEY_free(key);
}

#define THREADS 4
#define ROUNDS  40

struct worker {
    pthread_t thread;
    EVP_PKEY *key;
    const uint8_t *expected;
    int good;
};

static void *sign_again_and_again(void *arg)
{
    struct worker *w = arg;
    uint8_t signature[SIGNATURE];

    for (int i = 0; i < ROUNDS; i++)
        w->good += ed25519_sign(octuple_ctx, w->key, (const uint8_t *)"abc", 3, signature) &&
                   memcmp(signature, w->expected, SIGNATURE) == 0 &&
                   ed25519_verify(octuple_ctx, w->key, (const uint8_t *)"abc", 3, signature, SIGNATURE);
    return NULL;
}

/* A new key in the hands of several threads, which meet where it gets its lanes and where contexts are kept. */
static void test_threads(void **state)
{
    struct worker worker[THREADS];
    uint8_t expected[SIGNATURE];

    (void)state;
    for (int round = 0; round < 5; round++) {
        EVP_PKEY *key = ed25519_generate(octuple_ctx), *other = ed25519_copy(plain_ctx, key);
        assert_true(ed25519_sign(plain_ctx, other, (const uint8_t *)"abc", 3, expected));
        for (int i = 0; i < THREADS; i++) {
            worker[i] = (struct worker){.key = key, .expected = expected};
            assert_int_equal(pthread_create(&worker[i].thread, NULL, sign_again_and_again, &worker[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(worker[i].thread, NULL), 0);
            assert_int_equal(worker[i].good, ROUNDS);
        }
        EVP_PKEY_free(key);
        EVP_PKEY_free(other);
    }
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_rfc, test_both_ways, test_wrong_signatures, test_mixed_pair,
                     test_misuse, test_alone, test_threads);
}
