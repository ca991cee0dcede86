/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See aside.h. */
#include "aside.h"

#include "base/fork.h"
#include "base/policy.h"
#include "base/thread_mode.h"

#include <openssl/async.h>
#include <stdatomic.h>

static _Atomic uint64_t known; /* the generation of processes that aside_left is of; 0: not started */
static atomic_uint aside_left; /* operations that this process leaves to OpenSSL's own code */

void oct_aside_start(void)
{
    uint64_t none = 0;
    oct_fork_watch();
    atomic_compare_exchange_strong(&known, &none, oct_fork_generation());
}

/* In a child that nobody has asked in before, it begins anew. */
static unsigned left(void)
{
    const uint64_t now = oct_fork_generation(), before = atomic_load_explicit(&known, memory_order_relaxed);
    if (before != 0 && before != now) {
        atomic_store_explicit(&aside_left, OCT_POLICY_ASIDE, memory_order_relaxed);
        atomic_store_explicit(&known, now, memory_order_relaxed);
    }
    return atomic_load_explicit(&aside_left, memory_order_relaxed);
}

bool oct_aside_is_due(void)
{
    if (left() == 0)
        return false;
    if (oct_thread_mode(true) != OCT_THREAD_EVENT_LOOP && ASYNC_get_current_job() == NULL)
        return true;
    atomic_store_explicit(&aside_left, 0, memory_order_relaxed);
    return false;
}

/* Threads that count at the same time may count one operation more or less. */
bool oct_aside_take(void)
{
    const unsigned before = left();

    if (!oct_aside_is_due())
        return false;
    atomic_store_explicit(&aside_left, before > 0 ? before - 1 : 0, memory_order_relaxed);
    return true;
}
