/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What threads that have ended leave for those that begin: a server with a thread for each connection would else make
 * it anew for each. A few places without a lock, so that a fork finds nothing held.
 */
#ifndef OCT_BASE_SPARES_H
#define OCT_BASE_SPARES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define OCT_SPARES 16

struct oct_spares {
    _Atomic(void *) of[OCT_SPARES];
};

/* What somebody has left, now the caller's alone; NULL if there is nothing. */
static inline void *oct_spares_take(struct oct_spares *spares)
{
    for (int i = 0; i < OCT_SPARES; i++)
        if (atomic_load_explicit(&spares->of[i], memory_order_relaxed) != NULL) {
            void *spare = atomic_exchange_explicit(&spares->of[i], NULL, memory_order_acquire);
            if (spare != NULL)
                return spare;
        }
    return NULL;
}

/* False if there is no room: it stays the caller's. */
static inline bool oct_spares_leave(struct oct_spares *spares, void *spare)
{
    for (int i = 0; i < OCT_SPARES; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&spares->of[i], &none, spare, memory_order_release,
                                                    memory_order_relaxed))
            return true;
    }
    return false;
}

#endif
