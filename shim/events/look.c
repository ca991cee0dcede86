/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A program that looks at what a socket holds while a call of libssl is paused there. Without the shim that call would
 * have come to its end before, so it is run to its end first. Programs that feed libssl through memory read from their
 * sockets themselves; what they find there is in memory.h.
 *
 * If that call has come to anything but "want read", the program has to be led to its result. So has the child of a
 * fork that serves what its parent has paused. One that looks then finds a whole TLS record of one byte where nothing
 * is, and calls; libssl never sees that record.
 *
 * What changes a socket is no look: dup(), epoll_ctl(), fcntl() and fork() say nothing of the handshake. Programs call
 * them with locks held that their callbacks take, so nothing is run there. What has become of the socket is asked when
 * the program calls libssl again, or waits (handshake/finish.c).
 */
#include "handshake/above.h"
#include "handshake/socket.h"
#include "handshake/thread.h"
#include "memory/memory.h"

#include "events/events.h"
#include "fds/fds.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define HOOK __attribute__((visibility("default")))

static struct oct_conn *conn_at(int fd)
{
    const struct oct_thread *t = oct_shim_watching() ? oct_thread_peek() : NULL;
    struct oct_conn *conn = t != NULL && t->away != NULL ? oct_fd_conn(fd, t->id) : NULL;
    return conn != NULL && conn->way == &oct_way_socket && conn->ssl != NULL ? conn : NULL;
}

bool oct_look_at(int fd)
{
    const struct oct_conn *conn = conn_at(fd);
    if (conn == NULL)
        return false;
    const int errno_before = errno;
    oct_finish_before(conn->ssl, false);
    errno = errno_before;
    conn = conn_at(fd);
    return conn != NULL && (oct_conn_is_ended(conn->state) || conn->state == OCT_CONN_INHERITED);
}

ssize_t oct_look_finds(ssize_t got, void *buf, size_t n)
{
    n = n < OCT_MEMORY_RECORD ? n : OCT_MEMORY_RECORD;
    if (got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK) || n == 0)
        return got;
    return oct_memory_put(buf, oct_memory_record, n) ? (ssize_t)n : got;
}

#if defined(__GLIBC__)
#define REQUEST unsigned long
#else
#define REQUEST int
#endif

/* Whatever the third argument is, it has the size of a pointer at most. */
HOOK int ioctl(int fd, REQUEST request, ...)
{
    __typeof__(ioctl) *real = oct_libc()->ioctl;
    va_list list;

    va_start(list, request);
    void *arg = va_arg(list, void *);
    va_end(list);
    const bool kept = request == (REQUEST)FIONREAD && oct_look_at(fd);
    const int value = real != NULL ? real(fd, request, arg) : (int)syscall(SYS_ioctl, fd, request, arg);
    if (request == (REQUEST)FIONBIO)
        oct_socket_switched();
    if (kept && value == 0 && *(const int *)arg == 0)
        *(int *)arg = OCT_MEMORY_RECORD;
    return value;
}
