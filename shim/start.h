/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The process's settings. */
#ifndef OCT_SHIM_START_H
#define OCT_SHIM_START_H

#include "shim.h"

/* Asked where libssl is: loads liboctuple. False in a program with raised privileges, and in one that has a process
 * for each connection. */
bool oct_shim_wanted(void);

/* True if OCTUPLE_LOOPS=stay: no thread of this process takes over the event loop that another one has waited in. */
bool oct_shim_loops_stay(void);

/* What OCTUPLE_LOOPS says of QUIC by its option quic=WAY: "off", "wait" or "socket"; else "". */
const char *oct_shim_quic_said(void);

/* reach.c: reads its option of OCTUPLE_LOOPS. */
void oct_reach_start(const char *setting);

/* Makes liboctuple read its settings. False if it has no table for this CPU, or was told to use none. */
bool oct_shim_library_start(void);

#endif
