/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Post-quantum groups as libssl uses them: parameters for a server's key, the client's share into it, encapsulation,
 * decapsulation. In fibres and alone, with the curve's keys from the pool and of OpenSSL's own, and all that a client
 * may send wrong.
 */
#include "common.h"
#include "fibres.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <string.h>

#define CLIENTS    24
#define MAX_SHARE  1700
#define MAX_SECRET 80

struct group {
    const char *name;
    size_t share, reply, secret, kem_at, curve_at, point; /* where the parts of a share begin; a point's bytes */
};
static const struct group groups[] = {
    {"X25519MLKEM768", 1216, 1120, 64, 0, 1184, 32},
    {"SecP256r1MLKEM768", 1249, 1153, 64, 65, 0, 65},
    {"SecP384r1MLKEM1024", 1665, 1665, 80, 97, 0, 97},
    {"curveSM2MLKEM768", 1249, 1153, 64, 65, 0, 65},
    {"MLKEM768", 1184, 1088, 32, 0, 0, 0},
    {"MLKEM1024", 1568, 1568, 32, 0, 0, 0},
};
#define GROUPS (sizeof groups / sizeof groups[0])

/* OpenSSL from 3.5 on has keys of ML-KEM alone under other names, and from 4.0 on the group of SM2. */
static int is_here(const struct group *g)
{
    if (strncmp(g->name, "curveSM2", 8) == 0)
        return OPENSSL_version_major() >= 4;
    return OpenSSL_version_num() >= 0x300000a0 && (g->point != 0 || OpenSSL_version_num() < 0x30500000);
}

static EVP_PKEY *new_key(OSSL_LIB_CTX *ctx, const struct group *g, int pair)
{
    EVP_PKEY_CTX *gen = EVP_PKEY_CTX_new_from_name(ctx, g->name, NULL);
    EVP_PKEY *key = NULL;

    assert_non_null(gen);
    assert_true((pair ? EVP_PKEY_keygen_init(gen) : EVP_PKEY_paramgen_init(gen)) > 0);
    assert_true(EVP_PKEY_CTX_set_group_name(gen, g->name) > 0);
    assert_true((pair ? EVP_PKEY_keygen(gen, &key) : EVP_PKEY_paramgen(gen, &key)) > 0);
    assert_true(is_ours(key));
    EVP_PKEY_CTX_free(gen);
    return key;
}

/* 1 and the server's share and secret, or 0. */
static int encapsulate(OSSL_LIB_CTX *ctx, const struct group *g, EVP_PKEY *server, uint8_t *reply, uint8_t *secret)
{
    EVP_PKEY_CTX *kem = EVP_PKEY_CTX_new_from_pkey(ctx, server, NULL);
    size_t reply_len = 0, secret_len = 0;
    int ok = kem != NULL && EVP_PKEY_encapsulate_init(kem, NULL) > 0 &&
             EVP_PKEY_encapsulate(kem, NULL, &reply_len, NULL, &secret_len) > 0 && reply_len == g->reply &&
             secret_len == g->secret && EVP_PKEY_encapsulate(kem, reply, &reply_len, secret, &secret_len) > 0;

    EVP_PKEY_CTX_free(kem);
    return ok;
}

static int decapsulate(OSSL_LIB_CTX *ctx, const struct group *g, EVP_PKEY *client, const uint8_t *reply, size_t len,
                       uint8_t *secret)
{
    EVP_PKEY_CTX *kem = EVP_PKEY_CTX_new_from_pkey(ctx, client, NULL);
    size_t secret_len = 0;
    int ok = kem != NULL && EVP_PKEY_decapsulate_init(kem, NULL) > 0 &&
             EVP_PKEY_decapsulate(kem, NULL, &secret_len, reply, len) > 0 && secret_len == g->secret &&
             EVP_PKEY_decapsulate(kem, secret, &secret_len, reply, len) > 0;

    EVP_PKEY_CTX_free(kem);
    return ok;
}

struct exchange {
    OSSL_LIB_CTX *ctx;
    const struct group *g;
};

/* A client's and a server's side, from one key to the other by bytes alone. */
static int exchange(int index, void *arg)
{
    const struct exchange *x = arg;
    const struct group *g = x->g;
    EVP_PKEY *client = new_key(x->ctx, g, 1), *server = new_key(x->ctx, g, 0);
    uint8_t *reply = OPENSSL_malloc(MAX_SHARE), *secret = OPENSSL_malloc(2 * MAX_SECRET), *share = NULL;
    const size_t len = EVP_PKEY_get1_encoded_public_key(client, &share);
    int ok = len == g->share && EVP_PKEY_set1_encoded_public_key(server, share, len) > 0 &&
             encapsulate(x->ctx, g, server, reply, secret) &&
             decapsulate(x->ctx, g, client, reply, g->reply, secret + MAX_SECRET) &&
             memcmp(secret, secret + MAX_SECRET, g->secret) == 0;

    (void)index;
    OPENSSL_free(share);
    OPENSSL_free(secret);
    OPENSSL_free(reply);
    EVP_PKEY_free(client);
    EVP_PKEY_free(server);
    return ok;
}

static void test_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < GROUPS; i++) {
        struct exchange x = {octuple_ctx, &groups[i]};
        if (is_here(x.g))
            assert_true(exchange(0, &x));
    }
}

/* Many at once run in lanes; the counters say so where lanes serve the group. */
static void test_in_fibres(void **state)
{
    (void)state;
    for (size_t i = 0; i < GROUPS; i++) {
        struct exchange x = {octuple_ctx, &groups[i]};
        const uint64_t before = lanes_done();
        if (!is_here(x.g))
            continue;
        run_fibres(CLIENTS, exchange, &x);
        if (oct_op_is_on(OCT_OP_X25519MLKEM768_SERVER))
            assert_true(lanes_done() >= before + 2 * CLIENTS);
    }
}

