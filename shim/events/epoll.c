/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The hooks of epoll. */
#include "events/events.h"

#include "fds/fds.h"
#include "events/handover.h"
#include "handshake/socket.h"
#include "handshake/thread.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HOOK              __attribute__((visibility("default")))
#define KERNEL_MASK_BYTES 8

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

static int no_such_call(void)
{
    errno = ENOSYS;
    return -1;
}

int oct_wait_real(const struct oct_wait *w)
{
    const struct oct_libc_functions *libc = oct_libc();
    int n;

    if (w->kind == OCT_WAIT)
        n = libc->epoll_wait != NULL ? libc->epoll_wait(w->epfd, w->events, w->max, w->timeout) : no_such_call();
    else if (w->kind == OCT_PWAIT)
        n = libc->epoll_pwait != NULL ? libc->epoll_pwait(w->epfd, w->events, w->max, w->timeout, w->mask)
                                      : no_such_call();
    else if (libc->epoll_pwait2 != NULL)
        n = libc->epoll_pwait2(w->epfd, w->events, w->max, w->time, w->mask);
    else
        n = (int)syscall(SYS_epoll_pwait2, w->epfd, w->events, w->max, w->time, w->mask, KERNEL_MASK_BYTES);
    return oct_handover_strip(w, n);
}

HOOK int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    __typeof__(epoll_ctl) *real = oct_libc()->epoll_ctl;
    /* Another thread may get its event before this one has noted anything: that thread is not to take it for fresh. */
    const bool moved = op == EPOLL_CTL_ADD && oct_shim_watching() && !oct_fd_before_add(fd);
    const uint32_t removals = oct_shim_watching() ? oct_fd_removals(fd) : 0;
    int value = real != NULL ? real(epfd, op, fd, event) : no_such_call();
    if (value == 0 && oct_shim_watching()) {
        oct_fd_note(epfd, op, fd, event, removals);
        if (moved)
            oct_socket_moved(fd);
        if (op != EPOLL_CTL_DEL)
            oct_handover_registered(epfd, fd);
    }
    return value;
}

/* By whatever copy of its descriptor: an instance is known by the first. */
static int wait_on(struct oct_wait *w)
{
    if (!oct_shim_watching())
        return oct_wait_real(w);
    w->epfd = oct_fd_original(w->epfd);
    return oct_wait(w);
}

HOOK int epoll_wait(int epfd, struct epoll_event *events, int max, int timeout)
{
    struct oct_wait w = {.kind = OCT_WAIT, .epfd = epfd, .events = events, .max = max, .timeout = timeout};
    return wait_on(&w);
}

HOOK int epoll_pwait(int epfd, struct epoll_event *events, int max, int timeout, const sigset_t *mask)
{
    struct oct_wait w = {
        .kind = OCT_PWAIT, .epfd = epfd, .events = events, .max = max, .timeout = timeout, .mask = mask};
    return wait_on(&w);
}

HOOK int epoll_pwait2(int epfd, struct epoll_event *events, int max, const struct timespec *time, const sigset_t *mask)
{
    struct oct_wait w = {.kind = OCT_PWAIT2, .epfd = epfd, .events = events, .max = max, .time = time, .mask = mask};
    return wait_on(&w);
}
