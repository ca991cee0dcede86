/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The writer's side of `struct oct_hello_counters` (<octuple/counters.h>). Private: the preload shim writes there. */
#ifndef OCT_TRACE_HELLOS_H
#define OCT_TRACE_HELLOS_H

#include <octuple/counters.h>

/* Where they are, for the life of the process; never NULL. Additions are to be atomic. */
OCT_API struct oct_hello_counters *oct_hello_counters(void);

/* In the child of a fork: what its parent has counted is gone. */
void oct_hello_counters_forked(struct oct_hello_counters *hellos);

#endif
