/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Wakes threads that sleep in epoll_wait(). */
#ifndef OCT_SHIM_WAKE_H
#define OCT_SHIM_WAKE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

void oct_wake_start(void);

/* Whoever waits for fd, if it is of that generation still. */
void oct_wake(int fd, uint32_t generation);
/* Whoever waits on epfd. */
void oct_wake_instance(int epfd);

/* True if some event of these may be under way. */
bool oct_wake_any(void);
/* The kernel has returned n events: leaves those out. Returns how many are left. */
int oct_wake_leave_out(struct epoll_event *events, int n);

#endif