/* Without a pool the curve's keys are OpenSSL's own. */
static void test_without_pools(void **state)
{
    OSSL_LIB_CTX *ctx = new_octuple_ctx("pools = off\n");

    (void)state;
    for (size_t i = 0; i < GROUPS; i++) {
        struct exchange x = {ctx, &groups[i]};
        if (!is_here(x.g))
            continue;
        assert_true(exchange(0, &x));
        run_fibres(EIGHT, exchange, &x);
    }
    OSSL_LIB_CTX_free(ctx);
}

static void assert_refused(const struct group *g, const uint8_t *share, size_t len)
{
    EVP_PKEY *server = new_key(octuple_ctx, g, 0);

    ERR_clear_error();
    if (EVP_PKEY_set1_encoded_public_key(server, share, len) > 0)
        fail_msg("%s takes a bad share of %zu bytes", g->name, len);
    assert_true(ERR_peek_error() != 0);
    ERR_clear_error();
    EVP_PKEY_free(server);
}

/* What libssl refuses with illegal_parameter: lengths, numbers that are not below q, points that are none. */
static void test_bad_shares(void **state)
{
    (void)state;
    for (size_t i = 0; i < GROUPS; i++) {
        const struct group *g = &groups[i];
        uint8_t *share = NULL, bad[MAX_SHARE] = {0};
        if (!is_here(g))
            continue;
        EVP_PKEY *client = new_key(octuple_ctx, g, 1);
        assert_int_equal(EVP_PKEY_get1_encoded_public_key(client, &share), g->share);
        memcpy(bad, share, g->share);
        for (size_t len = 0; len < MAX_SHARE; len += len == g->share - 1 ? 2 : 1)
            assert_refused(g, bad, len);
        bad[g->kem_at] = 0x01; /* 0xd01 is q */
        bad[g->kem_at + 1] = (uint8_t)((bad[g->kem_at + 1] & 0xf0) | 0x0d);
        assert_refused(g, bad, g->share);
        memcpy(bad, share, g->share);
        if (g->point > 32) {
            bad[g->curve_at + 5] ^= 1;
            assert_refused(g, bad, g->share);
            memcpy(bad, share, g->share);
            bad[g->curve_at] = 6; /* OpenSSL's hybrid form */
            assert_refused(g, bad, g->share);
        }
        OPENSSL_free(share);
        EVP_PKEY_free(client);
    }
}

/* X25519's secret would be zero: encapsulation fails, as OpenSSL's own does, and so does decapsulation. */
static void test_low_order(void **state)
{
    const struct group *g = &groups[0];
    uint8_t reply[MAX_SHARE] = {0}, secret[MAX_SECRET], *share = NULL;

    (void)state;
    if (!is_here(g))
        skip();
    EVP_PKEY *client = new_key(octuple_ctx, g, 1), *server = new_key(octuple_ctx, g, 0);
    assert_int_equal(EVP_PKEY_get1_encoded_public_key(client, &share), g->share);
    memset(share + g->curve_at, 0, g->point);
    assert_true(EVP_PKEY_set1_encoded_public_key(server, share, g->share) > 0);
    ERR_clear_error();
    assert_false(encapsulate(octuple_ctx, g, server, reply, secret));
    assert_true(ERR_peek_error() != 0);
    memset(reply, 0, sizeof reply);
    assert_false(decapsulate(octuple_ctx, g, client, reply, g->reply, secret));
    ERR_clear_error();
    OPENSSL_free(share);
    EVP_PKEY_free(client);
    EVP_PKEY_free(server);
}

/* A ciphertext of another length is refused; another ciphertext gives another secret. */
static void test_bad_replies(void **state)
{
    (void)state;
    for (size_t i = 0; i < GROUPS; i++) {
        const struct group *g = &groups[i];
        uint8_t reply[MAX_SHARE], secret[MAX_SECRET], back[MAX_SECRET], *share = NULL;
        if (!is_here(g))
            continue;
        EVP_PKEY *client = new_key(octuple_ctx, g, 1), *server = new_key(octuple_ctx, g, 0);
        assert_int_equal(EVP_PKEY_get1_encoded_public_key(client, &share), g->share);
        assert_true(EVP_PKEY_set1_encoded_public_key(server, share, g->share) > 0);
        assert_true(encapsulate(octuple_ctx, g, server, reply, secret));
        assert_false(decapsulate(octuple_ctx, g, client, reply, g->reply - 1, back));
        assert_false(decapsulate(octuple_ctx, g, client, reply, g->reply + 1, back));
        assert_false(decapsulate(octuple_ctx, g, server, reply, g->reply, back)); /* it has no private part */
        reply[g->reply - (g->point == 32 ? 40 : 1)] ^= 1;
        assert_true(decapsulate(octuple_ctx, g, client, reply, g->reply, back));
        assert_memory_not_equal(secret, back, g->secret);
        ERR_clear_error();
        OPENSSL_free(share);
        EVP_PKEY_free(client);
        EVP_PKEY_free(server);
    }
}

static void test_switch(void **state)
{
    OSSL_LIB_CTX *ctx = new_octuple_ctx("hybrid-groups = off\n");

    (void)state;
    for (size_t i = 0; i < GROUPS; i++) {
        EVP_KEYMGMT *keymgmt = EVP_KEYMGMT_fetch(ctx, groups[i].name, "provider=octuple");
        assert_null(keymgmt);
    }
    ERR_clear_error();
    OSSL_LIB_CTX_free(ctx);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_alone, test_in_fibres, test_without_pools, test_bad_shares,
                     test_low_order, test_bad_replies, test_switch);
}
