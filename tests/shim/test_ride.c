/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What ends a handshake waits in the kernel for what the server sends next: until it writes, waits for events or closes
 * the socket. Both ends are on TCP.
 */
#include "world.h"

#include <dlfcn.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>

#define GUESTS 4

struct guest {
    SSL *client, *server;
    int fd, accepted;
    unsigned tickets;
    bool done;
};

static struct guest guests[GUESTS];
static int listener;
static struct sockaddr_in address;

static int count_ticket(SSL *s, SSL_SESSION *session)
{
    (void)session;
    for (int i = 0; i < GUESTS; i++)
        guests[i].tickets += guests[i].client == s;
    return 0;
}

static void listen_here(void)
{
    socklen_t length = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, GUESTS), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
}

static void come(struct world *w, struct guest *g)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = g};
    *g = (struct guest){.fd = socket(AF_INET, SOCK_STREAM, 0), .client = SSL_new(world_client_ctx())};
    assert_int_equal(connect(g->fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(fcntl(g->fd, F_SETFL, O_NONBLOCK), 0);
    SSL_set_fd(g->client, g->fd);
    assert_int_equal(SSL_connect(g->client), -1);
    ERR_clear_error();
    g->accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    assert_true(g->accepted >= 0);
    g->server = SSL_new(world_server_ctx(TLS13));
    SSL_set_fd(g->server, g->accepted);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, g->accepted, &event), 0);
}

/* Bytes that the server's socket has and the kernel has not sent. */
static int unsent(const struct guest *g)
{
    int bytes = -1;
    assert_int_equal(ioctl(g->accepted, SIOCOUTQNSD, &bytes), 0);
    return bytes;
}

static void connect_all(void)
{
    for (int i = 0; i < GUESTS; i++) {
        guests[i].done = guests[i].client == NULL || guests[i].done || SSL_connect(guests[i].client) == 1;
        ERR_clear_error();
    }
}

/* Serves until the first handshake ends, of a guest whose tickets wait or (count 1) of the only one. */
static struct guest *first_served(struct world *w, int count)
{
    struct epoll_event got[GUESTS];
    for (int turn = 0;; turn++) {
        assert_in_range(turn, 0, 2000);
        connect_all();
        const int n = world_wait(w, got, GUESTS, 10);
        for (int i = 0; i < n; i++) {
            struct guest *g = got[i].data.ptr;
            const int value = SSL_accept(g->server);
            if (value == 1 && (count == 1 || unsent(g) > 0))
                return g;
            assert_true(value == 1 || SSL_get_error(g->server, value) == SSL_ERROR_WANT_READ);
            ERR_clear_error();
        }
    }
}

static struct world *open_with(int count)
{
    struct world *w = world_open(EPOLLIN, TLS13, 0);
    memset(guests, 0, sizeof guests);
    SSL_CTX_set_session_cache_mode(world_client_ctx(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(world_client_ctx(), count_ticket);
    listen_here();
    for (int i = 0; i < GUESTS; i++)
        if (i < count)
            come(w, &guests[i]);
    return w;
}

static void close_all(struct world *w)
{
    for (int i = 0; i < GUESTS; i++) {
        SSL_free(guests[i].server);
        SSL_free(guests[i].client);
        if (guests[i].client != NULL) {
            close(guests[i].accepted);
            close(guests[i].fd);
        }
    }
    close(listener);
    world_close(w);
}

/* What the client gets next: a byte, 0 at the end of the stream, -1 if nothing comes in a second. */
static int client_gets(struct guest *g)
{
    char byte;
    for (;;) {
        struct pollfd at = {.fd = g->fd, .events = POLLIN};
        const int n = SSL_read(g->client, &byte, 1), error = SSL_get_error(g->client, n);
        ERR_clear_error();
        if (n == 1)
            return byte;
        if (error != SSL_ERROR_WANT_READ)
            return 0;
        if (poll(&at, 1, 1000) == 0)
            return -1;
    }
}

static void test_behind_data(void **state)
{
    struct world *w = open_with(GUESTS);
    struct guest *g = first_served(w, GUESTS);
    (void)state;
    assert_int_equal(g->tickets, 0);
    assert_int_equal(SSL_write(g->server, "d", 1), 1);
    assert_int_equal(unsent(g), 0);
    assert_int_equal(client_gets(g), 'd');
    assert_int_equal(g->tickets, 2);
    close_all(w);
}

/* Whatever the thread asks of its events, and whether there are any. */
static void test_before_it_waits(void **state)
{
    struct epoll_event got[GUESTS];
    struct world *w = open_with(GUESTS);
    struct guest *g = first_served(w, GUESTS);
    (void)state;
    (void)world_wait(w, got, GUESTS, 0);
    assert_int_equal(unsent(g), 0);
    (void)client_gets(g);
    assert_int_equal(g->tickets, 2);
    close_all(w);
}

static void test_before_the_end(void **state)
{
    struct world *w = open_with(GUESTS);
    struct guest *g = first_served(w, GUESTS);
    (void)state;
    SSL_free(g->server);
    g->server = NULL;
    assert_int_equal(shutdown(g->accepted, SHUT_WR), 0);
    assert_int_equal(client_gets(g), 0);
    assert_int_equal(g->tickets, 2);
    close_all(w);
}

static int corked(const struct guest *g)
{
    int on = -1;
    socklen_t length = sizeof on;
    assert_int_equal(getsockopt(g->accepted, IPPROTO_TCP, TCP_CORK, &on, &length), 0);
    return on;
}

/* What the program holds back is its own affair. */
static void test_corked(void **state)
{
    const int on = 1, off = 0;
    struct epoll_event got[GUESTS];
    struct world *w = open_with(GUESTS);
    struct guest *g = first_served(w, GUESTS);
    (void)state;
    assert_int_equal(corked(g), 0);
    assert_int_equal(setsockopt(g->accepted, IPPROTO_TCP, TCP_CORK, &on, sizeof on), 0);
    (void)world_wait(w, got, GUESTS, 0);
    assert_int_equal(corked(g), 1);
    assert_int_equal(setsockopt(g->accepted, IPPROTO_TCP, TCP_CORK, &off, sizeof off), 0);
    assert_int_equal(unsent(g), 0);
    close_all(w);
}

/* Nobody is known to come back to one that has never waited. */
static void test_alone(void **state)
{
    struct world *w = open_with(1);
    struct guest *g = first_served(w, 1);
    (void)state;
    assert_int_equal(unsent(g), 0);
    (void)client_gets(g);
    assert_int_equal(g->tickets, 2);
    close_all(w);
}

/* A sanitizer has a write() of its own, which libcrypto finds first: then all is as without the shim. */
static bool writes_to_kernel(void)
{
    Dl_info found, real;
    return dladdr(dlsym(RTLD_DEFAULT, "write"), &found) != 0 &&
           dladdr(dlsym(RTLD_DEFAULT, "epoll_create1"), &real) != 0 && found.dli_fbase == real.dli_fbase;
}

int main(void)
{
    world_start();
    if (!writes_to_kernel())
        return RUN_TESTS(NULL, NULL, test_alone);
    return RUN_TESTS(NULL, NULL, test_behind_data, test_before_it_waits, test_before_the_end, test_corked, test_alone);
}
