/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* X25519 key exchange: against OpenSSL's own both ways, in fibres together with RSA, and all that can be wrong with it.
 */
#include "fibres.h"
#include "x25519_keys.h"

#include <openssl/err.h>
#include <string.h>

#define KEYS 24

/* Also with one side as OpenSSL alone has it. */
static void test_both_ways(void **state)
{
    uint8_t a[X25519], b[X25519], c[X25519];

    (void)state;
    for (int i = 0; i < KEYS; i++) {
        EVP_PKEY *ours = x25519_generate(octuple_ctx), *theirs = x25519_generate(plain_ctx);
        EVP_PKEY *ours_there = x25519_copy(plain_ctx, ours), *theirs_here = x25519_copy(octuple_ctx, theirs);
        assert_true(x25519_derive(octuple_ctx, ours, theirs_here, a));
        assert_true(x25519_derive(plain_ctx, theirs, ours_there, b));
        assert_true(x25519_derive(octuple_ctx, ours, theirs, c)); /* their key, exported to us */
        assert_memory_equal(a, b, X25519);
        assert_memory_equal(a, c, X25519);
        EVP_PKEY_free(ours);
        EVP_PKEY_free(theirs);
        EVP_PKEY_free(ours_there);
        EVP_PKEY_free(theirs_here);
    }
}

struct exchange {
    EVP_PKEY *own[KEYS], *peer[KEYS], *rsa;
    uint8_t expected[KEYS][X25519];
    int zero; /* the one whose peer is of small order, or -1 */
};

static void open_exchange(struct exchange *x)
{
    x->zero = -1;
    x->rsa = load_key(octuple_ctx, "2048a");
    for (int i = 0; i < KEYS; i++) {
        x->own[i] = x25519_generate(octuple_ctx);
        x->peer[i] = x25519_generate(octuple_ctx);
        EVP_PKEY *own = x25519_copy(plain_ctx, x->own[i]), *peer = x25519_copy(plain_ctx, x->peer[i]);
        assert_true(x25519_derive(plain_ctx, own, peer, x->expected[i]));
        EVP_PKEY_free(own);
        EVP_PKEY_free(peer);
    }
}

static void close_exchange(struct exchange *x)
{
    for (int i = 0; i < KEYS; i++) {
        EVP_PKEY_free(x->own[i]);
        EVP_PKEY_free(x->peer[i]);
    }
    EVP_PKEY_free(x->rsa);
}

static int signs(EVP_PKEY *rsa, int i)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    uint8_t signature[512], message[16];
    size_t len = sizeof signature;
    int ok;

    fill(message, sizeof message, (unsigned)i);
    ok = EVP_DigestSignInit_ex(md, NULL, "SHA256", octuple_ctx, NULL, rsa, NULL) > 0 &&
         EVP_DigestSign(md, signature, &len, message, sizeof message) > 0;
    EVP_MD_CTX_reset(md);
    ok = ok && EVP_DigestVerifyInit_ex(md, NULL, "SHA256", octuple_ctx, NULL, rsa, NULL) > 0 &&
         EVP_DigestVerify(md, signature, len, message, sizeof message) > 0;
    EVP_MD_CTX_free(md);
    return ok;
}

/* What a TLS 1.3 handshake does: derive, then sign; every third fibre the other way round. */
static int exchange_in_fibre(int i, void *arg)
{
    const struct exchange *x = arg;
    uint8_t secret[X25519];
    const int before = i % 3 != 0 || signs(x->rsa, i);
    const int derived = x25519_derive(octuple_ctx, x->own[i], x->peer[i], secret);

    if (i == x->zero)
        return !derived;
    return before && derived && memcmp(secret, x->expected[i], X25519) == 0 && (i % 3 == 0 || signs(x->rsa, i));
}

static void test_fibres(void **state)
{
    static const int counts[] = {1, 2, 7, 8, 9, KEYS};
    struct exchange x;
    const uint64_t before = x25519_counters(OCT_OP_X25519_DERIVE).done;

    (void)state;
    open_exchange(&x);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        run_fibres(counts[i], exchange_in_fibre, &x);
    assert_true(x25519_counters(OCT_OP_X25519_DERIVE).done - before >= 32);
    close_exchange(&x);
}

static const char *last_reason(void)
{
    const char *text = ERR_reason_error_string(ERR_peek_last_error());
    return text == NULL ? "" : text;
}

