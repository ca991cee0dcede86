/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: ENVIRONMENT OCTUPLE_LOOPS=auto,memory=on */
/* Servers that read their sockets themselves and give libssl the bytes through memory. They call it only with bytes,
 * and send what it has written then. */
#include "world.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#define CROWD   4
#define SECONDS 20
#define WHOLE   4096
#define UNHEARD 8
#define ROUNDS  16

static SSL_CTX *ctx;
static size_t piece = WHOLE; /* what is read for one event */
static const unsigned char record[] = {20, 3, 3, 0, 1, 1};

static SSL_CTX *make_ctx(void)
{
    EVP_PKEY *key = EVP_RSA_gen(2048);
    X509 *cert = world_certificate(key);
    SSL_CTX *made = SSL_CTX_new(TLS_server_method());
    assert_int_equal(SSL_CTX_use_certificate(made, cert), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(made, key), 1);
    X509_free(cert);
    EVP_PKEY_free(key);
    return made;
}

static void send_out(struct pair *p)
{
    char buf[WHOLE];
    int n;
    while ((n = BIO_read(SSL_get_wbio(p->server), buf, sizeof buf)) > 0)
        assert_int_equal(send(p->fd, buf, (size_t)n, MSG_NOSIGNAL), n);
}

static int drive_fed(struct pair *p)
{
    char buf[WHOLE];
    const ssize_t got = recv(p->fd, buf, piece, 0);
    if (got <= 0)
        return -1; /* nothing to call with */
    assert_int_equal(BIO_write(SSL_get_rbio(p->server), buf, (int)got), got);
    const int value = SSL_do_handshake(p->server);
    send_out(p);
    return value;
}

static void feed(struct pair *p, SSL_CTX *with)
{
    SSL_free(p->server);
    p->server = SSL_new(with);
    SSL_set_bio(p->server, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    BIO_set_mem_eof_return(SSL_get_rbio(p->server), -1);
    BIO_set_mem_eof_return(SSL_get_wbio(p->server), -1);
    SSL_set_accept_state(p->server);
    p->drive = drive_fed;
}

static struct world *open_fed(uint32_t events, int pairs)
{
    struct world *w = world_open(events, TLS13, pairs);
    piece = WHOLE;
    for (int i = 0; i < pairs; i++)
        feed(&w->pair[i], ctx);
    return w;
}

/* A byte each way, as world_exchange() has it for sockets. */
static void exchange(struct pair *p)
{
    char buf[WHOLE], byte = 0;
    assert_true(p->server_done && p->client_done && !p->server_failed);
    assert_int_equal(SSL_write(p->client, "c", 1), 1);
    pair_client(p);
    const ssize_t got = recv(p->fd, buf, sizeof buf, 0);
    assert_true(got > 0);
    assert_int_equal(BIO_write(SSL_get_rbio(p->server), buf, (int)got), got);
    assert_int_equal(SSL_read(p->server, &byte, 1), 1);
    assert_int_equal(byte, 'c');
    assert_int_equal(SSL_pending(p->server), 0);
    assert_int_equal(SSL_write(p->server, "s", 1), 1);
    send_out(p);
    pair_client(p);
    assert_int_equal(SSL_read(p->client, &byte, 1), 1);
    assert_int_equal(byte, 's');
}

static void end_all(struct world *w)
{
    world_run(w);
    for (int i = 0; i < w->pairs; i++)
        if (w->pair[i].server != NULL)
            exchange(&w->pair[i]);
    world_close(w);
}

/* What an operation costs is learned first: one that takes little does not pause here. */
static void test_learns(void **state)
{
    int paused = 0;
    (void)state;
    for (int i = 0; paused == 0 && i < ROUNDS; i++) {
        struct world *w = open_fed(EPOLLIN, CROWD);
        paused = world_hello(w);
        end_all(w);
    }
    assert_int_equal(paused, CROWD - 1);
}

static void test_crowd(void **state)
{
    (void)state;
    for (int edge = 0; edge < 2; edge++) {
        struct world *w = open_fed(edge ? EPOLLIN | EPOLLET : EPOLLIN, CROWD);
        assert_int_equal(world_hello(w), CROWD - 1);
        end_all(w);
    }
}

static void test_reads_in_parts(void **state)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    (void)state;
    assert_int_equal(world_hello(w), CROWD - 1);
    piece = 1;
    world_run(w);
    piece = WHOLE;
    end_all(w);
}

