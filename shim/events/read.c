/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* read() and readv(), by which libuv and others read from sockets. */
#include "memory/memory.h"

#include <errno.h>
#include <sys/syscall.h>

#define HOOK __attribute__((visibility("default")))

HOOK ssize_t read(int fd, void *buf, size_t n)
{
    __typeof__(read) *real = oct_libc()->read;
    (void)oct_look_at(fd);
    struct oct_thread *t = oct_memory_reader();
    size_t given = t != NULL ? oct_memory_give(t, fd, buf, n) : 0;
    if (given > 0)
        return (ssize_t)given;
    if (oct_socket_is_withheld(fd)) {
        errno = EAGAIN;
        return -1;
    }
    ssize_t got = real != NULL ? real(fd, buf, n) : syscall(SYS_read, fd, buf, n);
    if (t != NULL)
        oct_hello_note(t, fd, buf, n, 0, got);
    return got;
}

HOOK ssize_t readv(int fd, const struct iovec *parts, int count)
{
    __typeof__(readv) *real = oct_libc()->readv;
    (void)oct_look_at(fd);
    struct oct_thread *t = count > 0 ? oct_memory_reader() : NULL;
    size_t given = t != NULL ? oct_memory_give_part(t, fd, parts) : 0;
    if (given > 0)
        return (ssize_t)given;
    ssize_t got = real != NULL ? real(fd, parts, count) : syscall(SYS_readv, fd, parts, count);
    if (t != NULL && got > 0)
        oct_hello_note(t, fd, parts[0].iov_base, parts[0].iov_len, 0, got);
    return got;
}

#if defined(__GLIBC__)
/* What read() is called in programs built with _FORTIFY_SOURCE. */
ssize_t __read_chk(int fd, void *buf, size_t n, size_t bytes);
_Noreturn void __chk_fail(void);

HOOK ssize_t __read_chk(int fd, void *buf, size_t n, size_t bytes)
{
    if (bytes < n)
        __chk_fail();
    return read(fd, buf, n);
}
#endif
