/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Connections that end while a helper is at work for them. A call of a device cannot be called off, and it has the
 * handshake's memory. So the object stays, silent and without its socket, until the device has answered. A device that
 * never answers keeps as many as there are helper threads; what waits in line is called off at once.
 */
#include "keys/tally.h"
#include "handshake/thread.h"

static struct oct_remote *under_way(const struct oct_conn *conn)
{
    struct oct_remote *op = conn->remote;
    return op != NULL && op->generation == oct_helpers_generation() && atomic_load(&op->state) != OCT_REMOTE_DONE
               ? op
               : NULL;
}

bool oct_remote_lingers(struct oct_conn *conn)
{
    struct oct_remote *op = under_way(conn);
    if (op != NULL)
        oct_tally_end(op, OCT_TALLY_CALLED_OFF);
    if (op == NULL || oct_tally_cancel(op))
        return false;
    oct_thread_event_drop(conn->thread, conn);
    return oct_conn_on(conn, OCT_ON_LINGER) == OCT_DO_NOTHING;
}

void oct_remote_settle(struct oct_conn *conn)
{
    struct oct_remote *op = under_way(conn);
    if (op != NULL)
        oct_tally_end(op, OCT_TALLY_CALLED_OFF);
    if (op != NULL && !oct_tally_cancel(op))
        oct_watch_wait(op);
}

void oct_remote_forget(struct oct_conn *conn)
{
    if (conn->remote != NULL)
        conn->remote->conn = NULL;
}
