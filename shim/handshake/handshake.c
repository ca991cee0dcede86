/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One call into a running handshake. Only calls without pointer arguments run in a slice, because those of the first
 * call serve all that resume it; SSL_read() and SSL_write() drive the handshake first and then run as they are.
 *
 * What is inside which call is known of each connection, and never of a thread as a whole: coroutines leave callbacks
 * and come back in any order, and a callback may leave by longjmp().
 */
#include "libssl/awslc.h"
#include "libssl/errors.h"
#include "fds/fds.h"
#include "handshake/above.h"
#include "handshake/doors.h"
#include "handshake/slice.h"
#include "handshake/socket.h"
#include "handshake/storm.h"
#include "handshake/thread.h"

#include "base/call_scope.h"
#include "base/thread_mode.h"

#include <errno.h>

/* A program that uses SSL_MODE_ASYNC itself is left alone. */
static bool served(struct oct_conn *conn, const struct oct_thread *t)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    SSL *s = conn->ssl;
    const struct oct_thread *own = oct_conn_thread(conn);
    if (conn->state == OCT_CONN_LEFT || !t->waits || t->deaf || (own != NULL && own != t))
        return false;
    if (!oct_door_is_open() && ssl->SSL_is_server(s) &&
        (ssl->SSL_ctrl(s, SSL_CTRL_MODE, 0, NULL) & SSL_MODE_ASYNC) == 0 && !ssl->SSL_is_dtls(s) &&
        (ssl->SSL_is_quic == NULL || !ssl->SSL_is_quic(s)))
        return true;
    oct_conn_leave(conn);
    return false;
}

/* Nobody is told twice to wait who has not waited meanwhile. */
static bool was_told(const struct oct_conn *conn, const struct oct_thread *t)
{
    return conn->told != 0 && conn->told == t->round;
}

bool oct_handshake_may_pause(struct oct_conn *conn, enum oct_slice_work work)
{
    return !oct_door_is_open() && conn->state == OCT_CONN_RUNNING && !was_told(conn, conn->thread) &&
           oct_point_is_here(conn->ssl, work) && oct_socket_read_out(conn) && conn->way->may_pause(conn);
}

/* Counts the handshake among those in flight, and says whether it is worth a slice: not when it is alone, for then it
 * would wait for nobody. */
static bool wants_slice(struct oct_conn *conn, struct oct_thread *t)
{
    bool wakeable = true;
    if (oct_slice_is_away(conn))
        return true;
    if (!served(conn, t) || !conn->way->may_begin(conn, t, &wakeable))
        return false;
    oct_thread_join(t, conn);
    return wakeable && (oct_thread_in_flight(t) > 1 || (oct_keys_part != NULL && oct_keys_part->seen())) &&
           oct_slice_may_begin(t);
}

struct oct_inside oct_handshake_enter(struct oct_conn *conn)
{
    struct oct_thread *t = oct_thread_peek();

    if (conn != NULL && conn->entered++ == 0)
        conn->entered_at = (uintptr_t)__builtin_frame_address(0);
    if (t != NULL) {
        t->innermost = conn;
        t->innermost_ssl = conn != NULL ? conn->ssl : NULL;
    }
    oct_call_scope_begin();
    return (struct oct_inside){conn};
}

/* Whose call went on around this one is not put back: with coroutines that connection may have been freed. It does
 * without what is watched for it. */
void oct_handshake_leave(const struct oct_inside *inside)
{
    struct oct_thread *t = oct_thread_peek();

    oct_call_scope_end();
    if (inside->conn != NULL && inside->conn->entered != 0)
        inside->conn->entered--;
    if (t != NULL)
        t->innermost = t->reads = NULL;
}

/* The call in a slice. One that began with another call (SSL_read_early_data() and then SSL_do_handshake()) is run to
 * its end first; then this call goes on where that has left the handshake. libssl forgets old errors when a call goes
 * on with a handshake, and would take them for its own behind it. A call that resumes a slice comes in behind that
 * place. */
