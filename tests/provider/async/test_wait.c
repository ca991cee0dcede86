/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: EXPORTS */
/* How a paused fibre is woken: by an eventfd, by the callback of somebody who polls, by that of somebody who does not;
 * and draining. */
#include "common.h"
#include "fibres.h"

#include "base/thread_mode.h"

#include <dlfcn.h>
#include <openssl/err.h>
#include <unistd.h>

static EVP_PKEY *key;
static int pause_fails;

/* In front of libcrypto's, for the provider too: CMake exports it (ENABLE_EXPORTS). */
__attribute__((visibility("default"))) int ASYNC_pause_job(void)
{
    int (*real)(void);

    if (pause_fails)
        return 0;
    *(void **)&real = dlsym(RTLD_NEXT, "ASYNC_pause_job");
    return real();
}

static int load(void **state)
{
    open_contexts(state);
    key = load_key(octuple_ctx, "2048a");
    return 0;
}

static int unload(void **state)
{
    EVP_PKEY_free(key);
    return close_contexts(state);
}

static void test_descriptor(void **state)
{
    struct signer signer[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        signer_init(&signer[i], key, i);
        assert_int_equal(signer_step(&signer[i]), 0);
        assert_true(signer_fd(&signer[i]) >= 0);
        assert_true(is_readable(signer_fd(&signer[i]))); /* at once: nobody else will wake it */
    }
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 3);
    signer_finish(&signer[1]); /* any one of them serves all */
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 0);
    assert_false(is_readable(signer_fd(&signer[1])));
    signer_finish(&signer[0]);
    signer_finish(&signer[2]);
    for (int i = 0; i < 3; i++) {
        assert_true(signer_is_right(&signer[i], "2048a"));
        signer_clear(&signer[i]);
    }
}

/* The eighth submits and runs all: it does not pause, and leaves no descriptor of which nobody was told. */
static void test_eighth_does_not_pause(void **state)
{
    struct signer signer[EIGHT];

    (void)state;
    for (unsigned i = 0; i < EIGHT; i++) {
        signer_init(&signer[i], key, i);
        assert_int_equal(signer_step(&signer[i]), i == EIGHT - 1);
    }
    assert_int_equal(signer_fd(&signer[EIGHT - 1]), -1);
    signers_end(signer, EIGHT, "2048a");
}

/* One wait context for operation after operation has one descriptor, and closes it. */
static void test_descriptor_is_reused(void **state)
{
    struct signer signer;
    int fd = -1;

    (void)state;
    signer_init(&signer, key, 1);
    for (int i = 0; i < 5; i++) {
        signer.job = NULL;
        signer.ended = 0;
        assert_int_equal(signer_step(&signer), 0);
        if (i > 0)
            assert_int_equal(signer_fd(&signer), fd);
        fd = signer_fd(&signer);
        assert_true(is_readable(fd));
        signer_finish(&signer);
        assert_true(signer_is_right(&signer, "2048a"));
        assert_false(is_readable(fd));
    }
    signer_clear(&signer);
    assert_int_equal(close(fd), -1);
}

static int calls;

static int count_call(void *arg)
{
    ++*(int *)arg;
    calls++;
    return 1;
}

/* The shim's way: it serves the thread and polls; the callback says that the job is done. */
static void test_callback_in_event_loop(void **state)
{
    struct oct_queue *queue = oct_queue_thread();
    struct signer signer[4];
    int called[4] = {0};

    (void)state;
    oct_queue_set_deferred(queue, 1);
    oct_thread_set_mode(OCT_THREAD_EVENT_LOOP);
    for (unsigned i = 0; i < 4; i++) {
        signer_init(&signer[i], key, i);
        assert_true(ASYNC_WAIT_CTX_set_callback(signer[i].wait, count_call, &called[i]));
        assert_int_equal(signer_step(&signer[i]), 0);
        assert_int_equal(signer_fd(&signer[i]), -1);
        assert_int_equal(called[i], 0);
    }
    assert_int_equal(oct_queue_waiting(queue), 4);
    assert_int_equal(oct_queue_poll(queue), 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(called[i], 1);
        assert_int_equal(signer_step(&signer[i]), 1);
        assert_true(signer_is_right(&signer[i], "2048a"));
        signer_clear(&signer[i]);
    }
    oct_queue_set_deferred(queue, 0);
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
}

/* Resumed before anybody has polled, a fibre does its own operation and leaves those of others where they wait. */
static void test_resumed_too_early(void **state)
{
    struct oct_queue *queue = oct_queue_thread();
    struct signer signer[3];
    int called[3] = {0};

    (void)state;
    oct_thread_set_mode(OCT_THREAD_EVENT_LOOP);
    for (unsigned i = 0; i < 3; i++) {
        signer_init(&signer[i], key, i);
        assert_true(ASYNC_WAIT_CTX_set_callback(signer[i].wait, count_call, &called[i]));
        assert_int_equal(signer_step(&signer[i]), 0);
    }
    assert_int_equal(signer_step(&signer[1]), 1);
    assert_int_equal(oct_queue_waiting(queue), 2);
    signers_end(signer, 3, "2048a");
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
}

