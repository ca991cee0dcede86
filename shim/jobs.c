/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A handshake call on a fibre of OpenSSL's, by libssl's own means: SSL_MODE_ASYNC is on inside the call and at no other
 * time, so that the program's own calls never see it. This is how handshakes are paused where the shim's own fibres
 * cannot be (a CPU other than x86-64, shadow stacks) or are not wanted (OCTUPLE_FIBRES=openssl).
 *
 * Some pauses the queue knows nothing of: another provider or engine of the process may pause too when it finds itself
 * on such a fibre. The program did not ask for that, so its call waits here, as it would have without a fibre.
 */
#include "thread.h"

#include "base/policy.h"

#include <stdlib.h>

/* Waits a little for what the other side said that it would wait for; if it said nothing, just a little. */
static void wait_a_little(SSL *s)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    OSSL_ASYNC_FD fds[8];
    struct pollfd wait[8];
    size_t n = 0;

    if (!ssl->SSL_get_all_async_fds(s, NULL, &n) || n > 8 || !ssl->SSL_get_all_async_fds(s, fds, &n))
        n = 0;
    for (size_t i = 0; i < n; i++)
        wait[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    if (oct_libc()->poll != NULL)
        oct_libc()->poll(wait, n, OCT_POLICY_FOREIGN_WAIT);
}

static int wait_for_foreign(struct oct_conn *conn, oct_handshake_call *call, void *arg, int value, unsigned waiting)
{
    while (oct_ssl()->SSL_waiting_for_async(conn->ssl) && oct_thread_waiting() <= waiting) {
        wait_a_little(conn->ssl);
        value = oct_handshake_enter(conn, call, arg);
    }
    return value;
}

/* Either the program has limited its fibres, or there was no memory for one; nothing has been done then. */
static bool is_impossible(SSL *s, int value)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    if (value > 0)
        return false;
    if (ssl->SSL_want(s) == SSL_ASYNC_NO_JOBS)
        return true;
    unsigned long error = ssl->ERR_peek_last_error();
    if (ERR_GET_LIB(error) != ERR_LIB_SSL || ERR_GET_REASON(error) != SSL_R_FAILED_TO_INIT_ASYNC)
        return false;
    ssl->ERR_clear_error();
    return true;
}

/* libssl's callback, called when the queue runs, on the queue's thread and never on a fibre. Anything else than that is
 * not about our queue. */
static int done(SSL *s, void *arg)
{
    struct oct_thread *t = oct_thread_peek();
    struct oct_conn *conn = t != NULL ? oct_conn_find(s) : NULL;
    (void)arg;
    if (conn != NULL && conn->thread == t && conn->state == OCT_CONN_PAUSED)
        oct_handshake_told(conn);
    if (t != NULL)
        t->suppressed_count = 0;
    return 1;
}

int oct_job_call(struct oct_conn *conn, oct_handshake_call *call, void *arg, bool resumes)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    struct oct_thread *t = conn->thread;
    SSL *s = conn->ssl;
    unsigned waiting = oct_thread_waiting();

    ssl->SSL_set_async_callback(s, done);
    ssl->SSL_ctrl(s, SSL_CTRL_MODE, SSL_MODE_ASYNC, NULL);
    t->makes_fibre = true;
    int value = oct_handshake_enter(conn, call, arg);
    t->makes_fibre = false;
    if (ssl->SSL_waiting_for_async(s) && oct_thread_waiting() <= waiting)
        value = wait_for_foreign(conn, call, arg, value, waiting);
    ssl->SSL_ctrl(s, SSL_CTRL_CLEAR_MODE, SSL_MODE_ASYNC, NULL);

    if (ssl->SSL_waiting_for_async(s))
        conn->state = OCT_CONN_PAUSED;
    else if (!resumes && is_impossible(s, value))
        value = call(s, arg);
    return value;
}

static int go_on(SSL *s, void *arg)
{
    (void)arg;
    return oct_ssl()->SSL_do_handshake(s);
}

void oct_job_run_to_end(struct oct_conn *conn)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    SSL *s = conn->ssl;

    ssl->SSL_ctrl(s, SSL_CTRL_MODE, SSL_MODE_ASYNC, NULL);
    for (int i = 0; i < OCT_POLICY_DRAIN_TURNS && ssl->SSL_waiting_for_async(s); i++)
        (void)oct_handshake_enter(conn, go_on, NULL);
    ssl->SSL_ctrl(s, SSL_CTRL_CLEAR_MODE, SSL_MODE_ASYNC, NULL);
}