static int call_in_slice(struct oct_conn *conn, oct_handshake_call *call, void *arg)
{
    const bool resumes = oct_slice_is_away(conn), other = resumes && !oct_slice_began_with(conn, call);
    int value = -1;

    oct_thread_event_drop(conn->thread, conn);
    oct_thread_away_drop(conn);
    if (resumes)
        oct_errors_clear();
    if (oct_slice_run(conn, call, arg, &value))
        return other ? call(conn->ssl, arg) : value;
    if (!oct_slice_is_away(conn))
        return call(conn->ssl, arg); /* there was no memory for it */
    (void)oct_conn_on(conn, OCT_ON_PAUSE);
    oct_thread_away_add(conn->thread, conn);
    return value;
}

static bool put_off(struct oct_conn *conn, struct oct_thread *t)
{
    return conn->state == OCT_CONN_RUNNING && !conn->way->by_itself && served(conn, t) && oct_socket_put_off(conn, t);
}

/* As libssl leaves it that has found nothing to read. */
static int tell_to_wait(struct oct_conn *conn, int pause_value)
{
    oct_socket_say_retry(conn);
    oct_errors_clear();
    errno = EAGAIN;
    conn->masked = true;
    return pause_value;
}

/* The program need not hear that its socket can be read (events/made.c). */
static void suppress(const struct oct_conn *conn, struct oct_thread *t)
{
    struct oct_registration at;
    if (t->suppressed_count < OCT_SUPPRESSED_MAX && oct_fd_registered(conn->socket.fd, &at) &&
        (at.events & EPOLLET) == 0)
        t->suppressed[t->suppressed_count++] = (struct oct_suppressed){at.data, conn->socket.fd, at.generation};
}

static int pretend(struct oct_conn *conn, struct oct_thread *t, int pause_value)
{
    if (conn->socket.hidden)
        oct_socket_is_empty(conn, t);
    if (!conn->way->by_itself && oct_slice_is_away(conn))
        suppress(conn, t);
    conn->told = t->round;
    return tell_to_wait(conn, pause_value);
}

static int run_tracked(struct oct_conn *conn, struct oct_thread *t, oct_handshake_call *call, void *arg,
                       int pause_value)
{
    const bool resumes = oct_slice_is_away(conn);
    struct oct_queue *queue = resumes || wants_slice(conn, t) ? oct_queue_thread() : NULL;
    const OSSL_HANDSHAKE_STATE before = oct_ssl()->SSL_get_state(conn->ssl);
    int value;

    conn->masked = false;
    {
        OCT_INSIDE(conn);
        oct_socket_watch(conn, t);
        if (queue != NULL || resumes) {
            if (queue != NULL)
                oct_queue_set_deferred(queue, 1);
            oct_thread_set_mode(oct_thread_in_flight(t) > 1 ? OCT_THREAD_EVENT_LOOP : OCT_THREAD_ALONE);
            value = call_in_slice(conn, call, arg);
        } else {
            /* One that serves others never waits for another thread. Fibres of the program's own pause as ever. */
            if (t->waits && oct_thread_mode(false) == OCT_THREAD_BLOCKING && served(conn, t))
                oct_thread_set_mode(OCT_THREAD_ALONE);
            value = call(conn->ssl, arg);
        }
    }
    const bool paused = conn->state == OCT_CONN_PAUSED;
    t->moved |= value > 0 || paused || oct_ssl()->SSL_get_state(conn->ssl) != before;
    oct_storm_after(conn, t);
    oct_finish_settle(conn);
    if (paused) {
        value = pretend(conn, t, pause_value);
        (void)oct_queue_run_full(queue);
    } else if (value <= 0 && oct_ssl()->SSL_want(conn->ssl) == oct_want_nothing()) {
        oct_thread_leave(conn); /* it has failed */
    }
    return value;
}

