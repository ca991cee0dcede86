/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SSL_read_early_data(): a handshake call that does have pointers. The accept in it may pause, and the read behind it
 * then runs with the arguments of a call that has long returned. Until the early data has been accepted libssl is
 * therefore given a buffer that lives as long as the connection, and the program gets its bytes from there.
 */
#include "libssl/call.h"
#include "libssl/hook.h"
#include "handshake/thread.h"

#include <stdlib.h>
#include <string.h>

#define MAX_READ 16384 /* a record: no single read gives more */

struct oct_early {
    size_t capacity, length, taken;
    unsigned char data[];
};

void oct_early_free(struct oct_early *early)
{
    if (early != NULL)
        explicit_bzero(early->data, early->capacity);
    free(early);
}

static int read_into(SSL *s, void *arg)
{
    struct oct_early *early = arg;
    early->taken = 0;
    return oct_ssl()->SSL_read_early_data(s, early->data, early->capacity, &early->length);
}

/* A resumed call may ask for less than the first one did: the rest waits for the next. */
static int hand_out(struct oct_early *early, void *buf, size_t num, size_t *readbytes)
{
    size_t left = early->length - early->taken, n = num < left ? num : left;
    memcpy(buf, early->data + early->taken, n);
    early->taken += n;
    *readbytes = n;
    return SSL_READ_EARLY_DATA_SUCCESS;
}

static int read_in_slice(struct oct_conn *conn, void *buf, size_t num, size_t *readbytes)
{
    const size_t capacity = num < MAX_READ ? num : MAX_READ;
    struct oct_early *early = conn->early;
    /* While the connection is paused the buffer is in use and stays. */
    if (early == NULL || (oct_conn_is_free(conn->state) && early->capacity != capacity)) {
        oct_early_free(early);
        conn->early = early = malloc(sizeof *early + capacity);
        if (early == NULL)
            return oct_ssl()->SSL_read_early_data(conn->ssl, buf, num, readbytes);
        *early = (struct oct_early){.capacity = capacity};
    }
    int value = oct_handshake_run(conn->ssl, read_into, early, SSL_READ_EARLY_DATA_ERROR);
    if (value == SSL_READ_EARLY_DATA_FINISH)
        *readbytes = 0;
    if (value != SSL_READ_EARLY_DATA_SUCCESS)
        return value;
    /* Accepted early data means a resumed session: the expensive part is over. */
    oct_conn_leave(conn);
    oct_thread_leave(conn);
    return hand_out(early, buf, num, readbytes);
}

static int read_early(const struct oct_ssl_functions *own, SSL *s, void *buf, size_t num, size_t *readbytes)
{
    const struct oct_thread *t = oct_shim_serves(own) ? oct_thread_get() : NULL;
    struct oct_conn *conn = t != NULL ? oct_conn_get(s) : NULL;

    if (conn != NULL && oct_handshake_is_inside(conn, t))
        conn = NULL;
    if (conn != NULL && oct_conn_is_free(conn->state)) {
        conn->masked = false;
        if (conn->early != NULL && conn->early->taken < conn->early->length)
            return hand_out(conn->early, buf, num, readbytes);
        if (conn->state == OCT_CONN_LEFT || own->SSL_get_early_data_status(s) == SSL_EARLY_DATA_ACCEPTED ||
            own->ASYNC_get_current_job() != NULL) /* it would not pause, and may give the connection up */
            conn = NULL;
    }
    return conn != NULL ? read_in_slice(conn, buf, num, readbytes) : own->SSL_read_early_data(s, buf, num, readbytes);
}

OCT_HOOK int SSL_read_early_data(SSL *s, void *buf, size_t num, size_t *readbytes)
{
    OCT_OWN(SSL_read_early_data(s, buf, num, readbytes));
    if (oct_finish_is_inside(own, s, __builtin_return_address(0)))
        return SSL_READ_EARLY_DATA_ERROR;
    uint64_t start = oct_call_begin();
    int value = read_early(own, s, buf, num, readbytes);
    oct_call_end(start, OCT_CALL_READ_EARLY_DATA, s, value, buf, value == SSL_READ_EARLY_DATA_SUCCESS ? *readbytes : 0);
    return value;
}

/* A client's early data is a handshake call of its own kind: the whole handshake stays synchronous. */
OCT_HOOK int SSL_write_early_data(SSL *s, const void *buf, size_t num, size_t *written)
{
    OCT_OWN(SSL_write_early_data(s, buf, num, written));
    struct oct_conn *conn = oct_shim_serves(own) ? oct_conn_get(s) : NULL;
    if (conn != NULL && !oct_conn_is_free(conn->state)) {
        conn->masked = true;
        return 0;
    }
    if (conn != NULL) {
        conn->masked = false;
        oct_conn_leave(conn);
    }
    return own->SSL_write_early_data(s, buf, num, written);
}
