/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/batch/queue.c, flush.c, base/thread_mode.c: what the queue promises, one promise at a time. */
#include "unit.h"

#include <pthread.h>

#include "base/policy.h"
#include "base/thread_mode.h"
#include "fake_engine.h"

#define OP       OCT_OP_RSA2048_PRIVATE
#define OTHER_OP OCT_OP_RSA4096_PUBLIC

#define ORDER 80

/* The jobs of a test, and what was reported of them in which order. */
struct scene {
    struct oct_queue *queue;
    struct oct_job job[40];
    int order[ORDER]; /* the first to be done */
    unsigned reported;
    void (*then)(struct scene *scene, struct oct_job *job); /* more for the callback to do */
};
static struct scene *current;

static void done(struct oct_job *job)
{
    struct scene *scene = job->arg;
    assert_int_equal(job->state, OCT_JOB_DONE);
    assert_false(oct_queue_holds(scene->queue, job));
    if (scene->reported < ORDER)
        scene->order[scene->reported] = (int)(job - scene->job);
    scene->reported++;
    if (scene->then != NULL)
        scene->then(scene, job);
}

static int setup(void **state)
{
    current = calloc(1, sizeof *current);
    current->queue = fake_queue(false);
    *state = current;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    oct_queue_free(scene->queue);
    free(scene);
    return 0;
}

static int submit_as(struct scene *scene, int i, int op, unsigned flags)
{
    struct oct_job *job = &scene->job[i];
    job->op = op;
    job->flags = flags;
    job->done = done;
    job->arg = scene;
    return oct_queue_submit(scene->queue, job);
}

static void submit(struct scene *scene, int from, int to, unsigned flags)
{
    for (int i = from; i < to; i++)
        assert_int_equal(submit_as(scene, i, OP, flags), OCT_OK);
}

static void assert_order(const struct scene *scene, unsigned from, unsigned to, int first)
{
    assert_int_equal(scene->reported, to);
    for (unsigned i = from; i < to; i++)
        assert_int_equal(scene->order[i], first + (int)(i - from));
}

/* Operations apart, by their oldest job, on a clock that does not go while batches run. */
static void test_poll_waited(void **state)
{
    struct scene *s = *state;
    assert_int_equal(submit_as(s, 0, OP, 0), OCT_OK);
    fake.clock += 60;
    assert_int_equal(submit_as(s, 1, OP, 0), OCT_OK);
    assert_int_equal(submit_as(s, 2, OTHER_OP, 0), OCT_OK);
    fake.clock += 40;
    assert_int_equal(oct_queue_poll_waited(s->queue, 101), 0);
    assert_int_equal(oct_queue_poll_waited(s->queue, 100), 2);
    assert_int_equal(fake.lanes, 2);
    assert_int_equal(oct_queue_waiting(s->queue), 1);
    assert_int_equal(oct_queue_poll_waited(s->queue, 41), 0);
    fake.clock++;
    assert_int_equal(oct_queue_poll_waited(s->queue, 41), 1);
    assert_int_equal(oct_queue_poll_waited(s->queue, 0), 0);
    assert_int_equal(oct_queue_poll_waited(NULL, 0), 0);
    assert_order(s, 0, 3, 0);
}

/* Eight of the oldest at a time; those that are left and have not waited as long go on waiting. */
static void test_poll_waited_takes_the_oldest(void **state)
{
    struct scene *s = *state;
    oct_queue_set_deferred(s->queue, 1);
    submit(s, 0, 3, 0);
    fake.clock += 10;
    submit(s, 3, 11, 0);
    fake.clock += 10;
    assert_int_equal(oct_queue_poll_waited(s->queue, 20), 8);
    assert_int_equal(oct_queue_waiting(s->queue), 3);
    assert_int_equal(oct_queue_poll_waited(s->queue, 20), 0);
    assert_int_equal(oct_queue_poll_waited(s->queue, 10), 3);
    assert_order(s, 0, 11, 0);
}