static void test_freed_while_paused(void **state)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    (void)state;
    assert_int_equal(world_hello(w), CROWD - 1);
    pair_end(w, &w->pair[1]);
    SSL_free(w->pair[2].server); /* its socket stays, and says nothing more */
    w->pair[2].server = NULL;
    world_run(w);
    char byte;
    assert_int_equal(recv(w->pair[2].fd, &byte, 1, 0), -1);
    end_all(w);
}

/* Whoever has its number next gets no byte of the record. */
static void test_number_used_again(void **state)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    char byte;
    (void)state;
    assert_int_equal(world_hello(w), CROWD - 1);
    struct pair *old = &w->pair[1];
    const int number = old->fd;
    SSL *paused = old->server;
    old->server = NULL;
    pair_end(w, old);
    struct pair *p = world_add(w, ctx, EPOLLIN);
    const int fd = p->fd;
    if (fd != number) {
        assert_int_equal(dup2(fd, number), number);
        close(fd);
        p->fd = number;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = p};
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, number, &event), 0);
    }
    feed(p, ctx);
    struct epoll_event events[PAIRS_MAX];
    for (int i = 0; i < 4; i++)
        (void)world_wait(w, events, PAIRS_MAX, 1);
    assert_int_equal(recv(number, &byte, 1, 0), -1);
    SSL_free(paused);
    end_all(w);
}

static void test_other_number(void **state)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    (void)state;
    assert_int_equal(world_hello(w), CROWD - 1);
    struct pair *p = &w->pair[1];
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = p};
    const int old = p->fd;
    p->fd = dup(old);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, old, NULL), 0);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, p->fd, &event), 0);
    close(old);
    end_all(w);
}

/* The program gets events, and neither reads nor calls. */
static void test_not_followed(void **state)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    struct epoll_event events[PAIRS_MAX];
    (void)state;
    assert_int_equal(world_hello(w), CROWD - 1);
    for (int i = 0; i < UNHEARD; i++)
        (void)world_wait(w, events, PAIRS_MAX, 1);
    end_all(w);
}

/* A callback of another connection runs the loop. */
static struct world *looped;
static void on_info(const SSL *ssl, int where, int value)
{
    struct epoll_event events[PAIRS_MAX];
    (void)ssl, (void)value;
    if ((where & SSL_CB_HANDSHAKE_START) == 0)
        return;
    for (int turn = 0; turn < ROUNDS; turn++) {
        const int n = world_wait(looped, events, PAIRS_MAX, 1);
        for (int i = 0; i < n; i++)
            if (((struct pair *)events[i].data.ptr)->server != ssl)
                pair_server(events[i].data.ptr);
    }
}

static void test_loop_in_a_callback(void **state)
{
    struct world *w = looped = open_fed(EPOLLIN | EPOLLET, CROWD);
    (void)state;
    assert_int_equal(world_hello(w), CROWD - 1);
    struct pair *p = world_add(w, ctx, EPOLLIN | EPOLLET);
    feed(p, ctx);
    SSL_set_info_callback(p->server, on_info);
    pair_client(p);
    pair_server(p);
    end_all(w);
}

/* Taken out of epoll for a while, as a program does that does not want to read more yet. */
static void test_out_for_a_while(void **state)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    struct pair *p = &w->pair[1];
    struct epoll_event events[PAIRS_MAX], event = {.events = EPOLLIN, .data.ptr = p};
    (void)state;
    assert_int_equal(world_hello(w), CROWD - 1);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, p->fd, NULL), 0);
    for (int i = 0; i < 3; i++)
        (void)world_wait(w, events, PAIRS_MAX, 1);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, p->fd, &event), 0);
    end_all(w);
}

/* Another thread with a loop of its own, which serves until its handshake is done. */
struct other {
    pthread_t thread;
    struct pair *p;
    int epfd, adds;
    bool begun;
};

