/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A TLS server with an event loop, for an OpenSSL that no server of Debian's is linked with yet. It makes handshakes,
 * and reads until its client closes.
 *
 * usage: server PORT KEY CERTIFICATE
 */
#include <arpa/inet.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static int events;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static int open_port(int port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int one = 1, sock = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(sock, (const struct sockaddr *)&address, sizeof address) != 0 || listen(sock, 1024) != 0)
        die("listen");
    return sock;
}

static void watch(int op, int sock, uint32_t what, void *data)
{
    struct epoll_event event = {.events = what, .data.ptr = data};
    if (epoll_ctl(events, op, sock, &event) != 0)
        die("epoll_ctl");
}

static void take(int listener, SSL_CTX *ctx)
{
    int sock;
    while ((sock = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        SSL *ssl = SSL_new(ctx);
        if (ssl == NULL || SSL_set_fd(ssl, sock) != 1)
            die("SSL_new");
        SSL_set_accept_state(ssl);
        watch(EPOLL_CTL_ADD, sock, EPOLLIN, ssl);
    }
}

/* As far as it gets. */
static void go_on(SSL *ssl)
{
    char text[4096];
    const int sock = SSL_get_fd(ssl);
    int got;

    while ((got = SSL_is_init_finished(ssl) ? SSL_read(ssl, text, sizeof text) : SSL_do_handshake(ssl)) > 0)
        continue;
    switch (SSL_get_error(ssl, got)) {
    case SSL_ERROR_WANT_READ:
        watch(EPOLL_CTL_MOD, sock, EPOLLIN, ssl);
        break;
    case SSL_ERROR_WANT_WRITE:
        watch(EPOLL_CTL_MOD, sock, EPOLLOUT, ssl);
        break;
    default:
        SSL_free(ssl);
        close(sock);
    }
}

int main(int argc, char **argv)
{
    struct epoll_event ready[64];
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

    signal(SIGPIPE, SIG_IGN);
    if (argc != 4 || ctx == NULL || SSL_CTX_use_PrivateKey_file(ctx, argv[2], SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_use_certificate_chain_file(ctx, argv[3]) != 1)
        die("usage: server PORT KEY CERTIFICATE");
    const int listener = open_port(atoi(argv[1]));
    events = epoll_create1(0);
    watch(EPOLL_CTL_ADD, listener, EPOLLIN, NULL);
    for (;;) {
        const int count = epoll_wait(events, ready, 64, -1);
        for (int i = 0; i < count; i++)
            if (ready[i].data.ptr == NULL)
                take(listener, ctx);
            else
                go_on(ready[i].data.ptr);
    }
}
