/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A rendezvous: where threads that block put their jobs together (combine.c). Each operation has one on each CPU, for
 * peers: threads that the scheduler treats alike (peers.h).
 *
 * Why on each CPU: a thread that finds a job here got the CPU from the thread that put it here, which has yielded. So
 * both wanted this CPU at the same time, and neither could have run while the other did. A thread that has a CPU to
 * itself finds an empty rendezvous, whatever the rest of the process does. Where there are no more threads than CPUs
 * nobody waits, unless the kernel has put two on one.
 *
 * Why for peers: who comes waits for the lock and for those who came before. A thread of another nice may have to wait
 * long for the CPU, and would have either while it does.
 */
#ifndef OCT_BATCH_RENDEZVOUS_H
#define OCT_BATCH_RENDEZVOUS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <octuple/queue.h>

/* A job at a rendezvous, on the stack of the thread that waits for it. */
struct oct_waiter {
    struct oct_job *job;
    int result;        /* of the call that ran the batch */
    atomic_uint state; /* combine.c's */
};

/* What was taken from a rendezvous: all that waited there. */
struct oct_batch {
    struct oct_waiter *waiter[OCT_LANES];
    unsigned count;
};

/* All zero is an empty rendezvous that nobody has seen. The child of a fork finds all of them so. */
struct oct_rendezvous {
    pthread_mutex_t lock; /* of what follows; never held while anything runs or sleeps */
    struct oct_batch jobs;
    const void *last;       /* the thread that came last */
    atomic_uint credit;     /* short fruitless yields that do not yet end the yielding */
    unsigned misses, pause; /* the length of the next pause; chances of this one that still go past */
};

/* What a thread that came to a rendezvous is to do. */
enum oct_rendezvous_role {
    OCT_RENDEZVOUS_ALONE, /* run its job itself: it does not wait there */
    OCT_RENDEZVOUS_FIRST, /* yield, then oct_rendezvous_collect() */
    OCT_RENDEZVOUS_LATER, /* sleep until somebody has run its job */
    OCT_RENDEZVOUS_FULL,  /* run *batch, which has eight jobs, its own among them */
};

/* The rendezvous of an operation on the CPU of the caller, for some peers; NULL if there is none. */
struct oct_rendezvous *oct_rendezvous_here(int op, int peers);

/* True if, on this CPU, no thread has come with the operation since the caller did, whoever's peer. So too where nobody
 * ever has, or there are no rendezvous. Takes no lock, and so misses a thread that comes just now. */
bool oct_rendezvous_came_last(int op, const void *who);

/* Adds a job, if other threads are there or expected. `who` is the calling thread; from `worth` jobs on a vector pays.
 */
enum oct_rendezvous_role oct_rendezvous_join(struct oct_rendezvous *here, struct oct_waiter *mine, const void *who,
                                             unsigned worth, struct oct_batch *batch);

/* Takes all jobs of a rendezvous that `mine` began; leaves *batch empty if another thread has taken them. at_once: the
 * yield gave the CPU back before another thread can have done anything. */
void oct_rendezvous_collect(struct oct_rendezvous *here, const struct oct_waiter *mine, unsigned worth, bool at_once,
                            struct oct_batch *batch);

#endif
