/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/batch/thread.c: the queue of each thread, from its making to the thread's end, and what a fork leaves behind. */
#include "unit.h"

#include <pthread.h>

#include "base/thread_mode.h"
#include "fake_engine.h"

#define OP OCT_OP_RSA2048_PRIVATE

static int callbacks;

static void done(struct oct_job *job)
{
    (void)job;
    callbacks++;
}

static void waiting_job(struct oct_queue *queue, struct oct_job *job, unsigned flags)
{
    *job = (struct oct_job){.op = OP, .flags = flags, .done = done};
    if (oct_queue_submit(queue, job) != OCT_OK)
        abort();
}

/* An engine for the threads' own queues, for several threads at once: it notes nothing. */
static void quiet_run(struct oct_job *const job[], unsigned jobs)
{
    for (unsigned i = 0; i < jobs; i++)
        job[i]->status = OCT_OK;
}

static int quiet_check(const struct oct_job *job)
{
    (void)job;
    return OCT_OK;
}

static bool quiet_is_whole(int op)
{
    (void)op;
    return false;
}

static void quiet_get_ready(int op)
{
    (void)op;
}

static const struct oct_engine quiet = {quiet_check, quiet_get_ready, quiet_run, quiet_is_whole};

static void check_left_behind(struct oct_queue *queue, struct oct_job *job)
{
    struct oct_job before = *job;
    CHILD_ASSERT(!oct_queue_holds(queue, job));
    CHILD_ASSERT(oct_queue_cancel(queue, job) == OCT_ERR_STATE);
    CHILD_ASSERT(memcmp(&before, job, sizeof before) == 0);
}

/* In the child: nothing waits, nobody is called, and the queue is as good as new. */
static void check_child(struct oct_queue *queue, struct oct_job *job, unsigned jobs)
{
    CHILD_ASSERT(oct_queue_waiting(queue) == 0);
    CHILD_ASSERT(oct_thread_mode(true) == OCT_THREAD_NATIVE_ASYNC);
    for (unsigned i = 0; i < jobs; i++)
        check_left_behind(queue, &job[i]);
    CHILD_ASSERT(oct_queue_poll(queue) == 0 && oct_queue_run_full(queue) == 0);
    CHILD_ASSERT(callbacks == 0);

    struct oct_job fresh;
    waiting_job(queue, &fresh, 0);
    CHILD_ASSERT(oct_queue_waiting(queue) == 1 && oct_queue_holds(queue, &fresh));
    CHILD_ASSERT(oct_queue_submit(queue, &job[0]) == OCT_OK); /* a job left behind is a job like any other */
    CHILD_ASSERT(oct_queue_poll(queue) == 2 && callbacks == 2);
    CHILD_ASSERT(fresh.status == OCT_OK && job[0].status == OCT_OK);
}

static void test_fork_with_jobs_waiting(void **state)
{
    struct oct_queue *queue = fake_queue(false);
    struct oct_job job[5];
    (void)state;
    callbacks = 0;
    oct_thread_set_mode(OCT_THREAD_EVENT_LOOP);
    for (int i = 0; i < 5; i++)
        waiting_job(queue, &job[i], OCT_JOB_MAY_FALL_BACK);
    pid_t child = fork();
    if (child == 0) {
        check_child(queue, job, 5);
        oct_queue_free(queue);
        _exit(0);
    }
    assert_child_good(child);
    assert_int_equal(oct_queue_waiting(queue), 5);
    assert_int_equal(oct_thread_mode(true), OCT_THREAD_EVENT_LOOP);
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
    assert_int_equal(oct_queue_poll(queue), 5);
    assert_int_equal(callbacks, 5);
    oct_queue_free(queue);
}

/* The jobs' memory need not even exist in the child: stacks of other threads, say. */
static void test_fork_does_not_touch_jobs(void **state)
{
    struct oct_queue *queue = fake_queue(false);
    struct oct_job *job = malloc(sizeof *job);
    (void)state;
    waiting_job(queue, job, 0);
    pid_t child = fork();
    if (child == 0) {
        memset(job, 0xee, sizeof *job);
        free(job);
        struct oct_job fresh;
        waiting_job(queue, &fresh, 0);
        CHILD_ASSERT(oct_queue_poll(queue) == 1);
        oct_queue_free(queue);
        _exit(0);
    }
    assert_child_good(child);
    oct_queue_free(queue);
    free(job);
}

