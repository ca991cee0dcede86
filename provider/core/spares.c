/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See spares.h. What was put there last is taken first, as far as one thread goes: the cache still has it. */
#include "spares.h"

#include <stddef.h>

void *oct_spares_take(struct oct_spares *spares)
{
    void *object = NULL;
    for (int i = 0; i < OCT_SPARES && object == NULL; i++)
        if (atomic_load_explicit(&spares->of[i], memory_order_relaxed) != NULL)
            object = atomic_exchange_explicit(&spares->of[i], NULL, memory_order_acq_rel);
    return object;
}

bool oct_spares_put(struct oct_spares *spares, void *object)
{
    for (int i = 0; i < OCT_SPARES; i++) {
        void *none = NULL;
        if (atomic_load_explicit(&spares->of[i], memory_order_relaxed) == NULL &&
            atomic_compare_exchange_strong_explicit(&spares->of[i], &none, object, memory_order_acq_rel,
                                                    memory_order_relaxed))
            return true;
    }
    return false;
}