/* A program that holds a lock may block pausing. The operation then runs at once, and alone. */
static void test_pause_is_blocked(void **state)
{
    struct oct_queue *queue = oct_queue_thread();
    struct signer waiting, blocked;
    int called[2] = {0};

    (void)state;
    oct_thread_set_mode(OCT_THREAD_EVENT_LOOP);
    signer_init(&waiting, key, 1);
    signer_init(&blocked, key, 2);
    assert_true(ASYNC_WAIT_CTX_set_callback(waiting.wait, count_call, &called[0]));
    assert_true(ASYNC_WAIT_CTX_set_callback(blocked.wait, count_call, &called[1]));
    assert_int_equal(signer_step(&waiting), 0);
    blocked.blocks_pause = 1;
    assert_int_equal(signer_step(&blocked), 1);
    assert_int_equal(oct_queue_waiting(queue), 1);
    assert_int_equal(called[0], 0);
    signers_end(&waiting, 1, "2048a");
    signers_end(&blocked, 1, "2048a");
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
}

/* An application with a callback that knows nothing of Octuple: called when the job waits, and the fibre polls. */
static void test_callback_of_native_async(void **state)
{
    struct signer signer[3];
    int called[3] = {0};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        signer_init(&signer[i], key, i);
        assert_true(ASYNC_WAIT_CTX_set_callback(signer[i].wait, count_call, &called[i]));
        assert_int_equal(signer_step(&signer[i]), 0);
        assert_int_equal(called[i], 1);
        assert_int_equal(ASYNC_WAIT_CTX_get_status(signer[i].wait), ASYNC_STATUS_OK);
    }
    for (int i = 0; i < 3; i++) {
        assert_int_equal(signer_step(&signer[i]), 1);
        assert_int_equal(called[i], 1);
        assert_true(signer_is_right(&signer[i], "2048a"));
        signer_clear(&signer[i]);
    }
}

/* A connection that is being freed: its fibre gives up, also at the next operation, and the others are unharmed. */
static void test_draining(void **state)
{
    struct oct_queue *queue = oct_queue_thread();
    struct signer signer[3], late;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        signer_init(&signer[i], key, i);
        assert_int_equal(signer_step(&signer[i]), 0);
    }
    oct_thread_set_draining(true);
    ERR_clear_error();
    assert_int_equal(signer_step(&signer[1]), 1);
    assert_int_equal(signer[1].result, 0);
    assert_int_equal(ERR_GET_REASON(ERR_peek_error()), ERR_R_INTERRUPTED_OR_CANCELLED);
    assert_int_equal(oct_queue_waiting(queue), 2);
    signer_init(&late, key, 9);
    assert_int_equal(signer_step(&late), 1);
    assert_int_equal(late.result, 0);
    oct_thread_set_draining(false);
    ERR_clear_error();
    for (int i = 0; i < 3; i += 2) {
        signer_finish(&signer[i]);
        assert_true(signer_is_right(&signer[i], "2048a"));
    }
    for (int i = 0; i < 3; i++)
        signer_clear(&signer[i]);
    signer_clear(&late);
}

/* When a fibre cannot be switched, its operation leaves the queue and falls back; the others are unharmed. */
static void test_pause_fails(void **state)
{
    struct signer waiting, failing;

    (void)state;
    signer_init(&waiting, key, 1);
    assert_int_equal(signer_step(&waiting), 0);
    signer_init(&failing, key, 2);
    pause_fails = 1;
    assert_int_equal(signer_step(&failing), 1);
    pause_fails = 0;
    assert_true(signer_is_right(&failing, "2048a"));
    assert_false(is_readable(signer_fd(&failing)));
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 1);
    signer_finish(&waiting);
    assert_true(signer_is_right(&waiting, "2048a"));
    signer_clear(&waiting);
    signer_clear(&failing);
}

/* Two fibres on one wait context: the second cannot wait there, and falls back. */
static void test_shared_wait_context(void **state)
{
    struct signer one, two;

    (void)state;
    signer_init(&one, key, 1);
    signer_init(&two, key, 2);
    ASYNC_WAIT_CTX_free(two.wait);
    two.wait = one.wait;
    assert_int_equal(signer_step(&one), 0);
    assert_int_equal(signer_step(&two), 1);
    assert_true(signer_is_right(&two, "2048a"));
    signer_finish(&one);
    assert_true(signer_is_right(&one, "2048a"));
    signer_clear(&one);
}

int main(void)
{
    return RUN_TESTS(load, unload, test_descriptor, test_eighth_does_not_pause, test_descriptor_is_reused,
                     test_callback_in_event_loop, test_resumed_too_early, test_pause_is_blocked,
                     test_callback_of_native_async, test_draining, test_pause_fails, test_shared_wait_context);
}
