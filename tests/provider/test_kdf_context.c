/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Contexts of key derivations: calls in any order do as with OpenSSL's, whichever of the two is at work inside. */
#include "kdf_peer.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const kdfs[] = {"TLS13-KDF", "TLS1-PRF"};
static uint8_t bytes[4096];

/* --- at random */

static const char *const texts[] = {"SHA2-256", "SHA2-384", "SHA256",   "sha384", "SHA1",       "SHA2-512",
                                    "SHA3-256", "MD5-SHA1", "SHAKE128", "",       "no such one"};

/* Mostly lengths that TLS has. */
static size_t draw_len(void)
{
    static const size_t usual[] = {32, 32, 32, 48, 48, 12, 7, 0, 96, 97};
    return draw(5) == 0 ? draw(300) : usual[draw(sizeof usual / sizeof usual[0])];
}

static void add_octets_drawn(struct kdf_params *p, const char *name)
{
    const size_t len = draw_len();
    add_octets(p, name, len == 0 && draw(2) ? NULL : bytes + draw(1000), len);
}

static void add_drawn(struct kdf_params *p, int is_prf)
{
    static const char *const tls13[] = {OSSL_KDF_PARAM_KEY, OSSL_KDF_PARAM_DATA, OSSL_KDF_PARAM_SALT,
                                        OSSL_KDF_PARAM_PREFIX, OSSL_KDF_PARAM_LABEL};
    static const char *const prf[] = {OSSL_KDF_PARAM_SECRET, OSSL_KDF_PARAM_SEED, OSSL_KDF_PARAM_SEED};

    switch (draw(8)) {
    case 0: /* as often as not the mode of before, so that a context is of use for some time */
        if (draw(4) == 0)
            add_text(p, OSSL_KDF_PARAM_MODE, draw(2) ? "EXPAND_ONLY" : draw(2) ? "extract_only" : "none");
        else
            add_mode(p, draw(8) == 0 ? (int)draw(5) - 1 : draw(2) ? EXTRACT : EXPAND);
        break;
    case 1:
    case 2: add_text(p, OSSL_KDF_PARAM_DIGEST, texts[draw(2) ? draw(2) : draw(sizeof texts / sizeof texts[0])]); break;
    case 3:
        if (draw(30) == 0)
            add_text(p, OSSL_KDF_PARAM_PROPERTIES, draw(2) ? "provider=default" : "");
        break;
    default: add_octets_drawn(p, is_prf ? prf[draw(3)] : tls13[draw(5)]);
    }
}

/* A call of libssl, or anything. */
static struct kdf_params *draw_params(struct kdf_params *p, int is_prf)
{
    p->count = 0;
    if (draw(12) == 0)
        return NULL;
    if (!is_prf && draw(3) > 0)
        add_mode(p, draw(2) ? EXTRACT : EXPAND);
    if (draw(2))
        add_text(p, OSSL_KDF_PARAM_DIGEST, texts[draw(2)]);
    if (draw(2))
        add_octets(p, is_prf ? OSSL_KDF_PARAM_SECRET : OSSL_KDF_PARAM_KEY, bytes + draw(500), 32 + 16 * draw(2));
    for (unsigned i = draw(8); i > 0; i--)
        add_drawn(p, is_prf);
    return p;
}

static void both_reset(struct kdf_pair *pair)
{
    for (int side = 0; side < 2; side++)
        EVP_KDF_CTX_reset(pair->ctx[side]);
}

static void both_sizes(struct kdf_pair *pair)
{
    assert_int_equal(EVP_KDF_CTX_get_kdf_size(pair->ctx[OURS]), EVP_KDF_CTX_get_kdf_size(pair->ctx[STOCK]));
    ERR_clear_error();
}

/* Goes on with copies, where this OpenSSL makes any. */
static void both_dup(struct kdf_pair *pair)
{
    EVP_KDF_CTX *copy[2] = {EVP_KDF_CTX_dup(pair->ctx[OURS]), EVP_KDF_CTX_dup(pair->ctx[STOCK])};

    for (int side = 0; side < 2; side++) {
        EVP_KDF_CTX_free(copy[STOCK] != NULL ? pair->ctx[side] : copy[side]);
        if (copy[STOCK] != NULL)
            pair->ctx[side] = copy[side];
    }
    ERR_clear_error();
}

