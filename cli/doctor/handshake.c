/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One handshake of TLS 1.3 that offers one group, and a polite end: no request is made, and the server's last words are
 * read, so that its log has a connection that was closed, not one that was reset.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <octuple/op.h>
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

static int odd_rsa(const SSL *ssl)
{
    const X509 *certificate = SSL_get0_peer_certificate(ssl);
    const EVP_PKEY *key = certificate != NULL ? X509_get0_pubkey(certificate) : NULL;
    char operation[32];
    if (key == NULL || !EVP_PKEY_is_a(key, "RSA"))
        return 0;
    snprintf(operation, sizeof operation, "rsa%d-private", EVP_PKEY_get_bits(key));
    return oct_op_find(operation) < 0 ? EVP_PKEY_get_bits(key) : 0;
}

/* A handshake that is complete ends with a polite parting. */
static enum doctor_answer shake(SSL *ssl, int fd, long deadline, int *error)
{
    struct heard heard = {0};
    char rest[1024];
    int wants;
    bool waits;
    SSL_set_msg_callback(ssl, hear);
    SSL_set_msg_callback_arg(ssl, &heard);
    if (SSL_set_fd(ssl, fd) != 1)
        return ANSWER_PLAIN;
    do {
        wants = SSL_get_error(ssl, SSL_connect(ssl));
        waits = wants == SSL_ERROR_WANT_READ || wants == SSL_ERROR_WANT_WRITE;
    } while (waits && doctor_wait(fd, wants == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline));
    ERR_clear_error();
    if (wants != SSL_ERROR_NONE) {
        *error = heard.alert;
        return heard.tls ? ANSWER_ALERT : waits ? ANSWER_SILENT : ANSWER_PLAIN;
    }
    deadline = doctor_clock() + PARTING_MILLISECONDS;
    SSL_shutdown(ssl);
    shutdown(fd, SHUT_WR);
    while (doctor_wait(fd, POLLIN, deadline) && read(fd, rest, sizeof rest) > 0) {
    }
    return ANSWER_TAKEN;
}

enum doctor_answer doctor_handshake(SSL_CTX *ctx, struct doctor_port *port, const char *group, long patience,
                                    int *error)
{
    SSL *ssl = SSL_new(ctx);
    enum doctor_answer answer = ANSWER_NONE;
    if (ssl != NULL && SSL_set1_groups_list(ssl, group) == 1 &&
        (port->host[0] == '\0' || SSL_set_tlsext_host_name(ssl, port->host) == 1)) {
        long deadline = doctor_clock() + DOCTOR_MILLISECONDS;
        int fd = doctor_connect(port, deadline);
        if (fd >= 0) {
            bool greets = doctor_wait(fd, POLLIN, doctor_clock() + patience);
            answer = greets ? ANSWER_PLAIN : shake(ssl, fd, deadline, error);
            port->odd_rsa = answer == ANSWER_TAKEN ? odd_rsa(ssl) : port->odd_rsa;
            close(fd);
        } else {
            *error = errno;
            answer = ANSWER_UNREACHABLE;
        }
    }
    ERR_clear_error();
    SSL_free(ssl);
    return answer;
}
