/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One call into a running handshake. Only calls without pointer arguments run on a fibre, because those of the first
 * call serve all that resume it; SSL_read() and SSL_write() drive the handshake first and then run on their caller's
 * stack.
 */
#include "fds.h"
#include "fibre.h"
#include "remote.h"
#include "thread.h"

#include "base/thread_mode.h"

/* A program that uses SSL_MODE_ASYNC itself is left alone. */
static bool served(struct oct_conn *conn, const struct oct_thread *t)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    SSL *s = conn->ssl;
    if (conn->never || !t->waits || (conn->thread != NULL && conn->thread != t))
        return false;
    if ((ssl->SSL_ctrl(s, SSL_CTRL_MODE, 0, NULL) & SSL_MODE_ASYNC) == 0 && !ssl->SSL_is_dtls(s) &&
        (ssl->SSL_is_quic == NULL || !ssl->SSL_is_quic(s)))
        return true;
    conn->never = true;
    return false;
}

/* A made-up event has to find its way: to an epoll instance that this thread, and no other, waits on. The job has to be
 * run: where the thread only ever looks at the instance, with a timeout of 0, nobody knows where it sleeps. With
 * EPOLLONESHOT a second event would come from the kernel. EPOLLEXCLUSIVE says nothing here: the socket is in no other
 * instance. */
static bool deliverable(struct oct_conn *conn, const struct oct_thread *t, const struct oct_registration *at)
{
    conn->fd_generation = at->generation;
    return (at->events & EPOLLONESHOT) == 0 && oct_fd_slept_on(at->epfd, t);
}

bool oct_handshake_wakeable(struct oct_conn *conn, const struct oct_thread *t, int fd)
{
    struct oct_registration at;
    return oct_socket_nonblocking(conn, fd) && oct_fd_registered(fd, &at) && deliverable(conn, t, &at);
}

/* The socket will be known, and whether the connection can be woken, when the call comes to an operation. */
static bool unsure(struct oct_conn *conn, const struct oct_thread *t, int fd)
{
    conn->unsure = fd < 0 && oct_shim_own_fibres && oct_socket_will_show(conn, t);
    return conn->unsure;
}

bool oct_handshake_may_pause(struct oct_conn *conn)
{
    const int fd = conn->hidden_fd;
    if (!oct_socket_read_out(conn))
        return false;
    return !conn->unsure || (!conn->never && fd >= 0 && oct_handshake_wakeable(conn, conn->thread, fd));
}

/* Counts the handshake among those in flight, and says whether it is worth a fibre: not when it is alone, for then it
 * would wait for nobody. One that is not registered yet is counted: the next call finds it so. A server that hides its
 * sockets may take them out of epoll while it has something to do for them; it is made to put them back before it
 * sleeps (socket.c). */
static bool wants_fibre(struct oct_conn *conn, struct oct_thread *t)
{
    struct oct_registration at;
    bool wakeable = true;
    if (conn->state == OCT_CONN_READY)
        return true;
    if (!served(conn, t))
        return false;
    int fd = oct_socket_of_call(conn, t);
    if (!unsure(conn, t, fd)) {
        if (fd < 0 || !oct_socket_nonblocking(conn, fd))
            return false;
        bool registered = oct_fd_registered(fd, &at);
        if (registered && !deliverable(conn, t, &at))
            return false;
        wakeable = registered && (at.events != 0 || conn->hidden);
    }
    oct_thread_join(t, conn);
    return wakeable && (oct_thread_in_flight(t) > 1 || oct_keys_seen()) && oct_stack_prepare(t);
}

/* What a fibre has raised of the thread's state goes with it when it pauses, and comes back with it: a callback may be
 * inside another call of libssl when an engine of the program's pauses it. */
int oct_handshake_enter(struct oct_conn *conn, oct_handshake_call *call, void *arg)
{
    struct oct_thread *t = conn->thread;
    const unsigned before = t->busy;

    t->busy += conn->busy_inside;
    int value = call(conn->ssl, arg);
    conn->busy_inside = t->busy - before;
    t->busy = before;
    return value;
}

/* The call on a fibre of the shim's. One that was started with another call (SSL_read_early_data() and then
 * SSL_do_handshake()) is run to its end first; then this call goes on where that has left the handshake. */
static int call_on_own(struct oct_conn *conn, oct_handshake_call *call, void *arg)
{
    const bool other = oct_fibre_has_other(conn, call);
    int value = -1;

    if (!oct_fibre_run(conn, call, arg, &value)) {
        conn->state = OCT_CONN_PAUSED;
        return value;
    }
    return other ? call(conn->ssl, arg) : value;
}

/* libssl forgets old errors when a call goes on with a handshake, and would take them for its own behind it. A call
 * that resumes a fibre comes in behind that place. */
static int call_on_fibre(struct oct_conn *conn, oct_handshake_call *call, void *arg)
{
    const bool resumes = conn->state == OCT_CONN_READY;

    if (conn->listed)
        oct_thread_ready_remove(conn->thread, conn);
    if (resumes)
        oct_ssl()->ERR_clear_error();
    conn->state = OCT_CONN_RUNNING;
    return oct_shim_own_fibres ? call_on_own(conn, call, arg) : oct_job_call(conn, call, arg, resumes);
}