static void test_random(void **state)
{
    int derived = 0;

    (void)state;
    for (int i = 0; i < 4000; i++) {
        const int is_prf = i % 2;
        struct kdf_pair pair = kdf_pair_open(kdfs[is_prf]);
        for (unsigned calls = 1 + draw(6); calls > 0; calls--) {
            struct kdf_params params;
            const unsigned what = draw(16);
            if (what == 0)
                both_reset(&pair);
            else if (what == 1)
                both_sizes(&pair);
            else if (what == 2)
                both_dup(&pair);
            else if (what < 6)
                both_set(&pair, draw_params(&params, is_prf));
            else
                derived += both_derive(&pair, draw_params(&params, is_prf), NULL, draw_len());
        }
        kdf_pair_close(&pair);
    }
    assert_true(derived > 1000); /* it is not errors alone that agree */
}

/* --- a copy */

static EVP_KDF_CTX *begin_expand(EVP_KDF *kdf, const char *label)
{
    EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
    struct kdf_params p = {.count = 0};

    add_mode(&p, EXPAND);
    add_text(&p, OSSL_KDF_PARAM_DIGEST, "SHA2-256");
    add_octets(&p, OSSL_KDF_PARAM_KEY, bytes, 32);
    add_octets(&p, OSSL_KDF_PARAM_LABEL, label, strlen(label));
    assert_int_equal(EVP_KDF_CTX_set_params(ctx, p.list), 1);
    return ctx;
}

static void check_expand(EVP_KDF_CTX *ctx, const char *label)
{
    uint8_t out[16], expected[16];
    EVP_KDF *kdf = EVP_KDF_fetch(plain_ctx, "TLS13-KDF", NULL);
    EVP_KDF_CTX *stock = begin_expand(kdf, label);

    assert_int_equal(EVP_KDF_derive(ctx, out, sizeof out, NULL), 1);
    assert_int_equal(EVP_KDF_derive(stock, expected, sizeof expected, NULL), 1);
    assert_memory_equal(out, expected, sizeof out);
    EVP_KDF_CTX_free(stock);
    EVP_KDF_free(kdf);
}

static void test_dup(void **state)
{
    EVP_KDF *kdf = EVP_KDF_fetch(octuple_ctx, "TLS13-KDF", NULL);
    EVP_KDF_CTX *ctx = begin_expand(kdf, "first"), *copy = EVP_KDF_CTX_dup(ctx);
    struct kdf_params p = {.count = 0};

    (void)state;
    assert_non_null(copy);
    add_octets(&p, OSSL_KDF_PARAM_LABEL, "second", 6);
    assert_int_equal(EVP_KDF_CTX_set_params(copy, p.list), 1);
    check_expand(ctx, "first");
    EVP_KDF_CTX_free(ctx);
    check_expand(copy, "second");
    EVP_KDF_CTX_free(copy);
    EVP_KDF_free(kdf);
}

/* --- lists, names and the switch */

static void check_list(const OSSL_PARAM *ours, const OSSL_PARAM *stock)
{
    assert_non_null(ours);
    for (; stock->key != NULL; stock++, ours++) {
        assert_string_equal(ours->key, stock->key);
        assert_int_equal(ours->data_type, stock->data_type);
    }
    assert_null(ours->key);
}

static void test_lists(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct kdf_pair pair = kdf_pair_open(kdfs[i]);
        check_list(EVP_KDF_gettable_ctx_params(pair.kdf[OURS]), EVP_KDF_gettable_ctx_params(pair.kdf[STOCK]));
        check_list(EVP_KDF_settable_ctx_params(pair.kdf[OURS]), EVP_KDF_settable_ctx_params(pair.kdf[STOCK]));
        check_list(EVP_KDF_CTX_gettable_params(pair.ctx[OURS]), EVP_KDF_CTX_gettable_params(pair.ctx[STOCK]));
        check_list(EVP_KDF_CTX_settable_params(pair.ctx[OURS]), EVP_KDF_CTX_settable_params(pair.ctx[STOCK]));
        assert_string_equal(EVP_KDF_get0_name(pair.kdf[OURS]), EVP_KDF_get0_name(pair.kdf[STOCK]));
        kdf_pair_close(&pair);
    }
}

