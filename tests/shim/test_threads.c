/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Loops in several threads, which share contexts and keys: each gathers its own handshakes. On a busy machine hellos
 * wait, which is another test's. */
/* ctest: ENVIRONMENT OCTUPLE_HELLOS=off */
#include "world.h"

#include <openssl/rsa.h>
#include <pthread.h>

#define THREADS 4
/* Of those that can pause. How many of OpenSSL's do depends on what else the machine does. */
#ifdef OPENSSL_IS_AWSLC
#define LEAST 1
#else
#define LEAST 3 / 4
#endif

static SSL_CTX *shared[2];
static int done, paused;

static struct world *open_here(SSL_CTX *ctx, int pairs)
{
    struct world *w = calloc(1, sizeof *w);
    struct epoll_event event;
    w->epfd = epoll_create1(EPOLL_CLOEXEC);
    w->elsewhere = epoll_create1(EPOLL_CLOEXEC);
    assert_int_equal(epoll_wait(w->epfd, &event, 1, 1), 0);
    for (int i = 0; i < pairs; i++)
        world_add(w, ctx, EPOLLIN | EPOLLET);
    return w;
}

static void close_here(struct world *w)
{
    for (int i = 0; i < w->pairs; i++)
        pair_end(w, &w->pair[i]);
    close(w->epfd);
    close(w->elsewhere);
    free(w);
}

static void *serve(void *arg)
{
    const int rounds = world_slow() ? 2 : 12;
    (void)arg;
    for (int round = 0; round < rounds; round++) {
        struct world *w = open_here(shared[round % 2], 5);
        const int waited = world_hello(w);
        if (round % 3 == 0) /* some leave */
            pair_end(w, &w->pair[4]);
        world_run(w);
        for (int i = 0; i < w->pairs; i++)
            __atomic_add_fetch(&done, w->pair[i].server_done, __ATOMIC_RELAXED);
        __atomic_add_fetch(&paused, waited, __ATOMIC_RELAXED);
        close_here(w);
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t thread[THREADS];
    (void)state;
    shared[0] = world_server_ctx(TLS13);
    shared[1] = world_server_ctx(TLS12_ECDHE);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, serve, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    const int all = THREADS * (world_slow() ? 2 : 12) * 4;
    assert_true(done >= all);
    assert_in_range(paused, all * LEAST, all);
}

/* A thread ends with handshakes that wait: they have been run to their end, and another thread goes on with them. */
static struct world *left;

static void *begin(void *arg)
{
    (void)arg;
    left = open_here(shared[0], 4);
    assert_int_equal(world_hello(left), 3);
    return NULL;
}

static void test_thread_ends(void **state)
{
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, begin, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (int i = 0; i < 4; i++) {
        assert_false(pair_paused(&left->pair[i]));
        pair_client(&left->pair[i]);
        pair_server(&left->pair[i]);
    }
    world_run(left);
    for (int i = 0; i < 4; i++)
        assert_true(left->pair[i].server_done && left->pair[i].client_done);
    world_exchange(left);
    close_here(left);
}

/* Another thread looks at the object: its own runs the call to its end, and the other waits for that. */
static void *look(void *arg)
{
    struct pair *p = arg;
    return SSL_get_privatekey(p->server);
}

static void test_another_looks(void **state)
{
    struct world *w = open_here(shared[0], 4);
    pthread_t thread;
    void *key = NULL;
    struct epoll_event events[4];
    (void)state;
    assert_int_equal(world_hello(w), 3);
    assert_int_equal(pthread_create(&thread, NULL, look, &w->pair[2]), 0);
    const int n = world_wait(w, events, 4, 100);
    for (int i = 0; i < n; i++)
        pair_server(events[i].data.ptr);
    assert_int_equal(pthread_join(thread, &key), 0);
    assert_ptr_equal(key, SSL_CTX_get0_privatekey(shared[0]));
    world_run(w);
    world_exchange(w);
    close_here(w);
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_threads, test_thread_ends, test_another_looks);
}