static bool put_off(struct oct_conn *conn, struct oct_thread *t)
{
    return conn->state == OCT_CONN_RUNNING && served(conn, t) && oct_socket_put_off(conn, t);
}

static int tell_to_wait(struct oct_conn *conn, int pause_value)
{
    conn->masked = true;
    return pause_value;
}

static int pretend(struct oct_conn *conn, struct oct_thread *t, int pause_value)
{
    if (conn->hidden)
        oct_socket_is_empty(conn, t);
    oct_events_suppress(conn, t);
    return tell_to_wait(conn, pause_value);
}

static int run_tracked(struct oct_conn *conn, struct oct_thread *t, oct_handshake_call *call, void *arg,
                       int pause_value)
{
    struct oct_queue *queue = wants_fibre(conn, t) ? oct_queue_thread() : NULL;
    const OSSL_HANDSHAKE_STATE before = oct_ssl()->SSL_get_state(conn->ssl);
    int value;

    conn->masked = false;
    t->busy++;
    oct_socket_watch(conn, t);
    if (queue != NULL) {
        oct_queue_set_deferred(queue, 1);
        oct_thread_set_mode(oct_thread_in_flight(t) > 1 ? OCT_THREAD_EVENT_LOOP : OCT_THREAD_ALONE);
        value = call_on_fibre(conn, call, arg);
    } else {
        value = call(conn->ssl, arg);
    }
    oct_socket_unwatch(t);
    t->busy--;
    t->moved |= value > 0 || conn->state == OCT_CONN_PAUSED || oct_ssl()->SSL_get_state(conn->ssl) != before;
    if (conn->state == OCT_CONN_PAUSED) {
        value = pretend(conn, t, pause_value);
        (void)oct_queue_run_full(queue);
    } else if (value <= 0 && oct_ssl()->SSL_want(conn->ssl) == SSL_NOTHING) {
        oct_thread_leave(conn); /* it has failed */
    }
    return value;
}

/* Inside libssl, or inside a fibre, there is nothing to add. But a callback may come with another connection of this
 * thread's, and where that has paused nothing may enter libssl. */
static int run_inside(SSL *s, oct_handshake_call *call, void *arg, int pause_value)
{
    struct oct_conn *conn = oct_conn_find(s);
    if (conn != NULL && conn->state != OCT_CONN_RUNNING)
        return tell_to_wait(conn, pause_value);
    if (conn != NULL && conn == oct_fibre_conn())
        return call(s, arg);
    oct_thread_enter(); /* another object's: no key of it may pause the fibre */
    int value = call(s, arg);
    oct_thread_exit();
    return value;
}

int oct_handshake_run(SSL *s, oct_handshake_call *call, void *arg, int pause_value)
{
    struct oct_thread *t = oct_thread_get();
    if (t == NULL || t->busy != 0 || oct_ssl()->ASYNC_get_current_job() != NULL)
        return run_inside(s, call, arg, pause_value);
    struct oct_conn *conn = oct_conn_get(s);
    if (conn == NULL)
        return call(s, arg);
    if (conn->lost)
        return oct_remote_fail(conn, pause_value);
    if (conn->state == OCT_CONN_PAUSED || (conn->state == OCT_CONN_READY && conn->thread != t))
        return pretend(conn, t, pause_value);
    if (put_off(conn, t))
        return tell_to_wait(conn, pause_value);
    return run_tracked(conn, t, call, arg, pause_value);
}

static int call_real(SSL *s, void *arg)
{
    int (*const *real)(SSL *) = arg;
    return (*real)(s);
}

int oct_handshake_full(SSL *s, int (*real)(SSL *))
{
    int value = oct_handshake_run(s, call_real, &real, -1);
    if (value > 0)
        oct_handshake_settle(s);
    return value;
}

void oct_handshake_settle(SSL *s)
{
    const struct oct_thread *t = oct_thread_peek();
    struct oct_conn *conn = t == NULL || t->busy == 0 ? oct_conn_find(s) : NULL;
    if (conn != NULL && conn->state == OCT_CONN_RUNNING && !oct_ssl()->SSL_in_init(s))
        oct_conn_finish(conn);
}

bool oct_handshake_first(SSL *s, int *value)
{
    struct oct_thread *t = oct_thread_get();
    struct oct_conn *conn = t != NULL && t->busy == 0 ? oct_conn_get(s) : oct_conn_find(s);
    if (conn == NULL || (conn->state == OCT_CONN_RUNNING && (t == NULL || t->busy != 0)))
        return true;
    conn->masked = false;
    if (put_off(conn, t)) {
        *value = tell_to_wait(conn, -1);
        return false;
    }
    if (conn->state == OCT_CONN_RUNNING && !wants_fibre(conn, t))
        return true;
    *value = oct_handshake_full(s, oct_ssl()->SSL_do_handshake);
    return *value > 0;
}

/* Called when the queue runs, on the queue's thread and never on a fibre. */
void oct_handshake_told(struct oct_conn *conn)
{
    struct oct_thread *t = conn->thread;
    if (conn->state == OCT_CONN_PAUSED)
        oct_thread_ready_add(t, conn);
    t->suppressed_count = 0;
}
