/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Where handshakes of QUIC go on: in the call in which their thread waits for events, or in the one by which it reads
 * from a connection's own socket. No call of the program's for libssl leads there. Most have nothing to say but that
 * they want to read, as the program has heard already; any other result is kept for its next call (finish.c).
 */
#include "quic/quic.h"

#include "fds/fds.h"
#include "handshake/thread.h"

/* A callback may free another connection meanwhile, so each search begins anew. */
static struct oct_conn *next_ready(const struct oct_thread *t)
{
    struct oct_conn *conn = t->ready;
    while (conn != NULL && (conn->quic == NULL || conn->ssl == NULL || !oct_conn_is_due(conn->state)))
        conn = conn->ready_next;
    return conn;
}

static void go_on(struct oct_conn *conn)
{
    if (!oct_finish_part(conn))
        OCT_QUIC_COUNT(failed);
}

unsigned oct_quic_resume(struct oct_thread *t, bool sleep)
{
    struct oct_conn *conn;
    unsigned count = 0;

    if (oct_quic_way != OCT_QUIC_IN_WAIT)
        return 0;
    do {
        for (; (conn = next_ready(t)) != NULL; count++)
            go_on(conn);
        /* What the first operation was for is sent together with what the second is for. */
        if (count != 0 && sleep && oct_thread_waiting() != 0)
            oct_queue_poll(oct_queue_thread_peek());
    } while (next_ready(t) != NULL);
    return count;
}

void oct_quic_read(int fd)
{
    const struct oct_thread *t = oct_quic_way == OCT_QUIC_BY_SOCKET ? oct_thread_peek() : NULL;
    struct oct_conn *conn = t != NULL ? t->ready : NULL;

    while (conn != NULL && (conn->quic == NULL || conn->ssl == NULL || conn->socket.fd != fd ||
                            !oct_conn_is_due(conn->state) || !oct_fd_is_same(fd, conn->socket.generation)))
        conn = conn->ready_next;
    if (conn != NULL)
        go_on(conn);
}
