/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Connections that go away while their fibre is paused. OpenSSL has no way to end such a fibre: its stack, and what it
 * allocated, are lost. The signers are static so that LeakSanitizer still finds a way to them, and reports only what we
 * lose. What must not happen is that a job stays in the queue, that a descriptor stays open, or that freed memory is
 * touched.
 */
#include "common.h"
#include "fibres.h"

#include "base/thread_mode.h"

#include <pthread.h>
#include <unistd.h>

#define MANY 20

static void test_abandoned(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    static struct signer signer[MANY];
    int fd[MANY], last_fd = dup(0), probe;

    (void)state;
    close(last_fd);
    for (unsigned i = 0; i < MANY; i++) {
        oct_queue_set_deferred(oct_queue_thread(), 1);
        signer_init(&signer[i], key, i);
        assert_int_equal(signer_step(&signer[i]), 0);
        fd[i] = signer_fd(&signer[i]);
    }
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), MANY);
    for (int i = 0; i < MANY; i += 2) {
        signer_clear(&signer[i]);
        assert_int_equal(close(fd[i]), -1); /* closed already */
    }
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), MANY / 2);
    for (int i = 1; i < MANY; i += 2) {
        signer_finish(&signer[i]);
        assert_true(signer_is_right(&signer[i], "2048a"));
        signer_clear(&signer[i]);
    }
    oct_queue_set_deferred(oct_queue_thread(), 0);
    probe = dup(0);
    assert_int_equal(probe, last_fd);
    close(probe);
    EVP_PKEY_free(key);
}

static int unexpected_calls;

static int unexpected(void *arg)
{
    (void)arg;
    unexpected_calls++;
    return 1;
}

/* With callbacks: nobody is called for a connection that has gone. */
static void test_abandoned_with_callback(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    static struct signer signer[4];

    (void)state;
    oct_thread_set_mode(OCT_THREAD_EVENT_LOOP);
    for (unsigned i = 0; i < 4; i++) {
        signer_init(&signer[i], key, i);
        assert_true(ASYNC_WAIT_CTX_set_callback(signer[i].wait, unexpected, NULL));
        assert_int_equal(signer_step(&signer[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        signer_clear(&signer[i]);
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 0);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 0);
    assert_int_equal(unexpected_calls, 0);
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
    EVP_PKEY_free(key);
}

static void *clear_elsewhere(void *arg)
{
    signer_clear(arg);
    return NULL;
}

/* Freed on another thread, which may not touch this thread's queue: the job runs into nowhere. */
static void test_abandoned_elsewhere(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    static struct signer signer[2];
    pthread_t thread;

    (void)state;
    oct_thread_set_mode(OCT_THREAD_EVENT_LOOP);
    for (unsigned i = 0; i < 2; i++) {
        signer_init(&signer[i], key, i);
        assert_true(ASYNC_WAIT_CTX_set_callback(signer[i].wait, unexpected, NULL));
        assert_int_equal(signer_step(&signer[i]), 0);
    }
    EVP_PKEY_free(key);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&thread, NULL, clear_elsewhere, &signer[i]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 2);
    assert_int_equal(unexpected_calls, 0);
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
}

static void *abandon_and_end(void *arg)
{
    struct signer *signer = arg;

    for (unsigned i = 0; i < 3; i++) {
        signer_init(&signer[i], signer[i].key, i);
        signer_step(&signer[i]);
    }
    return NULL;
}

/* A thread ends with fibres paused; its queue goes with it. Their wait contexts are freed afterwards. */
static void test_thread_ends(void **state)
{
    EVP_PKEY *key = load_key(octuple_ctx, "2048a");
    static struct signer signer[3];
    pthread_t thread;

    (void)state;
    for (int i = 0; i < 3; i++)
        signer[i].key = key;
    assert_int_equal(pthread_create(&thread, NULL, abandon_and_end, signer), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (int i = 0; i < 3; i++) {
        assert_false(signer[i].ended);
        signer_clear(&signer[i]);
    }
    EVP_PKEY_free(key);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_abandoned, test_abandoned_with_callback,
                     test_abandoned_elsewhere, test_thread_ends);
}
