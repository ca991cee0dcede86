/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The way by which most programs come back: libssl reads the socket, epoll tells the program that it can be read, and
 * it calls. Besides, why a handshake has not gone it.
 */
#include "fds/fds.h"
#include "fds/tables.h"
#include "handshake/above.h"
#include "handshake/doors.h"
#include "handshake/socket.h"
#include "handshake/thread.h"

#include "trace/stays.h"

const struct oct_way *oct_way_memory, *oct_way_quic;

/* A made-up event has to find its way: to an epoll instance that this thread, and no other, waits on. The job has to be
 * run: where the thread only ever looks at the instance, with a timeout of 0, nobody knows where it sleeps. With
 * EPOLLONESHOT a second event would come from the kernel. EPOLLEXCLUSIVE says nothing here: the socket is in no other
 * instance. */
static bool deliverable(struct oct_conn *conn, const struct oct_thread *t, const struct oct_registration *at)
{
    conn->socket.generation = at->generation;
    return (at->events & EPOLLONESHOT) == 0 && oct_fd_slept_on(at->epfd, t->id);
}

bool oct_way_wakes(struct oct_conn *conn, const struct oct_thread *t, int fd)
{
    struct oct_registration at;
    return oct_socket_nonblocking(conn, fd) && oct_fd_registered(fd, &at) && deliverable(conn, t, &at);
}

/* The socket will be known, and whether the connection can be woken, when the call comes to an operation. */
static bool unsure(struct oct_conn *conn, const struct oct_thread *t, int fd)
{
    conn->socket.unsure = fd < 0 && (oct_socket_will_show(conn, t) || oct_way_memory->will_show(conn, t));
    return conn->socket.unsure;
}

/* False if no event of its socket can be made up. One that is not registered yet is none of these: the next call finds
 * it so. A server may take its sockets out of epoll while it has something to do for them: where events are for once,
 * as in libevent, or where it hides them. Of one that does not put them back, the call is run to its end before its
 * thread sleeps (finish.c). */
bool oct_way_may_begin(struct oct_conn *conn, struct oct_thread *t, bool *wakeable)
{
    struct oct_registration at;
    int fd = oct_socket_of_call(conn, t);
    if (unsure(conn, t, fd))
        return true;
    if (fd < 0 || !oct_socket_nonblocking(conn, fd))
        return false;
    bool registered = oct_fd_registered(fd, &at);
    if (registered && !deliverable(conn, t, &at))
        return false;
    *wakeable = registered;
    return true;
}

bool oct_way_is_open(struct oct_conn *conn)
{
    return !conn->socket.unsure || oct_way_wakes(conn, conn->thread, conn->socket.hidden_fd);
}

static bool may_pause(struct oct_conn *conn)
{
    if (conn->socket.unsure && conn->socket.hidden_fd < 0)
        return oct_way_memory->may_pause(conn);
    return !oct_socket_blocks(conn) && oct_way_is_open(conn);
}

const struct oct_way oct_way_socket = {.may_begin = oct_way_may_begin, .may_pause = may_pause};

/* Why conn's handshake has waited for nobody, in the order in which this is asked when it begins (handshake.c). */
static enum oct_stay why_not(struct oct_conn *conn, const struct oct_thread *t)
{
    struct oct_registration at;
    if (oct_door_is_open())
        return oct_stay_counters()->refused != 0 ? OCT_STAY_DLSYM : OCT_STAY_BIO_SSL;
    if ((oct_ssl()->SSL_ctrl(conn->ssl, SSL_CTRL_MODE, 0, NULL) & SSL_MODE_ASYNC) != 0)
        return OCT_STAY_ASYNCHRONOUS;
    if (t == NULL || !t->waits)
        return OCT_STAY_NO_LOOP;
    if (t->deaf)
        return OCT_STAY_NOT_FOLLOWED;
    const int fd = oct_socket_find(conn);
    if (fd < 0)
        return oct_socket_reads_memory(conn) || conn->way->fed ? OCT_STAY_MEMORY : OCT_STAY_HIDDEN;
    if (!oct_socket_nonblocking(conn, fd))
        return OCT_STAY_BLOCKING;
    if (oct_table() == NULL)
        return OCT_STAY_TABLE;
    if (!oct_fd_registered(fd, &at))
        return OCT_STAY_UNREGISTERED;
    if ((at.events & EPOLLONESHOT) != 0)
        return OCT_STAY_ONESHOT;
    if ((conn->thread != NULL && conn->thread != t) || !oct_fd_slept_on(at.epfd, t->id))
        return OCT_STAY_OTHER_THREAD;
    return conn->slice == NULL ? OCT_STAY_ALONE : OCT_STAY_INSIDE;
}

void oct_way_count(struct oct_conn *conn)
{
    struct oct_stay_counters *stays = oct_stay_counters();
    uint64_t *where = &stays->paused;
    if (conn->way->by_itself)
        return;
    if (oct_ssl()->SSL_session_reused(conn->ssl))
        where = &stays->resumed;
    else if (conn->told == 0)
        where = &stays->stayed[why_not(conn, oct_thread_peek())];
    (void)__atomic_add_fetch(where, 1, __ATOMIC_RELAXED);
}
