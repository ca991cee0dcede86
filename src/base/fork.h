/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which process this is, what its children tell it, and locks that a fork may meet. What a parent had under way, or had
 * made ahead, is not its child's. Private, as thread_mode.h is: liboctuple.so exports these functions to its own two
 * libraries.
 */
#ifndef OCT_BASE_FORK_H
#define OCT_BASE_FORK_H

#include <octuple/status.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* From now on forks are noticed: to be called before the generation is used. Later calls do nothing. */
OCT_API void oct_fork_watch(void);

/* 1 in the process that first watched, one more in its child, and so on. */
OCT_API uint64_t oct_fork_generation(void);

/* Memory that a process shares with its children. */
struct oct_fork_board {
    atomic_uint brief; /* children that ended after one connection (trace/page.c) */
};

/* That of this process, for its children, and that of its parent. NULL: there is none. */
OCT_API struct oct_fork_board *oct_fork_board(void);
OCT_API struct oct_fork_board *oct_fork_parents_board(void);

/*
 * A lock that no fork finds held: fork() takes it first, as all that are watched, those that came last before the
 * others. Whoever holds one may take only those that came before it.
 */
struct oct_fork_lock {
    pthread_mutex_t mutex;
    void (*before)(void);   /* in the parent, while no lock is held; or NULL */
    void (*in_child)(void); /* when all are free again, those that came first before the others; or NULL */
    struct oct_fork_lock *earlier;
};
#define OCT_FORK_LOCK_INIT                                                                                             \
    {                                                                                                                  \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                                                             \
    }

/* Once for each lock, which stays for the life of the process. False if forks cannot be watched. */
OCT_API bool oct_fork_lock_watch(struct oct_fork_lock *lock);

static inline void oct_fork_lock(struct oct_fork_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

static inline void oct_fork_unlock(struct oct_fork_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

#endif
