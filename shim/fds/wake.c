/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A thread that sleeps in epoll_wait() is waked by an eventfd, registered in its instance for a moment. The data of
 * that event is an address of ours, which no program has, and the hook of epoll_wait() leaves it out. So nothing of the
 * program's own registration changes: another thread may be at it just now. An instance on which nobody waits through
 * the hooks is left alone, as the program itself would get that event.
 */
#include "fds/wake.h"

#include "fds/fds.h"
#include "fds/tables.h"

#include "base/fork.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>

/* Never freed, and used again. */
struct waker {
    struct waker *next;
    const struct oct_fd_table *table; /* the numbers are of this one */
    int epfd;                         /* -1: in none */
    uint32_t generation;
    int fd;
};

static struct oct_fork_lock lock = OCT_FORK_LOCK_INIT;
static struct waker *wakers; /* guarded by it */
static unsigned waking;

void oct_wake_start(void)
{
    (void)oct_fork_lock_watch(&lock);
}

static void retire(struct waker *waker)
{
    oct_libc()->epoll_ctl(waker->epfd, EPOLL_CTL_DEL, waker->fd, NULL);
    oct_libc()->close(waker->fd);
    waker->epfd = -1;
    __atomic_sub_fetch(&waking, 1, __ATOMIC_SEQ_CST);
}

/* The one for epfd, or a free one; NULL where it is under way already, or there is no memory. */
static struct waker *waker_for(int epfd)
{
    struct waker *unused = NULL;
    for (struct waker *w = wakers; w != NULL; w = w->next) {
        /* Its instance has been closed since, and another one may have the number. */
        if (w->epfd >= 0 && w->table == oct_table() && !oct_fd_is_same(w->epfd, w->generation))
            retire(w);
        if (w->epfd == epfd && w->table == oct_table())
            return NULL;
        unused = w->epfd < 0 ? w : unused;
    }
    if (unused == NULL && (unused = calloc(1, sizeof *unused)) != NULL) {
        unused->next = wakers;
        unused->epfd = -1;
        wakers = unused;
    }
    return unused;
}

void oct_wake_instance(int epfd)
{
    const int errno_before = errno;
    if (!oct_fd_is_waited_on(epfd))
        return; /* who does so later looks first */
    oct_fork_lock(&lock);
    struct waker *waker = oct_libc()->epoll_ctl != NULL ? waker_for(epfd) : NULL;
    struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.ptr = waker};
    if (waker != NULL && (waker->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)) >= 0) {
        waker->table = oct_table();
        waker->epfd = epfd;
        waker->generation = oct_fd_generation(epfd);
        __atomic_add_fetch(&waking, 1, __ATOMIC_SEQ_CST); /* before the event may come */
        if (oct_libc()->epoll_ctl(epfd, EPOLL_CTL_ADD, waker->fd, &event) != 0)
            retire(waker);
    }
    oct_fork_unlock(&lock);
    errno = errno_before;
}

void oct_wake(int fd, uint32_t generation)
{
    struct oct_registration at;
    if (oct_fd_registered(fd, &at) && at.generation == generation && at.events != 0)
        oct_wake_instance(at.epfd);
}

bool oct_wake_any(void)
{
    return __atomic_load_n(&waking, __ATOMIC_SEQ_CST) != 0;
}

int oct_wake_leave_out(struct epoll_event *events, int n)
{
    int kept = 0;
    oct_fork_lock(&lock);
    for (int i = 0; i < n; i++) {
        struct waker *waker = wakers;
        while (waker != NULL && (waker != events[i].data.ptr || waker->epfd < 0))
            waker = waker->next;
        if (waker != NULL && waker->table == oct_table())
            retire(waker);
        else if (waker == NULL)
            events[kept++] = events[i];
    }
    oct_fork_unlock(&lock);
    return kept;
}
