/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Running what waits: chunks of up to eight jobs, each run whole, counted, and then reported job by job. */
#include "batch/queue_internal.h"

#include "trace/counters.h"
#include "trace/file.h"

/* One chunk on its way: some jobs in lanes, the others handed back. */
struct chunk {
    struct oct_job *lane[OCT_LANES];
    struct oct_job *fallback[OCT_LANES];
    unsigned lanes, fallbacks;
};

static unsigned count_must(struct oct_job *const job[], unsigned jobs)
{
    unsigned must = 0;
    for (unsigned i = 0; i < jobs; i++)
        must += !(job[i]->flags & OCT_JOB_MAY_FALL_BACK);
    return must;
}

/* Shares jobs out, `spare` lanes to those that may fall back. Jobs that cannot have the lanes first; in what
 * is left the order of submission decides. */
static void chunk_share(struct chunk *chunk, struct oct_job *const job[], unsigned jobs, unsigned spare)
{
    for (unsigned i = 0; i < jobs; i++) {
        bool may = (job[i]->flags & OCT_JOB_MAY_FALL_BACK) != 0;
        if (may && spare == 0) {
            chunk->fallback[chunk->fallbacks++] = job[i];
            continue;
        }
        chunk->lane[chunk->lanes++] = job[i];
        spare -= may;
    }
}

/* Moves the first jobs, at most eight, from ready to finished, and shares them out. */
static void chunk_take(struct chunk *chunk, struct oct_queue *queue, int op)
{
    struct oct_bin *bin = &queue->bin[op];
    struct oct_job *taken[OCT_LANES];
    unsigned jobs = 0;

    while (jobs < OCT_LANES && bin->ready.head != NULL) {
        taken[jobs] = oct_list_pop(&bin->ready);
        oct_list_append(&queue->finished, taken[jobs]);
        jobs++;
    }
    oct_count_waiting(op, -(int64_t)jobs);
    unsigned must = count_must(taken, jobs);
    chunk_share(chunk, taken, jobs, oct_cost_plan(&bin->cost, jobs, must) - must);
}

/* The clock may stand still or step: then this batch teaches nothing. */
static uint64_t timed_run(struct oct_queue *queue, const struct chunk *chunk)
{
    queue->engine->get_ready(chunk->lane[0]->op);
    uint64_t begin = queue->now(queue->now_arg);
    queue->engine->run(chunk->lane, chunk->lanes);
    uint64_t end = queue->now(queue->now_arg);
    return end > begin ? end - begin : 0;
}

static void count_lanes(struct oct_bin *bin, const struct chunk *chunk)
{
    for (unsigned i = 0; i < chunk->lanes; i++) {
        struct oct_job *job = chunk->lane[i];
        if (job->status == OCT_OK) {
            bin->news.done++;
        } else if (job->status == OCT_ERR_FALLBACK) {
            bin->news.fallback++;
            OCT_PROBE_FALLBACK(job->op, job, OCT_FALLBACK_REFUSED);
        } else {
            bin->news.failed++;
        }
    }
}

/* A batch that was refused as a whole ran no vector: its time says nothing. */
static bool chunk_ran(const struct chunk *chunk)
{
    for (unsigned i = 0; i < chunk->lanes; i++) {
        int status = chunk->lane[i]->status;
        if (status == OCT_OK || status == OCT_ERR_RANGE || status == OCT_ERR_FAULT)
            return true;
    }
    return false;
}

static void chunk_run_lanes(struct oct_queue *queue, int op, const struct chunk *chunk, enum oct_flush_reason reason)
{
    struct oct_bin *bin = &queue->bin[op];
    uint64_t nanoseconds = timed_run(queue, chunk);

    queue->ran += nanoseconds;
    count_lanes(bin, chunk);
    if (!chunk_ran(chunk))
        return;
    bin->news.flushes[chunk->lanes - 1]++;
    bin->news.lane_nanoseconds += nanoseconds;
    if (nanoseconds != 0)
        oct_cost_note_vector(&bin->cost, chunk->lanes, nanoseconds);
    OCT_PROBE_FLUSH(op, chunk->lanes, reason, nanoseconds);
}

static void chunk_hand_back(struct oct_bin *bin, const struct chunk *chunk)
{
    for (unsigned i = 0; i < chunk->fallbacks; i++) {
        chunk->fallback[i]->status = OCT_ERR_FALLBACK;
        OCT_PROBE_FALLBACK(chunk->fallback[i]->op, chunk->fallback[i], OCT_FALLBACK_FEW);
    }
    bin->news.fallback += chunk->fallbacks;
}

/* Calls back in the order of submission. A callback may do anything to the jobs that are still listed, so the list is
 * looked at anew each time, and a job is forgotten before its owner is called. A callback may even fork: the child then
 * finds nothing more. */