static void test_eighth_runs_at_once(void **state)
{
    struct scene *s = *state;
    submit(s, 0, 7, OCT_JOB_MAY_FALL_BACK);
    assert_int_equal(s->reported, 0);
    assert_int_equal(oct_queue_waiting(s->queue), 7);
    submit(s, 7, 8, OCT_JOB_MAY_FALL_BACK);
    assert_order(s, 0, 8, 0);
    assert_int_equal(fake.runs, 1);
    assert_int_equal(fake.lanes, 8);
    assert_int_equal(oct_queue_waiting(s->queue), 0);
    for (int i = 0; i < 8; i++)
        assert_int_equal(s->job[i].status, OCT_OK);
}

static void test_operations_do_not_mix(void **state)
{
    struct scene *s = *state;
    for (int i = 0; i < 14; i++)
        assert_int_equal(submit_as(s, i, i % 2 ? OP : OTHER_OP, 0), OCT_OK);
    assert_int_equal(s->reported, 0);
    assert_int_equal(oct_queue_poll(s->queue), 14);
    assert_int_equal(fake.runs, 2);
    assert_int_equal(fake.lanes, 7);
}

static void test_deferred(void **state)
{
    struct scene *s = *state;
    oct_queue_set_deferred(s->queue, 1);
    submit(s, 0, 19, 0);
    assert_int_equal(fake.runs, 0);
    assert_int_equal(oct_queue_run_full(s->queue), 16);
    assert_int_equal(fake.runs, 2);
    assert_order(s, 0, 16, 0);
    assert_int_equal(oct_queue_run_full(s->queue), 0);
    assert_int_equal(oct_queue_waiting(s->queue), 3);
    oct_queue_set_deferred(s->queue, 0);
    submit(s, 19, 23, 0);
    assert_int_equal(oct_queue_waiting(s->queue), 7);
    submit(s, 23, 24, 0);
    assert_order(s, 0, 24, 0);
}

/* 9 = 8 + 1: the one left over is alone and is handed back; 10 = 8 + 2: the two are not. */
static void test_remainder(void **state)
{
    struct scene *s = *state;
    oct_queue_set_deferred(s->queue, 1);
    submit(s, 0, 9, OCT_JOB_MAY_FALL_BACK);
    assert_int_equal(oct_queue_poll(s->queue), 9);
    assert_order(s, 0, 9, 0);
    assert_int_equal(s->job[7].status, OCT_OK);
    assert_int_equal(s->job[8].status, OCT_ERR_FALLBACK);
    assert_int_equal(fake.runs, 1);
    submit(s, 10, 20, OCT_JOB_MAY_FALL_BACK);
    assert_int_equal(oct_queue_poll(s->queue), 10);
    assert_order(s, 9, 19, 10);
    assert_int_equal(s->job[19].status, OCT_OK);
    assert_int_equal(fake.lanes, 2);
}

static void test_alone(void **state)
{
    struct scene *s = *state;
    submit(s, 0, 1, OCT_JOB_MAY_FALL_BACK);
    assert_int_equal(oct_queue_poll(s->queue), 1);
    assert_int_equal(s->job[0].status, OCT_ERR_FALLBACK);
    assert_int_equal(fake.runs, 0);
    submit(s, 1, 2, 0);
    assert_int_equal(oct_queue_poll(s->queue), 1);
    assert_int_equal(s->job[1].status, OCT_OK);
    assert_int_equal(fake.runs, 1);
}

/* Jobs that cannot fall back take the lanes, wherever they stand; the order of the reports stays. */
static void test_lanes_for_those_who_must(void **state)
{
    struct scene *s = *state;
    oct_queue_free(s->queue);
    s->queue = fake_queue(true);
    fake.cost[0] = 3000; /* four of the fallback are dearer, three are not */
    fake.cost[1] = 9000;
    submit(s, 0, 4, 0);
    assert_int_equal(oct_queue_poll(s->queue), 4);
    oct_queue_note_fallback(s->queue, OP, 1000);
    submit(s, 4, 8, OCT_JOB_MAY_FALL_BACK);
    submit(s, 8, 10, 0);
    assert_int_equal(oct_queue_poll(s->queue), 6);
    assert_order(s, 4, 10, 4);
    assert_int_equal(fake.lanes, 4);
    for (int i = 4; i < 10; i++)
        assert_int_equal(s->job[i].status, i == 6 || i == 7 ? OCT_ERR_FALLBACK : OCT_OK);
}

