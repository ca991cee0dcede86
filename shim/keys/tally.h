/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What is counted of operations with keys that live elsewhere (<octuple/counters.h>, struct oct_key_counters). */
#ifndef OCT_SHIM_TALLY_H
#define OCT_SHIM_TALLY_H

#include "keys/remote.h"

#include "trace/keys.h"

/* It has run inside the call, for `nanoseconds`; 0 if nobody has measured it. */
void oct_tally_inside(struct oct_remote *op, enum oct_keys_inside why, uint64_t nanoseconds, int result);

/* Around oct_helpers_submit(): it goes into the line; it has not been taken. */
void oct_tally_submit(struct oct_remote *op);
void oct_tally_refused(struct oct_remote *op);
/* oct_helpers_cancel(), and what that takes from the line. */
bool oct_tally_cancel(struct oct_remote *op);
/* The operation as a helper runs it. */
int oct_tally_run(struct oct_remote *op);
/* One that has paused by itself is over. */
void oct_tally_paused(struct oct_remote *op);

/* Its handshake is paused; how that ends, of which only the first time counts. By the handshake's own thread. */
enum oct_tally_end { OCT_TALLY_DONE, OCT_TALLY_FAILED, OCT_TALLY_TIMED_OUT, OCT_TALLY_CALLED_OFF };
void oct_tally_begin(struct oct_remote *op, enum oct_keys_way way);
void oct_tally_end(struct oct_remote *op, enum oct_tally_end how);

#endif
