/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: VALGRIND exhaustive */
/* Handshakes that are paused and resumed, in every way that a server may drive them. */
#include "world.h"

#include "base/policy.h"

#include <octuple/queue.h>
#include <inttypes.h>
#include <openssl/async.h>

static void handshakes(enum kind kind, uint32_t events, int pairs, int wait_kind)
{
    struct world *w = world_open(events, kind, pairs);
    w->wait_kind = wait_kind;
    int paused = world_hello(w);
    if (kind != TLS12_RSA)
        /* The first found itself alone and was not paused; of the others eight at a time have been run already. */
        assert_int_equal(paused, pairs - 1);
    world_run(w);
    for (int i = 0; i < pairs; i++)
        assert_true(w->pair[i].server_done && w->pair[i].client_done);
    world_exchange(w);
    assert_int_equal(oct_queue_waiting(oct_queue_thread_peek()), 0);
    world_close(w);
}

static void test_edge_triggered(void **state)
{
    (void)state;
    for (enum kind kind = TLS13; kind <= TLS12_RSA; kind++)
        for (int pairs = 2; pairs <= (!world_slow() ? 20 : kind == TLS13 ? 8 : 2); pairs += 6)
            handshakes(kind, EPOLLIN | EPOLLRDHUP | EPOLLET, pairs, 0);
}

static void test_level_triggered(void **state)
{
    (void)state;
    for (enum kind kind = TLS13; kind <= TLS12_RSA; kind++)
        handshakes(kind, EPOLLIN, world_slow() ? 3 : 11, 0);
}

static void test_other_waits(void **state)
{
    (void)state;
    handshakes(TLS13, EPOLLIN | EPOLLET, 5, 1);
    struct epoll_event event;
    struct timespec none = {0, 0};
    int epfd = epoll_create1(EPOLL_CLOEXEC), value = epoll_pwait2(epfd, &event, 1, &none, NULL);
    close(epfd);
    if (value < 0 && errno == ENOSYS)
        print_message("epoll_pwait2() is not tested: not here (kernel before 5.11, or valgrind)\n");
    else
        handshakes(TLS13, EPOLLIN | EPOLLET, 5, 2);
}

static void test_readable_under_another_name(void **state)
{
    (void)state;
    handshakes(TLS13, EPOLLRDNORM | EPOLLET, 3, 0);
}

/* All are queued but those that found themselves alone. How many of them the queue then runs in lanes depends on what
 * it has measured, on a machine that may be busy: sooner or later it tries them again. Portable lanes hardly ever pay;
 * there what is sure is that it has tried them when it knew nothing yet. */
static void test_runs_in_lanes(void **state)
{
    struct oct_counters before, after;
    struct oct_op_counters *a = &after.op[0], *b = &before.op[0];
    const int few = world_slow() ? 1 : 5, pairs = world_slow() ? 9 : 17;
    int rounds = 0;
    (void)state;
    oct_counters_read(&before);
    do {
        handshakes(TLS12_ECDHE, EPOLLIN | EPOLLET, pairs, 0);
        oct_counters_read(&after);
    } while (++rounds < few || (a->done == b->done && !world_slow() && rounds < OCT_POLICY_TRIAL));
    assert_int_equal(a->submitted - b->submitted, (unsigned)(rounds * (pairs - 1)));
    assert_int_equal(a->done - b->done + a->fallback - b->fallback, (unsigned)(rounds * (pairs - 1 + COUNTS_LONE)));
    assert_true(a->done > (world_slow() ? 0 : b->done));
}

static void test_alone_is_not_paused(void **state)
{
    struct oct_counters before, after;
    const enum kind first = world_slow() ? TLS12_ECDHE : TLS13; /* those with RSA keys */
    (void)state;
    oct_counters_read(&before);
    for (enum kind kind = first; kind <= TLS12_RSA; kind++) {
        struct world *w = world_open(EPOLLIN | EPOLLET, kind, 1);
        assert_int_equal(world_hello(w), 0);
        world_run(w);
        world_exchange(w);
        world_close(w);
    }
    oct_counters_read(&after);
    assert_int_equal(after.op[0].submitted, before.op[0].submitted);
    assert_int_equal(after.op[0].fallback - before.op[0].fallback, COUNTS_LONE * (TLS12_RSA - first + 1));
}