static void test_switch(void **state)
{
    OSSL_LIB_CTX *ctx = new_octuple_ctx("tls-kdf = off");

    (void)state;
    for (int i = 0; i < 2; i++) {
        EVP_KDF *kdf = EVP_KDF_fetch(ctx, kdfs[i], NULL);
        assert_string_equal(OSSL_PROVIDER_get0_name(EVP_KDF_get0_provider(kdf)), "default");
        EVP_KDF_free(kdf);
    }
    OSSL_LIB_CTX_free(ctx);
}

/* --- many at once, and across threads and processes */

#define MANY 3000

static void test_many(void **state)
{
    static EVP_KDF_CTX *ctx[MANY];
    EVP_KDF *kdf = EVP_KDF_fetch(octuple_ctx, "TLS13-KDF", NULL);
    char label[16];

    (void)state;
    for (int i = 0; i < MANY; i++) {
        snprintf(label, sizeof label, "label %d", i);
        ctx[i] = begin_expand(kdf, label);
    }
    for (int i = MANY - 1; i >= 0; i--) {
        snprintf(label, sizeof label, "label %d", i);
        check_expand(ctx[i], label);
        if (i % 3 == 0)
            EVP_KDF_CTX_free(ctx[i]);
    }
    for (int i = 0; i < MANY; i++)
        if (i % 3 != 0)
            EVP_KDF_CTX_free(ctx[i]);
    EVP_KDF_free(kdf);
}

/* Uses and frees what another thread made, and hands back one of its own. */
static void *exchange_contexts(void *arg)
{
    EVP_KDF_CTX **ctx = arg;
    EVP_KDF *kdf = EVP_KDF_fetch(octuple_ctx, "TLS13-KDF", NULL);

    check_expand(*ctx, "made outside");
    EVP_KDF_CTX_free(*ctx);
    for (int i = 0; i < 200; i++) {
        EVP_KDF_CTX *own = begin_expand(kdf, "inside");
        check_expand(own, "inside");
        EVP_KDF_CTX_free(own);
    }
    *ctx = begin_expand(kdf, "made inside");
    EVP_KDF_free(kdf);
    return NULL;
}

static void test_threads(void **state)
{
    EVP_KDF *kdf = EVP_KDF_fetch(octuple_ctx, "TLS13-KDF", NULL);
    EVP_KDF_CTX *ctx[8];
    pthread_t thread[8];

    (void)state;
    for (int i = 0; i < 8; i++) {
        ctx[i] = begin_expand(kdf, "made outside");
        assert_int_equal(pthread_create(&thread[i], NULL, exchange_contexts, &ctx[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(thread[i], NULL);
        check_expand(ctx[i], "made inside");
        EVP_KDF_CTX_free(ctx[i]);
    }
    EVP_KDF_free(kdf);
}

/* A context of before the fork and a new one serve in both processes. */
static void test_fork(void **state)
{
    EVP_KDF *kdf = EVP_KDF_fetch(octuple_ctx, "TLS13-KDF", NULL);
    EVP_KDF_CTX *old = begin_expand(kdf, "old"), *new;
    int status;

    (void)state;
    const pid_t child = fork();
    assert_true(child >= 0);
    check_expand(old, "old");
    EVP_KDF_CTX_free(old);
    new = begin_expand(kdf, "new");
    check_expand(new, "new");
    EVP_KDF_CTX_free(new);
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    EVP_KDF_free(kdf);
}

static int open_all(void **state)
{
    fill(bytes, sizeof bytes, 2);
    return open_contexts(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_dup),  cmocka_unit_test(test_lists),
        cmocka_unit_test(test_switch), cmocka_unit_test(test_many), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, open_all, close_contexts);
}
