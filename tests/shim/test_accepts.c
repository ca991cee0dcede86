/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A server that begins a handshake as soon as it has accepted the connection, in a loop until there is none
 * (mosquitto). A crowd has said hello. The loop is to end while the first of them can still be served, where the server
 * is told again of those that are left; where it is not, it gets all.
 */
#include "world.h"

#include <netinet/in.h>

#include "../../src/base/policy.h"

#define CROWD 48

struct guest {
    SSL *client, *server;
    int fd, accepted;
    bool done, served;
};

static struct guest guests[CROWD];

static int listen_here(struct sockaddr_in *address)
{
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    socklen_t length = sizeof *address;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(listener, (struct sockaddr *)address, sizeof *address), 0);
    assert_int_equal(listen(listener, CROWD), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)address, &length), 0);
    return listener;
}

/* All say hello; all that have come stand in the listener's queue. */
static void come(const struct sockaddr_in *address)
{
    for (int i = 0; i < CROWD; i++) {
        struct guest *g = &guests[i];
        *g = (struct guest){
            .fd = socket(AF_INET, SOCK_STREAM, 0), .accepted = -1, .client = SSL_new(world_client_ctx())};
        assert_int_equal(connect(g->fd, (const struct sockaddr *)address, sizeof *address), 0);
        assert_int_equal(fcntl(g->fd, F_SETFL, O_NONBLOCK), 0);
        SSL_set_fd(g->client, g->fd);
        assert_int_equal(SSL_connect(g->client), -1);
    }
}

static void serve(struct guest *g)
{
    const int value = SSL_accept(g->server);
    g->served = value == 1;
    assert_true(g->served || SSL_get_error(g->server, value) == SSL_ERROR_WANT_READ);
    ERR_clear_error();
}

/* Until there is none; how many there were. */
static int accept_all(struct world *w, int listener, int *next)
{
    int count = 0;
    for (int fd; *next < CROWD && (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0; count++) {
        struct guest *g = &guests[(*next)++];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = g};
        g->accepted = fd;
        g->server = SSL_new(world_server_ctx(TLS13));
        SSL_set_fd(g->server, fd);
        serve(g);
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, fd, &event), 0);
    }
    assert_true(*next == CROWD || errno == EAGAIN);
    return count;
}

static int unserved(void)
{
    int count = 0;
    for (int i = 0; i < CROWD; i++) {
        struct guest *g = &guests[i];
        g->done = g->done || SSL_connect(g->client) == 1;
        ERR_clear_error();
        count += !g->served;
    }
    return count;
}

static void leave(struct world *w, int listener)
{
    for (int i = 0; i < CROWD; i++) {
        SSL_free(guests[i].server);
        SSL_free(guests[i].client);
        close(guests[i].accepted);
        close(guests[i].fd);
    }
    close(listener);
    world_close(w);
}

/* The most that one turn of the server's loop has accepted. */
static int most_in_a_turn(uint32_t events)
{
    struct world *w = world_open(0, TLS13, 1);
    struct epoll_event got[CROWD], event = {.events = events};
    struct sockaddr_in address;
    const int listener = listen_here(&address);
    int most = 0, next = 0;
    come(&address);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, listener, &event), 0);
    for (int turn = 0; unserved() > 0; turn++) {
        assert_in_range(turn, 0, 2000);
        const int n = world_wait(w, got, CROWD, 10);
        for (int i = 0; i < n; i++)
            if (got[i].data.ptr != NULL) {
                serve(got[i].data.ptr);
            } else {
                const int accepted = accept_all(w, listener, &next);
                most = accepted > most ? accepted : most;
            }
    }
    assert_int_equal(next, CROWD);
    leave(w, listener);
    return most;
}

static void test_told_again(void **state)
{
    (void)state;
    assert_in_range(most_in_a_turn(EPOLLIN), 2, OCT_POLICY_PUT_OFF + 1); /* the first is alone, and is not put off */
}

/* Who asks again without a wait between gets the next. */
static void test_asks_again(void **state)
{
    struct sockaddr_in address;
    struct world *w = world_open(0, TLS13, 1);
    struct epoll_event event = {.events = EPOLLIN};
    const int listener = listen_here(&address);
    int next = 0, refused = 0;
    (void)state;
    come(&address);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, listener, &event), 0);
    while (next < CROWD) {
        (void)accept_all(w, listener, &next);
        assert_in_range(refused++, 0, CROWD / OCT_POLICY_PUT_OFF);
    }
    leave(w, listener);
}

static void test_told_once(void **state)
{
    (void)state;
    assert_int_equal(most_in_a_turn(EPOLLIN | EPOLLET), CROWD);
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_told_again, test_asks_again, test_told_once);
}
