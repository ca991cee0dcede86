/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: VALGRIND exhaustive ENVIRONMENT OCTUPLE_LOOPS=auto,memory=on */
/* What the shim must leave alone, and early data, where it has to take particular care. */
#include "world.h"

#include <pthread.h>
#include <openssl/async.h>
#include <poll.h>
#include <sys/wait.h>

#define EDGE (EPOLLIN | EPOLLET)

/* Two handshakes in flight, so that nobody after them is alone. */
static struct world *two_in_flight(void)
{
    struct world *w = world_open(EDGE, TLS13, 2);
    assert_int_equal(world_hello(w), 1);
    return w;
}

/* One more connection, on which a single call with its hello at hand must do all that can be done. */
static void expect_synchronous(struct world *w, struct pair *p)
{
    pair_client(p);
    assert_int_equal(pair_server(p), 0);
    assert_false(pair_paused(p));
    pair_client(p);
    assert_int_equal(pair_server(p), 1);
    world_run(w);
    world_exchange(w);
    world_close(w);
}

/* The first look at an accepted socket of which epoll has not heard is put off, once. */
static void expect_put_off(struct pair *p)
{
    char byte;
    pair_client(p);
    assert_int_equal(pair_server(p), 0);
    assert_false(pair_paused(p));
    assert_int_equal(SSL_get_state(p->server), TLS_ST_BEFORE);
    assert_int_equal(recv(p->fd, &byte, 1, MSG_PEEK), 1);
}

static void test_not_registered(void **state)
{
    struct world *w = two_in_flight();
    struct pair *p = world_add(w, world_server_ctx(TLS13), 0);
    (void)state;
    expect_put_off(p);
    expect_synchronous(w, p);
}

/* Servers that accept, look, and only then ask epoll. */
static void test_registered_late(void **state)
{
    struct world *w = two_in_flight();
    struct pair *p = world_add(w, world_server_ctx(TLS13), 0);
    struct epoll_event event = {.events = EDGE, .data.ptr = p};
    (void)state;
    expect_put_off(p);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, p->fd, &event), 0);
    assert_int_equal(pair_server(p), 0);
    assert_true(pair_paused(p));
    world_run(w);
    world_exchange(w);
    world_close(w);
}

/* libssl learns from SSL_accept() that this is a server, though the look itself is put off. */
static int by_accept_and_read(struct pair *p)
{
    char byte;
    int value = SSL_get_app_data(p->server) == NULL ? SSL_accept(p->server) : SSL_peek(p->server, &byte, 1);
    SSL_set_app_data(p->server, p);
    return value > 0 || SSL_is_init_finished(p->server) ? 1 : value;
}

static void test_accept_and_read(void **state)
{
    struct world *w = two_in_flight();
    struct pair *p = world_add(w, world_server_ctx(TLS13), 0);
    struct epoll_event event = {.events = EDGE, .data.ptr = p};
    (void)state;
    SSL_free(p->server);
    p->server = SSL_new(world_server_ctx(TLS13));
    assert_int_equal(SSL_set_fd(p->server, p->fd), 1);
    p->drive = by_accept_and_read;
    expect_put_off(p);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, p->fd, &event), 0);
    world_run(w);
    assert_true(p->server_done && !p->server_failed);
    world_exchange(w);
    world_close(w);
}

/* A server that takes a socket out of epoll for the call, as those of libevent whose events are for once. */
static struct pair *taken_out(struct world *w)
{
    struct pair *p = world_add(w, world_server_ctx(TLS13), EPOLLIN);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, p->fd, NULL), 0);
    pair_client(p);
    assert_int_equal(pair_server(p), 0);
    assert_true(pair_paused(p));
    return p;
}

static void test_registered_before(void **state)
{
    struct world *w = two_in_flight();
    struct pair *p = taken_out(w);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = p};
    (void)state;
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, p->fd, &event), 0);
    world_run(w);
    assert_true(p->server_done && !p->server_failed);
    world_exchange(w);
    world_close(w);
}

/* Its call has been run to its end: its client needs no more than what is written, and the next call is the last. */
static void ends_behind(struct world *w, struct pair *p)
{
    pair_client(p);
    assert_true(p->client_done);
    assert_int_equal(pair_server(p), 1);
    world_run(w);
    world_exchange(w);
    world_close(w);
}

/* One that does not put it back: its call has been run to its end before the thread sleeps. */
static void test_not_put_back(void **state)
{
    struct world *w = two_in_flight();
    struct pair *p = taken_out(w);
    struct epoll_event events[PAIRS_MAX];
    (void)state;
    for (int n; (n = world_wait(w, events, PAIRS_MAX, 10)) > 0;)
        while (n-- > 0)
            (void)pair_server(events[n].data.ptr);
    ends_behind(w, p);
}

