/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The queue's life, and jobs coming and going. Running them is in flush.c. */
#include "batch/queue_internal.h"

#include "api/op_internal.h"
#include "base/policy.h"
#include "base/base.h"
#include "base/clock.h"
#include "trace/counters.h"

#include <string.h>
#include <sys/mman.h>

static uint64_t monotonic_now(void *arg)
{
    (void)arg;
    return oct_clock_nanoseconds();
}

/* Not of the heap: a queue outlives the thread that has made it, and some programs keep the heaps of threads small. */
static struct oct_queue *memory_new(void)
{
    void *memory = mmap(NULL, sizeof(struct oct_queue), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

int oct_queue_new_with(struct oct_queue **queue, const struct oct_queue_config *config, const struct oct_engine *engine,
                       bool frozen)
{
    oct_fork_watch();
    oct_counters_start();
    struct oct_queue *q = memory_new();
    if (q == NULL)
        return OCT_ERR_MEMORY;
    q->now = config != NULL && config->now != NULL ? config->now : monotonic_now;
    q->now_arg = config != NULL ? config->now_arg : NULL;
    q->engine = engine;
    q->generation = oct_fork_generation();
    for (int op = 0; op < OCT_OP_COUNT; op++) {
        q->bin[op].cost.frozen = frozen;
        q->bin[op].cost.whole = engine->is_whole(op);
    }
    *queue = q;
    return OCT_OK;
}

int oct_queue_new(struct oct_queue **queue, const struct oct_queue_config *config)
{
    if (queue == NULL)
        return OCT_ERR_ARGUMENT;
    /* The portable table never pays. It is there for tests, which want lanes to run. */
    return oct_queue_new_with(queue, config, &oct_engine, oct_op_table_is_portable());
}

void oct_queue_publish(struct oct_queue *queue, int op)
{
    oct_count_add(op, &queue->bin[op].news);
    memset(&queue->bin[op].news, 0, sizeof queue->bin[op].news);
    queue->bin[op].untold = false;
}

void oct_queue_sync(struct oct_queue *queue)
{
    if (queue->generation == oct_fork_generation())
        return;
    /* The lists run through jobs of the parent; this process's copies of them may be gone. Only heads are touched. */
    queue->generation = oct_fork_generation();
    queue->waiting = 0;
    memset(&queue->finished, 0, sizeof queue->finished);
    for (int op = 0; op < OCT_OP_COUNT; op++) {
        struct oct_bin *bin = &queue->bin[op];
        memset(&bin->ready, 0, sizeof bin->ready);
        memset(&bin->late, 0, sizeof bin->late);
        memset(&bin->news, 0, sizeof bin->news);
        bin->untold = false;
    }
}

/* Takes a job out of its list and of the queue. True if it had not run yet: else it is in the counters already. */
static bool release(struct oct_queue *queue, struct oct_job *job)
{
    const bool waited = job->list != &queue->finished;

    oct_list_unlink(job);
    queue->waiting--;
    job->queue = NULL;
    job->state = OCT_JOB_IDLE;
    if (waited) {
        queue->bin[job->op].news.cancelled++;
        oct_count_waiting(job->op, -1);
    }
    return waited;
}

static void cancel_list(struct oct_queue *queue, struct oct_job_list *list)
{
    while (list->head != NULL)
        release(queue, list->head);
}

void oct_queue_empty(struct oct_queue *queue)
{
    oct_queue_sync(queue);
    cancel_list(queue, &queue->finished);
    for (int op = 0; op < OCT_OP_COUNT; op++) {
        cancel_list(queue, &queue->bin[op].ready);
        cancel_list(queue, &queue->bin[op].late);
        oct_queue_publish(queue, op);
    }
}

void oct_queue_destroy(struct oct_queue *queue)
{
    oct_queue_empty(queue);
    munmap(queue, sizeof *queue);
}

void oct_queue_free(struct oct_queue *queue)
{
    if (queue == NULL)
        return;
    OCT_ASSERT(!queue->busy);
    oct_queue_destroy(queue);
}

int oct_job_check(const struct oct_engine *engine, const struct oct_job *job)
{
    if (job == NULL || job->op < 0 || job->op >= OCT_OP_COUNT)
        return OCT_ERR_ARGUMENT;
    if ((job->flags & ~OCT_JOB_MAY_FALL_BACK) != 0)
        return OCT_ERR_ARGUMENT;
    /* In whatever queue; but a job that was left behind by a fork waits nowhere. */
    if (job->state == OCT_JOB_WAITING && job->generation == oct_fork_generation())
        return OCT_ERR_STATE;
    return engine->check(job);
}

int oct_queue_check(const struct oct_queue *queue, const struct oct_job *job)
{
    return queue != NULL ? oct_job_check(queue->engine, job) : OCT_ERR_ARGUMENT;
}

int oct_queue_submit(struct oct_queue *queue, struct oct_job *job)
{
    int status = oct_queue_check(queue, job);
    if (status != OCT_OK)
        return status;

    oct_queue_sync(queue);
    struct oct_bin *bin = &queue->bin[job->op];
    job->status = OCT_ERR_STATE; /* until it is known: nobody takes a job that waits for a good one */
    job->state = OCT_JOB_WAITING;
    job->queue = queue;
    job->generation = queue->generation;
    job->since = oct_queue_clock(queue);
    oct_list_append(queue->busy ? &bin->late : &bin->ready, job);
    queue->waiting++;
    bin->news.submitted++;
    oct_count_waiting(job->op, 1);
    OCT_PROBE_SUBMIT(job->op, job, queue->waiting);

    /* The job may be done, and its memory gone, when this returns. */
    if (!queue->deferred && bin->ready.count >= OCT_LANES)
        oct_queue_run_op(queue, job->op);
    return OCT_OK;
}

int oct_queue_cancel(struct oct_queue *queue, struct oct_job *job)
{
    if (job == NULL)
        return OCT_ERR_ARGUMENT;
    /* The job is asked first: if it does not wait the queue may have been freed. */
    if (queue == NULL || !oct_job_waits_in(job, queue))
        return OCT_ERR_STATE;

    if (release(queue, job))
        oct_queue_publish(queue, job->op);
    OCT_PROBE_CANCEL(job->op, job);
    return OCT_OK;
}

unsigned oct_queue_waiting(const struct oct_queue *queue)
{
    return queue != NULL && queue->generation == oct_fork_generation() ? queue->waiting : 0;
}

int oct_queue_holds(const struct oct_queue *queue, const struct oct_job *job)
{
    return queue != NULL && job != NULL && oct_job_waits_in(job, queue);
}

void oct_queue_set_deferred(struct oct_queue *queue, int deferred)
{
    if (queue != NULL)
        queue->deferred = deferred != 0;
}

void oct_queue_note_fallback(struct oct_queue *queue, int op, uint64_t nanoseconds)
{
    if (queue != NULL && op >= 0 && op < OCT_OP_COUNT)
        oct_cost_note_fallback(&queue->bin[op].cost, nanoseconds);
}

uint64_t oct_queue_fallback_cost(const struct oct_queue *queue, int op)
{
    const struct oct_cost *cost = queue != NULL && op >= 0 && op < OCT_OP_COUNT ? &queue->bin[op].cost : NULL;
    if (cost == NULL)
        return 0;
    if (cost->frozen)
        return UINT64_MAX;
    return cost->fallback.samples < OCT_POLICY_COST_SURE ? 0 : cost->fallback.value;
}

unsigned oct_queue_break_even(const struct oct_queue *queue, int op)
{
    return queue != NULL && op >= 0 && op < OCT_OP_COUNT ? oct_cost_break_even(&queue->bin[op].cost) : 0;
}
