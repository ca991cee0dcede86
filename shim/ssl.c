/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The hooks of libssl. Each asks first whose call it is: where the shim is off, or serves another copy of libssl, the
 * caller's own function is all that there is. The same goes for reads and writes once the handshake is over.
 */
#include "libssl/awslc.h"
#include "libssl/call.h"
#include "libssl/hook.h"
#include "handshake/known.h"
#include "handshake/ride.h"
#include "handshake/slice.h"
#include "handshake/thread.h"

/* Where libssl came late, as some plugin's dependency, this is the first that is seen of it: sockets are to be
 * remembered from now on. */
OCT_HOOK SSL *SSL_new(SSL_CTX *ctx)
{
    OCT_OWN(SSL_new(ctx));
    oct_shim_serves(own);
    return own->SSL_new(ctx);
}

/* A call that comes from libssl itself, as those of its own BIOs do, is not the program's: it is never paused. */
static int handshake(const struct oct_ssl_functions *own, SSL *s, int (*real)(SSL *), enum oct_call name,
                     const void *caller)
{
    uint64_t start = oct_call_begin();
    const bool served = oct_shim_serves(own) && s != NULL;
    if (served && oct_same_object(caller, own->place))
        oct_handshake_stays(s);
    int value = served ? oct_handshake_full(s, real) : real(s);
    oct_call_end(start, name, s, value, NULL, 0);
    return value;
}

OCT_HOOK int SSL_do_handshake(SSL *s)
{
    OCT_OWN(SSL_do_handshake(s));
    if (oct_finish_is_inside(own, s, __builtin_return_address(0)))
        return -1;
    return handshake(own, s, own->SSL_do_handshake, OCT_CALL_DO_HANDSHAKE, __builtin_return_address(0));
}

OCT_HOOK int SSL_accept(SSL *s)
{
    OCT_OWN(SSL_accept(s));
    if (oct_finish_is_inside(own, s, __builtin_return_address(0)))
        return -1;
    int value = handshake(own, s, own->SSL_accept, OCT_CALL_ACCEPT, __builtin_return_address(0));
    /* A call that was put off has not told libssl that this is a server. A program may go on by SSL_read(). */
    if (value <= 0 && oct_shim_serves(own) && own->SSL_in_before(s) && own->SSL_is_server(s))
        own->SSL_set_accept_state(s);
    return value;
}

OCT_HOOK int SSL_connect(SSL *s)
{
    OCT_OWN(SSL_connect(s));
    if (oct_finish_is_inside(own, s, __builtin_return_address(0)))
        return -1;
    return handshake(own, s, own->SSL_connect, OCT_CALL_CONNECT, __builtin_return_address(0));
}

/* A read or write: at once if no handshake is running, else behind the handshake. `failed` is what the program gets
 * instead, made from what the handshake said in `value`: that is -1 where it says 0, as libssl's own reads do. */
#define BEHIND_HANDSHAKE(value, call, failed)                                                                          \
    do {                                                                                                               \
        if (__builtin_expect(!oct_shim_serves(own) || !own->SSL_in_init(s), 1)) {                                      \
            value = own->call;                                                                                         \
        } else if (oct_finish_is_inside(own, s, __builtin_return_address(0))) {                                        \
            value = -1;                                                                                                \
            value = failed;                                                                                            \
        } else if (!oct_handshake_first(s, &value)) {                                                                  \
            value = failed;                                                                                            \
        } else {                                                                                                       \
            {                                                                                                          \
                OCT_INSIDE(oct_conn_find(s));                                                                          \
                value = own->call;                                                                                     \
            }                                                                                                          \
            oct_handshake_settle(s);                                                                                   \
        }                                                                                                              \
    } while (0)

/* The two forms of a read or write: the bytes that were moved are the result, or are stored in *moved. `then` is told
 * where it has gone well. */
#define MOVE_BY_RESULT(name, call_name, then)                                                                          \
    OCT_OWN(name(s, buf, num));                                                                                        \
    uint64_t start = oct_call_begin();                                                                                 \
    int value;                                                                                                         \
    BEHIND_HANDSHAKE(value, name(s, buf, num), value < 0 ? value : -1);                                                \
    oct_call_end(start, call_name, s, value, buf, value > 0 ? (size_t)value : 0);                                      \
    if (value > 0)                                                                                                     \
        then(s);                                                                                                       \
    return value

#define MOVE_BY_POINTER(name, call_name, then)                                                                         \
    OCT_OWN(name(s, buf, num, moved));                                                                                 \
    uint64_t start = oct_call_begin();                                                                                 \
    int value;                                                                                                         \
    BEHIND_HANDSHAKE(value, name(s, buf, num, moved), 0);                                                              \
    oct_call_end(start, call_name, s, value, buf, value > 0 ? *moved : 0);                                             \
    if (value > 0)                                                                                                     \
        then(s);                                                                                                       \
    return value

