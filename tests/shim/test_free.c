/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: VALGRIND always */
/* The end of a connection that is paused, or whose operation is done but was not resumed: nothing of it may be noticed.
 */
#include "world.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

static unsigned waiting(void)
{
    return oct_queue_waiting(oct_queue_thread_peek());
}

static size_t bytes_at(int fd)
{
    char buf[65536];
    ssize_t n = recv(fd, buf, sizeof buf, MSG_DONTWAIT | MSG_PEEK);
    return n > 0 ? (size_t)n : 0;
}

enum moment { PAUSED, READY };

/* A world with one more pair than the first, which is alone: pairs 1 and up are at the moment wanted. */
static struct world *at(enum moment moment, enum kind kind, int pairs)
{
    struct epoll_event events[PAIRS_MAX];
    struct world *w = world_open(EPOLLIN | EPOLLET, kind, pairs);
    assert_int_equal(world_hello(w), pairs - 1);
    if (moment == READY)
        assert_int_equal(world_wait(w, events, PAIRS_MAX, -1), pairs - 1);
    assert_int_equal(waiting(), moment == READY ? 0 : (unsigned)pairs - 1);
    return w;
}

static void free_server(struct pair *p)
{
    SSL_free(p->server);
    p->server = NULL;
}

static void test_give_up(void **state)
{
    (void)state;
    for (enum moment moment = PAUSED; moment <= READY; moment++)
        for (enum kind kind = TLS13; kind <= TLS12_ECDHE; kind++) {
            struct world *w = at(moment, kind, 4);
            struct pair *p = &w->pair[2];
            free_server(p);
            assert_int_equal(bytes_at(p->peer), 0);
            assert_int_equal(waiting(), moment == READY ? 0 : 2);
            pair_end(w, p);
            if (moment == READY)
                for (int i = 1; i < 4; i++)
                    if (i != 2)
                        pair_server(&w->pair[i]);
            world_run(w);
            assert_true(w->pair[1].server_done && w->pair[3].server_done);
            world_exchange(w);
            world_close(w);
        }
}

static int sessions;

static int count_session(SSL *s, SSL_SESSION *session)
{
    (void)s, (void)session;
    sessions++;
    return 0;
}

static void count_callback(const SSL *s, int where, int ret)
{
    (void)s, (void)where, (void)ret;
    sessions++;
}

/* A client that sent its whole second flight at once: with what libssl has read already the handshake could be
 * completed, and the program would hear of it. */
static void test_give_up_with_the_rest_at_hand(void **state)
{
    struct epoll_event events[PAIRS_MAX];
    (void)state;
    SSL_CTX *ctx = world_server_ctx(TLS12_RSA);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_SERVER);
    SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
    SSL_CTX_sess_set_new_cb(ctx, count_session);
    for (enum moment moment = PAUSED; moment <= READY; moment++) {
        struct world *w = world_open(EPOLLIN | EPOLLET, TLS12_RSA, 3);
        for (int i = 0; i < 3; i++) {
            SSL_set_read_ahead(w->pair[i].server, 1);
            SSL_set_info_callback(w->pair[i].server, count_callback);
        }
        assert_int_equal(world_hello(w), 0);
        assert_int_equal(world_hello(w), 3);
        if (moment == READY)
            assert_int_equal(world_wait(w, events, PAIRS_MAX, -1), 3);
        for (int i = 0; i < 3; i++) {
            sessions = 0;
            free_server(&w->pair[i]);
            assert_int_equal(bytes_at(w->pair[i].peer), 0);
            assert_int_equal(sessions, 0);
        }
        world_close(w);
    }
    SSL_CTX_sess_set_new_cb(ctx, NULL);
    SSL_CTX_clear_options(ctx, SSL_OP_NO_TICKET);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
}

/* The program's own errors and errno are as they were. */
static void test_give_up_silently(void **state)
{
    (void)state;
    for (enum moment moment = PAUSED; moment <= READY; moment++) {
        struct world *w = at(moment, TLS13, 4);
        for (int i = 1; i < 4; i++) {
            ERR_clear_error();
            for (int k = 1; k < i; k++)
                ERR_raise(ERR_LIB_USER, k);
            errno = ENOTTY;
            free_server(&w->pair[i]);
            assert_int_equal(errno, ENOTTY);
            for (int k = 1; k < i; k++)
                assert_int_equal(ERR_GET_REASON(ERR_get_error()), k);
            assert_int_equal(ERR_peek_error(), 0);
        }
        world_close(w);
    }
}

