/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What may pause: key exchange and signature of a server's first flight. Behind the call that makes it the program has
 * nothing to do. Where the client's early data has been accepted there is something to do, and where its certificate is
 * verified too.
 */
#include "quic/quic.h"

#include "fds/fds.h"
#include "handshake/socket.h"
#include "handshake/thread.h"

/* One that has its own socket is woken by it. It may not be registered yet: the program does so before it sleeps. */
static bool has_socket(struct oct_conn *conn, const struct oct_thread *t)
{
    struct oct_registration at;
    const int fd = oct_quic_socket(conn->quic);

    if (fd < 0 || !oct_socket_nonblocking(conn, fd))
        return false;
    conn->socket.generation = oct_fd_generation(fd);
    return !oct_fd_registered(fd, &at) || ((at.events & EPOLLONESHOT) == 0 && oct_fd_slept_on(at.epfd, t->id));
}

static bool may_begin(struct oct_conn *conn, struct oct_thread *t, bool *wakeable)
{
    (void)wakeable;
    if (oct_ssl()->SSL_is_server(conn->ssl) && (oct_quic_way == OCT_QUIC_IN_WAIT || has_socket(conn, t)))
        return true;
    oct_conn_leave(conn);
    OCT_QUIC_COUNT(stayed);
    return false;
}

static bool may_pause(struct oct_conn *conn)
{
    if (oct_ssl()->SSL_get_early_data_status(conn->ssl) == SSL_EARLY_DATA_ACCEPTED)
        return false;
    OCT_QUIC_COUNT(pauses);
    return true;
}

const struct oct_way oct_quic_led = {
    .by_itself = true,
    .may_begin = may_begin,
    .may_pause = may_pause,
    .cut = oct_quic_cut,
};
