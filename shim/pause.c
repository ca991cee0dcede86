/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Pauses that the queue knows nothing of: another provider or engine of the process may pause too when it finds itself
 * on a fibre. The program did not ask for that, so its call waits here, as it would have without a fibre.
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

int oct_pause_foreign(struct oct_conn *conn, oct_handshake_call *call, void *arg, int value, unsigned waiting)
{
    while (oct_ssl()->SSL_waiting_for_async(conn->ssl) && conn->remote == NULL && oct_thread_waiting() <= waiting) {
        wait_a_little(conn->ssl);
        value = oct_handshake_enter(conn, call, arg);
    }
    return value;
}

/* Either the program has limited its fibres, or there was no memory for one; nothing has been done then. */
bool oct_pause_impossible(SSL *s, int value)
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