/* Freeing first thing in the child leaves the parent's jobs alone. */
static void test_fork_then_free(void **state)
{
    struct oct_queue *queue = fake_queue(false);
    struct oct_job job;
    (void)state;
    waiting_job(queue, &job, 0);
    pid_t child = fork();
    if (child == 0) {
        oct_queue_free(queue);
        CHILD_ASSERT(job.state == OCT_JOB_WAITING && !oct_queue_holds(queue, &job));
        _exit(0);
    }
    assert_child_good(child);
    assert_int_equal(oct_queue_cancel(queue, &job), OCT_OK);
    oct_queue_free(queue);
}

/* Three generations: a child's jobs are left behind like the parent's. */
static void test_fork_twice(void **state)
{
    struct oct_queue *queue = fake_queue(false);
    struct oct_job old, newer;
    (void)state;
    callbacks = 0;
    waiting_job(queue, &old, 0);
    pid_t child = fork();
    if (child == 0) {
        waiting_job(queue, &newer, 0);
        pid_t next = fork();
        if (next == 0) {
            check_left_behind(queue, &old);
            check_left_behind(queue, &newer);
            CHILD_ASSERT(oct_queue_poll(queue) == 0);
            _exit(0);
        }
        int status;
        CHILD_ASSERT(waitpid(next, &status, 0) == next && status == 0);
        CHILD_ASSERT(oct_queue_poll(queue) == 1 && callbacks == 1);
        _exit(0);
    }
    assert_child_good(child);
    assert_int_equal(oct_queue_poll(queue), 1);
    oct_queue_free(queue);
}

static pid_t forked = -1;
static struct oct_queue *forking;
static struct oct_job late_job; /* submitted by a callback */

static void fork_in_callback(struct oct_job *job)
{
    (void)job;
    if (callbacks++ != 2)
        return;
    waiting_job(forking, &late_job, 0);
    forked = fork();
}

/* In the middle of a batch's reports: the parent goes on, the child's call ends with nothing more reported. */
static void test_fork_in_callback(void **state)
{
    struct oct_queue *queue = fake_queue(false);
    struct oct_job job[12];
    (void)state;
    callbacks = 0;
    forking = queue;
    oct_queue_set_deferred(queue, 1);
    for (int i = 0; i < 12; i++) {
        job[i] = (struct oct_job){.op = OP, .done = fork_in_callback};
        assert_int_equal(oct_queue_submit(queue, &job[i]), OCT_OK);
    }
    unsigned completed = oct_queue_poll(queue);
    if (forked == 0) {
        CHILD_ASSERT(completed == 3 && callbacks == 3);
        for (int i = 0; i < 12; i++)
            CHILD_ASSERT(!oct_queue_holds(queue, &job[i]));
        CHILD_ASSERT(!oct_queue_holds(queue, &late_job) && oct_queue_waiting(queue) == 0);
        struct oct_job fresh;
        waiting_job(queue, &fresh, 0);
        CHILD_ASSERT(oct_queue_poll(queue) == 1 && late_job.state == OCT_JOB_WAITING);
        oct_queue_free(queue);
        _exit(0);
    }
    assert_child_good(forked);
    assert_int_equal(completed, 12);
    assert_int_equal(callbacks, 12);
    assert_int_equal(oct_queue_cancel(queue, &late_job), OCT_OK);
    oct_queue_free(queue);
}

static void *thread_queue_is_its_own(void *arg)
{
    struct oct_queue *mine;
    if (oct_queue_thread_peek() != NULL || (mine = oct_queue_thread()) == NULL)
        return NULL;
    return mine != arg && oct_queue_thread() == mine && oct_queue_thread_peek() == mine ? mine : NULL;
}

static void test_thread_queue(void **state)
{
    pthread_t thread;
    void *good;
    (void)state;
    struct oct_queue *mine = oct_queue_thread();
    assert_non_null(mine);
    assert_ptr_equal(oct_queue_thread(), mine);
    assert_int_equal(pthread_create(&thread, NULL, thread_queue_is_its_own, mine), 0);
    assert_int_equal(pthread_join(thread, &good), 0);
    assert_non_null(good);
}

struct left {
    struct oct_job job;
    struct oct_queue *queue;
};

static void *thread_leaves_job(void *arg)
{
    struct left *left = arg;
    left->queue = oct_queue_thread();
    left->queue->engine = &quiet;
    waiting_job(left->queue, &left->job, 0);
    return NULL;
}

