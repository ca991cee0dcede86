/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See epoch.h. */
#include "base/epoch.h"

#include <stdatomic.h>
#include <stdbool.h>

static _Atomic uint64_t epoch;
static atomic_bool unknown;

uint64_t oct_epoch(void)
{
    return atomic_load_explicit(&unknown, memory_order_relaxed) ? 0
                                                                : atomic_load_explicit(&epoch, memory_order_acquire);
}

void oct_epoch_next(void)
{
    atomic_fetch_add_explicit(&epoch, 1, memory_order_acq_rel);
}

void oct_epoch_unknown(void)
{
    atomic_store_explicit(&unknown, true, memory_order_relaxed);
}