static void test_results(void **state)
{
    struct scene *s = *state;
    s->job[1].rsa.in = FAKE_STATUS + OCT_ERR_RANGE;
    s->job[2].rsa.in = FAKE_STATUS + OCT_ERR_FAULT;
    submit(s, 0, 4, 0);
    assert_int_equal(s->job[0].status, OCT_ERR_STATE);
    assert_int_equal(oct_queue_poll(s->queue), 4);
    assert_int_equal(s->job[0].status, OCT_OK);
    assert_int_equal(s->job[1].status, OCT_ERR_RANGE);
    assert_int_equal(s->job[2].status, OCT_ERR_FAULT);
    assert_int_equal(s->job[3].status, OCT_OK);
}

static void test_submit_errors(void **state)
{
    struct scene *s = *state;
    struct oct_job job = {.op = OP}, before = job;
    assert_int_equal(oct_queue_submit(NULL, &job), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_queue_submit(s->queue, NULL), OCT_ERR_ARGUMENT);
    fake.refuse = OCT_ERR_UNSUPPORTED;
    assert_int_equal(oct_queue_submit(s->queue, &job), OCT_ERR_UNSUPPORTED);
    fake.refuse = OCT_OK;
    assert_memory_equal(&job, &before, sizeof job);
    job.op = before.op = -1;
    assert_int_equal(oct_queue_submit(s->queue, &job), OCT_ERR_ARGUMENT);
    job.op = before.op = OCT_OP_COUNT;
    assert_int_equal(oct_queue_submit(s->queue, &job), OCT_ERR_ARGUMENT);
    job.op = before.op = OP;
    job.flags = before.flags = 6;
    assert_int_equal(oct_queue_submit(s->queue, &job), OCT_ERR_ARGUMENT);
    assert_memory_equal(&job, &before, sizeof job);
    assert_int_equal(oct_queue_waiting(s->queue), 0);
    job.flags = 0;
    assert_int_equal(oct_queue_submit(s->queue, &job), OCT_OK);
    before = job;
    assert_int_equal(oct_queue_submit(s->queue, &job), OCT_ERR_STATE);
    assert_memory_equal(&job, &before, sizeof job);
    assert_int_equal(oct_queue_cancel(s->queue, &job), OCT_OK);
}

