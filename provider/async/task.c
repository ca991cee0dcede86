/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One operation, in lanes or by the fallback: see task.h.
 *
 * In a slice of the shim's or an OpenSSL async job with others in flight, it is queued and that paused until it
 * has run together with others'. Outside, where other threads come with the same operation to the same CPU, it runs
 * together with theirs. Everywhere else, and whenever lanes decline, it runs at once on OpenSSL's own code, and what
 * that cost is told to the queue, which weighs it against the cost of a vector. Where a vector for one may pay, the
 * queue decides.
 */
#include "base/policy.h"
#include "base/thread_mode.h"
#include "company.h"
#include "fork.h"
#include "frames.h"
#include "pause.h"
#include "provider/core/provider.h"
#include "task.h"
#include "trace/timed.h"
#include "wait.h"

#include <openssl/async.h>
#include <time.h>

_Static_assert(256 % OCT_POLICY_MEASURE_EVERY == 0, "a count of eight bits wraps");

static uint64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int run_fallback_measured(const struct oct_task *task, struct oct_queue *queue)
{
    uint64_t start = nanoseconds();
    int ok = task->type->fallback(task);

    if (ok)
        oct_queue_note_plain(queue, task->op, nanoseconds() - start);
    return ok;
}

/* The status of a job as an answer: 1 done, 0 failed with an error raised, -1 to be run by the fallback. A fault in a
 * lane (or in the lane key's memory) is no reason to fail while OpenSSL's own code, which checks its result too, can
 * serve.
 */
static int answer(const struct oct_task *task, const struct oct_job *job)
{
    if (job->state != OCT_JOB_DONE)
        return -1; /* left behind by a fork, or its queue went */
    if (job->status == OCT_OK)
        return 1;
    if (job->status == OCT_ERR_RANGE)
        return OCT_RAISE(task->prov, task->type->invalid_reason);
    return -1;
}

static unsigned flags_of(const struct oct_task *task)
{
    return task->lanes_only ? 0 : OCT_JOB_MAY_RUN_PLAIN;
}

static int run_alone(const struct oct_task *task)
{
    struct oct_queue *queue = oct_queue_thread();
    struct oct_job job = {.op = task->op, .flags = flags_of(task)};
    struct oct_job *const list[1] = {&job};
    int done = -1;

    if (queue != NULL && task->type->fill(task, &job) && oct_queue_run_now(queue, list, 1) == OCT_OK)
        done = answer(task, &job);
    else
        oct_counters_note_plain(task->op);
    return done >= 0 ? done : run_fallback_measured(task, queue);
}

/* Not in a fibre, or alone, or with a key that lanes do not serve. */
static int run_at_once(const struct oct_task *task)
{
    static _Thread_local uint8_t turn[OCT_OP_COUNT];
    struct oct_queue *queue;

    if (task->op < 0 || !task->lane_key)
        return task->type->fallback(task);
    if (task->may_pay_alone || task->lanes_only)
        return run_alone(task);
    oct_counters_note_plain(task->op);
    queue = oct_queue_thread_peek();
    if (queue == NULL || turn[task->op]++ % OCT_POLICY_MEASURE_EVERY != 0)
        return task->type->fallback(task);
    return run_fallback_measured(task, queue);
}

/* Where an operation stands: an OpenSSL async job, or (its job NULL) a slice of the shim's. */
struct place {
    ASYNC_JOB *job;
    struct oct_slice *slice;
};

/* Pauses an async job until the job is no longer in the queue. Whatever the outcome, it is not in the queue afterwards.
 */
static enum oct_outcome wait_for(struct oct_wait *wait, struct oct_queue *queue, struct oct_job *job)
{
    if (oct_queue_holds(queue, job))
        oct_wait_arm(wait);
    while (oct_queue_holds(queue, job)) {
        int paused = ASYNC_pause_job();
        oct_company_note(!oct_queue_holds(queue, job) || oct_queue_waiting(queue) > 1);
        /* A connection that is given up must not go on with a result either: the rest of its handshake may be at hand.
         */
        if (!oct_queue_holds(queue, job))
            return oct_thread_is_draining() ? OCT_OUTCOME_GAVE_UP : OCT_OUTCOME_WAITED;
        if (!paused || oct_thread_is_draining()) {
            oct_queue_cancel(queue, job);
            return paused ? OCT_OUTCOME_GAVE_UP : OCT_OUTCOME_FAILED;
        }
        if (!oct_wait_should_poll(wait)) {
            oct_queue_cancel(queue, job);
            return OCT_OUTCOME_FAILED;
        }
        oct_queue_poll(queue);
    }
    return OCT_OUTCOME_WAITED;
}

