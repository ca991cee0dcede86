/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The place where threads that block lay their jobs together (combine.c): a pile for each operation on each CPU.
 *
 * Why on each CPU: whoever finds a pile there has got the CPU from the thread that began it, which has yielded. So
 * both wanted this CPU at the same time, and neither could have run while the other did. A thread that has a CPU to
 * itself finds an empty pile whatever the rest of the process does: where there are no more threads than CPUs nobody
 * waits, unless the kernel has put two on one.
 */
#ifndef OCT_BATCH_PILE_H
#define OCT_BATCH_PILE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <octuple/queue.h>

/* A job on a pile, on the stack of the thread that waits for it. */
struct oct_laid {
    struct oct_job *job;
    int result;        /* of the call that ran the batch */
    atomic_uint state; /* combine.c's */
};

/* What was taken from a pile: all that lay there. */
struct oct_batch {
    struct oct_laid *laid[OCT_LANES];
    unsigned count;
};

/* All zero is an empty pile that nobody has seen; a forked child finds its piles so. */
struct oct_pile {
    pthread_mutex_t lock; /* of what follows; never held while anything runs or sleeps */
    struct oct_batch jobs;
    _Atomic(const void *) last; /* the thread that came last */
    atomic_uint luck;           /* fruitless waits, though short ones, that are still borne without a doubt */
    unsigned misses, pause;     /* the next pause; how many still go past before somebody waits again */
};

/* What a thread that came to a pile is to do. */
enum oct_pile_place {
    OCT_PILE_ALONE, /* run its job itself: it does not lie there */
    OCT_PILE_FIRST, /* yield, then oct_pile_collect() */
    OCT_PILE_LATER, /* sleep until somebody has run its job */
    OCT_PILE_FULL,  /* run *batch, which has eight jobs, its own among them */
};

/* The pile of an operation on the CPU of the caller; NULL if there is none. */
struct oct_pile *oct_pile_here(int op);

/* Lays a job there, if it has company. `who` is the calling thread; from `worth` jobs on a vector pays. */
enum oct_pile_place oct_pile_lay(struct oct_pile *pile, struct oct_laid *mine, const void *who, unsigned worth,
                                 struct oct_batch *batch);

/* Takes the pile that `mine` began; leaves *batch empty if somebody has taken it meanwhile. at_once: the yield
 * brought the CPU back before anybody can have done anything. */
void oct_pile_collect(struct oct_pile *pile, const struct oct_laid *mine, unsigned worth, bool at_once,
                      struct oct_batch *batch);

#endif
