/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The hooks of libssl. Each begins with its real function: where the shim is off, that is all there is, and the same
 * goes for reads and writes once the handshake is over.
 */
#include "call.h"
#include "thread.h"

#define HOOK __attribute__((visibility("default")))
#define REAL(name)                                                                                                     \
    (__builtin_expect(oct_ssl()->name == NULL, 0) ? (oct_ssl_missing(#name), oct_ssl()->name) : oct_ssl()->name)

/* Where libssl came late, as some plugin's dependency, this is the first that is seen of it: sockets are to be remembered
 * from now on. */
HOOK SSL *SSL_new(SSL_CTX *ctx)
{
    SSL *(*real)(SSL_CTX *) = REAL(SSL_new);
    oct_shim_on();
    return real(ctx);
}

static int handshake(SSL *s, int (*real)(SSL *), enum oct_call name)
{
    uint64_t start = oct_call_begin();
    int value = oct_shim_on() ? oct_handshake_full(s, real) : real(s);
    oct_call_end(start, name, s, value, NULL, 0);
    return value;
}

HOOK int SSL_do_handshake(SSL *s)
{
    return handshake(s, REAL(SSL_do_handshake), OCT_CALL_DO_HANDSHAKE);
}

HOOK int SSL_accept(SSL *s)
{
    return handshake(s, REAL(SSL_accept), OCT_CALL_ACCEPT);
}

HOOK int SSL_connect(SSL *s)
{
    return handshake(s, REAL(SSL_connect), OCT_CALL_CONNECT);
}

/* A read or write: at once if no handshake is running, else behind the handshake. `failed` is what the program gets
 * instead, made from what the handshake said in `value`: that is -1 where it says 0, as libssl's own reads do. */
#define BEHIND_HANDSHAKE(value, call, failed)                                                                          \
    do {                                                                                                               \
        if (__builtin_expect(!oct_shim_on() || !oct_ssl()->SSL_in_init(s), 1)) {                                       \
            value = call;                                                                                              \
        } else if (!oct_handshake_first(s, &value)) {                                                                  \
            value = failed;                                                                                            \
        } else {                                                                                                       \
            oct_thread_enter();                                                                                        \
            value = call;                                                                                              \
            oct_thread_exit();                                                                                         \
            oct_handshake_settle(s);                                                                                   \
        }                                                                                                              \
    } while (0)

/* The two forms of a read or write: the bytes that were moved are the result, or are stored in *moved. */
#define MOVE_BY_RESULT(name, call_name)                                                                                \
    __typeof__(name) *real = REAL(name);                                                                               \
    uint64_t start = oct_call_begin();                                                                                 \
    int value;                                                                                                         \
    BEHIND_HANDSHAKE(value, real(s, buf, num), value < 0 ? value : -1);                                                \
    oct_call_end(start, call_name, s, value, buf, value > 0 ? (size_t)value : 0);                                      \
    return value

#define MOVE_BY_POINTER(name, call_name)                                                                               \
    __typeof__(name) *real = REAL(name);                                                                               \
    uint64_t start = oct_call_begin();                                                                                 \
    int value;                                                                                                         \
    BEHIND_HANDSHAKE(value, real(s, buf, num, moved), 0);                                                              \
    oct_call_end(start, call_name, s, value, buf, value > 0 ? *moved : 0);                                             \
    return value

HOOK int SSL_read(SSL *s, void *buf, int num)
{
    MOVE_BY_RESULT(SSL_read, OCT_CALL_READ);
}

HOOK int SSL_peek(SSL *s, void *buf, int num)
{
    __typeof__(SSL_peek) *real = REAL(SSL_peek);
    int value;
    BEHIND_HANDSHAKE(value, real(s, buf, num), value < 0 ? value : -1);
    return value;
}

HOOK int SSL_write(SSL *s, const void *buf, int num)
{
    MOVE_BY_RESULT(SSL_write, OCT_CALL_WRITE);
}

HOOK int SSL_read_ex(SSL *s, void *buf, size_t num, size_t *moved)
{
    MOVE_BY_POINTER(SSL_read_ex, OCT_CALL_READ_EX);
}

HOOK int SSL_peek_ex(SSL *s, void *buf, size_t num, size_t *moved)
{
    __typeof__(SSL_peek_ex) *real = REAL(SSL_peek_ex);
    int value;
    BEHIND_HANDSHAKE(value, real(s, buf, num, moved), 0);
    return value;
}

HOOK int SSL_write_ex(SSL *s, const void *buf, size_t num, size_t *moved)
{
    MOVE_BY_POINTER(SSL_write_ex, OCT_CALL_WRITE_EX);
}

static struct oct_conn *conn_of(const SSL *s)
{
    return oct_shim_on() ? oct_conn_find(s) : NULL;
}

HOOK int SSL_get_error(const SSL *s, int i)
{
    __typeof__(SSL_get_error) *real = REAL(SSL_get_error);
    const struct oct_conn *conn = conn_of(s);
    return conn != NULL && conn->masked && i <= 0 ? SSL_ERROR_WANT_READ : real(s, i);
}

HOOK int SSL_want(const SSL *s)
{
    __typeof__(SSL_want) *real = REAL(SSL_want);
    const struct oct_conn *conn = conn_of(s);
    return conn != NULL && conn->masked ? SSL_READING : real(s);
}

/* In mid-handshake libssl refuses to, paused or not. */
HOOK int SSL_shutdown(SSL *s)
{
    __typeof__(SSL_shutdown) *real = REAL(SSL_shutdown);
    struct oct_conn *conn = conn_of(s);
    if (conn != NULL)
        conn->masked = false;
    return real(s);
}

/* OpenSSL does not tell how many references an object has; draining one that lives on would end its connection. */
HOOK int SSL_up_ref(SSL *s)
{
    __typeof__(SSL_up_ref) *real = REAL(SSL_up_ref);
    struct oct_conn *conn = oct_shim_on() ? oct_conn_get(s) : NULL;
    if (conn != NULL)
        __atomic_add_fetch(&conn->up_refs, 1, __ATOMIC_RELAXED);
    return real(s);
}

HOOK void SSL_free(SSL *s)
{
    __typeof__(SSL_free) *real = REAL(SSL_free);
    struct oct_conn *conn = conn_of(s);
    if (conn == NULL)
        real(s);
    else if (__atomic_fetch_sub(&conn->up_refs, 1, __ATOMIC_ACQ_REL) > 0)
        real(s);
    else if (oct_drain_for_free(conn))
        real(s);
}

/* libssl calls it itself when a handshake begins: that is not the program starting anew. */
HOOK int SSL_clear(SSL *s)
{
    __typeof__(SSL_clear) *real = REAL(SSL_clear);
    if (!oct_shim_on() || s == NULL || oct_thread_inside())
        return real(s);
    struct oct_conn *conn = oct_conn_find(s);
    if (conn != NULL)
        oct_drain_for_clear(conn);
    oct_conn_reset(s);
    return real(s);
}
