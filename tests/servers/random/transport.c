/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See server.h. */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAIR_BYTES 65536

static int own_read(BIO *bio, char *text, int n)
{
    const struct conn *c = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    const ssize_t got = recv(c->fd, text, (size_t)n, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_read(bio);
    return (int)got;
}

static int own_write(BIO *bio, const char *text, int n)
{
    const struct conn *c = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    const ssize_t put = send(c->fd, text, (size_t)n, MSG_NOSIGNAL);
    if (put < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_write(bio);
    return (int)put;
}

static long own_ctrl(BIO *bio, int command, long number, void *arg)
{
    (void)bio, (void)number, (void)arg;
    return command == BIO_CTRL_FLUSH;
}

/* As HAProxy's: libssl does not learn the socket. */
static BIO *own_bio(struct conn *c)
{
    static BIO_METHOD *method;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (method == NULL) {
        method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "own");
        BIO_meth_set_read(method, own_read);
        BIO_meth_set_write(method, own_write);
        BIO_meth_set_ctrl(method, own_ctrl);
    }
    pthread_mutex_unlock(&lock);
    BIO *bio = BIO_new(method);
    BIO_set_data(bio, c);
    BIO_set_init(bio, 1);
    return bio;
}

static void open_buffered(struct conn *c)
{
    BIO *socket = BIO_new_socket(c->fd, BIO_NOCLOSE);
    BIO_up_ref(socket);
    SSL_set_bio(c->ssl, socket, BIO_push(BIO_new(BIO_f_buffer()), socket));
}

/* libssl itself calls libssl: by a BIO that makes the object, or that gets it. */
static void open_ssl(struct conn *c, bool makes)
{
    if (makes) {
        SSL_CTX *of = context_hold();
        c->bio = BIO_new_ssl(of, 0);
        SSL_CTX_free(of);
        BIO_get_ssl(c->bio, &c->ssl);
    } else {
        c->bio = BIO_new(BIO_f_ssl());
        BIO_set_ssl(c->bio, c->ssl, BIO_NOCLOSE);
    }
    BIO_push(c->bio, BIO_new_socket(c->fd, BIO_NOCLOSE));
}

static void open_pair(struct conn *c)
{
    BIO *inner;
    BIO_new_bio_pair(&inner, PAIR_BYTES, &c->network, PAIR_BYTES);
    SSL_set_bio(c->ssl, inner, inner);
}

static long on_bio(BIO *bio, int operation, const char *text, size_t length, int command, long number, int value,
                   size_t *done)
{
    struct conn *c = (struct conn *)BIO_get_callback_arg(bio);
    (void)text, (void)length, (void)command, (void)number, (void)done;
    if (c != NULL && (operation == BIO_CB_READ || operation == BIO_CB_WRITE))
        (void)act(c, AT_BIO);
    return value;
}

static void mind_bio(struct conn *c)
{
    BIO *bio = SSL_get_rbio(c->ssl);
    BIO_set_callback_ex(bio, on_bio);
    BIO_set_callback_arg(bio, (char *)c);
}

void transport_open(struct conn *c)
{
    c->out_fd = -1;
    if (!plan_is("bio", "ssl"))
        c->ssl = end_take_object();
    if (plan_is("bio", "memory")) {
        SSL_set_bio(c->ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
        BIO_set_mem_eof_return(SSL_get_rbio(c->ssl), -1);
    } else if (plan_is("bio", "pair")) {
        open_pair(c);
    } else if (plan_is("bio", "ssl") || plan_is("bio", "door")) {
        open_ssl(c, plan_is("bio", "ssl"));
    } else if (plan_is("bio", "own")) {
        BIO *bio = own_bio(c);
        SSL_set_bio(c->ssl, bio, bio);
    } else if (plan_is("bio", "buffer")) {
        open_buffered(c);
    } else if (plan_is("bio", "two")) {
        c->out_fd = fcntl(c->fd, F_DUPFD_CLOEXEC, 0);
        SSL_set_rfd(c->ssl, c->fd);
        SSL_set_wfd(c->ssl, c->out_fd);
    } else {
        SSL_set_fd(c->ssl, c->fd);
    }
    if (plan_minds("bio"))
        mind_bio(c);
}

bool transport_in(struct conn *c)
{
    char text[TEXT_MAX];
    ssize_t n;
    bool came = false;
    const bool memory = plan_is("bio", "memory");
    if (!memory && !plan_is("bio", "pair"))
        return false;
    for (; (n = recv(c->fd, text, sizeof text, 0)) > 0; came = true)
        (void)BIO_write(memory ? SSL_get_rbio(c->ssl) : c->network, text, (int)n);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return came;
    if (memory)
        BIO_set_mem_eof_return(SSL_get_rbio(c->ssl), 0);
    else
        (void)BIO_shutdown_wr(c->network);
    return true;
}

/* What is written is less than the socket's buffer. */
void transport_out(struct conn *c)
{
    char text[TEXT_MAX];
    int n;
    const bool memory = plan_is("bio", "memory");
    if (plan_is("bio", "buffer"))
        (void)BIO_flush(SSL_get_wbio(c->ssl));
    if (!memory && !plan_is("bio", "pair"))
        return;
    while ((n = BIO_read(memory ? SSL_get_wbio(c->ssl) : c->network, text, sizeof text)) > 0)
        (void)send(c->fd, text, (size_t)n, MSG_NOSIGNAL);
}

void transport_move(struct conn *c, int fd)
{
    const bool by_number = plan_is("bio", "fd") || plan_is("bio", "two") || plan_is("bio", "");
    c->fd = fd;
    if (plan_is("bio", "buffer") || c->bio != NULL) {
        BIO_set_fd(SSL_get_rbio(c->ssl), fd, BIO_NOCLOSE);
    } else if (by_number && c->out_fd >= 0) {
        SSL_set_rfd(c->ssl, fd);
    } else if (by_number) {
        SSL_set_fd(c->ssl, fd);
        if (plan_minds("bio"))
            mind_bio(c);
    }
}

/* Programs that look first: there is something to read, or the client is gone. */
bool transport_gate(struct conn *c)
{
    unsigned char byte[8];
    int n = 0;
    ssize_t got = 1;
    if (plan_is("gate", "peek"))
        got = recv(c->fd, byte, 1, MSG_PEEK);
    else if (plan_is("gate", "recvfrom"))
        got = recvfrom(c->fd, byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT, NULL, NULL);
    else if (plan_is("gate", "fionread") && ioctl(c->fd, FIONREAD, &n) == 0 && n == 0)
        got = recv(c->fd, byte, 1, MSG_PEEK | MSG_DONTWAIT); /* the end of a stream has no bytes */
    return got >= 0 || (errno != EAGAIN && errno != EINTR);
}
