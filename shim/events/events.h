/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* One call of epoll_wait(), whatever its form. */
#ifndef OCT_SHIM_EVENTS_H
#define OCT_SHIM_EVENTS_H

#include "handshake/conn.h"

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
/* The same without waiting. */
int oct_wait_at_once(const struct oct_wait *w);

/* The program's call: made-up events, the kernel's, and the queue when nothing else is to do. */
int oct_wait(const struct oct_wait *w);

/* In nanoseconds, by the clock that does not jump. */
#define OCT_NANO 1000000000ll
int64_t oct_events_now(void);

/* Signals that are held back while jobs run in front of a sleep. One that comes then would otherwise be handled before
 * the sleep begins, and end no call by EINTR. */
struct oct_held {
    bool on;
    sigset_t program; /* what the thread has blocked otherwise */
};

/* Runs the jobs of a thread that is about to sleep; the sleep is to have the mask held->program, if held->on. */
void oct_events_run(struct oct_thread *t, struct oct_held *held);
void oct_events_release(const struct oct_held *held);
/* Nothing is to do, and the thread would sleep: goes on with those that their server does not reach. Their callbacks
 * may run the program's loop, and leave it others of these and new jobs. What is ready then is in t's list. */
void oct_events_finish(struct oct_thread *t);
/* For a call that found something, or would not sleep: runs them once they have waited long enough. */
void oct_events_run_if_due(struct oct_thread *t, int64_t time, bool empty);

/* unshare.c: around a call that gives the thread a table of descriptors of its own. */
struct oct_fd_parting;
void oct_unshare_begin(struct oct_fd_parting *parting);
void oct_unshare_end(const struct oct_fd_parting *parting, bool done);

/* look.c */
/* The program is about to look at what fd holds: a call that is paused there is run to its end. True if the program is
 * to be led to its result. */
bool oct_look_at(int fd);
/* What such a program is to find, where the kernel has said `got`. */
ssize_t oct_look_finds(ssize_t got, void *buf, size_t n);

/* made.c */
/* Made-up events for w, of connections and of instances in which there are some, behind n of the kernel; how many there
 * are then. sleep: nothing else is to do. */
int oct_made_deliver(struct oct_thread *t, const struct oct_wait *w, int n, bool sleep);
/* True if some instance around epfd is notified once of all that is in it. */
bool oct_made_edge_around(int epfd);
/* The program has looked at epfd: of what it has not found there the instances outside are notified again. */
void oct_made_notify_again(struct oct_thread *t, int epfd);
/* True if epfd can be read because of such events. */
bool oct_made_inside(struct oct_thread *t, int epfd, bool sleep);
/* Leaves out of the kernel's n events what is no news of paused handshakes; how many remain. */
int oct_made_leave_out(const struct oct_thread *t, const struct oct_wait *w, int n);
/* True if all of n events are of instances that perhaps can be read for such no news only; also if there are none. */
bool oct_made_all_above_suppressed(const struct oct_thread *t, const struct oct_wait *w, int n);
/* The same of the descriptor of an instance. */
bool oct_made_is_above_suppressed(const struct oct_thread *t, int epfd);

#endif