/* Those that are read in one round count as in flight, though none but the first has begun. */
static void test_in_flight_of_a_round(void **state)
{
    struct epoll_event events[4];
    (void)state;
    for (int pairs = 1; pairs <= 2; pairs++) {
        struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, pairs);
        for (int i = 0; i < pairs; i++)
            pair_client(&w->pair[i]);
        assert_int_equal(world_wait(w, events, 4, -1), pairs);
        assert_int_equal(pair_server(events[0].data.ptr), 0);
        assert_int_equal(pair_paused(events[0].data.ptr), pairs == 2);
        for (int i = 0; i < pairs; i++)
            pair_server(&w->pair[i]);
        world_run(w);
        world_exchange(w);
        world_close(w);
    }
}

/* A server that calls again without having waited is not told a second time to wait. */
static void test_calls_again(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 4);
    char byte;
    (void)state;
    assert_int_equal(world_hello(w), 3);
    for (int i = 1; i < 4; i++) {
        struct pair *p = &w->pair[i];
        assert_int_equal(SSL_want(p->server), SSL_READING);
        assert_int_equal(i == 1   ? SSL_do_handshake(p->server)
                         : i == 2 ? SSL_read(p->server, &byte, 1)
                                  : SSL_write(p->server, "x", 1),
                         -1);
        assert_int_equal(SSL_get_error(p->server, -1), SSL_ERROR_WANT_READ);
        assert_false(pair_paused(p));
    }
    assert_int_equal(ERR_peek_error(), 0);
    world_run(w);
    world_exchange(w);
    world_close(w);
}

/* Behind a wait the kernel may have had an event of its own: then it is told so once more. */
static void test_spurious_wakeups(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 3);
    struct epoll_event events[4];
    (void)state;
    assert_int_equal(world_hello(w), 2);
    assert_int_equal(world_wait(w, events, 4, 0), 0);
    assert_int_equal(pair_server(&w->pair[1]), 0);
    assert_true(pair_paused(&w->pair[1]));
    assert_int_equal(pair_server(&w->pair[1]), 0);
    assert_false(pair_paused(&w->pair[1]));
    world_run(w);
    world_exchange(w);
    world_close(w);
}

static int by_accept(struct pair *p)
{
    return SSL_accept(p->server);
}

/* A server that just reads: its handshake is over when it gets the client's byte. */
static int by_read(struct pair *p)
{
    char byte;
    int value = SSL_peek(p->server, &byte, 1);
    return value > 0 || SSL_is_init_finished(p->server) ? 1 : value;
}

static int by_read_ex(struct pair *p)
{
    char byte;
    size_t n;
    return SSL_peek_ex(p->server, &byte, 1, &n) || SSL_is_init_finished(p->server);
}

static int by_write(struct pair *p)
{
    return SSL_write(p->server, "s", 1);
}

static int by_write_ex(struct pair *p)
{
    size_t n;
    return SSL_write_ex(p->server, "s", 1, &n);
}

/* libssl forgets old errors when a handshake goes on, so a program need not. */
static int among_errors(struct pair *p)
{
    ERR_raise(ERR_LIB_USER, 1);
    return SSL_do_handshake(p->server);
}

static void test_errors_of_others(void **state)
{
    (void)state;
    for (enum kind kind = TLS13; kind <= TLS12_RSA; kind++) {
        struct world *w = world_open(EPOLLIN | EPOLLET, kind, 3);
        for (int i = 0; i < 3; i++)
            w->pair[i].drive = among_errors;
        world_hello(w);
        world_run(w);
        for (int i = 0; i < 3; i++)
            assert_true(w->pair[i].server_done && w->pair[i].client_done);
        world_close(w);
    }
}