static void *serve_other(void *arg)
{
    struct other *other = arg;
    struct epoll_event event;
    if (other->adds) {
        event = (struct epoll_event){.events = EPOLLIN, .data.ptr = other->p};
        if (epoll_ctl(other->epfd, EPOLL_CTL_ADD, other->p->fd, &event) != 0)
            return NULL;
    }
    (void)epoll_wait(other->epfd, &event, 0, 0);
    __atomic_store_n(&other->begun, true, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&other->p->server_done, __ATOMIC_ACQUIRE) && !other->p->server_failed) {
        const int n = epoll_wait(other->epfd, &event, 1, SECONDS * 1000);
        if (n == 1 && event.data.ptr == other->p)
            pair_server(other->p);
        else if (n != 0)
            other->p->server_failed = true;
    }
    return NULL;
}

static void start(struct other *other)
{
    assert_int_equal(pthread_create(&other->thread, NULL, serve_other, other), 0);
    while (!__atomic_load_n(&other->begun, __ATOMIC_ACQUIRE))
        sched_yield();
}

/* This thread's own loop goes on, and the client's. */
static void run_beside(struct world *w, struct other *other)
{
    struct pair *p = other->p;
    struct epoll_event events[PAIRS_MAX];
    const time_t end = time(NULL) + SECONDS;
    while (!p->client_done || !__atomic_load_n(&p->server_done, __ATOMIC_ACQUIRE)) {
        assert_true(time(NULL) < end);
        const int n = world_wait(w, events, PAIRS_MAX, 5);
        for (int i = 0; i < n; i++)
            pair_server(events[i].data.ptr);
        for (int i = 0; i < w->pairs; i++)
            pair_client(&w->pair[i]);
    }
    assert_int_equal(pthread_join(other->thread, NULL), 0);
    close(other->epfd);
}

/* When: 0 at once, into an instance that the other sleeps on; 1 the other registers it itself; 2 the same, but behind
 * the end of its call; 3 under another number. */
static void hand_over(int when)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    struct epoll_event events[PAIRS_MAX];
    struct other other = {.p = &w->pair[1], .epfd = epoll_create1(EPOLL_CLOEXEC), .adds = when != 0};
    assert_int_equal(world_hello(w), CROWD - 1);
    if (when == 0)
        start(&other);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, other.p->fd, NULL), 0);
    for (int i = 0; when >= 2 && i < 3; i++) {
        const int n = world_wait(w, events, PAIRS_MAX, 1);
        for (int k = 0; k < n; k++)
            pair_server(events[k].data.ptr);
    }
    if (when == 3) {
        const int old = other.p->fd;
        other.p->fd = dup(old);
        close(old);
    }
    if (when == 0) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = other.p};
        assert_int_equal(epoll_ctl(other.epfd, EPOLL_CTL_ADD, other.p->fd, &event), 0);
    } else {
        start(&other);
    }
    run_beside(w, &other);
    end_all(w);
}

static void test_handed_to_a_sleeper(void **state)
{
    (void)state;
    hand_over(0);
}

static void test_taken_by_another(void **state)
{
    (void)state;
    hand_over(1);
}

static void test_taken_later(void **state)
{
    (void)state;
    hand_over(2);
}

static void test_taken_as_a_copy(void **state)
{
    (void)state;
    hand_over(3);
}

/* A handed one that nobody takes, and its object is freed. */
static void test_freed_while_handed(void **state)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    struct epoll_event events[PAIRS_MAX];
    (void)state;
    assert_int_equal(world_hello(w), CROWD - 1);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, w->pair[1].fd, NULL), 0);
    for (int i = 0; i < 3; i++)
        (void)world_wait(w, events, PAIRS_MAX, 1);
    pair_end(w, &w->pair[1]);
    end_all(w);
}

