/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See work.h. */
#include "work.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 6

struct work {
    SSL_CTX *ctx;
    int epfd;
    struct link {
        SSL *server, *client;
        bool server_done, client_done, failed;
    } link[CONNECTIONS];
};

static X509 *certificate(EVP_PKEY *key)
{
    X509 *x = X509_new();
    X509_set_version(x, 2);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 86400);
    X509_set_pubkey(x, key);
    return X509_sign(x, key, EVP_sha256()) > 0 ? x : NULL;
}

static SSL_CTX *context(void)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    X509 *x = key != NULL ? certificate(key) : NULL;
    if (ctx == NULL || x == NULL || SSL_CTX_use_certificate(ctx, x) != 1 || SSL_CTX_use_PrivateKey(ctx, key) != 1)
        abort();
    X509_free(x);
    EVP_PKEY_free(key);
    return ctx;
}

static SSL *end(const struct work *w, int fd, struct link *link)
{
    SSL *s = SSL_new(w->ctx);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = link};
    fcntl(fd, F_SETFL, O_NONBLOCK);
    if (s == NULL || SSL_set_fd(s, fd) != 1 || epoll_ctl(w->epfd, EPOLL_CTL_ADD, fd, &event) != 0)
        abort();
    return s;
}

struct work *work_open(void)
{
    struct work *w = calloc(1, sizeof *w);
    w->ctx = context();
    w->epfd = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < CONNECTIONS; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
            abort();
        w->link[i].server = end(w, ends[0], &w->link[i]);
        w->link[i].client = end(w, ends[1], &w->link[i]);
        SSL_set_accept_state(w->link[i].server);
        SSL_set_connect_state(w->link[i].client);
    }
    return w;
}

static bool step(SSL *s, struct link *link)
{
    const int value = SSL_do_handshake(s);
    link->failed = link->failed || (value != 1 && SSL_get_error(s, value) != SSL_ERROR_WANT_READ);
    return value == 1;
}

int work_turn(struct work *w)
{
    struct epoll_event events[2 * CONNECTIONS];
    int left = 0;
    (void)epoll_wait(w->epfd, events, 2 * CONNECTIONS, 1);
    for (int i = 0; i < CONNECTIONS; i++) {
        struct link *link = &w->link[i];
        if (!link->client_done)
            link->client_done = step(link->client, link);
        if (!link->server_done)
            link->server_done = step(link->server, link);
        left += !link->failed && !(link->client_done && link->server_done);
    }
    return left;
}

/* A byte each way. */
static bool talks(struct link *link)
{
    char byte = 0;
    return SSL_write(link->client, "c", 1) == 1 && SSL_read(link->server, &byte, 1) == 1 && byte == 'c' &&
           SSL_write(link->server, "s", 1) == 1 && SSL_read(link->client, &byte, 1) == 1 && byte == 's';
}

static void forget(SSL *s)
{
    const int fd = SSL_get_fd(s);
    SSL_free(s);
    close(fd);
}

int work_close(struct work *w)
{
    int good = 0;
    for (int i = 0; i < CONNECTIONS; i++) {
        struct link *link = &w->link[i];
        good += link->client_done && link->server_done && talks(link);
        forget(link->client);
        forget(link->server);
    }
    SSL_CTX_free(w->ctx);
    close(w->epfd);
    free(w);
    return good;
}

/* A method is data of the library that made it. */
void work_library(char *name, size_t n)
{
    Dl_info where = {0};
    const char *path = dladdr((const void *)TLS_method(), &where) != 0 ? where.dli_fname : "none";
    const char *slash = strrchr(path, '/');
    snprintf(name, n, "%s", slash != NULL ? slash + 1 : path);
}
