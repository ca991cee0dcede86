/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: ENVIRONMENT OCTUPLE_HELLOS=refuse */
/*
 * Hellos that are refused where accept() returns: of a listening socket whose hellos libssl reads, and of no other.
 * Crowds come there whose clients leave as soon as they are answered, so that hellos of their age become too old. What
 * is refused is for a server as if it had never come.
 */
#include "world.h"

#include "trace/hellos.h"

#include <netinet/in.h>
#include <time.h>

#include "../../src/base/policy.h"

#define CROWD  (OCT_POLICY_CROWD + 24) /* one call of accept() does not refuse all of it */
#define CROWDS 6

enum server {
    READS,      /* libssl reads the hellos */
    READS_SOME, /* the program itself reads one */
    BLOCKS      /* libssl reads them, and accept() may block */
};

struct scene {
    struct world *w;
    enum server server;
    int listener;
    struct sockaddr_in address;
    int client[CROWD];
    unsigned char hello[4096];
    size_t length;
};

static void hello(struct scene *s)
{
    SSL *client = SSL_new(world_client_ctx());
    BIO *out = BIO_new(BIO_s_mem());
    SSL_set_bio(client, BIO_new(BIO_s_mem()), out);
    SSL_set_connect_state(client);
    assert_int_equal(SSL_do_handshake(client), -1);
    s->length = (size_t)BIO_read(out, s->hello, sizeof s->hello);
    assert_true(s->length > 100 && s->length < sizeof s->hello);
    SSL_free(client);
    ERR_clear_error();
}

static void open_scene(struct scene *s, enum server server)
{
    socklen_t length = sizeof s->address;
    *s = (struct scene){.w = world_open(EPOLLIN, TLS13, 1), .server = server};
    s->address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    s->listener = socket(AF_INET, SOCK_STREAM | (server == BLOCKS ? 0 : SOCK_NONBLOCK), 0);
    assert_int_equal(bind(s->listener, (struct sockaddr *)&s->address, sizeof s->address), 0);
    assert_int_equal(listen(s->listener, CROWD), 0);
    assert_int_equal(getsockname(s->listener, (struct sockaddr *)&s->address, &length), 0);
    hello(s);
    world_hello(s->w); /* the thread is known from now on */
    world_run(s->w);
}

static void close_scene(struct scene *s)
{
    close(s->listener);
    world_close(s->w);
}

static void let_wait(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000}, NULL);
}

static void come_one(struct scene *s, int i)
{
    s->client[i] = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(s->client[i], (struct sockaddr *)&s->address, sizeof s->address), 0);
    assert_int_equal(send(s->client[i], s->hello, s->length, 0), (ssize_t)s->length);
}

static void come(struct scene *s)
{
    for (int i = 0; i < CROWD; i++)
        come_one(s, i);
    let_wait(530);
}

static void leave(struct scene *s)
{
    for (int i = 0; i < CROWD; i++)
        close(s->client[i]);
}

/* The program reads it itself, as one that passes connections on. */
static void read_itself(int fd)
{
    char bytes[4096];
    assert_true(recv(fd, bytes, sizeof bytes, 0) > 100);
}

static void begin(int fd)
{
    SSL *server = SSL_new(world_server_ctx(TLS13));
    SSL_set_fd(server, fd);
    SSL_set_accept_state(server);
    assert_int_equal(SSL_do_handshake(server), -1);
    SSL_free(server);
    ERR_clear_error();
}

/* The next one, of all that came: -1 where there is none any more. */
static int next(const struct scene *s)
{
    struct {
        struct sockaddr_in address;
        char behind[8];
    } place = {.behind = "as ever"};
    socklen_t length = sizeof place.address;
    const int fd = accept4(s->listener, (struct sockaddr *)&place.address, &length, SOCK_NONBLOCK);
    assert_int_equal(length, sizeof place.address);
    assert_string_equal(place.behind, "as ever");
    assert_true(fd >= 0 ? place.address.sin_addr.s_addr == htonl(INADDR_LOOPBACK) : errno == EAGAIN);
    return fd;
}

