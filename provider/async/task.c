/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One operation, in lanes or by the fallback: see task.h. decide() says which way it goes, and run() goes it.
 *
 * In a slice of the shim's or an OpenSSL async job, where others are to be expected, it is queued and that paused until
 * it has run together with others'. Outside, where other threads come with the same operation to the same CPU, it runs
 * together with theirs. Everywhere else, and whenever lanes decline, it runs at once on OpenSSL's own code, and what
 * that cost is told to the queue, which weighs it against the cost of a vector. Where a vector for one may pay, the
 * queue decides.
 */
#include "base/clock.h"
#include "base/policy.h"
#include "base/thread_mode.h"
#include "aside.h"
#include "frames.h"
#include "pause.h"
#include "pause_pays.h"
#include "provider/core/provider.h"
#include "task.h"
#include "trace/timed.h"

_Static_assert(256 % OCT_POLICY_SAMPLE == 0, "a count of eight bits wraps");

enum way {
    PAUSE,    /* in the thread's queue, until it has run with others */
    TOGETHER, /* on one of several threads, which may block: with the others' operations, if there are any */
    LANES,    /* in a vector of its own, if the queue finds that this pays */
    FALLBACK, /* at once */
    ASIDE,    /* at once, in a child that has just been forked */
    GIVE_UP   /* not at all: its connection is being freed */
};

/* What is no answer, 1 or 0: lanes have had the operation and leave it to the fallback, or have not had it. */
enum { DECLINED = -1, UNTRIED = -2 };

static bool has_lanes(const struct oct_task *task)
{
    return task->op >= 0 && task->lane_key;
}

static bool may_be_alone(const struct oct_task *task)
{
    return task->may_pay_alone || task->lanes_only;
}

/* Nobody else's operation is to be waited for. */
static bool is_alone(const struct oct_queue *queue, const struct oct_task *task, const struct oct_place *at)
{
    const enum oct_thread_mode mode = oct_thread_mode(true);

    if (at->job == NULL)
        return !oct_slice_may_pause(at->slice, task->type->work);
    return mode == OCT_THREAD_ALONE || (mode == OCT_THREAD_NATIVE_ASYNC && !oct_pause_pays(queue));
}

/* What a pause costs the program may be more than lanes save. Where that is not known yet, the operation runs at once,
 * and is measured. */
static bool is_cheap(const struct oct_task *task, const struct oct_place *at)
{
    return at->job == NULL && at->slice->worth != 0 && !task->lanes_only &&
           oct_queue_fallback_cost(oct_queue_thread(), task->op) < at->slice->worth;
}

/* In a callback of the program an operation runs as if there were no slice, even where its connection is given up. An
 * async job in a slice of the shim's is one that a callback has started. */
static bool may_pause(struct oct_place *at)
{
    at->job = ASYNC_get_current_job();
    at->slice = at->job == NULL ? oct_slice_current() : NULL;
    return (at->job != NULL || at->slice != NULL) && oct_frames_may_pause(at->slice);
}

/* On a thread of a program with others, which nobody serves. */
static bool may_block(const struct oct_task *task)
{
    return task->prov->settings.on[OCT_PROV_SWITCH_combining] && !oct_thread_is_only_one() &&
           oct_thread_mode(false) == OCT_THREAD_BLOCKING;
}

/* The one decision about lanes. `at` becomes where the operation stands. */
static enum way decide(const struct oct_task *task, struct oct_place *at)
{
    if (task->op >= 0 && !task->lanes_only && oct_aside_take())
        return ASIDE;
    const bool pausable = may_pause(at);
    if (pausable && oct_thread_is_draining())
        return GIVE_UP;
    if (task->op < 0)
        return FALLBACK;
    /* A key that is not ready for lanes may get ready as its operation is filled in. */
    if (pausable && oct_queue_thread() != NULL && !is_alone(oct_queue_thread(), task, at) && !is_cheap(task, at))
        return PAUSE;
    if (!has_lanes(task))
        return FALLBACK;
    if (!pausable && may_block(task))
        return TOGETHER;
    return may_be_alone(task) ? LANES : FALLBACK;
}

