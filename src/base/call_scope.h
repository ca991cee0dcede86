/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What may be remembered for the length of one call into a handshake, and no longer. The preload shim says where such a
 * call begins and ends; whoever remembers a secret meanwhile says how it is forgotten. Private, as thread_mode.h is.
 */
#ifndef OCT_BASE_CALL_SCOPE_H
#define OCT_BASE_CALL_SCOPE_H

#include <octuple/status.h>

#include <stdbool.h>

/* For the shim, around each call. Calls do not count: the first end forgets all. */
OCT_API void oct_call_scope_begin(void);
OCT_API void oct_call_scope_end(void);

/* True inside a call, on this thread. */
OCT_API bool oct_call_scope_is_open(void);

/* True inside a call: `forget` runs on this thread when that ends. One function at most is known. */
OCT_API bool oct_call_scope_remember(void (*forget)(void));

#endif