OCT_HOOK int SSL_read(SSL *s, void *buf, int num)
{
    MOVE_BY_RESULT(SSL_read, OCT_CALL_READ, (void));
}

OCT_HOOK int SSL_peek(SSL *s, void *buf, int num)
{
    OCT_OWN(SSL_peek(s, buf, num));
    int value;
    BEHIND_HANDSHAKE(value, SSL_peek(s, buf, num), value < 0 ? value : -1);
    return value;
}

OCT_HOOK int SSL_write(SSL *s, const void *buf, int num)
{
    MOVE_BY_RESULT(SSL_write, OCT_CALL_WRITE, oct_ride_wrote);
}

OCT_HOOK int SSL_read_ex(SSL *s, void *buf, size_t num, size_t *moved)
{
    MOVE_BY_POINTER(SSL_read_ex, OCT_CALL_READ_EX, (void));
}

OCT_HOOK int SSL_peek_ex(SSL *s, void *buf, size_t num, size_t *moved)
{
    OCT_OWN(SSL_peek_ex(s, buf, num, moved));
    int value;
    BEHIND_HANDSHAKE(value, SSL_peek_ex(s, buf, num, moved), 0);
    return value;
}

OCT_HOOK int SSL_write_ex(SSL *s, const void *buf, size_t num, size_t *moved)
{
    MOVE_BY_POINTER(SSL_write_ex, OCT_CALL_WRITE_EX, oct_ride_wrote);
}

static struct oct_conn *conn_of(const struct oct_ssl_functions *own, const SSL *s)
{
    return oct_shim_serves(own) ? oct_conn_find(s) : NULL;
}

OCT_HOOK int SSL_get_error(const SSL *s, int i)
{
    OCT_OWN(SSL_get_error(s, i));
    const struct oct_conn *conn = conn_of(own, s);
    return conn != NULL && conn->masked && i <= 0 ? SSL_ERROR_WANT_READ : own->SSL_get_error(s, i);
}

OCT_HOOK int SSL_want(const SSL *s)
{
    OCT_OWN(SSL_want(s));
    const struct oct_conn *conn = conn_of(own, s);
    return conn != NULL && conn->masked ? oct_want_read() : own->SSL_want(s);
}

OCT_HOOK int SSL_shutdown(SSL *s)
{
    OCT_OWN(SSL_shutdown(s));
    struct oct_conn *conn = conn_of(own, s);
    if (conn != NULL) {
        oct_finish_before(s, false);
        conn->masked = false;
    }
    return own->SSL_shutdown(s);
}

OCT_HOOK int SSL_get_shutdown(const SSL *s)
{
    OCT_OWN(SSL_get_shutdown(s));
    const struct oct_conn *conn = conn_of(own, s);
    return conn != NULL && oct_slice_is_away(conn) ? oct_slice_shutdown(conn) : own->SSL_get_shutdown(s);
}

/* One that has begun is not copied: the same object comes back, with one reference more. */
OCT_HOOK SSL *SSL_dup(SSL *s)
{
    OCT_OWN(SSL_dup(s));
    struct oct_conn *conn = conn_of(own, s);
    if (conn != NULL)
        oct_finish_before(s, false);
    SSL *copy = own->SSL_dup(s);
    if (copy == s && s != NULL && oct_shim_serves(own))
        oct_known_refer(s);
    return copy;
}

/* OpenSSL does not tell how many references an object has; draining one that lives on would end its connection. */
OCT_HOOK int SSL_up_ref(SSL *s)
{
    OCT_OWN(SSL_up_ref(s));
    const int value = own->SSL_up_ref(s);
    if (value == 1 && oct_shim_serves(own))
        oct_known_refer(s);
    return value;
}

OCT_HOOK void SSL_free(SSL *s)
{
    OCT_OWN(SSL_free(s));
    const bool known = s != NULL && oct_shim_serves(own);
    struct oct_conn *conn = known && !oct_known_unrefer(s) ? oct_conn_find(s) : NULL;
    if (conn == NULL || oct_drain_for_free(conn))
        own->SSL_free(s);
}

/* libssl calls it itself when a handshake begins: that is not the program starting anew. */
OCT_HOOK int SSL_clear(SSL *s)
{
    OCT_OWN(SSL_clear(s));
    if (s == NULL || !oct_shim_serves(own))
        return own->SSL_clear(s);
    struct oct_conn *conn = oct_conn_find(s);
    if (conn != NULL && oct_handshake_is_inside(conn, oct_thread_peek()))
        return own->SSL_clear(s);
    if (conn != NULL && oct_conn_thread(conn) != oct_thread_peek()) {
        oct_finish_before(s, false);
        conn = oct_conn_find(s);
    }
    if (conn != NULL) {
        if (!oct_drain_for_clear(conn))
            return oct_handshake_fail(conn, 0);
        oct_conn_let_go(conn);
    }
    return own->SSL_clear(s);
}
