/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Combining: threads that block run their jobs together.
 *
 * A thread that serves one connection has one operation at a time. Those of the others are in threads that are ready
 * to run and do not. So the first to come to an empty rendezvous (rendezvous.h) leaves its job there and yields the
 * CPU, once. What is ready to run gets on to its own next operation, finds the rendezvous, adds its job, and sleeps,
 * which lets the next one run. When nothing is ready any more the first has the CPU again: it takes all jobs, runs
 * them, and wakes the others. A thread that comes as the eighth does the same at once. There is no timer, and no thread
 * waits for one that is not ready to run.
 *
 * Nobody waits for a thread that the scheduler starves: those who meet are peers (peers.h), of equal policy and nice.
 * A thread asks what it is before it joins, so each rendezvous, its lock and each batch are of peers. It need not ask
 * where it goes on alone anyhow. If somebody changes a thread's nice after that, those who wait for it just then do so
 * until it has run this one batch; when it comes again it has asked again.
 *
 * No wake-up is lost. A job is at a rendezvous from oct_rendezvous_join() until some thread takes all that wait there,
 * both under its lock. The first never sleeps while its job is there: it comes back from the yield and takes all jobs,
 * or finds its own taken. So every job is taken, by exactly one thread. That thread runs all it has taken, and then
 * makes each job's state DONE, as the last thing it does with it. An owner sleeps only as long as the state is ASLEEP,
 * which it has made it itself, from WAITING. If DONE came before that, it does not sleep. If DONE came after, the
 * thread that made it so saw ASLEEP and wakes the owner, and the futex does not let it fall asleep in between. A thread
 * that is woken for nothing looks at the state again.
 *
 * The owner of a job that is not DONE is inside this call, so the job, its key and its buffers stay. A fork() by
 * another thread leaves nothing behind in the child, which finds every rendezvous empty.
 */
#include "base/clock.h"
#include "base/policy.h"
#include "base/thread_mode.h"
#include "batch/peers.h"
#include "batch/rendezvous.h"
#include "batch/queue_internal.h"
#include "trace/counters.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WAITING = 0, ASLEEP = 1, DONE = 2 };

/* As the thread last asked, or usual ones. Its address stands for the thread. */
static _Thread_local int peers = OCT_PEERS_USUAL;

static void sleep_until_done(struct oct_waiter *mine)
{
    unsigned waiter = WAITING;

    if (!atomic_compare_exchange_strong(&mine->state, &waiter, ASLEEP))
        return;
    while (atomic_load(&mine->state) == ASLEEP)
        syscall(SYS_futex, &mine->state, FUTEX_WAIT_PRIVATE, ASLEEP, NULL, NULL, 0);
}

/* Another thread's stack: when the state is DONE it may be gone, so that only the address is used after that. */
static void finish(struct oct_waiter *waiter, int result)
{
    waiter->result = result;
    if (atomic_exchange(&waiter->state, DONE) == ASLEEP)
        syscall(SYS_futex, &waiter->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* All jobs have been checked, so that a refusal is no job's fault. Without a queue their owners run them alone. */
static void run(const struct oct_batch *batch)
{
    struct oct_queue *queue = oct_queue_thread();
    struct oct_job *job[OCT_LANES];
    int result = OCT_ERR_FALLBACK;

    for (unsigned i = 0; i < batch->count; i++)
        job[i] = batch->waiter[i]->job;
    if (queue != NULL)
        result = oct_queue_run_now(queue, job, batch->count);
    for (unsigned i = 0; i < batch->count; i++)
        finish(batch->waiter[i], result);
}

/* Lets the others come, and takes what waits there then. */
static void gather(struct oct_rendezvous *here, const struct oct_waiter *mine, unsigned worth, struct oct_batch *batch)
{
    const uint64_t begin = oct_clock_nanoseconds();

    sched_yield();
    oct_rendezvous_collect(here, mine, worth, oct_clock_nanoseconds() - begin < OCT_POLICY_YIELD_AT_ONCE, batch);
}

/* OCT_ERR_FALLBACK if no other thread came, else the result of the run. */
static int combine(struct oct_rendezvous *here, struct oct_job *job)
{
    const unsigned worth = oct_queue_break_even(oct_queue_thread_peek(), job->op);
    struct oct_waiter mine = {.job = job, .result = OCT_ERR_FALLBACK};
    struct oct_batch batch = {.count = 0};
    enum oct_rendezvous_role role = oct_rendezvous_join(here, &mine, &peers, worth, &batch);

    if (role == OCT_RENDEZVOUS_ALONE)
        return OCT_ERR_FALLBACK;
    oct_count_waiting(job->op, 1);
    if (role == OCT_RENDEZVOUS_FIRST)
        gather(here, &mine, worth, &batch);
    if (batch.count == 0)
        sleep_until_done(&mine);
    oct_count_waiting(job->op, -1);
    if (batch.count == 1)
        return OCT_ERR_FALLBACK;
    if (batch.count > 1)
        run(&batch);
    return mine.result;
}

/* Where the thread's queue is polled from elsewhere, or the shim serves the thread, it has many connections. */
static bool may_block(const struct oct_queue *queue)
{
    return oct_thread_mode(false) == OCT_THREAD_BLOCKING && (queue == NULL || !queue->deferred);
}

/* The rendezvous of the thread's peers, for which it asks just now; NULL: it goes on alone. If it came last, and others
 * are not expected all the same, it need not ask. */
static struct oct_rendezvous *find(int op)
{
    const bool came_last = oct_rendezvous_came_last(op, &peers);
    struct oct_rendezvous *here = oct_rendezvous_here(op, peers);
    int asked;

    if (came_last && (here == NULL || atomic_load_explicit(&here->credit, memory_order_relaxed) == 0))
        return NULL;
    asked = oct_peers_ask();
    if (asked == OCT_PEERS_NONE)
        return NULL;
    peers = asked;
    return oct_rendezvous_here(op, peers);
}

int oct_queue_combine(struct oct_job *job)
{
    int status = oct_job_check(&oct_engine, job);
    struct oct_rendezvous *here;

    if (status != OCT_OK)
        return status;
    here = may_block(oct_queue_thread_peek()) ? find(job->op) : NULL;
    return here == NULL ? OCT_ERR_FALLBACK : combine(here, job);
}
