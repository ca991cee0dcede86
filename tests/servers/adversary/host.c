/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See host.h. */
#include "host.h"

#include <errno.h>
#include <openssl/err.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS_MAX 64

void host_fail(const char *what)
{
    perror(what);
    ERR_print_errors_fp(stderr);
    exit(3);
}

bool host_ends(int milliseconds)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, milliseconds) > 0;
}

bool host_wants(const SSL *ssl, int value)
{
    return SSL_get_error(ssl, value) == SSL_ERROR_WANT_READ;
}

bool host_echo(SSL *ssl)
{
    char text[4096];
    for (;;) {
        int n = SSL_read(ssl, text, sizeof text);
        if (n <= 0)
            return host_wants(ssl, n);
        if (SSL_write(ssl, text, n) != n)
            return false;
    }
}

bool host_step(struct guest *guest, uint32_t events)
{
    (void)events;
    if (!SSL_is_init_finished(guest->ssl)) {
        int value = SSL_accept(guest->ssl);
        if (value != 1)
            return host_wants(guest->ssl, value);
    }
    return host_echo(guest->ssl);
}

static void add(int epfd, int fd, uint32_t events, void *who)
{
    struct epoll_event event = {.events = EPOLLIN | events, .data.ptr = who};
    if (fd < 0 || epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event) != 0)
        host_fail("epoll_ctl");
}

static void welcome(const struct host *host, int epfd, int listener)
{
    int fd;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct guest *guest = calloc(1, sizeof *guest);
        guest->fd = fd;
        if (host->welcome != NULL)
            host->welcome(guest);
        else if ((guest->ssl = SSL_new(host->ctx)) == NULL || SSL_set_fd(guest->ssl, fd) != 1)
            host_fail("SSL_new");
        if (guest->bio == NULL)
            SSL_set_accept_state(guest->ssl);
        add(epfd, fd, host->events, guest);
        if (host->twice)
            add(epfd, guest->second = dup(fd), host->events, guest);
    }
}

static void leave(const struct host *host, struct guest *guest)
{
    if (host->twice)
        close(guest->second);
    if (host->leave != NULL) {
        host->leave(guest);
    } else {
        SSL_free(guest->ssl);
        close(guest->fd);
    }
}

/* One round of events. False if the standard input has ended. */
static bool turn_all(const struct host *host, int epfd, int listener, struct epoll_event *events, int count)
{
    struct guest *over = NULL;
    for (int i = 0; i < count; i++) {
        struct guest *guest = events[i].data.ptr;
        if (guest == (void *)host)
            return false;
        if (guest == NULL) {
            welcome(host, epfd, listener);
            continue;
        }
        if (guest->over)
            continue;
        guest->turns++;
        ERR_clear_error();
        guest->over = !(host->turn != NULL ? host->turn : host_step)(guest, events[i].events);
        if (guest->over) {
            guest->next = over;
            over = guest;
        }
    }
    for (; over != NULL; over = over->next)
        leave(host, over); /* what is left is small, and a late event may still mean it */
    if (host->rest != NULL)
        host->rest();
    return true;
}

void host_serve(int listener, const struct host *host)
{
    struct epoll_event events[EVENTS_MAX];
    int epfd = epoll_create1(EPOLL_CLOEXEC), count;
    signal(SIGPIPE, SIG_IGN);
    add(epfd, listener, 0, NULL);
    add(epfd, STDIN_FILENO, 0, (void *)host);
    do {
        count = epoll_wait(epfd, events, EVENTS_MAX, -1);
        if (count < 0 && errno != EINTR)
            host_fail("epoll_wait");
    } while (turn_all(host, epfd, listener, events, count));
    close(epfd);
}