static void test_ways_to_drive(void **state)
{
    int (*const ways[])(struct pair *) = {by_accept, by_read, by_read_ex, by_write, by_write_ex};
    (void)state;
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++)
        for (enum kind kind = TLS13; kind <= TLS12_RSA; kind++) {
            const int pairs = world_slow() ? 2 : 6;
            if (world_slow() && kind != TLS13 && way != 0)
                continue;
            struct world *w = world_open(EPOLLIN | EPOLLET, kind, pairs);
            for (int i = 0; i < pairs; i++)
                w->pair[i].drive = ways[way];
            int paused = world_hello(w);
            assert_true(kind == TLS12_RSA || paused == pairs - 1);
            world_run(w);
            world_close(w);
        }
}

static int deep_calls, elsewhere;

/* The calling thread's own stack. */
static bool is_on_own_stack(const volatile char *place)
{
    pthread_attr_t attributes;
    void *low;
    size_t size;

    assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
    assert_int_equal(pthread_attr_getstack(&attributes, &low, &size), 0);
    pthread_attr_destroy(&attributes);
    return (uintptr_t)place - (uintptr_t)low < size;
}

/* A callback that was written for an ordinary stack. */
static __attribute__((noinline)) int use_stack(SSL *s, void *arg)
{
    volatile char room[2048 * 1024];
    (void)s, (void)arg;
    for (size_t i = sizeof room; i > 0; i -= 1024)
        room[i - 1] = 1;
    deep_calls++;
    elsewhere += !is_on_own_stack(room);
    return 1;
}

static void test_callbacks_have_room(void **state)
{
    SSL_CTX *ctx = world_server_ctx(TLS13);
    (void)state;
    SSL_CTX_set_cert_cb(ctx, use_stack, NULL);
    for (int round = 0; round < 3; round++)
        handshakes(TLS13, EPOLLIN | EPOLLET, 4, 0);
    SSL_CTX_set_cert_cb(ctx, NULL, NULL);
    assert_int_equal(deep_calls, 12);
    assert_int_equal(elsewhere, 0);
}

/* The program has limited OpenSSL's jobs, which the shim does not use. */
static void test_few_jobs(void **state)
{
    (void)state;
    ASYNC_cleanup_thread();
    assert_int_equal(ASYNC_init_thread(2, 0), 1);
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 9);
    assert_int_equal(world_hello(w), 8);
    world_run(w);
    world_exchange(w);
    world_close(w);
    ASYNC_cleanup_thread();
}

/* One of them fails: nobody else does. */
static void test_client_speaks_nonsense(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 5);
    (void)state;
    assert_int_equal(world_hello(w), 4);
    assert_int_equal(send(w->pair[3].peer, "\x15\x03\x03\x00\x02\x02\x28 nonsense", 16, 0), 16);
    world_run(w);
    assert_true(w->pair[3].server_failed);
    for (int i = 0; i < 5; i++)
        assert_true(i == 3 || w->pair[i].server_done);
    world_exchange(w);
    world_close(w);
}

/* A client that goes away while paused is noticed afterwards, edge-triggered or not. */
static void test_client_leaves_while_paused(void **state)
{
    (void)state;
    for (int level = 0; level < 2; level++) {
        struct world *w = world_open(EPOLLIN | EPOLLRDHUP | (level ? 0 : EPOLLET), TLS13, 5);
        assert_int_equal(world_hello(w), 4);
        close(w->pair[2].peer);
        w->pair[2].peer = open("/dev/null", 2);
        SSL_free(w->pair[2].client);
        w->pair[2].client = NULL;
        world_run(w);
        assert_true(w->pair[2].server_failed);
        world_close(w);
    }
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_edge_triggered, test_level_triggered, test_other_waits,
                     test_readable_under_another_name, test_runs_in_lanes, test_alone_is_not_paused,
                     test_in_flight_of_a_round, test_calls_again, test_spurious_wakeups, test_ways_to_drive,
                     test_errors_of_others, test_callbacks_have_room, test_few_jobs, test_client_speaks_nonsense,
                     test_client_leaves_while_paused);
}
