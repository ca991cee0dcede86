/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Keys that live elsewhere, as the start of the shim sees them: remote.h is for this folder alone. Where OCTUPLE_KEYS
 * asks for them, oct_keys_part (handshake/above.h) is set before the first handshake.
 */
#ifndef OCT_SHIM_KEYS_H
#define OCT_SHIM_KEYS_H

#include "handshake/above.h"

/* For start.c and decide.c. Once, while the environment is there: reads the settings. */
void oct_keys_start(const char *keys);
/* When liboctuple is there, in front of oct_thread_setup(): makes ready for helpers. */
void oct_keys_start_with_libssl(void);
/* The environment asks for them. */
bool oct_keys_wanted(void);
/* The setting is there, for who looks at the counters. */
void oct_keys_announce(void);
/* Once, when it is decided whether the shim goes to work. */
void oct_keys_setup(bool shim_works);

#endif
