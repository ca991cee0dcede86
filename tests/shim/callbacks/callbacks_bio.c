/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* BIOs of the program's own between libssl and the socket, and callbacks of OpenSSL's BIOs. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "callbacks.h"

static long watch_ex(BIO *bio, int what, const char *data, size_t n, int number, long l, int value, size_t *done)
{
    (void)bio, (void)what, (void)data, (void)n, (void)number, (void)l, (void)done;
    callback_work();
    return value;
}

static void ssl_watch_ex(SSL *own, SSL *peer)
{
    (void)peer;
    BIO_set_callback_ex(SSL_get_rbio(own), watch_ex);
}

#ifndef OPENSSL_NO_DEPRECATED_3_0
static long watch(BIO *bio, int what, const char *data, int n, long l, long value)
{
    (void)bio, (void)what, (void)data, (void)n, (void)l;
    callback_work();
    return value;
}

static void ssl_watch(SSL *own, SSL *peer)
{
    (void)peer;
    BIO_set_callback(SSL_get_rbio(own), watch);
}
#endif

static int fd_of(BIO *bio)
{
    return (int)(intptr_t)BIO_get_data(bio);
}

static int quiet_read(BIO *bio, char *buf, int n)
{
    BIO_clear_retry_flags(bio);
    const ssize_t got = recv(fd_of(bio), buf, (size_t)n, 0);
    if (got < 0 && errno == EAGAIN)
        BIO_set_retry_read(bio);
    return (int)got;
}

static int quiet_write(BIO *bio, const char *buf, int n)
{
    BIO_clear_retry_flags(bio);
    return (int)send(fd_of(bio), buf, (size_t)n, MSG_NOSIGNAL);
}

static long quiet_ctrl(BIO *bio, int what, long number, void *pointer)
{
    (void)number;
    if (what == BIO_C_GET_FD && pointer != NULL)
        *(int *)pointer = fd_of(bio);
    return what == BIO_C_GET_FD ? fd_of(bio) : what == BIO_CTRL_FLUSH || what == BIO_CTRL_DUP;
}

static int busy_read(BIO *bio, char *buf, int n)
{
    const int got = quiet_read(bio, buf, n);
    callback_work();
    return got;
}

static int busy_write(BIO *bio, const char *buf, int n)
{
    callback_work();
    return quiet_write(bio, buf, n);
}

static int busy_read_ex(BIO *bio, char *buf, size_t n, size_t *done)
{
    const int got = busy_read(bio, buf, (int)n);
    *done = got > 0 ? (size_t)got : 0;
    return got > 0;
}

static int busy_write_ex(BIO *bio, const char *buf, size_t n, size_t *done)
{
    const int put = busy_write(bio, buf, (int)n);
    *done = put > 0 ? (size_t)put : 0;
    return put > 0;
}

static long busy_ctrl(BIO *bio, int what, long number, void *pointer)
{
    callback_work();
    return quiet_ctrl(bio, what, number, pointer);
}

/* It says what its descriptor is, as OpenSSL's own BIOs do: test_hidden.c has those that do not. */
static BIO_METHOD *plain_method(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "its own");
    BIO_meth_set_read(method, quiet_read);
    BIO_meth_set_write(method, quiet_write);
    BIO_meth_set_ctrl(method, quiet_ctrl);
    return method;
}

static BIO_METHOD *method;

static void forget_method(void)
{
    BIO_meth_free(method);
    method = NULL;
}

static void ssl_method(SSL *own, SSL *peer)
{
    BIO *bio = BIO_new(method);
    (void)peer;
    BIO_set_data(bio, (void *)(intptr_t)SSL_get_fd(own));
    BIO_set_init(bio, 1);
    SSL_set_bio(own, bio, bio);
}

#define WITH_METHOD(what, setter, function)                                                                            \
    static void what(SSL_CTX *own, SSL_CTX *peer)                                                                      \
    {                                                                                                                  \
        (void)own, (void)peer;                                                                                         \
        method = plain_method();                                                                                       \
        setter(method, function);                                                                                      \
    }
WITH_METHOD(method_read, BIO_meth_set_read, busy_read)
WITH_METHOD(method_read_ex, BIO_meth_set_read_ex, busy_read_ex)
WITH_METHOD(method_write, BIO_meth_set_write, busy_write)
WITH_METHOD(method_write_ex, BIO_meth_set_write_ex, busy_write_ex)
WITH_METHOD(method_ctrl, BIO_meth_set_ctrl, busy_ctrl)

static int made(BIO *bio)
{
    callback_work();
    BIO_set_init(bio, 1);
    return 1;
}

static int ended(BIO *bio)
{
    (void)bio;
    callback_work();
    return 1;
}

/* A program that makes and frees such a BIO in its certificate callback. */
static int make_bio(SSL *s, void *arg)
{
    (void)s, (void)arg;
    BIO *bio = BIO_new(method);
    return BIO_free(bio);
}

#define MADE_INSIDE(what, setter, function)                                                                            \
    static void what(SSL_CTX *own, SSL_CTX *peer)                                                                      \
    {                                                                                                                  \
        (void)peer;                                                                                                    \
        method = plain_method();                                                                                       \
        setter(method, function);                                                                                      \
        SSL_CTX_set_cert_cb(own, make_bio, NULL);                                                                      \
    }
MADE_INSIDE(method_create, BIO_meth_set_create, made)
MADE_INSIDE(method_destroy, BIO_meth_set_destroy, ended)

static const struct callback_row rows[] = {
    ROW(BIO_set_callback_ex, .ssl = ssl_watch_ex),
#ifndef OPENSSL_NO_DEPRECATED_3_0
    ROW(BIO_set_callback, .kind = TLS12_ECDHE, .ssl = ssl_watch),
#endif
    ROW(BIO_meth_set_read, .ctx = method_read, .ssl = ssl_method, .undo = forget_method),
    ROW(BIO_meth_set_read_ex, .ctx = method_read_ex, .ssl = ssl_method, .undo = forget_method),
    ROW(BIO_meth_set_write, .ctx = method_write, .ssl = ssl_method, .undo = forget_method),
    ROW(BIO_meth_set_write_ex, .ctx = method_write_ex, .ssl = ssl_method, .undo = forget_method),
    ROW(BIO_meth_set_ctrl, .ctx = method_ctrl, .ssl = ssl_method, .undo = forget_method),
    ROW(BIO_meth_set_create, .ctx = method_create, .undo = forget_method),
    ROW(BIO_meth_set_destroy, .ctx = method_destroy, .undo = forget_method),
};
const struct callback_table callbacks_bio = {rows, sizeof rows / sizeof rows[0]};
