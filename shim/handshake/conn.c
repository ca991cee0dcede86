/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What is known of a connection hangs on its SSL object, from its first handshake call to the end of that handshake.
 * After it a mark stays instead: renegotiation and what TLS 1.3 sends later are never asynchronous, because there the
 * handshake and the program's data run through each other.
 */
#include "libssl/errors.h"
#include "keys/keys.h"
#include "handshake/handed.h"
#include "handshake/slice.h"
#include "handshake/thread.h"
#include "quic/quic.h"

static int ex_index;
static char over; /* its address is the mark */

/* The thread that counts conn has to let go of it itself. A call that runs for it will look at it once more, unless a
 * jump has left that call: this shows when the thread stands higher than the call did. */
static void conn_leave_memory(struct oct_conn *conn)
{
    struct oct_thread *t = oct_thread_peek();

    oct_handed_bury(conn);
    if (conn->entered != 0 && (conn->thread == NULL || conn->thread == t)) {
        if (t == NULL)
            return;
        conn->limbo_next = t->limbo;
        t->limbo = conn;
        return;
    }
    if (conn->thread == NULL || conn->thread == oct_thread_peek() || !oct_thread_orphan(conn))
        oct_conn_dispose(conn);
}

void oct_conn_dispose(struct oct_conn *conn)
{
    struct oct_thread *t = oct_thread_peek();

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

static void ex_free(void *parent, void *ptr, CRYPTO_EX_DATA *ad, int idx, long argl, void *argp)
{
    (void)parent, (void)ad, (void)idx, (void)argl, (void)argp;
    if (ptr != NULL && ptr != &over)
        conn_leave_memory(ptr);
}

/* SSL_dup() makes an object of its own. */
static int ex_dup(CRYPTO_EX_DATA *to, const CRYPTO_EX_DATA *from, void **from_d, int idx, long argl, void *argp)
{
    (void)to, (void)from, (void)idx, (void)argl, (void)argp;
    *from_d = NULL;
    return 1;
}

bool oct_conn_setup(void)
{
    ex_index = oct_ssl()->CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, NULL, NULL, ex_dup, ex_free);
    return ex_index >= 0;
}

struct oct_conn *oct_conn_find(const SSL *s)
{
    void *found = s != NULL ? oct_ssl()->SSL_get_ex_data(s, ex_index) : NULL;
    return found != &over ? found : NULL;
}

struct oct_conn *oct_conn_get(SSL *s)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    void *found = s != NULL ? ssl->SSL_get_ex_data(s, ex_index) : &over;
    if (found != NULL || !ssl->SSL_in_init(s))
        return found != &over ? found : NULL;

    struct oct_conn *conn = ssl->CRYPTO_zalloc(sizeof *conn, __FILE__, __LINE__);
    if (conn == NULL)
        return NULL;
    conn->ssl = s;
    conn->socket.fd = conn->socket.hidden_fd = conn->socket.away_fd = -1;
    conn->quic = oct_quic_of(s);
    if (ssl->SSL_set_ex_data(s, ex_index, conn))
        return conn;
    ssl->CRYPTO_free(conn, __FILE__, __LINE__);
    return NULL;
}

void oct_conn_finish(struct oct_conn *conn)
{
    oct_ssl()->SSL_set_ex_data(conn->ssl, ex_index, &over);
    conn_leave_memory(conn);
}

/* SSL_new() comes here too, with an object that has no room for anything yet: what has nothing is not touched. */
void oct_conn_reset(SSL *s)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    void *found = ssl->SSL_get_ex_data(s, ex_index);
    if (found != NULL)
        ssl->SSL_set_ex_data(s, ex_index, NULL);
    if (found != NULL && found != &over)
        conn_leave_memory(found);
}