static void test_cancel(void **state)
{
    struct scene *s = *state;
    submit(s, 0, 5, 0);
    for (int i = 0; i < 5; i += 2) { /* the first, one in the middle, the last */
        assert_int_equal(oct_queue_cancel(s->queue, &s->job[i]), OCT_OK);
        assert_int_equal(s->job[i].state, OCT_JOB_IDLE);
        assert_false(oct_queue_holds(s->queue, &s->job[i]));
        assert_int_equal(oct_queue_cancel(s->queue, &s->job[i]), OCT_ERR_STATE);
    }
    assert_int_equal(oct_queue_waiting(s->queue), 2);
    assert_int_equal(oct_queue_poll(s->queue), 2);
    assert_int_equal(s->order[0], 1);
    assert_int_equal(s->order[1], 3);
    assert_int_equal(oct_queue_cancel(s->queue, &s->job[1]), OCT_ERR_STATE);
    assert_int_equal(oct_queue_cancel(s->queue, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_queue_cancel(NULL, &s->job[1]), OCT_ERR_STATE);
    submit(s, 0, 1, 0); /* a cancelled job may come back */
    assert_int_equal(oct_queue_poll(s->queue), 1);
}

static void test_cancel_in_another_queue(void **state)
{
    struct scene *s = *state;
    struct oct_queue *other = fake_queue(false);
    submit(s, 0, 1, 0);
    assert_false(oct_queue_holds(other, &s->job[0]));
    assert_int_equal(oct_queue_cancel(other, &s->job[0]), OCT_ERR_STATE);
    assert_int_equal(oct_queue_submit(other, &s->job[0]), OCT_ERR_STATE);
    assert_true(oct_queue_holds(s->queue, &s->job[0]));
    oct_queue_free(other);
}

static void cancel_neighbours(struct scene *s, struct oct_job *job)
{
    int i = (int)(job - s->job);
    if (i != 2)
        return;
    assert_int_equal(oct_queue_cancel(s->queue, &s->job[1]), OCT_ERR_STATE); /* reported already */
    assert_int_equal(oct_queue_cancel(s->queue, job), OCT_ERR_STATE);        /* itself */
    assert_true(oct_queue_holds(s->queue, &s->job[5]));
    assert_int_equal(oct_queue_cancel(s->queue, &s->job[5]), OCT_OK); /* ran in this batch, not reported yet */
    assert_int_equal(oct_queue_cancel(s->queue, &s->job[9]), OCT_OK); /* of the next batch */
    memset(&s->job[5], 0xee, sizeof s->job[5]);
    memset(&s->job[9], 0xee, sizeof s->job[9]);
}

static void test_callback_cancels_its_own_batch(void **state)
{
    struct scene *s = *state;
    static const int expected[] = {0, 1, 2, 3, 4, 6, 7, 8, 10, 11};
    struct oct_counters before, after;
    s->then = cancel_neighbours;
    oct_queue_set_deferred(s->queue, 1);
    submit(s, 0, 12, 0);
    oct_counters_read(&before);
    assert_int_equal(oct_queue_poll(s->queue), 10);
    oct_counters_read(&after);
    assert_int_equal(after.op[OP].done - before.op[OP].done,
                     11); /* the one that ran was done, though nobody was told */
    assert_int_equal(after.op[OP].cancelled - before.op[OP].cancelled, 1);
    assert_int_equal(s->reported, 10);
    for (int i = 0; i < 10; i++)
        assert_int_equal(s->order[i], expected[i]);
    assert_int_equal(oct_queue_waiting(s->queue), 0);
    for (size_t i = 0; i < sizeof s->job[5]; i++) /* not touched any more */
        assert_int_equal(((unsigned char *)&s->job[5])[i], 0xee);
}

static void submit_again(struct scene *s, struct oct_job *job)
{
    unsigned runs = fake.runs;
    assert_int_equal(oct_queue_submit(s->queue, job), OCT_OK);
    assert_int_equal(oct_queue_poll(s->queue), 0);
    assert_int_equal(oct_queue_run_full(s->queue), 0);
    assert_int_equal(fake.runs, runs);
}

/* Every callback submits its job again: each call ends all the same, and runs what was there before it. */
static void test_callback_submits(void **state)
{
    struct scene *s = *state;
    s->then = submit_again;
    submit(s, 0, 8, 0); /* the eighth runs them */
    assert_int_equal(s->reported, 8);
    assert_int_equal(oct_queue_waiting(s->queue), 8);
    assert_int_equal(oct_queue_poll(s->queue), 8);
    assert_int_equal(oct_queue_run_full(s->queue), 8);
    submit(s, 8, 9, 0); /* the ninth finds eight waiting, and they run before it */
    assert_int_equal(s->reported, 32);
    assert_order(s, 24, 32, 0);
    assert_int_equal(oct_queue_waiting(s->queue), 9);
    s->then = NULL;
    assert_int_equal(oct_queue_poll(s->queue), 9);
    assert_int_equal(s->order[32], 8);
    assert_int_equal(s->order[33], 0);
}

static void forget(struct scene *s, struct oct_job *job)
{
    (void)s;
    memset(job, 0xee, sizeof *job);
}

static void test_callback_lets_go_of_its_job(void **state)
{
    struct scene *s = *state;
    s->then = forget;
    submit(s, 0, 8, 0);
    assert_int_equal(s->reported, 8);
    for (size_t i = 0; i < 8 * sizeof s->job[0]; i++)
        assert_int_equal(((unsigned char *)s->job)[i], 0xee);
}

static void test_no_callback(void **state)
{
    struct scene *s = *state;
    struct oct_job job = {.op = OP};
    assert_int_equal(oct_queue_submit(s->queue, &job), OCT_OK);
    assert_int_equal(oct_queue_poll(s->queue), 1);
    assert_int_equal(job.state, OCT_JOB_DONE);
    assert_int_equal(job.status, OCT_OK);
}

/* The jobs outlive the queue, and may still be asked about. */
static void test_free_cancels(void **state)
{
    struct scene *s = *state;
    struct oct_queue *gone = s->queue;
    submit(s, 0, 3, 0);
    oct_queue_free(gone);
    s->queue = NULL;
    assert_int_equal(s->reported, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(s->job[i].state, OCT_JOB_IDLE);
        assert_false(oct_queue_holds(gone, &s->job[i]));
        assert_int_equal(oct_queue_cancel(gone, &s->job[i]), OCT_ERR_STATE);
    }
}

static void test_null_queue(void **state)
{
    struct oct_job job = {.op = OP};
    (void)state;
    oct_queue_free(NULL);
    assert_int_equal(oct_queue_poll(NULL), 0);
    assert_int_equal(oct_queue_run_full(NULL), 0);
    assert_int_equal(oct_queue_waiting(NULL), 0);
    assert_int_equal(oct_queue_holds(NULL, &job), 0);
    assert_int_equal(oct_queue_break_even(NULL, OP), 0);
    oct_queue_set_deferred(NULL, 1);
    oct_queue_note_fallback(NULL, OP, 1);
    assert_int_equal(oct_queue_new(NULL, NULL), OCT_ERR_ARGUMENT);
}

/* What an operation does, by who serves its thread and by whether it may pause. */
static void test_thread_mode(void **state)
{
    (void)state;
    assert_int_equal(oct_thread_mode(false), OCT_THREAD_BLOCKING);
    assert_int_equal(oct_thread_mode(true), OCT_THREAD_NATIVE_ASYNC);
    oct_thread_set_mode(OCT_THREAD_EVENT_LOOP);
    assert_int_equal(oct_thread_mode(false), OCT_THREAD_ALONE);
    assert_int_equal(oct_thread_mode(true), OCT_THREAD_EVENT_LOOP);
    oct_thread_set_mode(OCT_THREAD_ALONE);
    assert_int_equal(oct_thread_mode(false), OCT_THREAD_ALONE);
    assert_int_equal(oct_thread_mode(true), OCT_THREAD_ALONE);
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
    assert_int_equal(oct_thread_mode(true), OCT_THREAD_NATIVE_ASYNC);
}

static pthread_key_t after_queue;
static enum oct_thread_mode mode_at_first, mode_after_queue;

static void note_mode(void *arg)
{
    (void)arg;
    if (oct_queue_thread_peek() != NULL) /* too early: set anew, it is called again after the queue's own destructor */
        (void)pthread_setspecific(after_queue, &after_queue);
    mode_after_queue = oct_thread_mode(true);
}

static void *served_thread(void *arg)
{
    mode_at_first = oct_thread_mode(true);
    oct_thread_set_mode(OCT_THREAD_EVENT_LOOP);
    if (oct_queue_thread() == NULL || pthread_setspecific(after_queue, &after_queue) != 0)
        abort();
    return arg;
}

/* The mode is one thread's, and goes with its queue. */
static void test_thread_mode_of_others(void **state)
{
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_key_create(&after_queue, note_mode), 0);
    oct_thread_set_mode(OCT_THREAD_ALONE);
    assert_int_equal(pthread_create(&thread, NULL, served_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(mode_at_first, OCT_THREAD_NATIVE_ASYNC);
    assert_int_equal(mode_after_queue, OCT_THREAD_NATIVE_ASYNC);
    assert_int_equal(oct_thread_mode(true), OCT_THREAD_ALONE);
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
    pthread_key_delete(after_queue);
}

static void *learning_thread(void *arg)
{
    struct oct_queue *queue = oct_queue_thread();
    double *cost = arg;
    if (queue == NULL)
        abort();
    *cost = (double)oct_queue_fallback_cost(queue, OP);
    for (int i = 0; i < 100; i++)
        oct_queue_note_fallback(queue, OP, 5000);
    return arg;
}

/* Threads that come and go do not learn costs anew each. */
static void test_queue_of_next_thread(void **state)
{
    double cost[2];
    pthread_t thread;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&thread, NULL, learning_thread, &cost[i]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_true(cost[1] > 0);
}

/* The clock and the caller's measurements decide; each operation for itself. */
static void test_break_even_is_learned(void **state)
{
    struct scene *s = *state;
    oct_queue_free(s->queue);
    s->queue = fake_queue(true);
    fake.cost[0] = 2500;
    fake.cost[1] = 5000;
    assert_int_equal(oct_queue_break_even(s->queue, OP), 2);
    for (int i = 0; i < OCT_POLICY_COST_SURE; i++) {
        submit(s, 0, 2, OCT_JOB_MAY_FALL_BACK);
        assert_int_equal(oct_queue_poll(s->queue), 2);
        assert_int_equal(s->job[0].status, OCT_OK);
    }
    assert_int_equal(oct_queue_fallback_cost(s->queue, OP), 0);
    oct_queue_note_fallback(s->queue, OP, 1000);
    oct_queue_note_fallback(s->queue, OCT_OP_COUNT, 1);
    oct_queue_note_fallback(s->queue, -1, 1);
    assert_int_equal(oct_queue_fallback_cost(s->queue, OP), 0);
    assert_int_equal(oct_queue_fallback_cost(s->queue, OTHER_OP), 0);
    assert_int_equal(oct_queue_fallback_cost(s->queue, OCT_OP_COUNT), 0);
    assert_int_equal(oct_queue_fallback_cost(NULL, OP), 0);
    for (int i = 1; i < OCT_POLICY_COST_SURE; i++)
        oct_queue_note_fallback(s->queue, OP, 1000);
    assert_int_equal(oct_queue_fallback_cost(s->queue, OP), 1000);
    assert_int_equal(oct_queue_break_even(s->queue, OP), 3);
    assert_int_equal(oct_queue_break_even(s->queue, OTHER_OP), 2);
    assert_int_equal(oct_queue_break_even(s->queue, OCT_OP_COUNT), 0);
    submit(s, 0, 2, OCT_JOB_MAY_FALL_BACK);
    assert_int_equal(oct_queue_poll(s->queue), 2);
    assert_int_equal(s->job[0].status, OCT_ERR_FALLBACK);
    submit(s, 0, 3, OCT_JOB_MAY_FALL_BACK);
    assert_int_equal(oct_queue_poll(s->queue), 3);
    assert_int_equal(s->job[0].status, OCT_OK);
}

/* One batch in which the thread lost its CPU does not send the next jobs away. */
static void test_first_batch_is_slow(void **state)
{
    struct scene *s = *state;
    oct_queue_free(s->queue);
    s->queue = fake_queue(true);
    oct_queue_note_fallback(s->queue, OP, 1000);
    fake.cost[0] = 20000000;
    submit(s, 0, 2, OCT_JOB_MAY_FALL_BACK);
    assert_int_equal(oct_queue_poll(s->queue), 2);
    fake.cost[0] = 1500;
    for (int i = 0; i < 100; i++) {
        submit(s, 0, 2, OCT_JOB_MAY_FALL_BACK);
        assert_int_equal(oct_queue_poll(s->queue), 2);
        assert_int_equal(s->job[0].status, OCT_OK);
        assert_int_equal(oct_queue_break_even(s->queue, OP), 2);
    }
}

/* A batch that was refused as a whole teaches nothing, and is no batch. */
static void test_refused_batch(void **state)
{
    struct scene *s = *state;
    struct oct_counters before, after;
    oct_queue_free(s->queue);
    s->queue = fake_queue(true);
    oct_queue_note_fallback(s->queue, OP, 1000);
    fake.cost[0] = 10;
    oct_counters_read(&before);
    for (int i = 0; i < 3; i++)
        s->job[i].rsa.in = FAKE_STATUS + (i < 2 ? OCT_ERR_FALLBACK : OCT_ERR_MEMORY);
    submit(s, 0, 3, OCT_JOB_MAY_FALL_BACK);
    assert_int_equal(oct_queue_poll(s->queue), 3);
    oct_counters_read(&after);
    assert_int_equal(oct_queue_break_even(s->queue, OP), 2);
    assert_int_equal(after.op[OP].fallback - before.op[OP].fallback, 2);
    assert_int_equal(after.op[OP].failed - before.op[OP].failed, 1);
    assert_int_equal(after.op[OP].flushes[2], before.op[OP].flushes[2]);
    assert_int_equal(after.op[OP].lane_nanoseconds, before.op[OP].lane_nanoseconds);
}

static void test_counters(void **state)
{
    struct scene *s = *state;
    struct oct_counters c0, c1;
    oct_counters_read(&c0);
    oct_queue_set_deferred(s->queue, 1);
    s->job[3].rsa.in = FAKE_STATUS + OCT_ERR_RANGE;
    submit(s, 0, 12, OCT_JOB_MAY_FALL_BACK);
    oct_queue_cancel(s->queue, &s->job[10]);
    oct_queue_cancel(s->queue, &s->job[11]);
    oct_queue_cancel(s->queue, &s->job[0]);
    oct_queue_poll(s->queue); /* 9 = 8 + 1 */
    oct_counters_read(&c1);
    const struct oct_op_counters *a = &c0.op[OP], *b = &c1.op[OP];
    assert_int_equal(b->submitted - a->submitted, 12);
    assert_int_equal(b->cancelled - a->cancelled, 3);
    assert_int_equal(b->done - a->done, 7);
    assert_int_equal(b->failed - a->failed, 1);
    assert_int_equal(b->fallback - a->fallback, 1);
    assert_int_equal(b->flushes[7] - a->flushes[7], 1);
    assert_int_equal(b->flushes[0] - a->flushes[0], 0);
    assert_int_equal(b->lane_nanoseconds - a->lane_nanoseconds, 3000);
}

static uint64_t waiting_now(void)
{
    struct oct_counters now;
    oct_counters_read(&now);
    return now.op[OP].waiting;
}

static void see_waiting(struct scene *s, struct oct_job *job)
{
    (void)job;
    if (s->reported == 1)
        submit(s, 12, 13, 0);
    assert_int_equal(waiting_now(), 2); /* the one that was left over, and the new one */
}

/* What waits is seen from outside at once: what ran is not in it, though it may not be reported yet. */
static void test_waiting_is_told(void **state)
{
    struct scene *s = *state;
    oct_queue_set_deferred(s->queue, 1);
    submit(s, 0, 10, 0);
    assert_int_equal(waiting_now(), 10);
    oct_queue_cancel(s->queue, &s->job[0]);
    assert_int_equal(waiting_now(), 9);
    s->then = see_waiting;
    oct_queue_run_full(s->queue);
    s->then = NULL;
    assert_int_equal(waiting_now(), 2);
    oct_queue_free(s->queue);
    assert_int_equal(waiting_now(), 0);
    s->queue = fake_queue(false);
}

/* A queue that learns nothing stays with its assumption. */
static void test_frozen_queue(void **state)
{
    struct scene *s = *state;
    submit(s, 0, 2, OCT_JOB_MAY_FALL_BACK);
    assert_int_equal(oct_queue_poll(s->queue), 2);
    oct_queue_note_fallback(s->queue, OP, 1);
    assert_int_equal(oct_queue_break_even(s->queue, OP), 2);
}

static void test_draining(void **state)
{
    (void)state;
    assert_false(oct_thread_is_draining());
    oct_thread_set_draining(true);
    assert_true(oct_thread_is_draining());
    oct_thread_set_draining(false);
    assert_false(oct_thread_is_draining());
}

#define WITH_SCENE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SCENE(test_eighth_runs_at_once),
        WITH_SCENE(test_poll_waited),
        WITH_SCENE(test_poll_waited_takes_the_oldest),
        WITH_SCENE(test_operations_do_not_mix),
        WITH_SCENE(test_deferred),
        WITH_SCENE(test_remainder),
        WITH_SCENE(test_alone),
        WITH_SCENE(test_lanes_for_those_who_must),
        WITH_SCENE(test_results),
        WITH_SCENE(test_submit_errors),
        WITH_SCENE(test_cancel),
        WITH_SCENE(test_cancel_in_another_queue),
        WITH_SCENE(test_callback_cancels_its_own_batch),
        WITH_SCENE(test_callback_submits),
        WITH_SCENE(test_callback_lets_go_of_its_job),
        WITH_SCENE(test_no_callback),
        WITH_SCENE(test_free_cancels),
        WITH_SCENE(test_null_queue),
        WITH_SCENE(test_thread_mode),
        WITH_SCENE(test_thread_mode_of_others),
        WITH_SCENE(test_queue_of_next_thread),
        WITH_SCENE(test_break_even_is_learned),
        WITH_SCENE(test_first_batch_is_slow),
        WITH_SCENE(test_refused_batch),
        WITH_SCENE(test_counters),
        WITH_SCENE(test_waiting_is_told),
        WITH_SCENE(test_frozen_queue),
        WITH_SCENE(test_draining),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