static unsigned report(struct oct_queue *queue)
{
    struct oct_job *job;
    unsigned completed = 0;

    while ((job = oct_list_pop(&queue->finished)) != NULL) {
        queue->waiting--;
        job->queue = NULL;
        job->state = OCT_JOB_DONE;
        completed++;
        OCT_PROBE_DONE(job->op, job, job->status);
        if (job->done != NULL)
            job->done(job);
        oct_queue_sync(queue);
    }
    return completed;
}

static unsigned run_chunk(struct oct_queue *queue, int op, enum oct_flush_reason reason)
{
    struct chunk chunk = {.lanes = 0};

    chunk_take(&chunk, queue, op);
    if (chunk.lanes != 0)
        chunk_run_lanes(queue, op, &chunk, reason);
    chunk_hand_back(&queue->bin[op], &chunk);
    queue->bin[op].untold = true;
    return report(queue);
}

static bool begin(struct oct_queue *queue)
{
    if (queue == NULL || queue->busy)
        return false;
    oct_queue_sync(queue);
    queue->busy = true;
    return true;
}

/* What has run is told once, however many batches it was: with a file of counters that is a system call. */
static void end(struct oct_queue *queue)
{
    oct_counters_file_gather(true);
    for (int op = 0; op < OCT_OP_COUNT; op++) {
        struct oct_job *job;
        if (queue->bin[op].untold)
            oct_queue_publish(queue, op);
        while ((job = oct_list_pop(&queue->bin[op].late)) != NULL)
            oct_list_append(&queue->bin[op].ready, job);
    }
    oct_counters_file_gather(false);
    queue->busy = false;
}

static unsigned run_full(struct oct_queue *queue, int op)
{
    unsigned completed = 0;
    while (queue->bin[op].ready.count >= OCT_LANES)
        completed += run_chunk(queue, op, OCT_FLUSH_FULL);
    return completed;
}

unsigned oct_queue_run_op(struct oct_queue *queue, int op)
{
    if (!begin(queue))
        return 0;
    unsigned completed = run_full(queue, op);
    end(queue);
    return completed;
}

unsigned oct_queue_run_full(struct oct_queue *queue)
{
    unsigned completed = 0;

    if (!begin(queue))
        return 0;
    for (int op = 0; op < OCT_OP_COUNT; op++)
        completed += run_full(queue, op);
    end(queue);
    return completed;
}

unsigned oct_queue_poll(struct oct_queue *queue)
{
    unsigned completed = 0;

    if (!begin(queue))
        return 0;
    for (int op = 0; op < OCT_OP_COUNT; op++)
        while (queue->bin[op].ready.count != 0)
            completed += run_chunk(queue, op, OCT_FLUSH_POLL);
    end(queue);
    return completed;
}

/* Unsigned: a clock that was set back makes old jobs very old, which are then run. */
static bool has_waited(const struct oct_bin *bin, uint64_t now, uint64_t nanoseconds)
{
    return bin->ready.head != NULL && now - bin->ready.head->since >= nanoseconds;
}

unsigned oct_queue_poll_waited(struct oct_queue *queue, uint64_t nanoseconds)
{
    unsigned completed = 0;

    if (!begin(queue))
        return 0;
    const uint64_t now = oct_queue_clock(queue);
    for (int op = 0; op < OCT_OP_COUNT; op++)
        while (has_waited(&queue->bin[op], now, nanoseconds))
            completed += run_chunk(queue, op, OCT_FLUSH_POLL);
    end(queue);
    return completed;
}

static int check_all(const struct oct_queue *queue, struct oct_job *const job[], unsigned jobs)
{
    if (job == NULL || jobs < 1 || jobs > OCT_LANES)
        return OCT_ERR_ARGUMENT;
    for (unsigned i = 0; i < jobs; i++) {
        int status = oct_queue_check(queue, job[i]);
        if (status != OCT_OK)
            return status;
        if (job[i]->op != job[0]->op)
            return OCT_ERR_ARGUMENT;
    }
    return OCT_OK;
}

/* The jobs are in no list and nobody is called back: it may run inside a callback too. */
int oct_queue_run_now(struct oct_queue *queue, struct oct_job *const job[], unsigned jobs)
{
    struct chunk chunk = {.lanes = 0};
    int status = check_all(queue, job, jobs);
    if (status != OCT_OK)
        return status;

    oct_queue_sync(queue);
    struct oct_bin *bin = &queue->bin[job[0]->op];
    unsigned must = count_must(job, jobs), lanes = oct_cost_plan(&bin->cost, jobs, must);
    if (oct_cost_wants_vector(&bin->cost))
        lanes = jobs;
    bin->news.submitted += jobs;
    chunk_share(&chunk, job, jobs, lanes - must);
    if (chunk.lanes != 0)
        chunk_run_lanes(queue, job[0]->op, &chunk, OCT_FLUSH_NOW);
    chunk_hand_back(bin, &chunk);
    oct_queue_publish(queue, job[0]->op);
    for (unsigned i = 0; i < jobs; i++)
        job[i]->state = OCT_JOB_DONE;
    return OCT_OK;
}
