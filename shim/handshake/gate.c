/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Refusing a hello where accept() returns.
 *
 * A server that finds the end of the stream by libssl has made a connection of its own and an SSL object before, and
 * logs and frees both behind it: where eight times as many come as can be served, that is most of its CPU. So while
 * hellos wait, what storm.c would refuse, and whose client has left, is closed here, and the server gets the next one.
 *
 * Nobody knows yet what the server would do with such a connection. It may pass it on by the name in its hello, or
 * count it. So this is done only for listening sockets whose hellos libssl has read in this process, each of them: one
 * hello that was looked at here and that something else has read ends it for good. A hello that is closed unread says
 * nothing. And it is done only where the server cannot tell: the socket does not block, so that the program expects to
 * be told of connections that are not there any more.
 *
 * The client finds its connection reset, as by any server that closes one unread. The kernel keeps nothing of it.
 *
 * Some servers take in all who come, and begin with one in a turn of their loop (HAProxy). There hellos would grow old
 * where refusing them costs most, and the messages of handshakes under way would wait behind them. So such a server is
 * told that nobody has come while many are inside.
 */
#include "handshake/gate.h"

#include "fds/fds.h"
#include "handshake/hello_socket.h"
#include "handshake/socket.h"
#include "handshake/storm.h"
#include "trace/hellos.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_due(struct oct_storm *storm)
{
    storm->came = oct_storm_is_on(storm) || storm->came + 1 >= OCT_POLICY_SAMPLE ? 0 : storm->came + 1;
    return storm->came == 0;
}

bool oct_gate_is_shut(int listener)
{
    const struct oct_thread *t = oct_thread_peek();
    return t != NULL && oct_storm_is_on(&t->storm) && oct_fd_leads(listener, OCT_POLICY_CROWD) &&
           oct_socket_is_nonblocking(listener) && oct_hello_is_plain_tcp(listener);
}

/* Where a hello that waits at its socket is to be counted; NULL: the server gets it. */
static uint64_t *why_not(struct oct_storm *storm, enum oct_peer peer, uint32_t waited)
{
    struct oct_hello_counters *counters = oct_hello_counters();
    if ((peer == OCT_PEER_ENDED || peer == OCT_PEER_GONE) && waited >= OCT_POLICY_HELLO_LATE)
        return &counters->gone;
    return peer == OCT_PEER_THERE && oct_ages_refuse(&storm->ages, oct_storm_now(), waited) ? &counters->refused : NULL;
}

static bool look(struct oct_storm *storm, int listener, int fd, bool shut)
{
    struct oct_waits waits;
    const enum oct_peer peer = oct_hello_peer(fd, &waits);
    if (peer == OCT_PEER_UNKNOWN || oct_hello_waits(fd) == 0)
        return false;
    uint64_t *counter = shut ? why_not(storm, peer, waits.data) : NULL;
    if (counter == NULL) {
        oct_fd_came(fd, listener, shut ? oct_age_class(waits.data) + 1 : 0);
        return false;
    }
    (void)syscall(SYS_close, (long)fd);
    oct_storm_count(counter);
    storm->turned++;
    return true;
}

bool oct_gate_refuses(int listener, int fd, bool shut)
{
    struct oct_thread *t = oct_thread_peek();
    if (t == NULL || !is_due(&t->storm))
        return false;
    const int errno_before = errno;
    const bool refuses = look(&t->storm, listener, fd, shut && t->storm.turned < OCT_POLICY_CROWD);
    errno = errno_before;
    return refuses;
}

bool oct_gate_is_full(int listener)
{
    struct oct_thread *t = oct_thread_peek();
    if (!oct_storm_refuses() || t == NULL || !oct_fd_leads(listener, OCT_POLICY_CROWD))
        return false;
    if (t->storm.turned >= OCT_POLICY_CROWD)
        return true;
    if (!oct_fd_is_full(listener, OCT_POLICY_CROWD))
        return false;
    if (t->storm.held++ < OCT_POLICY_GATE_HELD)
        return true;
    oct_fd_empty(listener);
    return false;
}
