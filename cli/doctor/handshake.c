/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One handshake of TLS 1.3 that offers one group, and a polite end: no request is made, and the server's last words are
 * read, so that its log has a connection that was closed, not one that was reset.
 */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include "ports.h"

#define PARTING_MILLISECONDS 100

struct heard {
    bool tls;
    int alert;
};

/* Only what has the form of TLS comes here as an alert or a message. */
static void hear(int sent, int version, int type, const void *bytes, size_t len, SSL *ssl, void *arg)
{
    struct heard *heard = arg;
    (void)version;
    (void)ssl;
    if (sent || (type != SSL3_RT_HANDSHAKE && type != SSL3_RT_ALERT))
        return;
    heard->tls = true;
    if (type == SSL3_RT_ALERT && len == 2)
        heard->alert = ((const unsigned char *)bytes)[1];
}

/* 1 when it is complete, 0 if the other side ended it, -1 at the deadline. */
static int complete(SSL *ssl, int fd, long deadline)
{
    for (;;) {
        int result = SSL_connect(ssl);
        int wants = SSL_get_error(ssl, result);
        if (result == 1)
            return 1;
        if (wants != SSL_ERROR_WANT_READ && wants != SSL_ERROR_WANT_WRITE)
            return 0;
        if (!doctor_wait(fd, wants == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline))
            return -1;
    }
}

static void part(SSL *ssl, int fd)
{
    char rest[1024];
    long deadline = doctor_clock() + PARTING_MILLISECONDS;
    SSL_shutdown(ssl);
    shutdown(fd, SHUT_WR);
    while (doctor_wait(fd, POLLIN, deadline) && read(fd, rest, sizeof rest) > 0) {
    }
}

static enum doctor_answer shake(SSL *ssl, int fd, long deadline, int *error)
{
    struct heard heard = {0};
    SSL_set_msg_callback(ssl, hear);
    SSL_set_msg_callback_arg(ssl, &heard);
    int result = SSL_set_fd(ssl, fd) == 1 ? complete(ssl, fd, deadline) : 0;
    ERR_clear_error();
    if (result == 1) {
        part(ssl, fd);
        return ANSWER_TAKEN;
    }
    *error = heard.alert;
    return heard.tls ? ANSWER_ALERT : result == 0 ? ANSWER_PLAIN : ANSWER_SILENT;
}

static enum doctor_answer connect_and_shake(SSL *ssl, const struct doctor_port *port, long patience, int *error)
{
    enum doctor_answer answer = ANSWER_PLAIN;
    long deadline = doctor_clock() + DOCTOR_MILLISECONDS;
    int fd = doctor_connect(port, deadline);
    if (fd < 0) {
        *error = errno;
        return ANSWER_UNREACHABLE;
    }
    if (!doctor_wait(fd, POLLIN, doctor_clock() + patience))
        answer = shake(ssl, fd, deadline, error);
    close(fd);
    return answer;
}

enum doctor_answer doctor_handshake(SSL_CTX *ctx, const struct doctor_port *port, const char *group, long patience,
                                    int *error)
{
    SSL *ssl = SSL_new(ctx);
    enum doctor_answer answer = ANSWER_NONE;
    if (ssl != NULL && SSL_set1_groups_list(ssl, group) == 1 &&
        (port->host[0] == '\0' || SSL_set_tlsext_host_name(ssl, port->host) == 1))
        answer = connect_and_shake(ssl, port, patience, error);
    ERR_clear_error();
    SSL_free(ssl);
    return answer;
}
