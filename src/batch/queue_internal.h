/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The queue's inside.
 *
 * A job is in exactly one list while it waits:
 *
 *     submit -> ready -> (run) -> finished -> callback
 *                 ^
 *     submit in a callback -> late        (joins ready when the outermost call ends)
 *
 * Nobody but the engine sees a job outside a list, and the engine calls nobody back: so at every moment in which the
 * owner's code can run, each job that still waits can be unlinked from where it is, and is not touched again. That is
 * the whole defence against use after free.
 */
#ifndef OCT_BATCH_QUEUE_INTERNAL_H
#define OCT_BATCH_QUEUE_INTERNAL_H

#include <stdbool.h>

#include <octuple/counters.h>
#include <octuple/queue.h>

#include "base/fork.h"
#include "batch/cost.h"
#include "batch/engine.h"
#include "batch/list.h"
#include "trace/probes.h"

struct oct_bin {
    struct oct_job_list ready, late;
    struct oct_cost cost;
    struct oct_op_counters news; /* what happened since the counters were last told */
    bool untold;                 /* batches of it have run since then */
};

struct oct_queue {
    uint64_t (*now)(void *arg);
    void *now_arg;
    const struct oct_engine *engine;
    uint64_t generation; /* of the process in which the lists are true */
    unsigned waiting;    /* jobs in all lists */
    uint64_t ran;        /* nanoseconds in batches, in all */
    bool deferred;
    bool busy; /* inside a call that runs jobs: callbacks' calls only note their wishes */
    struct oct_job_list finished;
    struct oct_bin bin[OCT_OP_COUNT];
};

/* The public constructor with an engine of the caller's choice, which outlives the queue. frozen: learn no costs. */
int oct_queue_new_with(struct oct_queue **queue, const struct oct_queue_config *config, const struct oct_engine *engine,
                       bool frozen);

/* Cancels what waits, and tells the counters all news. */
void oct_queue_empty(struct oct_queue *queue);

/* The same as oct_queue_free(), but also for the end of a thread inside one of its callbacks. */
void oct_queue_destroy(struct oct_queue *queue);

/* Empties the lists if they are of the process that this one was forked from. */
void oct_queue_sync(struct oct_queue *queue);

/* Tells the counters the news of an operation. */
void oct_queue_publish(struct oct_queue *queue, int op);

/* OCT_OK, or why the job cannot be run by this engine, or by this queue, which may be NULL (queue.c). */
int oct_job_check(const struct oct_engine *engine, const struct oct_job *job);
int oct_queue_check(const struct oct_queue *queue, const struct oct_job *job);

/* Nanoseconds on a clock that stands still while batches run. */
static inline uint64_t oct_queue_clock(const struct oct_queue *queue)
{
    return queue->now(queue->now_arg) - queue->ran;
}

/* Runs full eights of one operation, and tells their owners (flush.c). */
unsigned oct_queue_run_op(struct oct_queue *queue, int op);

/* 1 if the job is in one of this queue's lists. Looks at the queue's address only, not inside. */
static inline bool oct_job_waits_in(const struct oct_job *job, const struct oct_queue *queue)
{
    return job->state == OCT_JOB_WAITING && job->queue == queue && job->generation == oct_fork_generation();
}

#endif
