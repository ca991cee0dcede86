/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Where a server's sockets come from: one of which epoll has not heard since then is as its server got it. */
#include "fds/fds.h"
#include "handshake/socket.h"
#include "handshake/thread.h"

#include "base/policy.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#define HOOK __attribute__((visibility("default")))

static int note(int fd)
{
    if (fd >= 0 && oct_shim_watching())
        oct_fd_accepted(fd);
    return fd;
}

/* The server calls handshakes as it accepts, and enough of them wait for its loop to end. What has been accepted goes
 * on first, and the others stay with the kernel: they are found again, as the listening socket is told of for as long
 * as it has any. Who asks again at once gets the next one: nobody who waits in a way of his own is ever kept from it.
 */
static bool has_enough(int fd)
{
    struct oct_thread *t = oct_thread_peek();
    struct oct_registration at;
    if (__builtin_expect(t == NULL || t->put_off < OCT_POLICY_PUT_OFF, 1) || !oct_shim_watching() ||
        !oct_fd_registered(fd, &at) || (at.events & (EPOLLIN | EPOLLET | EPOLLONESHOT)) != EPOLLIN ||
        !oct_fd_slept_on(at.epfd, t->id) || !oct_socket_is_nonblocking(fd))
        return false;
    t->put_off = 0;
    return true;
}

static int none(void)
{
    errno = EAGAIN;
    return -1;
}

HOOK int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    __typeof__(accept) *real = oct_libc()->accept;
    if (has_enough(fd))
        return none();
    return note(real != NULL ? real(fd, address, length) : (int)syscall(SYS_accept, fd, address, length));
}

HOOK int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length, int flags)
{
    __typeof__(accept4) *real = oct_libc()->accept4;
    if (has_enough(fd))
        return none();
    return note(real != NULL ? real(fd, address, length, flags)
                             : (int)syscall(SYS_accept4, fd, address, length, flags));
}