static enum oct_outcome wait_in_async_job(const struct oct_task *task, ASYNC_JOB *fibre, struct oct_queue *queue,
                                          struct oct_job *job)
{
    struct oct_wait *wait = oct_wait_begin(fibre, queue, job, task->key);
    enum oct_outcome outcome = OCT_OUTCOME_FAILED;

    if (wait == NULL)
        return OCT_OUTCOME_FAILED;
    job->done = oct_wait_done;
    job->arg = wait;
    if (oct_queue_submit(queue, job) == OCT_OK)
        outcome = wait_for(wait, queue, job);
    oct_wait_end(wait);
    return outcome;
}

static int run_queued(const struct oct_task *task, struct oct_job *job, const struct place *at, struct oct_queue *queue)
{
    const enum oct_outcome outcome = at->job != NULL ? wait_in_async_job(task, at->job, queue, job)
                                                     : oct_pause_for(at->slice, queue, job, task->key);

    if (outcome == OCT_OUTCOME_GAVE_UP)
        return OCT_RAISE(task->prov, OCT_REASON_CANCELLED);
    return outcome == OCT_OUTCOME_WAITED ? answer(task, job) : -1;
}

/* Nobody else's operation is to be waited for. */
static bool is_alone(const struct oct_queue *queue, const struct place *at)
{
    const enum oct_thread_mode mode = oct_thread_mode(true);

    if (at->job == NULL)
        return !oct_slice_may_pause(at->slice);
    return mode == OCT_THREAD_ALONE || (mode == OCT_THREAD_NATIVE_ASYNC && !oct_company_expected(queue));
}

static int run_in_fibre(const struct oct_task *task, const struct place *at)
{
    struct oct_queue *queue = oct_queue_thread();
    struct oct_job job = {.op = task->op, .flags = flags_of(task)};
    int done;

    if (oct_thread_is_draining())
        return OCT_RAISE(task->prov, OCT_REASON_CANCELLED);
    if (queue == NULL || is_alone(queue, at) || !task->type->fill(task, &job))
        return run_at_once(task);
    done = run_queued(task, &job, at, queue);
    return done >= 0 ? done : run_fallback_measured(task, queue);
}

static int combines(const struct oct_task *task)
{
    return task->op >= 0 && task->lane_key && task->prov->settings.combining;
}

/* On a thread that may block: with other threads' operations, if there are any. */
static int run_blocking(const struct oct_task *task)
{
    struct oct_job job = {.op = task->op, .flags = flags_of(task)};
    int done;

    if (!combines(task) || !task->type->fill(task, &job) || oct_queue_combine(&job) != OCT_OK)
        return run_at_once(task);
    done = answer(task, &job);
    return done >= 0 ? done : run_fallback_measured(task, oct_queue_thread());
}

/* In a callback of the program an operation runs as if there were no slice, even where its connection is given up. An
 * async job in a slice of the shim's is one that a callback has started. */
static int run(const struct oct_task *task)
{
    struct place at = {.job = ASYNC_get_current_job()};

    at.slice = at.job == NULL ? oct_slice_current() : NULL;
    if ((at.job == NULL && at.slice == NULL) || !oct_frames_may_pause(at.slice))
        return run_blocking(task);
    return run_in_fibre(task, &at);
}

static int run_aside(const struct oct_task *task)
{
    oct_counters_note_plain(task->op);
    return task->type->fallback(task);
}

OCT_TIMED_DEFINE(operation);

int oct_task_run(const struct oct_task *task)
{
    const bool aside = task->op >= 0 && !task->lanes_only && oct_fork_steps_aside();
    uint64_t start = OCT_TIMED_BEGIN(operation);
    int ok = aside ? run_aside(task) : run(task);
    if (start != 0)
        OCT_PROBE_OPERATION((long)task->op, (long)ok, oct_timed_now() - start);
    return ok;
}
