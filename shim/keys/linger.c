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
    oct_conn_set_state(conn, OCT_CONN_LINGERING);
    return true;
}

void oct_remote_settle(struct oct_conn *conn)
{
    struct oct_remote *op = under_way(conn);
    if (op != NULL)
        oct_tally_end(op, OCT_TALLY_CALLED_OFF);
    if (op != NULL && !oct_tally_cancel(op))
        oct_watch_wait(op);
    if (conn->state == OCT_CONN_LOST)
        oct_conn_set_state(conn, OCT_CONN_PAUSED);
}

/* libssl is not entered: the operation is still the helper's. */
int oct_remote_fail(struct oct_conn *conn, int value)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    oct_thread_event_drop(conn->thread, conn);
    conn->masked = false;
    ssl->ERR_new();
    ssl->ERR_set_debug(__FILE__, __LINE__, __func__);
    ssl->ERR_set_error(ERR_LIB_SSL, ERR_R_OPERATION_FAIL, "the device of the private key does not answer");
    return value;
}

void oct_remote_forget(struct oct_conn *conn)
{
    if (conn->remote != NULL)
        conn->remote->conn = NULL;
}
