/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A post-quantum group where memory runs out once: on either side the same key then serves. */
#include "common.h"
#include "scarce.h"

#include <openssl/err.h>
#include <string.h>

#define MAX_ALLOCATIONS 2000 /* of one operation */
#define MAX_REPLY       1700
#define MAX_SECRET      80

static const char *const groups[] = {"X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"};

/* The settings with pools of key pairs, and those with curves of OpenSSL's own. */
static const char *const settings[] = {NULL, "pools = off\n"};

struct exchange {
    OSSL_LIB_CTX *ctx;
    const char *group;
    EVP_PKEY *client, *server;
    uint8_t *share, reply[MAX_REPLY], sent[MAX_SECRET], got[MAX_SECRET];
    size_t share_len, reply_len, sent_len, got_len;
};

static EVP_PKEY *new_key(const struct exchange *x, int pair)
{
    EVP_PKEY_CTX *gen = EVP_PKEY_CTX_new_from_name(x->ctx, x->group, NULL);
    EVP_PKEY *key = NULL;

    if (gen == NULL || (pair ? EVP_PKEY_keygen_init(gen) : EVP_PKEY_paramgen_init(gen)) <= 0 ||
        EVP_PKEY_CTX_set_group_name(gen, x->group) <= 0 ||
        (pair ? EVP_PKEY_keygen(gen, &key) : EVP_PKEY_paramgen(gen, &key)) <= 0)
        key = NULL;
    EVP_PKEY_CTX_free(gen);
    return key;
}

static int generate(struct exchange *x)
{
    EVP_PKEY_free(x->client);
    x->client = new_key(x, 1);
    return x->client != NULL;
}

static int take_share(struct exchange *x)
{
    return EVP_PKEY_set1_encoded_public_key(x->server, x->share, x->share_len) > 0;
}

static int encapsulate(struct exchange *x)
{
    EVP_PKEY_CTX *kem = EVP_PKEY_CTX_new_from_pkey(x->ctx, x->server, NULL);
    int ok;

    x->reply_len = sizeof x->reply;
    x->sent_len = sizeof x->sent;
    ok = kem != NULL && EVP_PKEY_encapsulate_init(kem, NULL) > 0 &&
         EVP_PKEY_encapsulate(kem, x->reply, &x->reply_len, x->sent, &x->sent_len) > 0;
    EVP_PKEY_CTX_free(kem);
    return ok;
}

static int decapsulate(struct exchange *x)
{
    EVP_PKEY_CTX *kem = EVP_PKEY_CTX_new_from_pkey(x->ctx, x->client, NULL);
    int ok;

    x->got_len = sizeof x->got;
    ok = kem != NULL && EVP_PKEY_decapsulate_init(kem, NULL) > 0 &&
         EVP_PKEY_decapsulate(kem, x->got, &x->got_len, x->reply, x->reply_len) > 0;
    EVP_PKEY_CTX_free(kem);
    return ok;
}

/* The n-th allocation of the step fails (negative: none), and then none: it can be done again. 1: it came, 0: it did
 * not; -1: wrong. */
static int run_step(struct exchange *x, int (*step)(struct exchange *x), long n)
{
    bool failed;
    int ok;

    if (n >= 0)
        scarce_arm(n);
    ok = step(x);
    failed = scarce_disarm() && n >= 0;
    ERR_clear_error();
    return (ok || failed) && (ok || step(x)) ? failed : -1;
}

static int (*const steps[])(struct exchange *x) = {generate, take_share, encapsulate, decapsulate};
#define STEPS (sizeof steps / sizeof steps[0])

/* With keys of its own, and the n-th allocation of one step failing. False: it did not come. */
static bool run_exchange(OSSL_LIB_CTX *ctx, const char *group, size_t scarce, long n)
{
    struct exchange x = {.ctx = ctx, .group = group};
    int failed = 0, met;

    x.server = new_key(&x, 0);
    for (size_t i = 0; i < STEPS; i++) {
        met = run_step(&x, steps[i], i == scarce ? n : -1);
        if (met < 0)
            fail_msg("%s: step %zu is wrong after allocation %ld has failed", group, i, n);
        failed |= met;
        if (i == 0)
            x.share_len = EVP_PKEY_get1_encoded_public_key(x.client, &x.share);
    }
    assert_true(x.sent_len >= 64 && x.got_len == x.sent_len && memcmp(x.sent, x.got, x.sent_len) == 0);
    OPENSSL_free(x.share);
    EVP_PKEY_free(x.client);
    EVP_PKEY_free(x.server);
    return failed;
}

static void check_group(OSSL_LIB_CTX *ctx, const char *group, long apart)
{
    assert_false(run_exchange(ctx, group, STEPS, 0)); /* what is made once is there */
    for (size_t step = 0; step < STEPS; step++)
        for (long n = 0; run_exchange(ctx, group, step, n); n += apart)
            assert_true(n < MAX_ALLOCATIONS);
}

/* Each allocation of the first group, and some of those that take longer. */
static void test_one_allocation(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        OSSL_LIB_CTX *ctx = new_octuple_ctx(settings[i]);
        for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
            check_group(ctx, groups[g], is_slow() ? 13 : g == 0 ? 1 : 5);
        OSSL_LIB_CTX_free(ctx);
    }
}

int main(void)
{
    if (!scarce_begin())
        return 1;
    if (OpenSSL_version_num() < 0x300000a0) {
        printf("skipped: before OpenSSL 3.0.10 there are no such groups\n");
        return 77;
    }
    return RUN_TESTS(open_contexts, close_contexts, test_one_allocation);
}
