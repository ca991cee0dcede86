/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A TLS 1.3 server ends its handshake with tickets. Most clients have sent their request by then, and the server
 * answers it at once: two segments, where one would do. So the kernel is told that more is to come (MSG_MORE), and
 * keeps the tickets until the answer. Where there is none before the thread waits for events again, they go out then.
 *
 * The kernel has the bytes: they go out behind close() too, or if the process dies, and by themselves after a fifth of
 * a second. So nothing can be lost, and no order changes. Still it is done only where the thread will wait: in a
 * handshake that has paused, whose program has come back by an event of epoll. And only on plain TCP, by whose options
 * that can be asked for. A program that holds back data itself (TCP_CORK) has its own say.
 */
#include "handshake/ride.h"

#include "fds/fds.h"
#include "handshake/above.h"
#include "handshake/hello_socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

void oct_ride_begin(struct oct_conn *conn)
{
    struct oct_thread *t = oct_thread_peek();
    if (t != NULL && conn->thread == t && conn->told != 0 && conn->state == OCT_CONN_RUNNING &&
        conn->way == &oct_way_socket && t->ride_count < OCT_RIDES_MAX)
        t->rides = conn->ssl;
}

void oct_ride_end(void)
{
    struct oct_thread *t = oct_thread_peek();
    if (t != NULL)
        t->rides = NULL;
}

static ssize_t send_real(int fd, const void *buf, size_t n, int flags)
{
    __typeof__(send) *real = oct_libc()->send;
    return real != NULL ? real(fd, buf, n, flags) : syscall(SYS_sendto, fd, buf, n, flags, NULL, 0l);
}

ssize_t oct_ride_send(int fd, const void *buf, size_t n, int flags)
{
    struct oct_thread *t = oct_thread_peek();
    const bool rides = oct_ride_is_on() && oct_hello_is_plain_tcp(fd);
    const ssize_t sent = send_real(fd, buf, n, rides ? flags | MSG_MORE : flags);
    if (rides && sent > 0 && t->ride_count < OCT_RIDES_MAX)
        t->ride[t->ride_count++] = (struct oct_ride){t->rides, fd, oct_fd_generation(fd)};
    return sent;
}

/* An object that has been freed, and another one at its address, would be the same here. Its socket is closed too, or
 * the kernel's own time ends the wait. */
void oct_ride_followed(struct oct_thread *t, const SSL *s)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < t->ride_count; i++)
        if (t->ride[i].ssl != s)
            t->ride[kept++] = t->ride[i];
    t->ride_count = kept;
}

/* The option says what it said before. To set it sends what waits. */
static void go(int fd)
{
    int corked = 1;
    socklen_t length = sizeof corked;
    if (syscall(SYS_getsockopt, (long)fd, (long)IPPROTO_TCP, (long)TCP_CORK, &corked, &length) == 0 && corked == 0)
        (void)syscall(SYS_setsockopt, (long)fd, (long)IPPROTO_TCP, (long)TCP_CORK, &corked, (long)sizeof corked);
}

void oct_ride_go(struct oct_thread *t)
{
    const int errno_before = errno;
    for (unsigned i = 0; i < t->ride_count; i++)
        if (oct_fd_is_same(t->ride[i].fd, t->ride[i].generation))
            go(t->ride[i].fd);
    t->ride_count = 0;
    t->rides = NULL; /* a jump may have left the call */
    errno = errno_before;
}