/* The thread ends: its jobs are cancelled, nobody is called, and a late owner may still ask about them. */
static void test_thread_ends_with_jobs(void **state)
{
    struct left left;
    struct oct_counters before, after;
    pthread_t thread;
    (void)state;
    callbacks = 0;
    oct_counters_read(&before);
    assert_int_equal(pthread_create(&thread, NULL, thread_leaves_job, &left), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    oct_counters_read(&after);
    assert_int_equal(callbacks, 0);
    assert_int_equal(left.job.state, OCT_JOB_IDLE);
    assert_false(oct_queue_holds(left.queue, &left.job));
    assert_int_equal(oct_queue_cancel(left.queue, &left.job), OCT_ERR_STATE);
    assert_int_equal(after.op[OP].cancelled - before.op[OP].cancelled, 1);
    assert_int_equal(after.op[OP].submitted - before.op[OP].submitted, 1);
    assert_int_equal(after.op[OP].waiting, before.op[OP].waiting);
}

static void exit_thread(struct oct_job *job)
{
    (void)job;
    pthread_exit(NULL);
}

static void *thread_ends_in_callback(void *arg)
{
    struct oct_job *job = arg;
    struct oct_queue *queue = oct_queue_thread();
    queue->engine = &quiet;
    for (int i = 0; i < 2; i++) {
        job[i] = (struct oct_job){.op = OP, .done = exit_thread};
        if (oct_queue_submit(queue, &job[i]) != OCT_OK)
            abort();
    }
    oct_queue_poll(queue);
    abort();
}

static void test_thread_ends_in_callback(void **state)
{
    struct oct_job job[2];
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, thread_ends_in_callback, job), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(job[0].state, OCT_JOB_DONE);
    assert_int_equal(job[1].state, OCT_JOB_IDLE);
}

/* Another library's key, made earlier or later than ours: its destructor asks for a queue when ours is gone. */
static pthread_key_t late_key;

static void late_destructor(void *value)
{
    struct oct_job job = {.op = OP};
    struct oct_queue *queue = oct_queue_thread();
    (void)value;
    queue->engine = &quiet;
    if (oct_queue_submit(queue, &job) != OCT_OK || oct_queue_poll(queue) != 1)
        abort();
}

static void *thread_asks_late(void *arg)
{
    pthread_setspecific(late_key, arg);
    return oct_queue_thread();
}

static void test_queue_in_another_destructor(void **state)
{
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_key_create(&late_key, late_destructor), 0);
    assert_int_equal(pthread_create(&thread, NULL, thread_asks_late, &late_key), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_key_delete(late_key);
}

static int stop;

static void *thread_keeps_busy(void *arg)
{
    struct oct_queue *queue = oct_queue_thread();
    struct oct_job job[10];
    unsigned *rounds = arg;

    queue->engine = &quiet;
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        for (int i = 0; i < 10; i++) {
            job[i] = (struct oct_job){.op = OP};
            if (oct_queue_submit(queue, &job[i]) != OCT_OK)
                abort();
        }
        oct_queue_cancel(queue, &job[9]);
        oct_queue_poll(queue);
        __atomic_fetch_add(rounds, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void child_under_load(struct oct_queue *queue, struct oct_job *job)
{
    check_left_behind(queue, job);
    CHILD_ASSERT(oct_queue_thread() == queue && oct_queue_waiting(queue) == 0);
    struct oct_job fresh[8];
    for (int i = 0; i < 8; i++) {
        fresh[i] = (struct oct_job){.op = OP};
        CHILD_ASSERT(oct_queue_submit(queue, &fresh[i]) == OCT_OK);
    }
    CHILD_ASSERT(fresh[7].state == OCT_JOB_DONE);
    struct oct_counters c;
    oct_counters_read(&c);
    CHILD_ASSERT(c.op[OP].submitted == 8 && c.op[OP].done == 8 && c.op[OP].flushes[7] == 1);
}

/* Fifty forks while two other threads run batches. */
static void test_fork_under_load(void **state)
{
    pthread_t thread[2];
    unsigned rounds[2] = {0, 0};
    struct oct_queue *queue = oct_queue_thread();
    struct oct_job job = {.op = OP};
    (void)state;
    queue->engine = &quiet;
    assert_int_equal(oct_queue_submit(queue, &job), OCT_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, thread_keeps_busy, &rounds[i]), 0);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (child == 0) {
            child_under_load(queue, &job);
            _exit(0);
        }
        assert_child_good(child);
        assert_true(oct_queue_holds(queue, &job));
    }
    while (__atomic_load_n(&rounds[0], __ATOMIC_RELAXED) == 0 || __atomic_load_n(&rounds[1], __ATOMIC_RELAXED) == 0)
        usleep(1000);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(oct_queue_cancel(queue, &job), OCT_OK);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_fork_with_jobs_waiting, test_fork_does_not_touch_jobs, test_fork_then_free,
                     test_fork_twice, test_fork_in_callback, test_thread_queue, test_thread_ends_with_jobs,
                     test_thread_ends_in_callback, test_queue_in_another_destructor, test_fork_under_load);
}