/* The socket was closed first, and its number is somebody else's by now. */
static void test_close_and_give_up(void **state)
{
    struct epoll_event events[PAIRS_MAX], event = {.events = EPOLLIN | EPOLLET, .data.u64 = 99};
    (void)state;
    for (enum moment moment = PAUSED; moment <= READY; moment++)
        for (int how = 0; how < 4; how++) {
            struct world *w = at(moment, TLS13, 4);
            struct pair *p = &w->pair[2];
            int ends[2], fd = p->fd;
            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
            if (how == 0)
                assert_int_equal(close(fd), 0);
            else if (how == 1)
                assert_int_equal(close_range((unsigned)fd, (unsigned)fd, 0), 0);
            if (how < 2)
                assert_int_equal(fcntl(ends[0], F_DUPFD_CLOEXEC, fd), fd);
            else if (how == 2)
                assert_int_equal(dup2(ends[0], fd), fd);
            else
                assert_int_equal(dup3(ends[0], fd, O_CLOEXEC), fd);
            assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, fd, &event), 0);
            for (int i = 0; i < 3; i++) {
                int n = world_wait(w, events, PAIRS_MAX, 5);
                for (int k = 0; k < n; k++)
                    assert_int_not_equal(events[k].data.u64, 99);
            }
            free_server(p);
            assert_int_equal(bytes_at(ends[1]), 0);
            close(ends[0]);
            close(ends[1]);
            world_close(w);
        }
}

/* Whatever is allocated for a connection is freed with it: fibres come from a pool, which is full after the first
 * round. */
static void test_no_leak(void **state)
{
    long level = 0;
    /* valgrind, which is slow, looks for leaks itself. */
    int rounds = world_slow() ? 6 : 200;
    (void)state;
    for (int round = 0; round < rounds; round++) {
        struct world *w = at(round % 2 ? PAUSED : READY, round % 3 ? TLS13 : TLS12_ECDHE, 8);
        for (int i = 7; i >= 0; i--)
            free_server(&w->pair[i]);
        world_close(w);
        if (round == 20)
            level = world_allocations();
        /* OpenSSL keeps a handful of things that come and go with the errors of a thread. */
        if (round > 20)
            assert_true(labs(world_allocations() - level) <= 16);
    }
    assert_int_equal(waiting(), 0);
}

static void test_shutdown_while_paused(void **state)
{
    struct world *w = at(PAUSED, TLS13, 3);
    struct pair *p = &w->pair[1];
    (void)state;
    assert_int_equal(pair_server(p), 0);
#ifdef OPENSSL_IS_AWSLC
    assert_int_equal(SSL_shutdown(p->server), 1); /* it does nothing then */
#else
    assert_int_equal(SSL_shutdown(p->server), -1);
    assert_int_equal(SSL_get_error(p->server, -1), SSL_ERROR_SSL);
    assert_int_equal(ERR_GET_REASON(ERR_get_error()), SSL_R_SHUTDOWN_WHILE_IN_INIT);
#endif
    world_run(w);
    assert_true(p->server_done);
    world_exchange(w);
    world_close(w);
}

/* The same object serves a second connection on its socket. */
static void test_clear(void **state)
{
    (void)state;
    for (enum moment moment = PAUSED; moment <= READY; moment++) {
        struct world *w = at(moment, TLS13, 4);
        for (int i = 0; i < 4; i++) {
            struct pair *p = &w->pair[i];
            assert_int_equal(SSL_clear(p->server), 1);
            SSL_set_accept_state(p->server);
            assert_int_equal(bytes_at(p->peer) != 0, i == 0);
            SSL_free(p->client);
            close(p->peer);
            close(p->fd);
            struct pair fresh = *world_add(w, world_server_ctx(TLS13), EPOLLIN | EPOLLET);
            w->pairs--;
            SSL_free(fresh.server);
            SSL_set_fd(p->server, fresh.fd);
            p->client = fresh.client;
            p->fd = fresh.fd;
            p->peer = fresh.peer;
            p->server_done = p->client_done = false;
            struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = p};
            assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_MOD, p->fd, &event), 0);
        }
        assert_int_equal(world_hello(w), 3);
        world_run(w);
        world_exchange(w);
        world_close(w);
    }
}

/* Somebody else still holds the object. */
static void test_up_ref(void **state)
{
    struct world *w = at(PAUSED, TLS13, 3);
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(SSL_up_ref(w->pair[i].server), 1);
    for (int i = 0; i < 3; i++)
        SSL_free(w->pair[i].server);
    assert_int_equal(waiting(), 2);
    world_run(w);
    for (int i = 0; i < 3; i++)
        assert_true(w->pair[i].server_done);
    world_exchange(w);
    world_close(w);
}

static void test_dup(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 3);
    (void)state;
    assert_int_equal(SSL_up_ref(w->pair[1].server), 1); /* the shim knows it from here on */
    SSL *twin = SSL_dup(w->pair[1].server);
    assert_non_null(twin);
    SSL_free(w->pair[1].server);
    assert_int_equal(world_hello(w), 2);
    SSL_free(twin);
    world_run(w);
    world_exchange(w);
    world_close(w);
}