/* Without a slice. libssl calls some of its functions through the hooks: there the handshake may end, and the
 * connection must not be given up while the call that is around still uses it. */
static int call_plainly(struct oct_conn *conn, oct_handshake_call *call, void *arg)
{
    OCT_INSIDE(conn);
    return call(conn->ssl, arg);
}

/* What another call has come to says nothing of this one, which goes on where that has left the handshake. */
static int result_for(struct oct_conn *conn, bool amid, oct_handshake_call *call, void *arg)
{
    const int value = oct_finish_result(conn);
    return oct_slice_began_with(conn, call) && !amid ? value : call_plainly(conn, call, arg);
}

/* libssl is not entered. */
int oct_handshake_fail(struct oct_conn *conn, int value)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    const char *why = conn->state == OCT_CONN_LOST ? "the device of the private key does not answer"
                                                   : "the thread of this handshake has ended, or does not answer";
    if (oct_conn_thread(conn) != NULL && conn->thread == oct_thread_peek())
        oct_thread_event_drop(conn->thread, conn);
    conn->masked = false;
    ssl->ERR_new();
    ssl->ERR_set_debug(__FILE__, __LINE__, __func__);
    ssl->ERR_set_error(ERR_LIB_SSL, ERR_R_OPERATION_FAIL, "%s", why);
    return value;
}

/* Another thread has it. */
static bool is_elsewhere(const struct oct_conn *conn, const struct oct_thread *t)
{
    const enum oct_conn_state state = oct_conn_state(conn);
    return oct_conn_thread(conn) != t && !oct_conn_is_free(state) && !oct_conn_is_ended(state) &&
           state != OCT_CONN_STRANDED;
}

bool oct_handshake_is_inside(const struct oct_conn *conn, const struct oct_thread *t)
{
    return !is_elsewhere(conn, t) && conn->entered != 0; /* in this order: it is left before its state says so */
}

/* Whose socket blocks by now is not told to wait. A program that feeds libssl through memory calls with bytes that it
 * has read itself: it may have none to call with later. */
static enum oct_on kind_of_call(struct oct_conn *conn, const struct oct_thread *t)
{
    const enum oct_conn_state state = oct_conn_state(conn);
    if (is_elsewhere(conn, t))
        return OCT_ON_CALL_ELSEWHERE;
    if (oct_conn_is_free(state))
        return OCT_ON_CALL;
    if (state == OCT_CONN_PAUSED) {
        const bool may_wait = !was_told(conn, t) && !oct_socket_blocks(conn);
        return may_wait && (conn->way->may_wait == NULL || conn->way->may_wait(conn)) ? OCT_ON_CALL : OCT_ON_CALL_SOON;
    }
    if (conn->way->takes != NULL && !conn->way->takes(conn))
        return OCT_ON_CALL_EARLY;
    return oct_conn_is_due(state) && oct_slice_place(conn) != OCT_SLICE_FITS ? OCT_ON_CALL_AWRY : OCT_ON_CALL;
}

/* Its server has called it, and so has followed its event. */
static void note_called(struct oct_conn *conn, struct oct_thread *t)
{
    if (is_elsewhere(conn, t))
        return;
    conn->socket.asked = 0;
    if (oct_conn_thread(conn) != t)
        return;
    if (conn->notices != 0 || conn->event == OCT_EVENT_OUT)
        t->unheard = 0;
    conn->notices = 0;
    if (conn->event == OCT_EVENT_OUT)
        oct_thread_event_drop(t, conn);
}

