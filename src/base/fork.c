/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See fork.h. One registration for all: each handler of its own would be a call, and memory to write to, at each fork.
 */
#include "base/fork.h"

#include "base/thread_mode.h"

#include <stddef.h>
#include <sys/mman.h>

static _Atomic uint64_t generation = 1;
static pthread_once_t watched = PTHREAD_ONCE_INIT;
static bool watches;
static _Atomic(struct oct_fork_board *) own;
static struct oct_fork_board *parents;
static _Atomic(struct oct_fork_lock *) last; /* that is watched */

static void board_make(void)
{
    struct oct_fork_board *none = NULL;
    void *memory = mmap(NULL, sizeof *none, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (memory != MAP_FAILED && !atomic_compare_exchange_strong(&own, &none, memory))
        munmap(memory, sizeof *none);
}

static void before_fork(void)
{
    struct oct_fork_lock *const first = atomic_load_explicit(&last, memory_order_acquire);

    for (const struct oct_fork_lock *lock = first; lock != NULL; lock = lock->earlier)
        if (lock->before != NULL)
            lock->before();
    for (struct oct_fork_lock *lock = first; lock != NULL; lock = lock->earlier)
        oct_fork_lock(lock);
    if (atomic_load(&own) == NULL)
        board_make();
}

static void unlock_all(void)
{
    for (struct oct_fork_lock *lock = atomic_load_explicit(&last, memory_order_acquire); lock != NULL;
         lock = lock->earlier)
        oct_fork_unlock(lock);
}

static void tell_children(const struct oct_fork_lock *lock)
{
    if (lock == NULL)
        return;
    tell_children(lock->earlier);
    if (lock->in_child != NULL)
        lock->in_child();
}

/* The child has one thread, and nobody serves it yet. */
static void in_child(void)
{
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
    atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
    if (parents != NULL)
        munmap(parents, sizeof *parents);
    parents = atomic_exchange(&own, NULL);
    unlock_all();
    tell_children(atomic_load_explicit(&last, memory_order_acquire));
}

static void watch(void)
{
    watches = pthread_atfork(before_fork, unlock_all, in_child) == 0;
}

void oct_fork_watch(void)
{
    pthread_once(&watched, watch);
}

uint64_t oct_fork_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

struct oct_fork_board *oct_fork_board(void)
{
    return atomic_load(&own);
}

struct oct_fork_board *oct_fork_parents_board(void)
{
    return parents;
}

bool oct_fork_lock_watch(struct oct_fork_lock *lock)
{
    oct_fork_watch();
    lock->earlier = atomic_load_explicit(&last, memory_order_relaxed);
    while (
        !atomic_compare_exchange_weak_explicit(&last, &lock->earlier, lock, memory_order_release, memory_order_relaxed))
        ;
    return watches;
}
