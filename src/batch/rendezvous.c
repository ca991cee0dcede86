/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Putting jobs together, and when to expect other threads. No clock; nothing here waits, except for the lock. */
#include "batch/rendezvous.h"

#include <sched.h>
#include <sys/mman.h>

/* On CPUs with a higher number threads run alone. What is never touched takes no memory. */
#define CPUS 512

/*
 * A wait that brings nobody costs a system call, or, where others have something else to do with the CPU, a time
 * slice. So one is risked where the last to come was another thread; if it is fruitless the next comes after 1, 2,
 * 4, .. 64 chances. Once it has brought somebody, so many misses are borne before that, if they were short: the
 * kernel may well give the CPU back at once although others are ready, and a thread that went on alone would find
 * itself the last to come for the rest of its time slice.
 */
#define LUCK      4
#define MAX_PAUSE 64

struct table {
    struct oct_rendezvous of[CPUS][OCT_OP_COUNT];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct table *table; /* NULL: there are none */

/* Memory that is zero in the child of a fork, however it was forked: there the other threads are gone, which may hold
 * locks and have jobs here. Without such memory there is no rendezvous. */
static void make_table(void)
{
    void *memory = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return;
    if (madvise(memory, sizeof *table, MADV_WIPEONFORK) == 0)
        table = memory;
    else
        munmap(memory, sizeof *table);
}

struct oct_rendezvous *oct_rendezvous_here(int op)
{
    const int cpu = sched_getcpu();

    pthread_once(&once, make_table);
    return table != NULL && cpu >= 0 && cpu < CPUS ? &table->of[cpu][op] : NULL;
}

static void take(struct oct_rendezvous *here, unsigned worth, bool at_once, struct oct_batch *batch)
{
    *batch = here->jobs;
    here->jobs.count = 0;
    if (batch->count > 1 && batch->count >= worth) {
        here->credit = LUCK;
        here->misses = 0;
    } else if (here->credit > 0 && at_once) {
        here->credit--;
    } else {
        here->credit = 0;
        here->misses = here->misses == 0 ? 1 : here->misses < MAX_PAUSE ? 2 * here->misses : MAX_PAUSE;
    }
    here->pause = here->misses;
}

static bool expects_others(struct oct_rendezvous *here, const void *who)
{
    if (here->credit > 0)
        return true;
    if (here->last == NULL || here->last == who)
        return false;
    if (here->pause == 0)
        return true;
    here->pause--;
    return false;
}

static enum oct_rendezvous_role join(struct oct_rendezvous *here, struct oct_waiter *mine, const void *who,
                                     unsigned worth, struct oct_batch *batch)
{
    if (here->jobs.count == 0 && !expects_others(here, who))
        return OCT_RENDEZVOUS_ALONE;
    here->jobs.waiter[here->jobs.count++] = mine;
    if (here->jobs.count == 1)
        return OCT_RENDEZVOUS_FIRST;
    if (here->jobs.count < OCT_LANES)
        return OCT_RENDEZVOUS_LATER;
    take(here, worth, false, batch);
    return OCT_RENDEZVOUS_FULL;
}

/* A thread that was the last to come, and has no credit, does without the lock. It misses a thread that began just
 * now; that one does not wait for it either. */
enum oct_rendezvous_role oct_rendezvous_join(struct oct_rendezvous *here, struct oct_waiter *mine, const void *who,
                                             unsigned worth, struct oct_batch *batch)
{
    enum oct_rendezvous_role role;

    if (atomic_load_explicit(&here->last, memory_order_relaxed) == who &&
        atomic_load_explicit(&here->credit, memory_order_relaxed) == 0)
        return OCT_RENDEZVOUS_ALONE;
    pthread_mutex_lock(&here->lock);
    role = join(here, mine, who, worth, batch);
    here->last = who;
    pthread_mutex_unlock(&here->lock);
    return role;
}

/* `mine` is on its owner's stack: while it waits here it is the first, and no other can have its address. */
void oct_rendezvous_collect(struct oct_rendezvous *here, const struct oct_waiter *mine, unsigned worth, bool at_once,
                            struct oct_batch *batch)
{
    pthread_mutex_lock(&here->lock);
    if (here->jobs.count > 0 && here->jobs.waiter[0] == mine)
        take(here, worth, at_once, batch);
    pthread_mutex_unlock(&here->lock);
}
