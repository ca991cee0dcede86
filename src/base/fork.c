/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See fork.h. */
#include "base/fork.h"

#include "base/thread_mode.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic uint64_t generation = 1;
static pthread_once_t watched = PTHREAD_ONCE_INIT;

/* The child has one thread, and nobody serves it yet. */
static void forked_child(void)
{
    oct_thread_set_mode(OCT_THREAD_BLOCKING);
    atomic_fetch_add_explicit(&generation, 1, memory_order_relaxed);
}

static void watch(void)
{
    pthread_atfork(NULL, NULL, forked_child);
}

void oct_fork_watch(void)
{
    pthread_once(&watched, watch);
}

uint64_t oct_fork_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}