static void *free_here(void *arg)
{
    free_server(arg);
    return NULL;
}

/* Another thread gives the connection up: its fibre is run to its end where it belongs. */
static void test_give_up_in_another_thread(void **state)
{
    struct epoll_event events[PAIRS_MAX];
    (void)state;
    for (enum moment moment = PAUSED; moment <= READY; moment++) {
        struct world *w = at(moment, TLS13, 5);
        pthread_t thread;
        for (int i = 0; i < 4; i += 2) {
            assert_int_equal(pthread_create(&thread, NULL, free_here, &w->pair[i]), 0);
            assert_int_equal(pthread_join(thread, NULL), 0);
            assert_int_equal(bytes_at(w->pair[i].peer) != 0, i == 0);
        }
        close(w->pair[2].fd);
        w->pair[2].fd = -1;
        world_wait(w, events, PAIRS_MAX, 0);
        assert_true(waiting() == 0 ||
                    (moment == PAUSED && waiting() == 3)); /* which may have waited for some milliseconds by now */
        for (int i = 1; i < 5; i++)
            if (i != 2)
                pair_server(&w->pair[i]);
        world_run(w);
        assert_true(w->pair[1].server_done && w->pair[3].server_done && w->pair[4].server_done);
        world_exchange(w);
        world_close(w);
    }
}

/* A thread ends, and in a callback of what it runs to its end another one gives that connection up. */
static struct {
    const SSL *server;
    int step, index;
    unsigned gone;
} amid;

static void go_to(int step)
{
    __atomic_store_n(&amid.step, step, __ATOMIC_RELEASE);
}

static void wait_for(int step)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    while (__atomic_load_n(&amid.step, __ATOMIC_ACQUIRE) != step)
        nanosleep(&moment, NULL);
}

static void note_gone(void *parent, void *value, CRYPTO_EX_DATA *data, int index, long number, void *pointer)
{
    (void)parent, (void)data, (void)index, (void)number, (void)pointer;
    amid.gone += value != NULL;
}

static void be_given_up(const SSL *s, const char *line)
{
    (void)line;
    if (s != amid.server || amid.step != 0)
        return;
    go_to(1);
    wait_for(2);
}

static void *end_amid(void *arg)
{
    struct world *w = at(PAUSED, TLS13, 3);
    *(struct world **)arg = w;
    SSL_set_ex_data(w->pair[1].server, amid.index, &amid);
    amid.server = w->pair[1].server;
    return NULL;
}

static void test_give_up_as_its_thread_ends(void **state)
{
    struct world *w;
    pthread_t thread;
    (void)state;
    amid.index = SSL_get_ex_new_index(0, NULL, NULL, NULL, note_gone);
    SSL_CTX_set_keylog_callback(world_server_ctx(TLS13), be_given_up);
    assert_int_equal(pthread_create(&thread, NULL, end_amid, &w), 0);
    wait_for(1);
    free_server(&w->pair[1]);
    go_to(2);
    assert_int_equal(pthread_join(thread, NULL), 0);
    SSL_CTX_set_keylog_callback(world_server_ctx(TLS13), NULL);
    assert_int_equal(amid.gone, 1);
    world_close(w);
}

/* A fork in the middle: both go on, each with its own memory; only one may use the sockets, so first the child gives
 * all up without a byte, and then the parent completes. */
static void test_fork(void **state)
{
    int status;
    (void)state;
    for (enum moment moment = PAUSED; moment <= READY; moment++) {
        struct world *w = at(moment, TLS13, 5);
        pid_t child = fork();
        if (child == 0) {
            for (int i = 1; i < 5; i++)
                free_server(&w->pair[i]);
            for (int i = 1; i < 5; i++)
                if (bytes_at(w->pair[i].peer) != 0)
                    _exit(2);
            _exit(ERR_peek_error() == 0 ? 0 : 3);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        for (int i = 1; i < 5; i++)
            pair_server(&w->pair[i]);
        world_run(w);
        world_exchange(w);
        world_close(w);
    }
}

/* Or the child serves them. */
static void test_fork_child_serves(void **state)
{
    struct world *w = at(PAUSED, TLS13, 5);
    int status;
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        world_run(w);
        world_exchange(w);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    world_close(w);
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_give_up, test_give_up_with_the_rest_at_hand, test_give_up_silently,
                     test_close_and_give_up, test_no_leak, test_shutdown_while_paused, test_clear, test_up_ref,
                     test_dup, test_give_up_in_another_thread, test_give_up_as_its_thread_ends, test_fork,
                     test_fork_child_serves);
}
