/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * fork() while another thread makes the first key of a library context: the child can make keys in that context. The
 * thread is halted at each of the first allocations of its import, so that the fork hits what it is at, and not by
 * luck. In the same way a thread of a child is halted as it makes the lane key that was put off there.
 */
#include "base/policy.h"
#include "common.h"

#include <octuple/counters.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILD_SECONDS 20
#define STOPS         12

static _Thread_local int allocations_left = -1;
static sem_t is_halted, may_go_on;
static OSSL_PARAM *numbers;

static void halt_here(void)
{
    if (allocations_left > 0 && --allocations_left == 0) {
        sem_post(&is_halted);
        sem_wait(&may_go_on);
    }
}

static void *count_malloc(size_t size, const char *file, int line)
{
    (void)file, (void)line;
    halt_here();
    return malloc(size);
}

static void *count_realloc(void *memory, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return realloc(memory, size);
}

static void count_free(void *memory, const char *file, int line)
{
    (void)file, (void)line;
    free(memory);
}

static int make_key(OSSL_LIB_CTX *ctx, int stop)
{
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_name(ctx, "RSA", NULL);
    EVP_PKEY *key = NULL;
    int ok = pctx != NULL && EVP_PKEY_fromdata_init(pctx) == 1;

    allocations_left = stop;
    ok = ok && EVP_PKEY_fromdata(pctx, &key, EVP_PKEY_PUBLIC_KEY, numbers) == 1;
    allocations_left = -1;
    ok = ok && is_ours(key);
    EVP_PKEY_free(key);
    EVP_PKEY_CTX_free(pctx);
    return ok;
}

struct maker {
    OSSL_LIB_CTX *ctx;
    int stop, ok;
};

static void *make_first_key(void *arg)
{
    struct maker *maker = arg;

    maker->ok = make_key(maker->ctx, maker->stop);
    return NULL;
}

/* A child in which `function` returns 1. */
static void expect_in_child(int (*function)(OSSL_LIB_CTX *ctx, int stop), OSSL_LIB_CTX *ctx, int stop)
{
    const pid_t child = fork();
    int status = -1;

    assert_true(child >= 0);
    if (child == 0) {
        alarm(CHILD_SECONDS); /* what hangs ends by it */
        _exit(function(ctx, stop) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        fail_msg("the child was ended by signal %d, stop %d", WTERMSIG(status), stop);
    if (WEXITSTATUS(status) != 0)
        fail_msg("the child ended with %d, stop %d", WEXITSTATUS(status), stop);
}

static void test_halted(void **state)
{
    (void)state;
    for (int stop = 3; stop < 3 + STOPS; stop++) {
        struct maker maker = {new_octuple_ctx(NULL), stop, 0};
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, make_first_key, &maker), 0);
        sem_wait(&is_halted);
        expect_in_child(make_key, maker.ctx, -1);
        sem_post(&may_go_on);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(maker.ok);
        OSSL_LIB_CTX_free(maker.ctx);
    }
}

/* Threads that come first together have one and the same private context in the end, and all of them their key. */
static void test_together(void **state)
{
    (void)state;
    for (int round = 0; round < 5; round++) {
        OSSL_LIB_CTX *ctx = new_octuple_ctx(NULL);
        struct maker maker[4];
        pthread_t thread[4];

        for (int i = 0; i < 4; i++) {
            maker[i] = (struct maker){ctx, -1, 0};
            assert_int_equal(pthread_create(&thread[i], NULL, make_first_key, &maker[i]), 0);
        }
        for (int i = 0; i < 4; i++) {
            assert_int_equal(pthread_join(thread[i], NULL), 0);
            assert_true(maker[i].ok);
        }
        expect_in_child(make_key, ctx, -1);
        OSSL_LIB_CTX_free(ctx);
    }
}

struct signer {
    OSSL_LIB_CTX *ctx;
    EVP_PKEY *key;
    int stop, ok;
};

static int sign_with(OSSL_LIB_CTX *libctx, EVP_PKEY *key, int stop)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    const uint8_t text[32] = {1};
    uint8_t signature[256];
    size_t len = sizeof signature;
    int ok = ctx != NULL && EVP_PKEY_sign_init(ctx) == 1;

    allocations_left = stop;
    ok = ok && EVP_PKEY_sign(ctx, signature, &len, text, sizeof text) == 1;
    if (allocations_left > 0)
        sem_post(&is_halted); /* there are not so many */
    allocations_left = -1;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static void *sign_once(void *arg)
{
    struct signer *signer = arg;

    signer->ok = sign_with(signer->ctx, signer->key, signer->stop);
    return NULL;
}

static uint64_t counted(void)
{
    struct oct_counters counters;

    oct_counters_read(&counters);
    return counters.op[OCT_OP_RSA2048_PRIVATE].done + counters.op[OCT_OP_RSA2048_PRIVATE].fallback;
}

/* Runs in a child: 1 if each operation was counted, while another thread's was halted too. */
static int sign_beside(OSSL_LIB_CTX *ctx, int stop)
{
    struct signer signer = {ctx, load_key(ctx, "2048a"), stop, 0};
    pthread_t thread;
    int ok = is_ours(signer.key);

    for (int i = 0; i < OCT_POLICY_ASIDE; i++)
        ok = sign_with(ctx, signer.key, -1) && ok;
    ok = ok && counted() == OCT_POLICY_ASIDE && pthread_create(&thread, NULL, sign_once, &signer) == 0;
    if (!ok)
        return 0;
    sem_wait(&is_halted);
    const uint64_t before = counted();
    ok = sign_with(ctx, signer.key, -1) && counted() == before + 1;
    sem_post(&may_go_on);
    return pthread_join(thread, NULL) == 0 && signer.ok && ok && counted() == OCT_POLICY_ASIDE + 2;
}

static void test_counted_beside(void **state)
{
    (void)state;
    for (int stop = 1; stop <= STOPS; stop++)
        expect_in_child(sign_beside, octuple_ctx, stop);
}

static int load(void **state)
{
    EVP_PKEY *key;

    open_contexts(state);
    key = load_key(plain_ctx, "2048a");
    assert_int_equal(EVP_PKEY_todata(key, EVP_PKEY_PUBLIC_KEY, &numbers), 1);
    EVP_PKEY_free(key);
    assert_int_equal(sem_init(&is_halted, 0, 0), 0);
    assert_int_equal(sem_init(&may_go_on, 0, 0), 0);
    return 0;
}

static int unload(void **state)
{
    OSSL_PARAM_free(numbers);
    return close_contexts(state);
}

int main(void)
{
    if (!CRYPTO_set_mem_functions(count_malloc, count_realloc, count_free))
        return 1;
    return RUN_TESTS(load, unload, test_halted, test_together, test_counted_beside);
}
