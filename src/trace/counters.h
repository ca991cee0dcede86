/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The writers' side of <octuple/counters.h>: relaxed atomic adds into one page of the process. A writer gathers what it
 * has to say and says it once per batch, so that threads do not fight over the page.
 */
#ifndef OCT_TRACE_COUNTERS_H
#define OCT_TRACE_COUNTERS_H

#include <octuple/counters.h>

/* Reads OCTUPLE_COUNTERS and opens the page, once for the process; later calls cost a load. Every other function here
 * does it too: this one is for those who come early, while the environment is still there. */
void oct_counters_start(void);

/* Adds every field of delta. An op that does not exist is ignored. */
void oct_count_add(int op, const struct oct_op_counters *delta);

/* Lanes whose result failed its check and was computed again. */
void oct_count_recomputed(int op, unsigned lanes);

/* The page itself (page.c); NULL in the rare process that has none. */
struct oct_counters *oct_counters_page(void);

#endif