static void serve(const struct scene *s, int fd, bool first)
{
    struct epoll_event events[2];
    assert_true((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
    if (first && s->server == READS_SOME)
        read_itself(fd);
    else
        begin(fd);
    close(fd);
    world_wait(s->w, events, 2, 0);
}

/* How many the server has got of a crowd. */
static int crowd_comes(struct scene *s)
{
    int got = 0;
    come(s);
    for (int fd; (s->server != BLOCKS || got < CROWD) && (fd = next(s)) >= 0; got++)
        serve(s, fd, got == 0);
    leave(s);
    return got;
}

static uint64_t refused(void)
{
    return oct_hello_counters()->refused;
}

/* Until that is known of which handshakes are worth it. */
static void learn(struct scene *s)
{
    int got = CROWD;
    for (int i = 0; i < CROWDS && got == CROWD; i++)
        got = crowd_comes(s);
    assert_in_range(got, 1, CROWD - 1);
}

static void test_turned_away(void **state)
{
    struct scene s;
    (void)state;
    open_scene(&s, READS);
    learn(&s);
    const uint64_t before = refused();
    const int got = crowd_comes(&s);
    assert_in_range(got, 1, CROWD / 4); /* the one behind those that a call may refuse, and some to learn from */
    assert_true(refused() - before >= (uint64_t)(CROWD - got));
    close_scene(&s);
}

/* Another listening socket of the same loop gets what came there. */
static void expect_other(const struct scene *s)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    const int other = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = other};
    assert_int_equal(bind(other, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(other, 1), 0);
    assert_int_equal(getsockname(other, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(epoll_ctl(s->w->epfd, EPOLL_CTL_ADD, other, &event), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    const int fd = accept(other, NULL, NULL);
    assert_true(fd >= 0);
    close(fd);
    close(client);
    close(other);
}

/* Who is refused finds the connection closed, and not a byte. A loop that calls accept() again has enough. */
static void test_what_clients_get(void **state)
{
    struct scene s;
    int answered = 0, closed = 0;
    (void)state;
    open_scene(&s, READS);
    learn(&s);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = s.listener};
    assert_int_equal(epoll_ctl(s.w->epfd, EPOLL_CTL_ADD, s.listener, &event), 0);
    come(&s);
    const int fd = next(&s);
    expect_other(&s);
    assert_int_equal(next(&s), -1);
    assert_int_equal(errno, EAGAIN);
    for (int i = 0; i < CROWD; i++) {
        char bytes[16];
        const ssize_t n = recv(s.client[i], bytes, sizeof bytes, MSG_DONTWAIT);
        closed += n == 0 || (n < 0 && errno == ECONNRESET);
        answered += n > 0;
    }
    assert_in_range(closed, OCT_POLICY_CROWD / 2, OCT_POLICY_CROWD);
    assert_int_equal(answered, 0);
    assert_true(fd >= 0);
    close(fd);
    leave(&s);
    close_scene(&s);
}

static void all_come_through(enum server server)
{
    struct scene s;
    open_scene(&s, server);
    for (int i = 0; i < CROWDS; i++)
        assert_int_equal(crowd_comes(&s), CROWD);
    close_scene(&s);
}

static void test_read_by_others(void **state)
{
    (void)state;
    all_come_through(READS_SOME);
}

static void test_blocks(void **state)
{
    (void)state;
    all_come_through(BLOCKS);
}

/* It gets no more while many are inside, but one for each with which it begins. If it begins with none, it gets them.
 */
static void test_full(void **state)
{
    struct scene s;
    int inside[CROWD], count = 0, asked = 1;
    (void)state;
    open_scene(&s, READS);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = s.listener};
    for (int i = 0; i < OCT_POLICY_CROWD; i++) { /* none of these ends well, so that older ones are no worse */
        come_one(&s, i);
        if (i == OCT_POLICY_CROWD - 1)
            let_wait(OCT_POLICY_HELLO_LATE + 30); /* from now on each is looked at */
        serve(&s, next(&s), false);
        close(s.client[i]);
    }
    assert_int_equal(epoll_ctl(s.w->epfd, EPOLL_CTL_ADD, s.listener, &event), 0);
    for (int i = 0; i < CROWD; i++)
        come_one(&s, i);
    while (count < CROWD && (inside[count] = next(&s)) >= 0)
        count++;
    assert_int_equal(count, OCT_POLICY_CROWD);
    begin(inside[0]);
    close(inside[0]);
    assert_true((inside[0] = next(&s)) >= 0);
    for (; (inside[count] = next(&s)) < 0; asked++)
        assert_true(asked <= OCT_POLICY_GATE_HELD);
    assert_int_equal(asked, OCT_POLICY_GATE_HELD + 1);
    for (int i = 0; i <= count; i++)
        close(inside[i]);
    leave(&s);
    close_scene(&s);
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_turned_away, test_what_clients_get, test_read_by_others, test_blocks, test_full);
}
