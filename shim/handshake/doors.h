/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The guard at the doors of libssl (doors.c). */
#ifndef OCT_SHIM_DOORS_H
#define OCT_SHIM_DOORS_H

#include "handshake/conn.h"

/* For assembly: from which minor release of this major one on a row of doors.def has its function; below 0: never. */
#if OCT_OPENSSL_MAJOR_NUMBER == 3
#define OCT_DOOR_SINCE(three, four) #three
#else
#define OCT_DOOR_SINCE(three, four) #four
#endif

/* True in a process that has asked for a way to connections that nobody guards: nothing pauses there. */
bool oct_door_is_open(void);
/* The program gets such a way, in that libssl. */
void oct_door_leave_open(const struct oct_ssl_functions *own);

#endif