/* One that asks again at once, and waits for nothing: nobody is told so twice. */
static void test_asks_again(void **state)
{
    struct world *w = two_in_flight();
    struct pair *p = taken_out(w);
    (void)state;
    assert_int_equal(pair_server(p), 0);
    ends_behind(w, p);
}

/* A descriptor of the same number, that nobody registered. */
static void test_registration_of_a_closed_one(void **state)
{
    struct world *w = two_in_flight();
    struct pair *p = world_add(w, world_server_ctx(TLS13), EDGE);
    int fd = p->fd;
    (void)state;
    p->fd = fcntl(fd, F_DUPFD_CLOEXEC, 500);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, fd, NULL), 0);
    struct epoll_event event = {.events = EDGE, .data.ptr = p};
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, fd, &event), 0);
    close(fd);
    assert_int_equal(dup2(p->fd, fd), fd);
    close(p->fd);
    p->fd = fd;
    expect_synchronous(w, p);
}

static void test_one_shot(void **state)
{
    struct world *w = two_in_flight();
    (void)state;
    expect_synchronous(w, world_add(w, world_server_ctx(TLS13), EPOLLIN | EPOLLONESHOT));
}

static void test_in_two_instances(void **state)
{
    struct world *w = two_in_flight();
    struct pair *p = world_add(w, world_server_ctx(TLS13), EDGE);
    struct epoll_event event = {.events = EDGE, .data.ptr = p};
    int other = epoll_create1(EPOLL_CLOEXEC);
    (void)state;
    assert_int_equal(epoll_ctl(other, EPOLL_CTL_ADD, p->fd, &event), 0);
    expect_synchronous(w, p);
    close(other);
}

static void test_blocking_socket(void **state)
{
    struct world *w = two_in_flight();
    struct pair *p = world_add(w, world_server_ctx(TLS13), EDGE);
    (void)state;
    pair_client(p);
    /* With the hello alone there the call would block for ever; a flag on the same open socket tells when it has been
     * read. */
    assert_int_equal(fcntl(p->fd, F_SETFL, 0), 0);
    struct timeval limit = {.tv_usec = 50000};
    setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    pair_server(p);
    assert_false(pair_paused(p));
    p->server_failed = false;
    pair_client(p);
    assert_int_equal(pair_server(p), 1);
    world_run(w);
    world_exchange(w);
    world_close(w);
}

static void test_memory_bios(void **state)
{
    struct world *w = two_in_flight();
    SSL *server = SSL_new(world_server_ctx(TLS13)), *client = SSL_new(world_client_ctx());
    BIO *a, *b;
    (void)state;
    assert_int_equal(BIO_new_bio_pair(&a, 0, &b, 0), 1);
    SSL_set_bio(server, a, a);
    SSL_set_bio(client, b, b);
    SSL_set_connect_state(client);
    SSL_set_accept_state(server);
    for (int i = 0; i < 4; i++) {
        SSL_do_handshake(client);
        SSL_do_handshake(server);
        assert_int_equal(SSL_waiting_for_async(server), 0);
    }
    assert_true(SSL_is_init_finished(server) && SSL_is_init_finished(client));
    SSL_free(server);
    SSL_free(client);
    world_run(w);
    world_close(w);
}

/* The server reads the hello itself and gives it to libssl, with more behind it if that is wanted. */
static void feed_hello(struct pair *p, size_t more)
{
    char hello[4096] = {0};
    const ssize_t got = recv(p->fd, hello, sizeof hello - more, 0);
    BIO *memory = BIO_new(BIO_s_mem());
    assert_true(got > 0);
    assert_true(BIO_write(memory, hello, (int)((size_t)got + more)) > got || more == 0);
    BIO_set_mem_eof_return(memory, -1);
    SSL_set0_rbio(p->server, memory);
}

static struct pair *add_reading_from_memory(struct world *w, size_t more)
{
    struct pair *p = world_add(w, world_server_ctx(TLS13), EDGE | EPOLLEXCLUSIVE);
    pair_client(p);
    feed_hello(p, more);
    assert_int_equal(pair_server(p), 0);
    return p;
}

