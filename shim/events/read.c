/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Every function by which a program reads from a socket, all alike. One such call may be
 *
 *   - that of a BIO of the program's own, inside a handshake call: it shows the connection's socket (socket.c);
 *   - a read of, or a look at, the socket of a paused connection (look.c);
 *   - in a program that feeds libssl through memory, the one that leads it back to a paused handshake (memory/).
 *
 * tools/check-symbols holds the functions here against those that libc exports.
 */
#include "events/events.h"
#include "fds/fds.h"
#include "handshake/socket.h"
#include "handshake/thread.h"
#include "memory/memory.h"
#include "quic/quic.h"

#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#define HOOK __attribute__((visibility("default")))

#if defined(__GLIBC__)
#define FLAGS int
#else
#define FLAGS unsigned int
#endif

struct reading {
    int fd;
    int flags;                 /* as those of recv() */
    struct oct_conn *conn;     /* whose BIO reads; NULL: it is none */
    struct oct_thread *reader; /* that of a program which may feed libssl through memory; else NULL */
    bool kept;                 /* the program is to be led to a result */
};

/* False if it is to find nothing; errno then says so. */
static bool begin(struct reading *r, int fd, int flags)
{
    const struct oct_thread *t = oct_thread_peek();
    bool nothing = false;

    *r = (struct reading){.fd = fd, .flags = flags};
    if (__builtin_expect(t != NULL && t->reads != NULL, 0))
        r->conn = oct_socket_reads(fd, __builtin_frame_address(0), &nothing);
    if (nothing || oct_socket_is_withheld(fd)) {
        errno = EAGAIN;
        return false;
    }
    if (r->conn == NULL) {
        r->kept = oct_look_at(fd);
        r->reader = oct_memory_reader();
    }
    return true;
}

/* The kernel has said `got`, of which the first n bytes at most lie at buf. */
static ssize_t end(const struct reading *r, void *buf, size_t n, ssize_t got)
{
    if (r->conn != NULL && got > 0 && (r->flags & MSG_PEEK) == 0)
        oct_socket_has_read(r->conn, r->fd, (size_t)got);
    if (r->kept && (r->flags & MSG_PEEK) != 0)
        return oct_look_finds(got, buf, n);
    if (r->reader != NULL)
        oct_hello_note(r->reader, r->fd, buf, n, r->flags, got);
    return got;
}

/* The kernel has read the message, or found nothing: so it lies where something is. */
static ssize_t end_message(const struct reading *r, struct msghdr *message, ssize_t got)
{
    const bool looks = r->kept && got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if ((got < 0 && !looks) || message->msg_iovlen == 0)
        return got;
    const ssize_t said = end(r, message->msg_iov->iov_base, message->msg_iov->iov_len, got);
    if (looks && said > 0) {
        message->msg_namelen = 0;
        message->msg_controllen = 0;
        message->msg_flags = 0;
    }
    return said;
}

HOOK ssize_t recv(int fd, void *buf, size_t n, int flags)
{
    __typeof__(recv) *real = oct_libc()->recv;
    struct reading r;
    if (!begin(&r, fd, flags))
        return -1;
    const size_t given = r.reader != NULL ? oct_memory_answer(r.reader, fd, buf, n, flags) : 0;
    if (given > 0)
        return (ssize_t)given;
    return end(&r, buf, n, real != NULL ? real(fd, buf, n, flags) : syscall(SYS_recvfrom, fd, buf, n, flags, 0l, 0l));
}

HOOK ssize_t recvfrom(int fd, void *restrict buf, size_t n, int flags, struct sockaddr *restrict from,
                      socklen_t *restrict length)
{
    __typeof__(recvfrom) *real = oct_libc()->recvfrom;
    struct reading r;
    if (!begin(&r, fd, flags))
        return -1;
    const size_t given = r.reader != NULL ? oct_memory_answer(r.reader, fd, buf, n, flags) : 0;
    if (given > 0) {
        if (from != NULL && length != NULL)
            *length = 0; /* as the kernel has it of a stream */
        return (ssize_t)given;
    }
    return end(&r, buf, n,
               real != NULL ? real(fd, buf, n, flags, from, length)
                            : syscall(SYS_recvfrom, fd, buf, n, flags, from, length));
}

