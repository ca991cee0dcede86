/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A program that looks at its socket before it calls libssl. A made-up event has told it that there is something to
 * read, but the socket is empty. So such a look finds a whole TLS record of one byte, and the program calls; libssl
 * never sees that record. Only a look is answered so: what a program reads, it gets from the kernel, unless it feeds
 * libssl through memory (memory.h).
 */
#include "handshake/thread.h"
#include "memory/memory.h"

#include "events/fds.h"
#include "quic/quic.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define HOOK __attribute__((visibility("default")))

/* The program has been told that it can read from fd. */
static bool was_told(int fd)
{
    const struct oct_thread *t = oct_shim_watching() ? oct_thread_peek() : NULL;
    for (const struct oct_conn *conn = t != NULL ? t->handshakes : NULL; conn != NULL; conn = conn->next)
        if (conn->socket.fd == fd && (oct_conn_is_ready(conn->state) || oct_conn_is_ended(conn->state)) &&
            oct_fd_is_same(fd, conn->socket.generation))
            return true;
    return false;
}

ssize_t oct_look(int fd, ssize_t got, void *buf, size_t n)
{
    const int errno_before = errno;
    const bool found_nothing = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!found_nothing || n == 0 || !was_told(fd))
        return got;
    errno = errno_before;
    n = n < OCT_MEMORY_RECORD ? n : OCT_MEMORY_RECORD;
    memcpy(buf, oct_memory_record, n);
    return (ssize_t)n;
}

HOOK ssize_t recvfrom(int fd, void *restrict buf, size_t n, int flags, struct sockaddr *restrict from,
                      socklen_t *restrict length)
{
    __typeof__(recvfrom) *real = oct_libc()->recvfrom;
    struct oct_thread *t = oct_memory_reader();
    const size_t given = t != NULL ? oct_memory_answer(t, fd, buf, n, flags) : 0;
    if (given > 0) {
        if (from != NULL && length != NULL)
            *length = 0; /* as the kernel has it of a stream */
        return (ssize_t)given;
    }
    const ssize_t got =
        real != NULL ? real(fd, buf, n, flags, from, length) : syscall(SYS_recvfrom, fd, buf, n, flags, from, length);
    if ((flags & MSG_PEEK) != 0)
        return oct_look(fd, got, buf, n);
    if (t != NULL)
        oct_hello_note(t, fd, buf, n, flags, got);
    return got;
}

HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    __typeof__(recvmsg) *real = oct_libc()->recvmsg;
    oct_quic_read(fd);
    const struct iovec *part = message->msg_iovlen > 0 ? message->msg_iov : NULL;
    struct oct_thread *t = part != NULL ? oct_memory_reader() : NULL;
    const size_t given = t != NULL ? oct_memory_answer(t, fd, part->iov_base, part->iov_len, flags) : 0;
    if (given > 0) {
        message->msg_namelen = message->msg_controllen = 0;
        message->msg_flags = 0;
        return (ssize_t)given;
    }
    const ssize_t got = real != NULL ? real(fd, message, flags) : syscall(SYS_recvmsg, fd, message, flags);
    if (part != NULL && (flags & MSG_PEEK) != 0)
        return oct_look(fd, got, part->iov_base, part->iov_len);
    if (t != NULL)
        oct_hello_note(t, fd, part->iov_base, part->iov_len, flags, got);
    return got;
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
    const int value = real != NULL ? real(fd, request, arg) : (int)syscall(SYS_ioctl, fd, request, arg);
    if (request == (REQUEST)FIONREAD && value == 0 && *(int *)arg == 0 && was_told(fd))
        *(int *)arg = OCT_MEMORY_RECORD;
    return value;
}

#if defined(__GLIBC__)
/* What recv() and recvfrom() are called in programs built with _FORTIFY_SOURCE. */
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t bytes, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t n, size_t bytes, int flags, struct sockaddr *restrict from,
                       socklen_t *restrict length);
_Noreturn void __chk_fail(void);

HOOK ssize_t __recv_chk(int fd, void *buf, size_t n, size_t bytes, int flags)
{
    if (bytes < n)
        __chk_fail();
    return recv(fd, buf, n, flags);
}

HOOK ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t n, size_t bytes, int flags,
                            struct sockaddr *restrict from, socklen_t *restrict length)
{
    if (bytes < n)
        __chk_fail();
    return recvfrom(fd, buf, n, flags, from, length);
}
#endif