/* Traffic Server's way. What the thread has not seen to come back to the socket is not paused. */
static void test_hello_from_memory(void **state)
{
    struct world *w = two_in_flight();
    struct pair *first = add_reading_from_memory(w, 0), *second = add_reading_from_memory(w, 0);
    (void)state;
    assert_false(pair_paused(first));
    assert_false(pair_paused(second));
    SSL_set0_rbio(second->server, BIO_new_socket(second->fd, BIO_NOCLOSE));
    pair_client(second);
    assert_int_equal(pair_server(second), 1);
    struct pair *third = add_reading_from_memory(w, 0);
    assert_true(pair_paused(third));
    SSL_set0_rbio(first->server, BIO_new_socket(first->fd, BIO_NOCLOSE));
    SSL_set0_rbio(third->server, BIO_new_socket(third->fd, BIO_NOCLOSE));
    world_run(w);
    world_exchange(w);
    world_close(w);
}

/* A program with more in memory than libssl has read does not ask epoll next. */
static void test_more_in_memory(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) { /* the first teaches the thread */
        struct world *w = two_in_flight();
        struct pair *p = add_reading_from_memory(w, more);
        if (more > 0)
            assert_false(pair_paused(p));
        SSL_set0_rbio(p->server, BIO_new_socket(p->fd, BIO_NOCLOSE));
        world_run(w);
        world_exchange(w);
        world_close(w);
    }
}

/* A program that knows of asynchronous handshakes gets to see all of them. */
static void test_own_async_mode(void **state)
{
    if (!ASYNC_is_capable())
        skip();
    struct world *w = two_in_flight();
    struct pair *p = world_add(w, world_server_ctx(TLS13), EDGE);
    int value, paused = 0;
    (void)state;
    SSL_set_mode(p->server, SSL_MODE_ASYNC);
    pair_client(p);
    for (int i = 0; i < 100 && !p->server_done; i++) {
        value = SSL_do_handshake(p->server);
        p->server_done = value == 1;
        if (value <= 0 && SSL_get_error(p->server, value) == SSL_ERROR_WANT_ASYNC) {
            OSSL_ASYNC_FD fd;
            size_t n = 1;
            paused++;
            assert_int_equal(SSL_get_all_async_fds(p->server, &fd, &n), 1);
            assert_int_equal(n, 1);
            struct pollfd wait = {.fd = fd, .events = POLLIN};
            assert_int_equal(poll(&wait, 1, 5000), 1);
        }
        pair_client(p);
    }
    assert_true(p->server_done);
    assert_int_equal(paused, 1);
    assert_true((SSL_get_mode(p->server) & SSL_MODE_ASYNC) != 0);
    world_run(w);
    world_exchange(w);
    world_close(w);
}

/* The program never sees the mode that the shim uses. */
static void test_mode_is_hidden(void **state)
{
    struct world *w = world_open(EDGE, TLS13, 4);
    (void)state;
    assert_int_equal(world_hello(w), 3);
    for (int i = 0; i < 4; i++)
        assert_int_equal(SSL_get_mode(w->pair[i].server) & SSL_MODE_ASYNC, 0);
    world_run(w);
    for (int i = 0; i < 4; i++)
        assert_int_equal(SSL_get_mode(w->pair[i].server) & SSL_MODE_ASYNC, 0);
    world_close(w);
}

static void *serve_one(void *arg)
{
    struct world *w = arg;
    struct pair *p = &w->pair[w->pairs - 1];
    pair_client(p);
    assert_int_equal(pair_server(p), 0);
    assert_false(pair_paused(p));
    pair_client(p);
    assert_int_equal(pair_server(p), 1);
    return NULL;
}

/* Somebody who does not wait on this epoll instance must not be told to. */
static void test_other_thread(void **state)
{
    struct world *w = two_in_flight();
    pthread_t thread;
    (void)state;
    world_add(w, world_server_ctx(TLS13), EDGE);
    assert_int_equal(pthread_create(&thread, NULL, serve_one, w), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    world_run(w);
    world_exchange(w);
    world_close(w);
}

static void *wait_here(void *arg)
{
    struct epoll_event event;
    assert_int_equal(epoll_wait(*(int *)arg, &event, 1, 0), 0);
    return NULL;
}

/* Several threads wait on one instance: any of them may get any event, and a slice cannot move. */
static void test_shared_instance(void **state)
{
    struct world *w = two_in_flight();
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, wait_here, &w->epfd), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    expect_synchronous(w, world_add(w, world_server_ctx(TLS13), EDGE));
}

/* Each thread with a world of its own. */
static void *whole_world(void *arg)
{
    (void)arg;
    for (int round = 0; round < 5; round++) {
        struct epoll_event event;
        struct world w = {.epfd = epoll_create1(EPOLL_CLOEXEC), .elsewhere = epoll_create1(EPOLL_CLOEXEC)};
        assert_int_equal(epoll_wait(w.epfd, &event, 1, 1), 0);
        for (int i = 0; i < 6; i++)
            world_add(&w, world_server_ctx(TLS13), EDGE);
        assert_int_equal(world_hello(&w), 5);
        if (round % 2)
            world_run(&w);
        for (int i = 0; i < 6; i++)
            pair_end(&w, &w.pair[i]);
        close(w.epfd);
        close(w.elsewhere);
    }
    return NULL;
}

