/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Putting jobs together, and when to expect other threads. No clock; nothing here waits, except for the lock.
 *
 * A yield is risked where the last to come was another thread. If it is fruitless, a pause follows, each twice as long
 * as the one before. After a meeting, some short fruitless yields are borne before that (base/policy.h).
 */
#include "batch/rendezvous.h"

#include "base/policy.h"
#include "batch/peers.h"

#include <sched.h>
#include <sys/mman.h>

/* On CPUs with a higher number threads run alone. What is never touched takes no memory. */
#define CPUS 512

struct table {
    struct oct_rendezvous of[CPUS][OCT_OP_COUNT];
};

/* MAP_FAILED: these peers have none. */
static _Atomic(struct table *) tables[OCT_PEERS];

/* Memory that is zero in the child of a fork, however it was forked: there the other threads are gone, which may hold
 * locks and have jobs here. Without such memory there is no rendezvous. */
static struct table *make_table(void)
{
    void *memory = mmap(NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED || madvise(memory, sizeof(struct table), MADV_WIPEONFORK) == 0)
        return memory;
    munmap(memory, sizeof(struct table));
    return MAP_FAILED;
}

/* The first of these peers makes it. */
static struct table *table_of(int peers)
{
    struct table *table = atomic_load_explicit(&tables[peers], memory_order_acquire);

    if (table == NULL) {
        struct table *made = make_table();
        if (atomic_compare_exchange_strong(&tables[peers], &table, made))
            table = made;
        else if (made != MAP_FAILED)
            munmap(made, sizeof *made);
    }
    return table != MAP_FAILED ? table : NULL;
}

struct oct_rendezvous *oct_rendezvous_here(int op, int peers)
{
    const int cpu = sched_getcpu();
    struct table *table = cpu >= 0 && cpu < CPUS ? table_of(peers) : NULL;

    return table != NULL ? &table->of[cpu][op] : NULL;
}

bool oct_rendezvous_came_last(int op, const void *who)
{
    static _Atomic(const void *) lasts[CPUS][OCT_OP_COUNT];
    const int cpu = sched_getcpu();
    const void *last;

    if (cpu < 0 || cpu >= CPUS)
        return true;
    last = atomic_load_explicit(&lasts[cpu][op], memory_order_relaxed);
    if (last == who)
        return true;
    atomic_store_explicit(&lasts[cpu][op], who, memory_order_relaxed);
    return last == NULL;
}

/* The pause after one of so many chances. */
static unsigned longer(unsigned pause)
{
    if (pause == 0)
        return 1;
    return pause < OCT_POLICY_YIELD_PAUSE_MAX ? 2 * pause : OCT_POLICY_YIELD_PAUSE_MAX;
}

static void take(struct oct_rendezvous *here, unsigned worth, bool at_once, struct oct_batch *batch)
{
    *batch = here->jobs;
    here->jobs.count = 0;
    if (batch->count > 1 && batch->count >= worth) {
        here->credit = OCT_POLICY_YIELD_CREDIT;
        here->misses = 0;
    } else if (here->credit > 0 && at_once) {
        here->credit--;
    } else {
        here->credit = 0;
        here->misses = longer(here->misses);
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

enum oct_rendezvous_role oct_rendezvous_join(struct oct_rendezvous *here, struct oct_waiter *mine, const void *who,
                                             unsigned worth, struct oct_batch *batch)
{
    enum oct_rendezvous_role role;

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
