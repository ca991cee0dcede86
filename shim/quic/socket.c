/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The own socket of a connection of QUIC. HAProxy makes and connects it, and then the SSL object, in one function of
 * one thread, and it has bound the socket to the listener's address before and asked for the addresses of datagrams. So
 * it is the last such socket that the thread has connected since it last waited for events, and that no instance of
 * epoll has heard of.
 */
#include "quic/quic.h"

#include "fds/fds.h"
#include "handshake/thread.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/syscall.h>

#define HOOK __attribute__((visibility("default")))

static __thread struct {
    int fd; /* and 1 more, so that 0 is none */
    uint32_t generation, round;
} last;

static int option(int fd, int level, int name)
{
    int value = 0;
    socklen_t length = sizeof value;
    return getsockopt(fd, level, name, &value, &length) == 0 ? value : 0;
}

HOOK int connect(int fd, const struct sockaddr *to, socklen_t length)
{
    __typeof__(connect) *real = oct_libc()->connect;
    const int value = real != NULL ? real(fd, to, length) : (int)syscall(SYS_connect, fd, to, length);
    const struct oct_thread *t;
    struct oct_registration at;

    if (__builtin_expect(oct_quic_way != OCT_QUIC_BY_SOCKET, 1) || value != 0 || (t = oct_thread_peek()) == NULL)
        return value;
    const int errno_before = errno;
    /* Other UDP sockets, as those that ask for names, do not want to know where datagrams were sent. */
    if (option(fd, SOL_SOCKET, SO_TYPE) == SOCK_DGRAM &&
        (option(fd, IPPROTO_IP, IP_PKTINFO) != 0 || option(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO) != 0) &&
        !oct_fd_registered(fd, &at)) {
        last.fd = fd + 1;
        last.generation = oct_fd_generation(fd);
        last.round = t->round;
    }
    errno = errno_before;
    return value;
}

int oct_quic_take_socket(uint32_t *generation)
{
    const struct oct_thread *t = oct_thread_peek();
    const int fd = last.fd - 1;

    last.fd = 0;
    *generation = last.generation;
    return t != NULL && last.round == t->round ? fd : -1;
}
