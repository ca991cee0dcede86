/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See hello_socket.h. By system calls: what the program's own reads are told (events/read.c) is not asked. */
#include "handshake/hello_socket.h"

#include "handshake/lone_hello.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum oct_peer oct_hello_peer(int fd, struct oct_waits *waits)
{
    /* As in the kernel's net/tcp_states.h. */
    enum { ESTABLISHED = 1, CLOSED = 7, CLOSE_WAIT = 8 };
    struct tcp_info info;
    socklen_t n = offsetof(struct tcp_info, tcpi_pmtu);
    if (syscall(SYS_getsockopt, (long)fd, (long)IPPROTO_TCP, (long)TCP_INFO, &info, &n) != 0 ||
        n < offsetof(struct tcp_info, tcpi_pmtu))
        return OCT_PEER_UNKNOWN;
    *waits = (struct oct_waits){info.tcpi_last_data_recv, info.tcpi_last_ack_recv};
    return info.tcpi_state == ESTABLISHED  ? OCT_PEER_THERE
           : info.tcpi_state == CLOSE_WAIT ? OCT_PEER_ENDED
           : info.tcpi_state == CLOSED     ? OCT_PEER_GONE
                                           : OCT_PEER_OTHER;
}

bool oct_hello_is_plain_tcp(int fd)
{
    int protocol = 0;
    socklen_t n = sizeof protocol;
    return syscall(SYS_getsockopt, (long)fd, (long)SOL_SOCKET, (long)SO_PROTOCOL, &protocol, &n) == 0 &&
           protocol == IPPROTO_TCP;
}

static long receive(int fd, void *buf, size_t n, int flags)
{
    return syscall(SYS_recvfrom, (long)fd, buf, n, (long)(flags | MSG_DONTWAIT), 0l, 0l);
}

size_t oct_hello_waits(int fd)
{
    unsigned char bytes[4096 + 1];
    const long n = receive(fd, bytes, sizeof bytes, MSG_PEEK);
    return n > 0 && n < (long)sizeof bytes && oct_is_lone_hello(bytes, (size_t)n) ? (size_t)n : 0;
}

bool oct_hello_throw_away(int fd)
{
    const size_t n = oct_hello_is_plain_tcp(fd) ? oct_hello_waits(fd) : 0;
    return n != 0 && receive(fd, NULL, n, MSG_TRUNC) == (long)n;
}