static void test_many_threads(void **state)
{
    pthread_t thread[4];
    (void)state;
    world_server_ctx(TLS13);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, whole_world, NULL), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
}

/* vfork() shares our memory: a child that tidies up its descriptors must not make us forget ours. */
static void test_vfork_child_closes(void **state)
{
    struct world *w = world_open(EDGE, TLS13, 4);
    int status;
    (void)state;
    assert_int_equal(world_hello(w), 3);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    pid_t child = vfork();
#pragma GCC diagnostic pop
    if (child == 0) {
        for (int i = 0; i < 4; i++)
            close(w->pair[i].fd);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    world_run(w);
    world_exchange(w);
    world_close(w);
}

#define EARLY "early data, more than the first call asks for"

/* One world's connections, of which the server reads early data as nginx does: byte by byte into its stack, then more.
 */
static char early_got[PAIRS_MAX][64];
static size_t early_length[PAIRS_MAX];
static struct world *early_world;

static int by_early_data(struct pair *p)
{
    int i = (int)(p - early_world->pair), value;
    char on_stack[16];
    size_t n = 0;
    if (early_length[i] == SIZE_MAX)
        return SSL_do_handshake(p->server);
    value = SSL_read_early_data(p->server, on_stack, early_length[i] == 0 ? 1 : sizeof on_stack, &n);
    if (value == SSL_READ_EARLY_DATA_FINISH) {
        early_length[i] = SIZE_MAX;
        return SSL_do_handshake(p->server);
    }
    if (value != SSL_READ_EARLY_DATA_SUCCESS)
        return 0;
    memcpy(early_got[i] + early_length[i], on_stack, n);
    early_length[i] += n;
    return by_early_data(p);
}

static SSL_SESSION *saved;

static int save_session(SSL *s, SSL_SESSION *session)
{
    (void)s;
    SSL_SESSION_free(saved);
    saved = session;
    return 1;
}

/* Full handshakes through SSL_read_early_data(), which pause in its accept, then resumed ones, which bring early data.
 */
static void test_early_data(void **state)
{
    SSL_CTX *ctx = world_server_ctx(TLS13), *client = world_client_ctx();
    size_t n;
    (void)state;
    SSL_CTX_set_max_early_data(ctx, 4096);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_SERVER);
    SSL_CTX_set_options(ctx, SSL_OP_NO_ANTI_REPLAY);
    SSL_CTX_set_session_cache_mode(client, SSL_SESS_CACHE_CLIENT);
    SSL_CTX_sess_set_new_cb(client, save_session);
    for (int round = 0; round < 4; round++) {
        struct world *w = early_world = world_open(round % 2 ? EPOLLIN : EDGE, TLS13, 6);
        memset(early_length, 0, sizeof early_length);
        memset(early_got, 0, sizeof early_got);
        for (int i = 0; i < 6; i++) {
            w->pair[i].drive = by_early_data;
            if (round == 0 || i % 2 == 0)
                continue;
            assert_int_equal(SSL_set_session(w->pair[i].client, saved), 1);
            assert_int_equal(SSL_write_early_data(w->pair[i].client, EARLY, sizeof EARLY - 1, &n), 1);
            assert_int_equal(n, sizeof EARLY - 1);
        }
        int paused = world_hello(w);
        assert_int_equal(paused, round == 0 ? 5 : 2);
        world_run(w);
        world_exchange(w);
        for (int i = 0; i < 6; i++) {
            assert_true(w->pair[i].server_done);
            assert_string_equal(early_got[i], round == 0 || i % 2 == 0 ? "" : EARLY);
            /* Else OpenSSL would take the session for spoilt. */
            SSL_set_shutdown(w->pair[i].client, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
            SSL_set_shutdown(w->pair[i].server, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        }
        world_close(w);
    }
    SSL_CTX_set_max_early_data(ctx, 0);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_sess_set_new_cb(client, NULL);
    SSL_SESSION_free(saved);
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_not_registered, test_registered_late, test_accept_and_read,
                     test_registered_before, test_not_put_back, test_asks_again, test_registration_of_a_closed_one,
                     test_one_shot, test_in_two_instances, test_blocking_socket, test_memory_bios,
                     test_hello_from_memory, test_more_in_memory, test_own_async_mode, test_mode_is_hidden,
                     test_other_thread, test_shared_instance, test_many_threads, test_vfork_child_closes,
                     test_early_data);
}
