/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS c TIMEOUT 300 */
/* Contexts of key derivations: copies, lists, many at once, and across threads and processes. */
#include "kdf_peer.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const kdfs[] = {"TLS13-KDF", "TLS1-PRF", "HKDF"};
#define KDFS (int)(sizeof kdfs / sizeof kdfs[0])
static uint8_t bytes[4096];

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
    for (int i = 0; i < KDFS; i++) {
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
    for (int i = 0; i < KDFS; i++) {
        EVP_KDF *kdf = EVP_KDF_fetch(ctx, kdfs[i], NULL);
        assert_string_equal(OSSL_PROVIDER_get0_name(EVP_KDF_get0_provider(kdf)), "default");
        EVP_KDF_free(kdf);
    }
    OSSL_LIB_CTX_free(ctx);
}

/* --- HKDF as programs use it that are older than EVP_KDF: by a context of EVP_PKEY */

static int derive_by_pkey(OSSL_LIB_CTX *libctx, int mode, const char *info, uint8_t *out, size_t len)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(libctx, "HKDF", NULL);
    int ok = ctx != NULL && EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_CTX_set_hkdf_mode(ctx, mode) > 0 &&
             EVP_PKEY_CTX_set_hkdf_md(ctx, EVP_sha256()) > 0 && EVP_PKEY_CTX_set1_hkdf_key(ctx, bytes, 32) > 0 &&
             EVP_PKEY_CTX_set1_hkdf_salt(ctx, bytes + 40, 20) > 0;

    for (int i = 0; ok && i < 2; i++) /* newer releases put the second behind the first */
        ok = EVP_PKEY_CTX_add1_hkdf_info(ctx, (const uint8_t *)info, (int)strlen(info)) > 0;
    ok = ok && EVP_PKEY_derive(ctx, out, &len) > 0;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static void test_pkey(void **state)
{
    static const int modes[] = {EXTRACT, EXPAND, BOTH};
    uint8_t out[2][70];

    (void)state;
    for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
        const size_t len = modes[m] == EXTRACT ? 32 : sizeof out[0];
        assert_int_equal(derive_by_pkey(octuple_ctx, modes[m], "quic key", out[OURS], len), 1);
        assert_int_equal(derive_by_pkey(plain_ctx, modes[m], "quic key", out[STOCK], len), 1);
        assert_memory_equal(out[OURS], out[STOCK], len);
    }
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
    return RUN_TESTS(open_all, close_contexts, test_dup, test_lists, test_switch, test_many, test_threads, test_fork,
                     test_pkey);
}
