/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A paused connection that is given up. Nobody knows what of the handshake is known to its slice alone, so the
 * slice is run to its end: its operation fails at once, libssl unwinds with an error, and only then the object may go.
 *
 * Nothing of this may be noticed. The object is shut meanwhile (slice.c), so that libssl sends no alert while it
 * unwinds; and as the descriptor may be somebody else's by now, null BIOs stand in for the socket. The info callback
 * that is told of a call's end may point to what the program has freed before: it is silenced. The error queue and
 * errno stay as they were.
 */
#include "handshake/above.h"
#include "handshake/slice.h"
#include "handshake/thread.h"

#include "base/policy.h"
#include "base/thread_mode.h"

#include <errno.h>

static void no_info(const SSL *s, int where, int ret)
{
    (void)s, (void)where, (void)ret;
}

/* False if there is no memory. The object then still has its socket and must not run. */
static bool silence(struct oct_conn *conn)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    SSL *s = conn->ssl;
    const bool runs = oct_method_part == NULL;
    BIO *in = runs ? ssl->BIO_new(ssl->BIO_s_null()) : NULL, *out = runs ? ssl->BIO_new(ssl->BIO_s_null()) : NULL;
    if (runs && (in == NULL || out == NULL)) {
        ssl->BIO_free(in);
        ssl->BIO_free(out);
        return false;
    }
    ssl->SSL_set0_rbio(s, in);
    ssl->SSL_set0_wbio(s, out);
    if (conn->way->cut != NULL)
        conn->way->cut(conn, true);
    ssl->SSL_set_info_callback(s, no_info);
    return true;
}

/* Above the program's errors while a slice runs to its end. From 3.4 on libcrypto marks the error queue around what a
 * provider does; a slice that is resumed takes such a mark back, and there is none of its own any more: it may take one
 * of these. */
#define SENTINEL_REASON 0x4f4354
#define SENTINEL_MARKS  8

static void unwind(struct oct_conn *conn)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    int value;

    ssl->ERR_set_mark();
    ssl->ERR_new();
    ssl->ERR_set_error(ERR_LIB_USER, SENTINEL_REASON, NULL);
    for (int i = 0; i < SENTINEL_MARKS; i++)
        ssl->ERR_set_mark();
    if (silence(conn)) {
        OCT_INSIDE(conn);
        oct_thread_set_draining(true);
        for (int i = 0; i < OCT_POLICY_DRAIN_TURNS && oct_slice_is_away(conn); i++)
            (void)oct_slice_run(conn, NULL, NULL, &value);
        oct_thread_set_draining(false);
    }
    /* As long as the sentinel has a mark it stays; without one it goes, and the program's own mark is next. */
    do
        ssl->ERR_pop_to_mark();
    while (ssl->ERR_peek_last_error() == ERR_PACK(ERR_LIB_USER, 0, SENTINEL_REASON));
}

static void drain(struct oct_conn *conn)
{
    const int saved = errno;

    if (oct_method_part != NULL)
        oct_method_part->cancel(conn);
    else
        unwind(conn);
    const bool stuck = oct_slice_is_away(conn); /* there was no memory */
    if (stuck)
        oct_slice_abandon(conn);
    oct_thread_leave(conn);
    (void)oct_conn_on(conn, stuck ? OCT_ON_ABANDON : OCT_ON_CANCELLED);
    conn->masked = false;
    errno = saved;
}

/* Here and now is the wrong place in a job of the program's, and on another thread than the slice's. In another
 * connection's callback it is right: no program code runs while frames are put aside. */
static bool drainable(const struct oct_conn *conn)
{
    const struct oct_thread *t = oct_thread_peek();
    return t != NULL && oct_conn_thread(conn) == t && conn->entered == 0 && oct_ssl()->ASYNC_get_current_job() == NULL;
}

static bool lingers_at_device(struct oct_conn *conn)
{
    return oct_keys_part != NULL && oct_keys_part->lingers(conn);
}

bool oct_drain_for_free(struct oct_conn *conn)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    oct_finish_wait(conn);
    const bool here = drainable(conn), lingers = here && oct_slice_is_away(conn) && lingers_at_device(conn);
    const enum oct_do does = lingers ? OCT_DO_ORPHAN : oct_conn_on(conn, here ? OCT_ON_FREE : OCT_ON_FREE_ELSEWHERE);
    if (does == OCT_DO_CANCEL)
        drain(conn);
    if (does != OCT_DO_ORPHAN)
        return true;
    ssl->ERR_set_mark();
    /* Its own thread may be in that call just now, with these BIOs. */
    const bool in_use = oct_conn_state(conn) == OCT_CONN_ENDING && oct_conn_thread(conn) != oct_thread_peek();
    bool quiet = in_use || silence(conn);
    ssl->ERR_pop_to_mark();
    return !quiet || (!lingers && !oct_thread_orphan(conn));
}

/* The program goes on with this object, and with its BIOs. */
void oct_drain_in_place(struct oct_conn *conn)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    SSL *s = conn->ssl;
    oct_info_callback *info = ssl->SSL_get_info_callback(s);
    BIO *in = ssl->SSL_get_rbio(s), *out = ssl->SSL_get_wbio(s);
    if (oct_keys_part != NULL)
        oct_keys_part->settle(conn);
    if (in != NULL)
        ssl->BIO_up_ref(in);
    if (out != NULL)
        ssl->BIO_up_ref(out);
    drain(conn);
    if (conn->way->cut != NULL)
        conn->way->cut(conn, false);
    ssl->SSL_set0_rbio(s, in);
    ssl->SSL_set0_wbio(s, out);
    ssl->SSL_set_info_callback(s, info);
}

bool oct_drain_for_clear(struct oct_conn *conn)
{
    const enum oct_do does = oct_conn_on(conn, drainable(conn) ? OCT_ON_CLEAR : OCT_ON_CLEAR_ELSEWHERE);
    if (does == OCT_DO_CANCEL)
        oct_drain_in_place(conn);
    return does != OCT_DO_FAIL;
}

void oct_drain_orphans(struct oct_thread *t)
{
    struct oct_conn *conn = oct_thread_take_orphans(t), *next;
    for (; conn != NULL; conn = next) {
        next = conn->orphan_next;
        if (conn->ssl == NULL) {
            oct_conn_dispose(conn);
            continue;
        }
        if (lingers_at_device(conn))
            continue;
        if (oct_conn_on(conn, OCT_ON_FREE) == OCT_DO_CANCEL)
            drain(conn);
        oct_ssl()->SSL_free(conn->ssl);
    }
}
