/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What watch.c and sleep.c share: the operations of a thread that are under way, and how it is told that they are done.
 */
#ifndef OCT_SHIM_WATCH_H
#define OCT_SHIM_WATCH_H

#include "keys/remote.h"

#include <pthread.h>

struct oct_watch {
    pthread_mutex_t lock;
    pthread_cond_t done;
    atomic_uint refs; /* its thread's, and one for each operation that a helper has or may get */
    atomic_bool any;
    struct oct_remote *mailbox, **mailbox_end; /* guarded by the lock */
    int fd;
    /* Of the thread alone: */
    struct oct_remote *first, **end; /* in the order of their deadlines */
    unsigned count;                  /* that some helper has or will get */
};

#endif
