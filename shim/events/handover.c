/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The program of a handed connection has to be led to call: its call has been run to its end, and nobody has sent what
 * that has written, or another thread has called too early. The connection becomes the thread's that waits for its
 * socket, which makes up the event and gives out the record as for its own.
 *
 * A thread that sleeps is waked (fds/wake.c).
 */
#include "events/handover.h"

#include "fds/fds.h"
#include "fds/wake.h"
#include "handshake/handed.h"
#include "handshake/socket.h"
#include "handshake/thread.h"
#include "memory/memory.h"

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
    if (moved.found && (t == NULL || !oct_fd_slept_on(oct_fd_original(epfd), t->id)))
        oct_wake_instance(oct_fd_original(epfd));
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
    struct oct_thread *t = n > 0 && oct_wake_any() ? oct_thread_peek() : NULL;
    const int kept = t != NULL ? oct_wake_leave_out(w->events, n) : n;
    if (kept < n) {
        t->waked = true;
        oct_handover_adopt(t, w->epfd);
    }
    return kept;
}
