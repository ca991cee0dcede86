/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: BY_HAND */
/*
 * provider/async/waker.c where one thread frees a wait context while a job with it waits in another's queue: before
 * that runs it, meanwhile, afterwards, or when the thread has ended. Each record is freed once, and each reference to a
 * key given back once. No fibres: contexts are handed in, and jobs are the test's own.
 */
#include "provider/async/waker.h"

#include "provider/core/key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/crypto.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch/queue_internal.h"

#define OP     OCT_OP_RSA2048_PRIVATE
#define ROUNDS 4000

/* --- what waker.c finds of the provider and of libcrypto */

static _Thread_local ASYNC_WAIT_CTX *context;

/* In front of libcrypto's. */
__attribute__((visibility("default"))) ASYNC_WAIT_CTX *ASYNC_get_wait_ctx(ASYNC_JOB *fibre)
{
    (void)fibre;
    return context;
}

static atomic_long references, held;

void oct_prov_key_up_ref(void *key)
{
    if (key != NULL)
        atomic_fetch_add(&references, 1);
}

void oct_prov_key_free(void *key)
{
    if (key != NULL)
        atomic_fetch_sub(&references, 1);
}

static void *counted_malloc(size_t size, const char *file, int line)
{
    (void)file, (void)line;
    atomic_fetch_add(&held, 1);
    return malloc(size);
}

static void *counted_realloc(void *data, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    atomic_fetch_add(&held, data == NULL);
    return realloc(data, size);
}

static void counted_free(void *data, const char *file, int line)
{
    (void)file, (void)line;
    atomic_fetch_sub(&held, data != NULL);
    free(data);
}

/* --- a job */

static void run_nothing(struct oct_job *const job[], unsigned jobs)
{
    for (unsigned i = 0; i < jobs; i++)
        job[i]->status = OCT_OK;
}

static int check_nothing(const struct oct_job *job)
{
    (void)job;
    return OCT_OK;
}

static void get_ready(int op)
{
    (void)op;
}

static bool is_whole(int op)
{
    (void)op;
    return false;
}

static const struct oct_engine engine = {check_nothing, get_ready, run_nothing, is_whole};

struct waiting_job {
    struct oct_job job; /* where a fibre's stack would be: it outlives its thread */
    ASYNC_WAIT_CTX *ctx;
};

/* As a fibre does it, up to its first pause. */
static int begin(struct waiting_job *w)
{
    static int key;
    void *const keys[OCT_TASK_KEYS] = {&key, NULL};
    struct oct_queue *queue = oct_queue_thread();

    queue->engine = &engine;
    w->ctx = context = ASYNC_WAIT_CTX_new();
    w->job = (struct oct_job){.op = OP, .done = oct_waker_done};
    w->job.arg = oct_waker_begin(NULL, queue, &w->job, keys);
    if (w->job.arg == NULL || oct_queue_submit(queue, &w->job) != OCT_OK)
        return 0;
    oct_waker_arm(w->job.arg);
    return atomic_load(&references) == 1;
}

/* --- at the same time */

static struct waiting_job shared;
static pthread_barrier_t ready, over;

static void *free_contexts(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&ready);
        ASYNC_WAIT_CTX_free(shared.ctx);
        pthread_barrier_wait(&over);
    }
    return arg;
}

static void test_at_the_same_time(void **state)
{
    pthread_t thread;
    int wrong = 0;
    long before = 0;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, free_contexts, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        before = atomic_load(&held);
        wrong += !begin(&shared);
        pthread_barrier_wait(&ready);
        wrong += oct_queue_poll(oct_queue_thread()) != 1;
        pthread_barrier_wait(&over);
        wrong += atomic_load(&references) != 0;
        wrong += i > 0 && atomic_load(&held) != before;
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(wrong, 0);
}

/* --- in turns */

static void *free_context(void *w)
{
    ASYNC_WAIT_CTX_free(((struct waiting_job *)w)->ctx);
    return w;
}

static void free_elsewhere(struct waiting_job *w)
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, free_context, w), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_in_turns(void **state)
{
    static struct waiting_job w[3];
    const long before = atomic_load(&held);

    (void)state;
    assert_int_equal(begin(&w[0]), 1); /* freed, then run */
    free_elsewhere(&w[0]);
    assert_int_equal(atomic_load(&references), 1);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 1);
    assert_int_equal(atomic_load(&references), 0);
    assert_int_equal(begin(&w[1]), 1); /* run, then freed */
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 1);
    free_elsewhere(&w[1]);
    assert_int_equal(atomic_load(&references), 0);
    assert_int_equal(begin(&w[2]), 1); /* by its own thread */
    ASYNC_WAIT_CTX_free(w[2].ctx);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 0);
    assert_int_equal(atomic_load(&references), 0);
    assert_int_equal(atomic_load(&held), before);
}

/* --- a thread that ends */

static void *begin_and_end(void *w)
{
    return begin(w) ? w : NULL;
}

static void *begin_and_stay(void *w)
{
    void *good = begin_and_end(w);

    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&over);
    return good;
}

/* Its job has never run, and never will. */
static void test_thread_ended(void **state)
{
    static struct waiting_job w;
    const long before = atomic_load(&held);
    pthread_t thread;
    void *good;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, begin_and_end, &w), 0);
    assert_int_equal(pthread_join(thread, &good), 0);
    assert_non_null(good);
    ASYNC_WAIT_CTX_free(w.ctx);
    assert_int_equal(atomic_load(&references), 0);
    assert_int_equal(atomic_load(&held), before);
}

static void test_thread_ends_afterwards(void **state)
{
    static struct waiting_job w;
    const long before = atomic_load(&held);
    pthread_t thread;
    void *good;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, begin_and_stay, &w), 0);
    pthread_barrier_wait(&ready);
    ASYNC_WAIT_CTX_free(w.ctx);
    pthread_barrier_wait(&over);
    assert_int_equal(pthread_join(thread, &good), 0);
    assert_non_null(good);
    assert_int_equal(atomic_load(&references), 0);
    assert_int_equal(atomic_load(&held), before);
}

/* --- a fork */

/* The child frees its copies, uses contexts of its own, and ends its thread: none of its parent's is touched again. */
static int child_is_wrong(struct waiting_job *old)
{
    static struct waiting_job w[2];
    int wrong = 0;

    ASYNC_WAIT_CTX_free(old->ctx);
    wrong |= atomic_load(&references) != 0 || !begin(&w[0]);
    wrong |= oct_queue_poll(oct_queue_thread()) != 1;
    ASYNC_WAIT_CTX_free(w[0].ctx);
    wrong |= atomic_load(&references) != 0 || !begin(&w[1]);
    ASYNC_WAIT_CTX_free(w[1].ctx);
    return wrong || atomic_load(&references) != 0;
}

static void test_fork(void **state)
{
    static struct waiting_job w;
    pid_t child;
    int status;

    (void)state;
    assert_int_equal(begin(&w), 1);
    child = fork();
    if (child == 0)
        _exit(child_is_wrong(&w));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 1);
    ASYNC_WAIT_CTX_free(w.ctx);
    assert_int_equal(atomic_load(&references), 0);
}

int main(void)
{
    if (!CRYPTO_set_mem_functions(counted_malloc, counted_realloc, counted_free))
        return 1;
    if (pthread_barrier_init(&ready, NULL, 2) != 0 || pthread_barrier_init(&over, NULL, 2) != 0)
        return 1;
    return RUN_TESTS(NULL, NULL, test_in_turns, test_thread_ended, test_thread_ends_afterwards, test_fork,
                     test_at_the_same_time);
}
