/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See fork.h. */
#include "fork.h"

#include "base/policy.h"
#include "base/thread_mode.h"

#include <openssl/async.h>
#include <pthread.h>
#include <stdatomic.h>

/* Only the forking thread lives on in the child, so nobody else reads it while it changes. */
static unsigned generation;
static atomic_uint aside_left; /* operations that this process leaves to OpenSSL's own code */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void in_child(void)
{
    generation++;
    atomic_store_explicit(&aside_left, OCT_POLICY_CHILD_ASIDE, memory_order_relaxed);
}

static void watch(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

void oct_fork_watch(void)
{
    pthread_once(&once, watch);
    oct_provider_set_loaded();
}

unsigned oct_fork_generation(void)
{
    return generation;
}

bool oct_fork_is_aside(void)
{
    if (atomic_load_explicit(&aside_left, memory_order_relaxed) == 0)
        return false;
    if (oct_thread_mode(true) != OCT_THREAD_EVENT_LOOP && ASYNC_get_current_job() == NULL)
        return true;
    atomic_store_explicit(&aside_left, 0, memory_order_relaxed);
    return false;
}

/* Threads that count at the same time may count one operation more or less. */
bool oct_fork_steps_aside(void)
{
    const unsigned left = atomic_load_explicit(&aside_left, memory_order_relaxed);

    if (!oct_fork_is_aside())
        return false;
    atomic_store_explicit(&aside_left, left > 0 ? left - 1 : 0, memory_order_relaxed);
    return true;
}
