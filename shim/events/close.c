/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What ends, replaces or copies a file descriptor. A made-up event must never reach whoever gets the number next. (The
 * kernel takes a closed descriptor out of its epoll instances by itself, so the program does not say so.)
 */
#include "events/events.h"
#include "fds/fds.h"
#include "handshake/socket.h"
#include "fds/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>

#define HOOK __attribute__((visibility("default")))

HOOK int close(int fd)
{
    __typeof__(close) *real = oct_libc()->close;
    if (oct_shim_watching())
        oct_fd_closed(fd);
    return real != NULL ? real(fd) : (int)syscall(SYS_close, fd);
}

HOOK int close_range(unsigned int first, unsigned int last, int flags)
{
    __typeof__(close_range) *real = oct_libc()->close_range;
    struct oct_fd_parting parting = {.parts = false};
    const bool unshares = (flags & (int)CLOSE_RANGE_UNSHARE) != 0;
    const bool closes = oct_shim_watching() && (flags & (int)CLOSE_RANGE_CLOEXEC) == 0;
    if (unshares)
        oct_unshare_begin(&parting);
    else if (closes)
        oct_fd_closed_range(first, last);
    const int value = real != NULL ? real(first, last, flags) : (int)syscall(SYS_close_range, first, last, flags);
    oct_unshare_end(&parting, value == 0);
    if (unshares && closes && value == 0)
        oct_fd_closed_range(first, last);
    return value;
}

HOOK void closefrom(int first)
{
    __typeof__(closefrom) *real = oct_libc()->closefrom;
    if (oct_shim_watching())
        oct_fd_closed_range(first > 0 ? (unsigned)first : 0, ~0u);
    if (real != NULL)
        real(first);
}

HOOK int dup2(int from, int to)
{
    __typeof__(dup2) *real = oct_libc()->dup2;
    if (oct_shim_watching() && from != to)
        oct_fd_closed(to);
    return real != NULL ? real(from, to) : (int)syscall(SYS_dup2, from, to);
}

HOOK int dup3(int from, int to, int flags)
{
    __typeof__(dup3) *real = oct_libc()->dup3;
    if (oct_shim_watching() && from != to)
        oct_fd_closed(to);
    return real != NULL ? real(from, to, flags) : (int)syscall(SYS_dup3, from, to, flags);
}

static int noted(int from, int to)
{
    if (to < 0 || !oct_shim_watching())
        return to;
    oct_fd_closed(to); /* by whatever way: the kernel has just given the number away */
    if (oct_fd_is_instance(from))
        oct_fd_copied(from, to);
    return to;
}

HOOK int dup(int from)
{
    __typeof__(dup) *real = oct_libc()->dup;
    return noted(from, real != NULL ? real(from) : (int)syscall(SYS_dup, from));
}

/* Whatever the third argument is, it has the size of a pointer at most. */
static int control(__typeof__(fcntl) *real, int fd, int command, void *arg)
{
    const int value = real != NULL ? real(fd, command, arg) : (int)syscall(SYS_fcntl, fd, command, arg);
    if (command == F_SETFL)
        oct_socket_switched();
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? noted(fd, value) : value;
}

#define CONTROL(real)                                                                                                  \
    va_list list;                                                                                                      \
    va_start(list, command);                                                                                           \
    void *arg = va_arg(list, void *);                                                                                  \
    va_end(list);                                                                                                      \
    return control(real, fd, command, arg)

HOOK int fcntl(int fd, int command, ...)
{
    CONTROL(oct_libc()->fcntl);
}

HOOK int fcntl64(int fd, int command, ...)
{
    CONTROL(oct_libc()->fcntl64);
}