HOOK ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    __typeof__(recvmsg) *real = oct_libc()->recvmsg;
    struct reading r;
    oct_quic_read(fd);
    if (!begin(&r, fd, flags))
        return -1;
    const size_t given = r.reader != NULL ? oct_memory_answer_message(r.reader, fd, message, flags) : 0;
    if (given > 0)
        return (ssize_t)given;
    return end_message(&r, message, real != NULL ? real(fd, message, flags) : syscall(SYS_recvmsg, fd, message, flags));
}

HOOK int recvmmsg(int fd, struct mmsghdr *messages, unsigned int count, FLAGS flags, struct timespec *timeout)
{
    __typeof__(recvmmsg) *real = oct_libc()->recvmmsg;
    struct reading r;
    oct_quic_read(fd);
    if (!begin(&r, fd, (int)flags))
        return -1;
    const size_t given =
        r.reader != NULL && count > 0 ? oct_memory_answer_message(r.reader, fd, &messages->msg_hdr, (int)flags) : 0;
    if (given > 0) {
        messages->msg_len = (unsigned)given;
        return 1;
    }
    const int got = real != NULL ? real(fd, messages, count, flags, timeout)
                                 : (int)syscall(SYS_recvmmsg, fd, messages, count, flags, timeout);
    for (int i = 0; i < got; i++)
        (void)end_message(&r, &messages[i].msg_hdr, messages[i].msg_len);
    if (got < 0 && count > 0) {
        const ssize_t said = end_message(&r, &messages->msg_hdr, got);
        if (said > 0) {
            messages->msg_len = (unsigned)said;
            return 1;
        }
    }
    return got;
}

HOOK ssize_t read(int fd, void *buf, size_t n)
{
    __typeof__(read) *real = oct_libc()->read;
    struct reading r;
    if (!begin(&r, fd, 0))
        return -1;
    const size_t given = r.reader != NULL ? oct_memory_give(r.reader, fd, buf, n) : 0;
    if (given > 0)
        return (ssize_t)given;
    return end(&r, buf, n, real != NULL ? real(fd, buf, n) : syscall(SYS_read, fd, buf, n));
}

HOOK ssize_t readv(int fd, const struct iovec *parts, int count)
{
    __typeof__(readv) *real = oct_libc()->readv;
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = count > 0 ? (size_t)count : 0};
    struct reading r;
    if (!begin(&r, fd, 0))
        return -1;
    const size_t given = r.reader != NULL && message.msg_iovlen > 0 ? oct_memory_give_part(r.reader, fd, parts) : 0;
    if (given > 0)
        return (ssize_t)given;
    return end_message(&r, &message, real != NULL ? real(fd, parts, count) : syscall(SYS_readv, fd, parts, count));
}

/* A socket has no place to read from: this is what readv() is called that has flags. */
HOOK ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    __typeof__(preadv2) *real = oct_libc()->preadv2;
    if (offset == -1 && flags == 0)
        return readv(fd, parts, count);
    return real != NULL ? real(fd, parts, count, offset, flags)
                        : syscall(SYS_preadv2, fd, parts, count, offset, 0, flags);
}

#if defined(__GLIBC__)
/* Other names of them: those of programs built with _FORTIFY_SOURCE, and older ones. */
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t bytes, int flags);
ssize_t __recvfrom_chk(int fd, void *restrict buf, size_t n, size_t bytes, int flags, struct sockaddr *restrict from,
                       socklen_t *restrict length);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t bytes);
ssize_t __read(int fd, void *buf, size_t n);
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

HOOK ssize_t __read_chk(int fd, void *buf, size_t n, size_t bytes)
{
    if (bytes < n)
        __chk_fail();
    return read(fd, buf, n);
}

HOOK ssize_t __read(int fd, void *buf, size_t n)
{
    return read(fd, buf, n);
}

HOOK ssize_t preadv64v2(int fd, const struct iovec *parts, int count, off64_t offset, int flags)
{
    return preadv2(fd, parts, count, offset, flags);
}
#endif
