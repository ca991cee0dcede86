/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The program of a handed connection has to be led to call: its call has been run to its end, and nobody has sent what
 * that has written, or another thread has called too early. The connection becomes the thread's that waits for its
 * socket, which makes up the event and gives out the record as for its own.
 *
 * A thread that sleeps is waked by an eventfd, registered in its instance for a moment. The data of that event is an
 * address of ours, which no program has, and the hook of epoll_wait() leaves it out. So nothing of the program's own
 * registration changes: another thread may be at it just now. An instance on which nobody waits through the hooks is
 * left alone, as the program itself would get that event.
 */
#include "events/handover.h"

#include "events/fds.h"
#include "events/tables.h"
#include "handshake/handed.h"
#include "handshake/thread.h"
#include "memory/memory.h"

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

void oct_handover_start(void)
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

static void wake(int epfd)
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

void oct_handover_wake(int fd, uint32_t generation)
{
    struct oct_registration at;
    if (oct_fd_registered(fd, &at) && at.generation == generation && at.events != 0)
        wake(at.epfd);
}

struct moved {
    int fd;
    bool found;
};

/* It may have another number by now, as dup() makes it. */
static bool move(struct oct_conn *conn, void *arg)
{
    struct moved *moved = arg;
    const int fd = moved->fd;
    if ((conn->socket.fd != fd || !oct_fd_is_same(fd, conn->socket.generation)) && !oct_socket_is_same(conn, fd))
        return false;
    conn->socket.fd = conn->socket.hidden_fd = fd;
    conn->socket.generation = oct_fd_generation(fd);
    moved->found = true;
    return false;
}

void oct_handover_registered(int epfd, int fd)
{
    const struct oct_thread *t = oct_thread_peek();
    struct moved moved = {.fd = fd};
    if (!oct_handed_any())
        return;
    oct_handed_each(move, &moved);
    if (moved.found && (t == NULL || !oct_fd_slept_on(oct_fd_original(epfd), t)))
        wake(oct_fd_original(epfd));
}

struct adopter {
    struct oct_thread *t;
    int epfd;
};

static bool adopt(struct oct_conn *conn, void *arg)
{
    const struct adopter *adopter = arg;
    struct oct_registration at;
    /* Its program hears there that it can be read. With EPOLLONESHOT a second event would come from the kernel. */
    const bool waits = oct_conn_is_ended(oct_conn_state(conn)) && oct_fd_registered(conn->socket.fd, &at) &&
                       at.epfd == adopter->epfd && at.generation == conn->socket.generation && at.events != 0 &&
                       (at.events & EPOLLONESHOT) == 0;
    if (!waits || (!conn->missed && !oct_hello_adopt(conn, adopter->t)))
        return false;
    oct_thread_join(adopter->t, conn);
    oct_thread_away_add(adopter->t, conn);
    oct_thread_ready_add(adopter->t, conn);
    if (!conn->missed)
        OCT_MEMORY_COUNT(handed);
    return true;
}

void oct_handover_adopt(struct oct_thread *t, int epfd)
{
    struct adopter adopter = {t, epfd};
    if (oct_handed_any())
        oct_handed_each(adopt, &adopter);
}

int oct_handover_strip(const struct oct_wait *w, int n)
{
    struct oct_thread *t = n > 0 && __atomic_load_n(&waking, __ATOMIC_SEQ_CST) != 0 ? oct_thread_peek() : NULL;
    int kept = 0;
    if (t == NULL)
        return n;
    oct_fork_lock(&lock);
    for (int i = 0; i < n; i++) {
        struct waker *waker = wakers;
        while (waker != NULL && (waker != w->events[i].data.ptr || waker->epfd < 0))
            waker = waker->next;
        if (waker != NULL && waker->table == oct_table())
            retire(waker);
        else if (waker == NULL)
            w->events[kept++] = w->events[i];
    }
    oct_fork_unlock(&lock);
    t->waked |= kept < n;
    if (kept < n)
        oct_handover_adopt(t, w->epfd);
    return kept;
}
