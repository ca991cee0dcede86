/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Where a server's sockets come from: one of which epoll has not heard since then is as its server got it. */
#include "fds/fds.h"
#include "handshake/gate.h"
#include "handshake/socket.h"
#include "handshake/storm.h"
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
    if (__builtin_expect(t == NULL || (t->put_off < OCT_POLICY_PUT_OFF && !oct_gate_is_full(fd)), 1) ||
        !oct_shim_watching() || !oct_fd_registered(fd, &at) ||
        (at.events & (EPOLLIN | EPOLLET | EPOLLONESHOT)) != EPOLLIN || !oct_fd_slept_on(at.epfd, t->id) ||
        !oct_socket_is_nonblocking(fd))
        return false;
    t->put_off = 0;
    t->storm.turned = 0;
    return true;
}

struct call {
    int fd;
    struct sockaddr *address;
    socklen_t *length;
    bool has_flags; /* it is accept4() */
    int flags;
};

static int call_real(const struct call *c)
{
    const struct oct_libc_functions *libc = oct_libc();
    if (!c->has_flags)
        return libc->accept != NULL ? libc->accept(c->fd, c->address, c->length)
                                    : (int)syscall(SYS_accept, c->fd, c->address, c->length);
    return libc->accept4 != NULL ? libc->accept4(c->fd, c->address, c->length, c->flags)
                                 : (int)syscall(SYS_accept4, c->fd, c->address, c->length, c->flags);
}

/* Those that are refused were never there. */
static int take_one(const struct call *c)
{
    const bool shut = oct_gate_is_shut(c->fd), has_length = shut && c->address != NULL && c->length != NULL;
    const socklen_t length = has_length ? *c->length : 0;
    for (;;) {
        const int fd = call_real(c);
        if (fd < 0 || !oct_gate_refuses(c->fd, fd, shut))
            return fd;
        if (has_length)
            *c->length = length;
    }
}

static int take(const struct call *c)
{
    return __builtin_expect(oct_storm_refuses(), 0) && oct_shim_watching() ? take_one(c) : call_real(c);
}

static int call(const struct call *c)
{
    if (!has_enough(c->fd))
        return note(take(c));
    errno = EAGAIN;
    return -1;
}

HOOK int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    return call(&(struct call){fd, address, length, false, 0});
}

HOOK int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length, int flags)
{
    return call(&(struct call){fd, address, length, true, flags});
}
