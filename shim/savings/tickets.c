/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * In TLS 1.3 a server sends two tickets, and libssl writes what it has buffered behind each of them. Behind one that
 * another one follows at once, nothing is written: that one brings both. The records are the same, in fewer segments.
 * The last one may wait for the server's data (handshake/ride.c).
 */
#include "handshake/ride.h"
#include "libssl/resolve.h"
#include "libssl/slots.h"
#include "savings/savings.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

static long control(BIO *bio, int what, long number, void *arg)
{
    const struct oct_ssl_functions *ssl = oct_ssl();
    const struct oct_thread *t = what == BIO_CTRL_FLUSH ? oct_thread_peek() : NULL;
    struct oct_conn *conn = t != NULL ? oct_thread_inside(t) : NULL;
    /* Coroutines may have left the call that was entered last: then `bio` is another connection's. What libssl writes
     * through while it shakes hands stands before the program's BIO. The numbers of states change between releases,
     * their names do not: this one is the writing of a ticket. */
    const bool behind_ticket = conn != NULL && conn->ssl != NULL &&
                               strcmp(ssl->SSL_state_string(conn->ssl), "TWST") == 0 && bio != NULL &&
                               ssl->BIO_next(bio) != NULL && ssl->BIO_next(bio) == ssl->SSL_get_wbio(conn->ssl);

    /* Another one follows. A resumed session gets one ticket, whatever the number is. */
    if (behind_ticket && !ssl->SSL_session_reused(conn->ssl) && ++conn->flushes < ssl->SSL_get_num_tickets(conn->ssl))
        return 1;
    if (!behind_ticket)
        return ssl->BIO_ctrl(bio, what, number, arg);
    oct_ride_begin(conn);
    const long value = ssl->BIO_ctrl(bio, what, number, arg);
    oct_ride_end();
    return value;
}

/* What its BIO of sockets calls. */
static ssize_t write_out(int fd, const void *data, size_t n)
{
    return oct_ride_is_on() ? oct_ride_send(fd, data, n, 0) : write(fd, data, n);
}

/* A program may have a write() of its own, which libcrypto finds first. */
static bool writes_to_kernel(void)
{
    const void *found = dlsym(RTLD_DEFAULT, "write"), *real = (const void *)(uintptr_t)oct_libc()->send;
    return found != NULL && real != NULL && oct_same_object(found, real);
}

void oct_tickets_setup(void)
{
    (void)oct_slot_set(oct_slot_libssl(), "BIO_ctrl", (void *)control);
    if (writes_to_kernel())
        (void)oct_slot_set((const void *)oct_ssl()->CRYPTO_malloc, "write", (void *)write_out);
}
