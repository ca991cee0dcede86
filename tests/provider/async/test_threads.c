/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Many threads that share keys: with fibres and without; keys made, used and freed all the while; contexts of their
 * own. */
#include "common.h"

#include <openssl/err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define THREADS 6

static EVP_PKEY *shared[4];
static atomic_int failures;

static int sign_and_verify(EVP_PKEY *key, unsigned seed)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t signature[512], message[40];
    size_t len = sizeof signature;
    int ok;

    fill(message, sizeof message, seed);
    ok = EVP_DigestSignInit_ex(ctx, NULL, "SHA256", octuple_ctx, NULL, key, NULL) > 0 &&
         EVP_DigestSign(ctx, signature, &len, message, sizeof message) > 0;
    EVP_MD_CTX_reset(ctx);
    ok = ok && EVP_DigestVerifyInit_ex(ctx, NULL, "SHA256", octuple_ctx, NULL, key, NULL) > 0 &&
         EVP_DigestVerify(ctx, signature, len, message, sizeof message) > 0;
    EVP_MD_CTX_free(ctx);
    return ok;
}

struct fibre {
    ASYNC_JOB *job;
    ASYNC_WAIT_CTX *wait;
    int result, running;
    unsigned number;
};

static int fibre_work(void *arg)
{
    const struct fibre *fibre = *(struct fibre **)arg;
    return sign_and_verify(shared[fibre->number % 4], fibre->number);
}

/* Eight fibres on this thread, without assertions: those belong to the main thread. */
static void eight_fibres(unsigned seed)
{
    struct fibre fibre[EIGHT] = {{0}};
    int running = EIGHT;

    for (unsigned i = 0; i < EIGHT; i++) {
        fibre[i].wait = ASYNC_WAIT_CTX_new();
        fibre[i].running = 1;
        fibre[i].number = seed + i;
    }
    while (running > 0) {
        for (int i = 0; i < EIGHT; i++) {
            struct fibre *f = &fibre[i];
            int status;
            if (!f->running)
                continue;
            status = ASYNC_start_job(&f->job, f->wait, &f->result, fibre_work, &f, sizeof f);
            if (status == ASYNC_PAUSE)
                continue;
            f->running = 0;
            running--;
            failures += status != ASYNC_FINISH || !f->result;
        }
    }
    for (int i = 0; i < EIGHT; i++)
        ASYNC_WAIT_CTX_free(fibre[i].wait);
}

static void *thread_main(void *arg)
{
    const unsigned number = (unsigned)(uintptr_t)arg;
    const int rounds = is_slow() ? 1 : 12;

    for (int round = 0; round < rounds; round++) {
        EVP_PKEY *copy = EVP_PKEY_dup(shared[number % 4]);
        failures += copy == NULL || !sign_and_verify(copy, number);
        EVP_PKEY_free(copy);
        if (number % 2 == 0)
            eight_fibres(number * 100 + (unsigned)round);
        else
            for (unsigned i = 0; i < 4; i++)
                failures += !sign_and_verify(shared[i], i);
    }
    ASYNC_cleanup_thread();
    return NULL;
}

static void test_threads(void **state)
{
    static const char *const names[4] = {"2048a", "2048b", "3072a", "4096a"};
    pthread_t thread[THREADS];

    (void)state;
    for (int i = 0; i < 4; i++)
        shared[i] = load_key(octuple_ctx, names[i]);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, thread_main, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(failures, 0);
    for (int i = 0; i < 4; i++)
        EVP_PKEY_free(shared[i]);
}

static pthread_barrier_t barrier;
static OSSL_LIB_CTX *fresh_ctx;

/* The private context and the digests are made once, whoever comes first. */
static void *first_use(void *arg)
{
    EVP_PKEY *key;

    (void)arg;
    pthread_barrier_wait(&barrier);
    key = EVP_PKEY_Q_keygen(fresh_ctx, NULL, "RSA", (size_t)1024);
    failures += key == NULL || !is_ours(key);
    EVP_PKEY_free(key);
    return NULL;
}

static void test_first_use(void **state)
{
    pthread_t thread[THREADS];

    (void)state;
    fresh_ctx = new_octuple_ctx(NULL);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, first_use, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    pthread_barrier_destroy(&barrier);
    OSSL_LIB_CTX_free(fresh_ctx);
    assert_int_equal(failures, 0);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_first_use, test_threads);
}
