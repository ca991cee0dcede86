/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* oct_queue_run_now(): jobs that do not wait, next to jobs that do; and how it learns whether a vector pays for one. */
#include "unit.h"

#include "fake_engine.h"

#include <octuple/counters.h>

#define OP OCT_OP_X25519_DERIVE

static unsigned called_back;

static void done(struct oct_job *job)
{
    (void)job;
    called_back++;
}

static struct oct_job make(unsigned flags)
{
    return (struct oct_job){.op = OP, .flags = flags, .done = done};
}

/* What waits goes on waiting; nobody is called. */
static void test_beside_the_queue(void **state)
{
    struct oct_queue *queue = fake_queue(false);
    struct oct_job waiting = make(0), now[2] = {make(0), make(0)};
    struct oct_job *const list[2] = {&now[0], &now[1]};
    (void)state;
    called_back = 0;
    assert_int_equal(oct_queue_submit(queue, &waiting), OCT_OK);
    now[1].rsa.in = FAKE_STATUS + OCT_ERR_RANGE;
    assert_int_equal(oct_queue_run_now(queue, list, 2), OCT_OK);
    assert_int_equal(fake.runs, 1);
    assert_int_equal(fake.lanes, 2);
    assert_int_equal(now[0].status, OCT_OK);
    assert_int_equal(now[1].status, OCT_ERR_RANGE);
    assert_int_equal(now[0].state, OCT_JOB_DONE);
    assert_int_equal(called_back, 0);
    assert_int_equal(oct_queue_waiting(queue), 1);
    assert_true(oct_queue_holds(queue, &waiting));
    assert_false(oct_queue_holds(queue, &now[0]));
    assert_int_equal(oct_queue_poll(queue), 1);
    assert_int_equal(called_back, 1);
    oct_queue_free(queue);
}

static void test_arguments(void **state)
{
    struct oct_queue *queue = fake_queue(false);
    struct oct_job job[2] = {make(0), make(0)};
    struct oct_job *const list[2] = {&job[0], &job[1]};
    (void)state;
    assert_int_equal(oct_queue_run_now(NULL, list, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_queue_run_now(queue, NULL, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_queue_run_now(queue, list, 0), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_queue_run_now(queue, list, 9), OCT_ERR_ARGUMENT);
    job[1].op = OCT_OP_X25519_KEYGEN;
    assert_int_equal(oct_queue_run_now(queue, list, 2), OCT_ERR_ARGUMENT);
    job[1].op = OP;
    assert_int_equal(oct_queue_submit(queue, &job[1]), OCT_OK);
    assert_int_equal(oct_queue_run_now(queue, list, 2), OCT_ERR_STATE);
    fake.refuse = OCT_ERR_UNSUPPORTED;
    assert_int_equal(oct_queue_run_now(queue, list, 1), OCT_ERR_UNSUPPORTED);
    assert_int_equal(job[0].state, OCT_JOB_IDLE);
    assert_int_equal(fake.runs, 0);
    oct_queue_free(queue);
}

static int one(struct oct_queue *queue)
{
    struct oct_job job = make(OCT_JOB_MAY_FALL_BACK);
    struct oct_job *const list[1] = {&job};
    assert_int_equal(oct_queue_run_now(queue, list, 1), OCT_OK);
    return job.status;
}

/* The first is handed back, so that the plain cost is told; then a vector is tried; then the cheaper one it is. */
static unsigned vectors_of(uint64_t vector, uint64_t plain, unsigned calls)
{
    struct oct_queue *queue = fake_queue(true);
    fake.cost[0] = vector;
    assert_int_equal(one(queue), OCT_ERR_FALLBACK);
    for (unsigned i = 1; i < calls; i++) {
        unsigned before = fake.runs;
        if (one(queue) == OCT_ERR_FALLBACK)
            oct_queue_note_fallback(queue, OP, plain);
        else
            assert_int_equal(fake.runs, before + 1);
        if (i == 1)
            assert_int_equal(fake.runs, 0);
    }
    oct_queue_free(queue);
    return fake.runs;
}

static void test_learning(void **state)
{
    (void)state;
    /* A vector for one pays: all but the first two, and one in 256 to see what plain costs. */
    assert_in_range(vectors_of(800, 1000, 1000), 990, 997);
    /* It does not: four to see it, and one more after every 64 chances. */
    assert_in_range(vectors_of(1200, 1000, 1000), 4, 64);
}

/* The portable table never pays: jobs that may fall back do, the others run all the same. */
static void test_frozen(void **state)
{
    struct oct_queue *queue = fake_queue(false);
    struct oct_job may = make(OCT_JOB_MAY_FALL_BACK), must = make(0);
    struct oct_job *const list[2] = {&may, &must};
    (void)state;
    oct_queue_note_fallback(queue, OP, 1);
    for (int i = 0; i < 10; i++)
        assert_int_equal(one(queue), OCT_ERR_FALLBACK);
    assert_int_equal(fake.runs, 0);
    assert_int_equal(oct_queue_run_now(queue, list + 1, 1), OCT_OK);
    assert_int_equal(must.status, OCT_OK);
    assert_int_equal(fake.runs, 1);
    oct_queue_free(queue);
}

static void test_counted(void **state)
{
    struct oct_queue *queue = fake_queue(false);
    struct oct_counters before, after;
    struct oct_job job[8];
    struct oct_job *list[8];
    (void)state;
    for (int i = 0; i < 8; i++) {
        job[i] = make(0);
        list[i] = &job[i];
    }
    oct_counters_read(&before);
    assert_int_equal(oct_queue_run_now(queue, list, 8), OCT_OK);
    oct_counters_read(&after);
    assert_int_equal(after.op[OP].submitted - before.op[OP].submitted, 8);
    assert_int_equal(after.op[OP].done - before.op[OP].done, 8);
    assert_int_equal(after.op[OP].flushes[7] - before.op[OP].flushes[7], 1);
    oct_queue_free(queue);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_beside_the_queue, test_arguments, test_learning, test_frozen, test_counted);
}
