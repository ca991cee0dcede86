/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* One call of epoll_wait(), whatever its form. */
#ifndef OCT_SHIM_EVENTS_H
#define OCT_SHIM_EVENTS_H

#include "shim.h"

#include <signal.h>
#include <time.h>

struct oct_wait {
    enum { OCT_WAIT, OCT_PWAIT, OCT_PWAIT2 } kind;
    int epfd;
    struct epoll_event *events;
    int max;
    int timeout;                 /* OCT_WAIT, OCT_PWAIT: milliseconds, negative for ever */
    const struct timespec *time; /* OCT_PWAIT2: NULL for ever */
    const sigset_t *mask;
};

/* The real function, with the program's timeout. */
int oct_wait_real(const struct oct_wait *w);

/* The program's call: made-up events, the kernel's, and the queue when nothing else is to do. */
int oct_wait(const struct oct_wait *w);

#endif
