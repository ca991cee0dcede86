/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The writers' side of `struct oct_key_counters` (<octuple/counters.h>). Private: the preload shim writes there.
 * liboctuple.so exports these functions to its own two libraries; they are not part of the C API. Where OCTUPLE_KEYS is
 * not set nobody calls them, and their memory is never touched.
 */
#ifndef OCT_TRACE_KEYS_H
#define OCT_TRACE_KEYS_H

#include <octuple/counters.h>

/* Where they are, for the life of the process; never NULL. Additions are to be atomic. */
OCT_API struct oct_key_counters *oct_keys_counters(void);

/* The setting, and what has become of it: children of a fork have both too. */
OCT_API void oct_keys_counters_set(uint64_t limit, uint64_t timeout);
OCT_API void oct_keys_counters_state(enum oct_keys_state state);

/* In the child of a fork: what its parent has counted is gone. */
void oct_keys_counters_forked(struct oct_key_counters *keys);

#endif