/* The status of a job as an answer. A fault in a lane (or in the lane key's memory) is no reason to fail while
 * OpenSSL's own code, which checks its result too, can serve. */
static int answer(const struct oct_task *task, const struct oct_job *job)
{
    if (job->state != OCT_JOB_DONE)
        return DECLINED; /* left behind by a fork, or its queue went */
    if (job->status == OCT_OK)
        return 1;
    if (job->status == OCT_ERR_RANGE)
        return OCT_RAISE(task->prov, task->type->invalid_reason);
    return DECLINED;
}

static int run_paused(const struct oct_task *task, const struct oct_place *at, struct oct_job *job)
{
    const enum oct_outcome outcome = oct_pause_for(at, oct_queue_thread(), job, task->key);

    if (outcome == OCT_OUTCOME_GAVE_UP)
        return OCT_RAISE(task->prov, OCT_REASON_CANCELLED);
    return outcome == OCT_OUTCOME_WAITED ? answer(task, job) : DECLINED;
}

static int run_alone(const struct oct_task *task, struct oct_job *job)
{
    struct oct_queue *queue = oct_queue_thread();
    struct oct_job *const list[1] = {job};

    return queue != NULL && oct_queue_run_now(queue, list, 1) == OCT_OK ? answer(task, job) : UNTRIED;
}

static int run_in_lanes(const struct oct_task *task, enum way way, const struct oct_place *at)
{
    struct oct_job job = {.op = task->op, .flags = task->lanes_only ? 0 : OCT_JOB_MAY_FALL_BACK};

    if (!task->type->fill(task, &job))
        return UNTRIED;
    if (way == PAUSE)
        return run_paused(task, at, &job);
    if (way == TOGETHER && oct_queue_combine(&job) == OCT_OK)
        return answer(task, &job);
    return may_be_alone(task) ? run_alone(task, &job) : UNTRIED;
}

/* The queue that is to learn what the fallback costs here; NULL: none. Where lanes are not even tried, one operation in
 * some is enough, once it is known. */
static struct oct_queue *learner(const struct oct_task *task, enum way way, int done)
{
    static _Thread_local uint8_t turn[OCT_OP_COUNT];
    struct oct_queue *queue;

    if (way == ASIDE || !has_lanes(task))
        return NULL;
    if (done == DECLINED || may_be_alone(task))
        return oct_queue_thread();
    queue = oct_queue_thread_peek();
    const bool due = turn[task->op]++ % OCT_POLICY_SAMPLE == 0;
    return due || oct_queue_fallback_cost(queue, task->op) == 0 ? queue : NULL;
}

static int fall_back(const struct oct_task *task, enum way way, int done)
{
    if (done == UNTRIED && (way == ASIDE || has_lanes(task)))
        oct_counters_note_fallback(task->op);
    struct oct_queue *queue = learner(task, way, done);
    const uint64_t start = queue != NULL ? oct_clock_nanoseconds() : 0;
    const int ok = task->type->fallback(task);

    if (queue != NULL && ok)
        oct_queue_note_fallback(queue, task->op, oct_clock_nanoseconds() - start);
    return ok;
}

static int run(const struct oct_task *task)
{
    struct oct_place at;
    const enum way way = decide(task, &at);

    if (way == GIVE_UP)
        return OCT_RAISE(task->prov, OCT_REASON_CANCELLED);
    const int done = way == FALLBACK || way == ASIDE ? UNTRIED : run_in_lanes(task, way, &at);
    return done >= 0 ? done : fall_back(task, way, done);
}

OCT_TIMED_DEFINE(operation);

int oct_task_run(const struct oct_task *task)
{
    uint64_t start = OCT_TIMED_BEGIN(operation);
    int ok = run(task);
    if (start != 0)
        OCT_PROBE_OPERATION((long)task->op, (long)ok, oct_timed_now() - start);
    return ok;
}