/* RFC 7748, section 6.1, and RFC 8446, section 7.4.2: the exchange fails, and nobody else's. */
static void test_small_order(void **state)
{
    static const uint8_t point[4][X25519] = {
        {0},
        {1},
        {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
         0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
        {0xed, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
         0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
    };
    struct exchange x;
    uint8_t secret[X25519];

    (void)state;
    open_exchange(&x);
    for (int i = 0; i < 4; i++) {
        x.zero = 2 * i + 1;
        EVP_PKEY *good = x.peer[x.zero];
        x.peer[x.zero] = x25519_import(octuple_ctx, NULL, point[i]);
        for (int round = 0; round < 8; round++) { /* on the fallback and in a vector of its own */
            ERR_clear_error();
            assert_false(x25519_derive(octuple_ctx, x.own[x.zero], x.peer[x.zero], secret));
            assert_string_not_equal(last_reason(), "");
        }
        run_fibres(10, exchange_in_fibre, &x);
        EVP_PKEY_free(x.peer[x.zero]);
        x.peer[x.zero] = good;
    }
    ERR_clear_error();
    close_exchange(&x);
}

static void test_misuse(void **state)
{
    EVP_PKEY *own = x25519_generate(octuple_ctx), *peer = x25519_generate(octuple_ctx);
    EVP_PKEY *public_key = x25519_import(octuple_ctx, NULL, x25519_pair(own).point);
    EVP_PKEY *x448 = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "X448");
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, own, NULL), *copy;
    uint8_t a[X25519 + 1], b[X25519 + 1], secret[X25519];
    size_t len = 0;

    (void)state;
    assert_true(EVP_PKEY_derive_init(ctx) > 0);
    len = sizeof a;
    assert_true(EVP_PKEY_derive(ctx, a, &len) <= 0); /* no peer yet */
    assert_true(EVP_PKEY_derive_set_peer(ctx, x448) <= 0);
    assert_true(EVP_PKEY_derive_set_peer(ctx, peer) > 0);
    assert_true(EVP_PKEY_derive(ctx, NULL, &len) > 0);
    assert_int_equal(len, X25519);
    len = X25519 - 1;
    assert_true(EVP_PKEY_derive(ctx, a, &len) <= 0);
    len = sizeof a;
    a[X25519] = 0xee;
    assert_true(EVP_PKEY_derive(ctx, a, &len) > 0);
    assert_int_equal(len, X25519);
    assert_int_equal(a[X25519], 0xee);
    copy = EVP_PKEY_CTX_dup(ctx);
    EVP_PKEY_CTX_free(ctx);
    len = sizeof b;
    assert_true(EVP_PKEY_derive(copy, b, &len) > 0);
    assert_memory_equal(a, b, X25519);
    EVP_PKEY_CTX_free(copy);
    assert_false(x25519_derive(octuple_ctx, public_key, peer, secret));
    ERR_clear_error();
    EVP_PKEY_free(own);
    EVP_PKEY_free(peer);
    EVP_PKEY_free(public_key);
    EVP_PKEY_free(x448);
}

/* Outside of fibres, alone: whatever the queue finds cheaper, it is right, and it is counted. */
static void test_alone(void **state)
{
    struct exchange x;
    uint8_t secret[X25519];
    const struct oct_op_counters before = x25519_counters(OCT_OP_X25519_DERIVE);
    struct oct_op_counters after;

    (void)state;
    open_exchange(&x);
    for (int round = 0; round < 10; round++)
        for (int i = 0; i < KEYS; i++) {
            assert_true(x25519_derive(octuple_ctx, x.own[i], x.peer[i], secret));
            assert_memory_equal(secret, x.expected[i], X25519);
        }
    after = x25519_counters(OCT_OP_X25519_DERIVE);
    assert_int_equal(after.done - before.done + after.fallback - before.fallback, 10 * KEYS);
    assert_true(after.fallback > before.fallback);
    close_exchange(&x);
}

/* The keys may go while the job waits. */
static int derive_freed(int i, void *arg)
{
    struct exchange *x = arg;
    EVP_PKEY *own = x->own[i], *peer = x->peer[i];
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, own, NULL);
    uint8_t secret[X25519];
    size_t len = sizeof secret;
    int ok = EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, peer) > 0;

    EVP_PKEY_free(own);
    EVP_PKEY_free(peer);
    x->own[i] = x->peer[i] = NULL;
    ok = ok && EVP_PKEY_derive(ctx, secret, &len) > 0 && memcmp(secret, x->expected[i], X25519) == 0;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static void test_keys_freed(void **state)
{
    struct exchange x;

    (void)state;
    open_exchange(&x);
    run_fibres(KEYS, derive_freed, &x);
    close_exchange(&x);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_both_ways, test_fibres, test_small_order, test_misuse,
                     test_alone, test_keys_freed);
}
