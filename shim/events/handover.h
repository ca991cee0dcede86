/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Where handed connections (handshake/handed.h) find the thread that waits for their socket now. */
#ifndef OCT_SHIM_HANDOVER_H
#define OCT_SHIM_HANDOVER_H

#include "events/events.h"

/* fd has been registered in epfd. */
void oct_handover_registered(int epfd, int fd);
/* t is about to wait on epfd: those in it become its own. */
void oct_handover_adopt(struct oct_thread *t, int epfd);
/* The kernel has returned n events. Leaves out what has only waked the caller. Returns how many are left. */
int oct_handover_strip(const struct oct_wait *w, int n);

#endif
