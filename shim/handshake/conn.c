/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A connection is known from the first handshake call of its SSL object to the end of that handshake. Renegotiation and
 * what TLS 1.3 sends later are never asynchronous, because there the handshake and the program's data run through each
 * other: a server that has sent its Finished message gets no connection any more.
 */
#include "libssl/errors.h"
#include "handshake/above.h"
#include "handshake/handed.h"
#include "handshake/known.h"
#include "handshake/slice.h"
#include "handshake/storm.h"
#include "handshake/thread.h"

/* The thread that counts conn has to let go of it itself. A call that runs for it will look at it once more, unless a
 * jump has left that call: this shows when the thread stands higher than the call did. */
static void conn_leave_memory(struct oct_conn *conn)
{
    struct oct_thread *t = oct_thread_peek();

    oct_handed_bury(conn);
    const struct oct_thread *own = oct_conn_thread(conn);
    if (conn->entered != 0 && (own == NULL || own == t)) {
        if (t == NULL)
            return;
        conn->limbo_next = t->limbo;
        t->limbo = conn;
        return;
    }
    if (own == NULL || own == t || !oct_thread_orphan(conn))
        oct_conn_dispose(conn);
}

void oct_conn_dispose(struct oct_conn *conn)
{
    struct oct_thread *t = oct_thread_peek();

    oct_storm_ended(conn, false);
    oct_slice_abandon(conn);
    oct_thread_leave(conn);
    if (oct_keys_part != NULL)
        oct_keys_part->forget(conn);
    oct_early_free(conn->early);
    oct_errors_free(conn->ended_errors);
    oct_slice_free(conn);
    if (t != NULL && t->reads == conn)
        t->reads = NULL;
    if (t != NULL && t->innermost == conn)
        t->innermost = NULL;
    oct_ssl()->CRYPTO_free(conn, __FILE__, __LINE__);
}

void oct_conn_empty_limbo(struct oct_thread *t, bool all)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    struct oct_conn **link = &t->limbo, *conn;

    if (!all && oct_own_stack(t, here) == 0)
        return;
    while ((conn = *link) != NULL) {
        if (all || here > conn->entered_at) {
            *link = conn->limbo_next;
            oct_conn_dispose(conn);
        } else {
            link = &conn->limbo_next;
        }
    }
}

void oct_conn_gone(struct oct_conn *conn)
{
    conn_leave_memory(conn);
}

struct oct_conn *oct_conn_find(const SSL *s)
{
    return s != NULL ? oct_known(s, OCT_KNOWN_CONN) : NULL;
}

struct oct_conn *oct_conn_get(SSL *s)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    struct oct_conn *conn = oct_conn_find(s);
    if (conn != NULL || s == NULL || !ssl->SSL_in_init(s) || !ssl->SSL_is_server(s) ||
        ssl->SSL_get_finished(s, NULL, 0) != 0 || (oct_method_part != NULL && !oct_method_part->serves(s)))
        return conn;

    conn = ssl->CRYPTO_zalloc(sizeof *conn, __FILE__, __LINE__);
    if (conn == NULL)
        return NULL;
    conn->ssl = s;
    conn->socket.fd = conn->socket.hidden_fd = conn->socket.away_fd = -1;
    conn->quic = oct_way_quic != NULL ? oct_known(s, OCT_KNOWN_QUIC) : NULL;
    conn->way = conn->quic != NULL ? oct_way_quic : &oct_way_socket;
    if (oct_known_set(s, OCT_KNOWN_CONN, conn))
        return conn;
    ssl->CRYPTO_free(conn, __FILE__, __LINE__);
    return NULL;
}

void oct_conn_let_go(struct oct_conn *conn)
{
    (void)oct_known_set(conn->ssl, OCT_KNOWN_CONN, NULL);
    conn_leave_memory(conn);
}
