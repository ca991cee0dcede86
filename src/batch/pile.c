/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Laying jobs together, and when to hope for company. No clock, and nothing here waits but for the lock. */
#include "batch/pile.h"

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

struct piles {
    struct oct_pile of[CPUS][OCT_OP_COUNT];
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct piles *piles; /* NULL: there are none */

/* Memory that is zero in the child of a fork, however it was forked: there the other threads are gone, who may hold
 * locks and have jobs there. Without such memory there are no piles. */
static void make_piles(void)
{
    void *memory = mmap(NULL, sizeof *piles, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        return;
    if (madvise(memory, sizeof *piles, MADV_WIPEONFORK) == 0)
        piles = memory;
    else
        munmap(memory, sizeof *piles);
}

struct oct_pile *oct_pile_here(int op)
{
    const int cpu = sched_getcpu();

    pthread_once(&once, make_piles);
    return piles != NULL && cpu >= 0 && cpu < CPUS ? &piles->of[cpu][op] : NULL;
}

static void take(struct oct_pile *pile, unsigned worth, bool at_once, struct oct_batch *batch)
{
    *batch = pile->jobs;
    pile->jobs.count = 0;
    if (batch->count > 1 && batch->count >= worth) {
        pile->luck = LUCK;
        pile->misses = 0;
    } else if (pile->luck > 0 && at_once) {
        pile->luck--;
    } else {
        pile->luck = 0;
        pile->misses = pile->misses == 0 ? 1 : pile->misses < MAX_PAUSE ? 2 * pile->misses : MAX_PAUSE;
    }
    pile->pause = pile->misses;
}

static bool hopes_for_company(struct oct_pile *pile, const void *who)
{
    if (pile->luck > 0)
        return true;
    if (pile->last == NULL || pile->last == who)
        return false;
    if (pile->pause == 0)
        return true;
    pile->pause--;
    return false;
}

static enum oct_pile_place lay(struct oct_pile *pile, struct oct_laid *mine, const void *who, unsigned worth,
                               struct oct_batch *batch)
{
    if (pile->jobs.count == 0 && !hopes_for_company(pile, who))
        return OCT_PILE_ALONE;
    pile->jobs.laid[pile->jobs.count++] = mine;
    if (pile->jobs.count == 1)
        return OCT_PILE_FIRST;
    if (pile->jobs.count < OCT_LANES)
        return OCT_PILE_LATER;
    take(pile, worth, false, batch);
    return OCT_PILE_FULL;
}

/* One who has been alone here, and had no luck, does without the lock: it does not see who began just now, who does not
 * wait for it either. */
enum oct_pile_place oct_pile_lay(struct oct_pile *pile, struct oct_laid *mine, const void *who, unsigned worth,
                                 struct oct_batch *batch)
{
    enum oct_pile_place place;

    if (atomic_load_explicit(&pile->last, memory_order_relaxed) == who &&
        atomic_load_explicit(&pile->luck, memory_order_relaxed) == 0)
        return OCT_PILE_ALONE;
    pthread_mutex_lock(&pile->lock);
    place = lay(pile, mine, who, worth, batch);
    pile->last = who;
    pthread_mutex_unlock(&pile->lock);
    return place;
}

/* `mine` is on its owner's stack: while it lies there it is the first, and no other can have its address. */
void oct_pile_collect(struct oct_pile *pile, const struct oct_laid *mine, unsigned worth, bool at_once,
                      struct oct_batch *batch)
{
    pthread_mutex_lock(&pile->lock);
    if (pile->jobs.count > 0 && pile->jobs.laid[0] == mine)
        take(pile, worth, at_once, batch);
    pthread_mutex_unlock(&pile->lock);
}