int oct_handshake_run(SSL *s, oct_handshake_call *call, void *arg, int pause_value)
{
    struct oct_thread *t = oct_thread_get();
    const bool in_job = oct_ssl()->ASYNC_get_current_job() != NULL;
    struct oct_conn *conn = t != NULL && !in_job ? oct_conn_get(s) : oct_conn_find(s);
    if (conn == NULL || t == NULL || oct_handshake_is_inside(conn, t))
        return call(s, arg);
    note_called(conn, t);

    bool asked = false;
    enum oct_on on = kind_of_call(conn, t);
    for (;;) {
        const enum oct_do does = oct_conn_on(conn, on);
        switch (does) {
        case OCT_DO_SAY_WAIT:
            return on == OCT_ON_CALL ? pretend(conn, t, pause_value) : tell_to_wait(conn, pause_value);
        case OCT_DO_CALL:
            if (in_job)
                return call(s, arg);
            if (put_off(conn, t))
                return tell_to_wait(conn, pause_value);
            oct_storm_look(conn, t);
            return run_tracked(conn, t, call, arg, pause_value);
        case OCT_DO_RESUME:
            return run_tracked(conn, t, call, arg, pause_value);
        case OCT_DO_GIVE:
        case OCT_DO_BEHIND:
            return result_for(conn, does == OCT_DO_BEHIND, call, arg);
        case OCT_DO_FAIL:
            return oct_handshake_fail(conn, pause_value);
        case OCT_DO_RUN: /* a device may be at work still */
            oct_queue_poll(oct_queue_thread());
            on = oct_conn_state(conn) == OCT_CONN_PAUSED ? OCT_ON_CALL_AWRY : kind_of_call(conn, t);
            break;
        case OCT_DO_FORCE:
            if (!oct_finish(conn))
                return tell_to_wait(conn, pause_value);
            on = OCT_ON_CALL;
            break;
        case OCT_DO_ASK:
            if (asked)
                return tell_to_wait(conn, pause_value);
            asked = true;
            oct_finish_ask(s);
            if ((conn = oct_conn_find(s)) == NULL)
                return call(s, arg);
            on = kind_of_call(conn, t);
            break;
        default:
            return call(s, arg);
        }
    }
}

void oct_handshake_stays(SSL *s)
{
    struct oct_conn *conn = oct_conn_get(s);
    if (conn != NULL && conn->entered == 0) {
        oct_finish_before(s, false);
        oct_conn_leave(conn);
    }
}

/* `arg` is the function itself: what lay on the caller's stack would be gone when the call is resumed. */
static int call_real(SSL *s, void *arg)
{
    int (*real)(SSL *);
    *(void **)&real = arg;
    return real(s);
}

int oct_handshake_full(SSL *s, int (*real)(SSL *))
{
    int value = oct_handshake_run(s, call_real, *(void **)&real, -1);
    if (value > 0)
        oct_handshake_settle(s);
    return value;
}

void oct_handshake_settle(SSL *s)
{
    struct oct_conn *conn = oct_conn_find(s);
    if (conn != NULL && conn->entered == 0 && oct_conn_is_free(oct_conn_state(conn)) && !oct_ssl()->SSL_in_init(s)) {
        oct_way_count(conn);
        oct_storm_ended(conn, true);
        oct_conn_let_go(conn);
    }
}

bool oct_handshake_first(SSL *s, int *value)
{
    struct oct_thread *t = oct_thread_get();
    struct oct_conn *conn = t != NULL ? oct_conn_get(s) : oct_conn_find(s);
    if (conn == NULL || t == NULL || oct_handshake_is_inside(conn, t))
        return true;
    conn->masked = false;
    if (put_off(conn, t)) {
        *value = tell_to_wait(conn, -1);
        return false;
    }
    if (oct_conn_is_free(oct_conn_state(conn)) && !wants_slice(conn, t))
        return true;
    *value = oct_handshake_full(s, oct_ssl()->SSL_do_handshake);
    return *value > 0;
}

/* Called when the queue runs, on the queue's thread. */
void oct_handshake_told(struct oct_conn *conn)
{
    struct oct_thread *t = conn->thread;
    if (oct_conn_on(conn, OCT_ON_TOLD) == OCT_DO_LEAD) {
        conn->notices = 0;
        oct_thread_ready_add(t, conn);
    }
    t->suppressed_count = 0;
}
