/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See echo.h. */
#include "echo.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define FDS_MAX    4096
#define EVENTS_MAX 64

#define LOOPS_MAX 4

/* By descriptor, which is a number of the loop's own where its thread has a table of its own. A collector of garbage
 * finds the objects here. */
static SSL *connections_of[LOOPS_MAX][FDS_MAX];
static int loops;

static void fail(const char *what)
{
    perror(what);
    ERR_print_errors_fp(stderr);
    exit(3);
}

SSL_CTX *echo_context(const char *keys, const char *name)
{
    char path[2][4096];
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    if (ctx == NULL)
        fail("SSL_CTX_new");
    snprintf(path[0], sizeof path[0], "%s/%s.crt", keys, name);
    snprintf(path[1], sizeof path[1], "%s/%s.key", keys, name);
    if (SSL_CTX_use_certificate_chain_file(ctx, path[0]) != 1 ||
        SSL_CTX_use_PrivateKey_file(ctx, path[1], SSL_FILETYPE_PEM) != 1)
        fail(path[1]);
    return ctx;
}

int echo_listen(const char *port)
{
    const int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 1024) != 0)
        fail("listen");
    return fd;
}

int echo_asks_for(const SSL *ssl, const char *begin)
{
    const char *name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    return name != NULL && strncmp(name, begin, strlen(begin)) == 0;
}

static void add(int epfd, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) != 0)
        fail("epoll_ctl");
}

static void welcome(SSL_CTX *ctx, int epfd, int listener, SSL **connections)
{
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        SSL *ssl = fd < FDS_MAX ? SSL_new(ctx) : NULL;
        if (ssl == NULL || SSL_set_fd(ssl, fd) != 1)
            fail("SSL_new");
        SSL_set_accept_state(ssl);
        connections[fd] = ssl;
        add(epfd, fd);
    }
}

/* All that has come. False if the connection is over. */
static int echo(SSL *ssl)
{
    char text[4096];
    for (;;) {
        int n = SSL_read(ssl, text, sizeof text);
        if (n <= 0)
            return SSL_get_error(ssl, n) == SSL_ERROR_WANT_READ;
        if (SSL_write(ssl, text, n) != n)
            return 0;
    }
}

static int turn(SSL *ssl, int (*handshake)(SSL *))
{
    ERR_clear_error();
    if (!SSL_is_init_finished(ssl)) {
        int value = handshake(ssl);
        if (value == ECHO_LEFT)
            return 0;
        if (value != 1)
            return SSL_get_error(ssl, value) == SSL_ERROR_WANT_READ;
    }
    return echo(ssl);
}

void echo_serve(SSL_CTX *ctx, int listener, int (*handshake)(SSL *))
{
    struct epoll_event events[EVENTS_MAX];
    int epfd = epoll_create1(EPOLL_CLOEXEC);
    SSL **connections = connections_of[__atomic_fetch_add(&loops, 1, __ATOMIC_RELAXED)];
    add(epfd, listener);
    add(epfd, STDIN_FILENO);
    for (;;) {
        int n = epoll_wait(epfd, events, EVENTS_MAX, -1);
        if (n < 0 && errno != EINTR)
            fail("epoll_wait");
        for (int i = 0; i < n; i++) {
            int fd = events[i].data.fd;
            if (fd == STDIN_FILENO)
                return;
            if (fd == listener) {
                welcome(ctx, epfd, listener, connections);
            } else if (!turn(connections[fd], handshake)) {
                SSL_free(connections[fd]);
                connections[fd] = NULL;
                close(fd);
            }
        }
    }
}
