/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Where a server's sockets come from: one of which epoll has not heard since then is as its server got it. */
#include "events/fds.h"

#include <sys/syscall.h>

#define HOOK __attribute__((visibility("default")))

static int note(int fd)
{
    if (fd >= 0 && oct_shim_watching())
        oct_fd_accepted(fd);
    return fd;
}

HOOK int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    __typeof__(accept) *real = oct_libc()->accept;
    return note(real != NULL ? real(fd, address, length) : (int)syscall(SYS_accept, fd, address, length));
}

HOOK int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length, int flags)
{
    __typeof__(accept4) *real = oct_libc()->accept4;
    return note(real != NULL ? real(fd, address, length, flags)
                             : (int)syscall(SYS_accept4, fd, address, length, flags));
}
