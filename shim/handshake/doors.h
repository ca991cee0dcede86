/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The guard at the doors of libssl (doors.c). */
#ifndef OCT_SHIM_DOORS_H
#define OCT_SHIM_DOORS_H

#include "shim.h"

/* True if some connection of that libssl is paused, on whatever thread. */
static inline bool oct_door_is_guarded(const struct oct_ssl_functions *own)
{
    return __atomic_load_n(&oct_slices_away, __ATOMIC_RELAXED) != 0 && own == oct_ssl_served;
}

/* True in a process that has asked for a way to connections that nobody guards: nothing pauses there. */
bool oct_door_is_open(void);
/* The program gets such a way, in that libssl. */
void oct_door_leave_open(const struct oct_ssl_functions *own);

#endif
