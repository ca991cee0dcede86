/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS c */
/*
 * The queue as a machine for programs made of fuzz: submit, cancel, poll, run full, defer, costs, and
 * callbacks that do all of this themselves. What the jobs compute is left out (an engine that only notes), so that
 * thousands of programs run in a second. A model beside it knows which jobs wait; every job ends exactly once, and its
 * memory is freed as soon as the header says that it may go.
 */
#include "input.h"

#include "batch/queue_internal.h"

#include <stdlib.h>
#include <string.h>

#define JOBS  40
#define STEPS 400
#define DEPTH 6

struct slot {
    struct oct_job *job; /* on the heap, so that a use after its end is seen; NULL: free */
    int waiting;
    int ran; /* the engine had it: its callback is due */
};

static struct fuzz_input in;
static struct oct_queue *queue;
static struct slot slot[JOBS];
static unsigned waiting, depth;
static uint64_t clock_now;
static int refusal;

static void step(void);

static uint64_t now(void *arg)
{
    (void)arg;
    return clock_now;
}

static int check(const struct oct_job *job)
{
    (void)job;
    return refusal;
}

/* Each job once, all of one operation, at most eight; it takes a time of its own and results of its own. */
static void run(struct oct_job *const job[], unsigned jobs)
{
    FUZZ_CHECK(jobs >= 1 && jobs <= OCT_LANES);
    clock_now += 1 + ((uint64_t)fuzz_byte(&in) << (fuzz_byte(&in) % 40));
    for (unsigned i = 0; i < jobs; i++) {
        struct slot *s = job[i]->arg;
        FUZZ_CHECK(s->job == job[i] && s->waiting && !s->ran && job[i]->op == job[0]->op);
        s->ran = 1;
        job[i]->status = (int)(fuzz_byte(&in) % 9);
        if (job[i]->status == OCT_ERR_FALLBACK)
            job[i]->status = OCT_OK;
    }
}

static void forget(struct slot *s)
{
    memset(s->job, 0xee, sizeof *s->job);
    free(s->job);
    *s = (struct slot){0};
}

/* The callback: the job is its owner's again, who does what he likes, also to the queue. */
static void done(struct oct_job *job)
{
    struct slot *s = job->arg;
    FUZZ_CHECK(s->job == job && s->waiting && job->state == OCT_JOB_DONE);
    FUZZ_CHECK(s->ran || (job->status == OCT_ERR_FALLBACK && (job->flags & OCT_JOB_MAY_FALL_BACK)));
    FUZZ_CHECK(!oct_queue_holds(queue, job) && oct_queue_cancel(queue, job) == OCT_ERR_STATE);
    waiting--;
    forget(s);
    for (unsigned steps = fuzz_byte(&in) % 4; steps > 1 && depth < DEPTH && in.left > 0; steps--)
        step();
}

static void submit(struct slot *s)
{
    if (s->job)
        return;
    const unsigned how = fuzz_byte(&in);
    s->job = calloc(1, sizeof *s->job);
    FUZZ_CHECK(s->job);
    struct oct_job *const job = s->job;
    *job =
        (struct oct_job){.op = (int)(how % 7), .flags = how & 0x40 ? OCT_JOB_MAY_FALL_BACK : 0, .done = done, .arg = s};
    refusal = how >= 0xf0 ? OCT_ERR_UNSUPPORTED : OCT_OK;
    const int good = job->op < OCT_OP_COUNT && refusal == OCT_OK;
    /* The eighth runs inside the call, and its memory may be gone when the call returns. */
    s->waiting = good;
    waiting += (unsigned)good;
    const int status = oct_queue_submit(queue, job);
    FUZZ_CHECK((status == OCT_OK) == good);
    if (!good) {
        FUZZ_CHECK(status == (job->op < OCT_OP_COUNT ? OCT_ERR_UNSUPPORTED : OCT_ERR_ARGUMENT));
        FUZZ_CHECK(job->state == OCT_JOB_IDLE && !oct_queue_holds(queue, job));
        forget(s);
    }
}

/* A job that the engine has had cannot be cancelled any more: its callback comes. */
static void cancel(struct slot *s)
{
    if (!s->job)
        return;
    FUZZ_CHECK(oct_queue_submit(queue, s->job) == OCT_ERR_STATE);
    if (!oct_queue_holds(queue, s->job)) {
        FUZZ_CHECK(depth > 1 && oct_queue_cancel(queue, s->job) == OCT_ERR_STATE);
        return;
    }
    FUZZ_CHECK(oct_queue_cancel(queue, s->job) == OCT_OK && s->job->state == OCT_JOB_IDLE);
    waiting--;
    forget(s);
}

/* Inside a callback a poll only notes the wish; outside, everything that waited at its begin is gone after it. */
static void poll_all(void)
{
    const unsigned before = waiting, completed = oct_queue_poll(queue);
    FUZZ_CHECK(completed <= before || depth > 1);
}

static void act(unsigned what, unsigned arg)
{
    switch (what % 8) {
    case 0:
        cancel(&slot[arg % JOBS]);
        break;
    case 1:
        oct_queue_set_deferred(queue, arg & 1);
        break;
    case 2:
        (void)oct_queue_run_full(queue);
        break;
    case 3:
        poll_all();
        break;
    case 4:
        oct_queue_note_fallback(queue, (int)(arg % 8), (uint64_t)fuzz_byte(&in) << (arg / 8));
        break;
    default:
        submit(&slot[arg % JOBS]);
    }
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

static void step(void)
{
    depth++;
    const unsigned what = fuzz_byte(&in), arg = fuzz_byte(&in);
    act(what, arg);
    FUZZ_CHECK(depth > 1 || oct_queue_waiting(queue) == waiting);
    for (int op = 0; op < OCT_OP_COUNT; op++)
        FUZZ_CHECK(oct_queue_break_even(queue, op) >= 1);
    depth--;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct oct_engine engine = {check, get_ready, run, is_whole};
    const struct oct_queue_config config = {now, NULL};
    in = (struct fuzz_input){data, size};
    waiting = depth = 0;
    clock_now = 1;
    FUZZ_CHECK(oct_queue_new_with(&queue, &config, &engine, fuzz_byte(&in) & 1) == OCT_OK);
    for (unsigned i = 0; i < STEPS && in.left > 0; i++)
        step();
    /* What still waits goes without a callback: the queue is freed first, then the jobs. */
    if (fuzz_byte(&in) & 1)
        while (oct_queue_waiting(queue) > 0)
            oct_queue_poll(queue);
    oct_queue_free(queue);
    for (unsigned i = 0; i < JOBS; i++)
        if (slot[i].job)
            forget(&slot[i]);
    return 0;
}