/* The child goes on with one half, its parent with the other. */
static void test_fork(void **state)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    (void)state;
    assert_int_equal(world_hello(w), CROWD - 1);
    const pid_t child = fork();
    const int first = child == 0 ? CROWD / 2 : 0;
    if (child == 0) {
        close(w->epfd);
        w->epfd = epoll_create1(EPOLL_CLOEXEC);
    }
    for (int i = 0; i < CROWD; i++) {
        struct pair *p = &w->pair[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = p};
        if (i < first || i >= first + CROWD / 2) {
            if (child != 0)
                epoll_ctl(w->epfd, EPOLL_CTL_DEL, p->fd, NULL);
            pair_end(w, p);
        } else if (child == 0) {
            epoll_ctl(w->epfd, EPOLL_CTL_ADD, p->fd, &event);
        }
    }
    end_all(w);
    if (child == 0)
        _exit(0);
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* All that can be done is done in the call that has the hello. */
static void expect_synchronous(struct world *w)
{
    for (int i = 0; i < w->pairs; i++) {
        struct pair *p = &w->pair[i];
        pair_client(p);
        assert_int_equal(pair_server(p), 0);
        assert_false(pair_paused(p));
        pair_client(p);
    }
    end_all(w);
}

static void test_tls12(void **state)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    (void)state;
    for (int i = 0; i < CROWD; i++)
        SSL_set_max_proto_version(w->pair[i].server, TLS1_2_VERSION);
    expect_synchronous(w);
}

static SSL_SESSION *saved;

static int save_session(SSL *s, SSL_SESSION *session)
{
    (void)s;
    SSL_SESSION_free(saved);
    saved = session;
    return 1;
}

static void earn_session(void)
{
    SSL_CTX *client = world_client_ctx();
    SSL_CTX_set_max_early_data(ctx, WHOLE);
    SSL_CTX_set_session_cache_mode(client, SSL_SESS_CACHE_CLIENT);
    SSL_CTX_sess_set_new_cb(client, save_session);
    struct world *w = open_fed(EPOLLIN, 1);
    world_run(w);
    exchange(&w->pair[0]);
    /* Else OpenSSL would take the session for spoilt. */
    SSL_set_shutdown(w->pair[0].client, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    world_close(w);
    SSL_CTX_sess_set_new_cb(client, NULL);
    SSL_CTX_set_session_cache_mode(client, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_max_early_data(ctx, 0);
    assert_non_null(saved);
    assert_true(SSL_SESSION_get_max_early_data(saved) > 0);
}

/* A server that does not know their session makes full handshakes, and drops the early data. */
static void test_early_data(void **state)
{
    SSL_CTX *stranger = make_ctx();
    size_t n;
    (void)state;
    earn_session();
    struct world *w = open_fed(EPOLLIN, CROWD);
    for (int i = 0; i < CROWD; i++) {
        struct pair *p = &w->pair[i];
        feed(p, stranger);
        assert_int_equal(SSL_set_session(p->client, saved), 1);
        assert_int_equal(SSL_write_early_data(p->client, "early", 5, &n), 1);
    }
    expect_synchronous(w);
    SSL_SESSION_free(saved);
    SSL_CTX_free(stranger);
}

static void test_switched_off(void **state)
{
    (void)state;
    expect_synchronous(open_fed(EPOLLIN, CROWD));
}

/* More than the hello has been read: its record must not come behind that. */
static void test_more_behind_the_hello(void **state)
{
    struct world *w = open_fed(EPOLLIN, CROWD);
    (void)state;
    for (int i = 0; i < CROWD; i++) {
        pair_client(&w->pair[i]);
        assert_int_equal(send(w->pair[i].peer, record, sizeof record, 0), sizeof record);
    }
    expect_synchronous(w);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest off[] = {cmocka_unit_test(test_switched_off)};
    (void)argv;
    world_start();
    ctx = make_ctx();
    const int failed =
        argc > 1 ? cmocka_run_group_tests(off, NULL, NULL)
                 : RUN_TESTS(NULL, NULL, test_learns, test_crowd, test_reads_in_parts, test_freed_while_paused,
                             test_number_used_again, test_other_number, test_not_followed, test_loop_in_a_callback,
                             test_out_for_a_while, test_handed_to_a_sleeper, test_taken_by_another, test_taken_later,
                             test_taken_as_a_copy, test_freed_while_handed, test_fork, test_tls12,
                             test_more_behind_the_hello, test_early_data);
    SSL_CTX_free(ctx);
    return failed;
}
