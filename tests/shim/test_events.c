/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What epoll_wait() returns, and when: made-up events, the kernel's, and neither starves. */
#include "world.h"

#include <octuple/queue.h>
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <time.h>

static unsigned waiting(void)
{
    return oct_queue_waiting(oct_queue_thread_peek());
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* About to sleep: everything runs, and all hear of it. */
static void test_runs_before_sleep(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLRDHUP | EPOLLET, TLS13, 4);
    struct epoll_event events[8];
    (void)state;
    assert_int_equal(world_hello(w), 3);
    assert_int_equal(waiting(), 3);
    assert_int_equal(world_wait(w, events, 8, -1), 3);
    assert_int_equal(waiting(), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(events[i].events, EPOLLIN);
        assert_true(events[i].data.ptr >= (void *)w->pair && events[i].data.ptr < (void *)(w->pair + 4));
    }
    assert_int_equal(world_wait(w, events, 8, 0), 0);
    world_close(w);
}

/* A server that never sleeps is served after a few looks; before that its jobs may wait for others. */
static void test_only_looking(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 4);
    struct epoll_event events[8];
    int looks = 1;
    (void)state;
    assert_int_equal(world_hello(w), 3);
    while (world_wait(w, events, 8, 0) == 0 && looks < 100)
        looks++;
    assert_true(looks >= 2 && looks <= 4);
    assert_int_equal(waiting(), 0);
    world_close(w);
}

/* Something happens in every round, so that the server never gets to sleep. */
static void test_always_busy(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 4);
    struct pair *noise = world_add(w, world_server_ctx(TLS13), 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[8];
    double start = seconds();
    int made_up = 0, rounds = 0;
    (void)state;
    w->pairs--; /* it takes no part */
    assert_int_equal(world_hello(w), 3);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, noise->fd, &event), 0);
    assert_int_equal(send(noise->peer, "x", 1, 0), 1);
    for (; made_up < 3; rounds++) {
        int n = world_wait(w, events, 8, -1);
        for (int i = 0; i < n; i++)
            made_up += events[i].data.ptr != NULL;
        assert_true(seconds() - start < 5);
    }
    assert_true(rounds > 1);
    assert_true(seconds() - start < 0.5);
    w->pairs++;
    world_close(w);
}

/* The same, and in each round one more handshake moves: others on their way, for which the first do not wait for ever.
 */
static void test_always_busy_with_handshakes(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 7);
    struct pair *noise = world_add(w, world_server_ctx(TLS13), 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[8];
    int made_up = 0;
    (void)state;
    w->pairs--; /* it takes no part */
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, noise->fd, &event), 0);
    assert_int_equal(send(noise->peer, "x", 1, 0), 1);
    for (int i = 0; i < 7; i++)
        pair_client(&w->pair[i]);
    for (int i = 0; i < 7 && made_up == 0; i++) {
        pair_server(&w->pair[i]);
        usleep(2000);
        int n = world_wait(w, events, 8, -1);
        for (int k = 0; k < n; k++)
            made_up += events[k].data.ptr != NULL;
    }
    assert_true(made_up > 0);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, noise->fd, NULL), 0);
    w->pairs++;
    world_close(w);
}

/* Made-up events and the kernel's take turns, and an array of one element is never overrun. */
static void test_fair_and_small(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 7);
    struct pair *noise = world_add(w, world_server_ctx(TLS13), 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = noise}, events[2];
    int real = 0, made_up = 0;
    (void)state;
    w->pairs--;
    assert_int_equal(world_hello(w), 6);
    assert_int_equal(world_wait(w, events, 1, -1), 1);
    assert_int_equal(waiting(), 0);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, noise->fd, &event), 0);
    assert_int_equal(send(noise->peer, "x", 1, 0), 1);
    memset(&events[1], 0x5a, sizeof events[1]);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(world_wait(w, events, 1, -1), 1);
        *(events[0].data.ptr == noise ? &real : &made_up) += 1;
        assert_true(real == (i + 1) / 2 || real == (i + 2) / 2); /* turn and turn about */
    }
    assert_int_equal(made_up, 5);
    assert_int_equal(real, 5);
    for (size_t i = 0; i < sizeof events[1]; i++)
        assert_int_equal(((unsigned char *)&events[1])[i], 0x5a);
    w->pairs++;
    world_close(w);
}

/* Level-triggered: again until the connection is resumed, when the server would sleep and every now and then. An array
 * that has no room for all of them loses none. Edge-triggered: once. */
static void test_repeats_when_level_triggered(void **state)
{
    struct epoll_event events[8];
    (void)state;
    for (int level = 0; level < 2; level++) {
        struct world *w = world_open(EPOLLIN | (level ? 0 : EPOLLET), TLS13, 4);
        assert_int_equal(world_hello(w), 3);
        assert_int_equal(world_wait(w, events, 2, -1), 2);
        assert_int_equal(world_wait(w, events, 2, -1), level ? 2 : 1);
        for (int i = 0; i < 3; i++)
            assert_int_equal(world_wait(w, events, 8, 10), level ? 3 : 0);
        int more = 0;
        for (int i = 0; i < 100; i++)
            more += world_wait(w, events, 8, 0);
        assert_int_equal(more, level ? 3 : 0);
        for (int i = 1; i < 4; i++)
            assert_int_equal(pair_server(&w->pair[i]), 0);
        world_run(w);
        world_close(w);
    }
}

/* That a paused connection has more to read, or may write, is no news for a level-triggered server: it would call in
 * vain all the time and never sleep. That the client has gone is, and so is what comes for others. */
static void test_more_to_read_is_no_news(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLRDHUP | EPOLLOUT, TLS13, 4);
    struct pair *noise = world_add(w, world_server_ctx(TLS13), EPOLLIN);
    struct epoll_event events[8];
    (void)state;
    w->pairs--;
    const double begin = seconds(); /* jobs count from their submission */
    assert_int_equal(world_hello(w), 3);
    assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, w->pair[0].fd, NULL), 0); /* it is not paused */
    for (int i = 1; i < 4; i++)
        assert_int_equal(send(w->pair[i].peer, "x", 1, 0), 1);
    assert_int_equal(world_wait(w, events, 8, 0), 0);
    assert_int_equal(send(noise->peer, "x", 1, 0), 1);
    assert_int_equal(shutdown(w->pair[2].peer, SHUT_WR), 0);
    assert_int_equal(world_wait(w, events, 8, 0), 2);
    assert_int_equal((events[0].data.ptr == noise) + (events[1].data.ptr == noise), 1);
    assert_int_equal((events[0].data.ptr == &w->pair[2]) + (events[1].data.ptr == &w->pair[2]), 1);
    assert_int_equal(recv(noise->fd, &events, 1, 0), 1);
    pair_end(w, &w->pair[2]);
    /* A machine that was busy meanwhile has let a millisecond go by in which no handshake moved. */
    assert_true(waiting() == 2 || (waiting() == 0 && seconds() - begin >= 0.001));
    for (int rounds = 0; waiting() != 0; rounds++) {
        world_wait(w, events, 8, -1);
        assert_in_range(rounds, 0, 1);
    }
    w->pairs++;
    world_close(w);
}

/* The event carries what the program registered last. */
static void test_modified_registration(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 3);
    struct epoll_event events[8], event = {.events = EPOLLOUT | EPOLLET, .data.u64 = 77};
    (void)state;
    assert_int_equal(world_hello(w), 2);
    for (int i = 1; i < 3; i++)
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_MOD, w->pair[i].fd, &event), 0);
    /* It does not want to read: only that it may write is news. */
    for (int i = 0; i < 10; i++) {
        int n = world_wait(w, events, 8, 10);
        for (int k = 0; k < n; k++)
            assert_int_equal(events[k].events, EPOLLOUT);
    }
    event.events = EPOLLIN | EPOLLET;
    for (int i = 1; i < 3; i++)
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_MOD, w->pair[i].fd, &event), 0);
    assert_int_equal(world_wait(w, events, 8, -1), 2);
    assert_int_equal(events[0].data.u64, 77);
    assert_int_equal(events[1].data.u64, 77);
    world_close(w);
}

static void test_deleted_and_added(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 3);
    struct epoll_event events[8], event = {.events = EPOLLIN | EPOLLET, .data.u64 = 78};
    (void)state;
    assert_int_equal(world_hello(w), 2);
    for (int i = 1; i < 3; i++)
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, w->pair[i].fd, NULL), 0);
    /* Nobody can be told of them: they are run to their end, and their clients answer. */
    assert_int_equal(world_wait(w, events, 8, 20), 0);
    for (int i = 1; i < 3; i++)
        assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_ADD, w->pair[i].fd, &event), 0);
    assert_int_equal(world_wait(w, events, 8, 20), 0);
    for (int i = 1; i < 3; i++)
        pair_client(&w->pair[i]);
    assert_int_equal(world_wait(w, events, 8, -1), 2);
    assert_int_equal(events[0].data.u64, 78);
    world_close(w);
}

/* With and without jobs that nobody can be told about, the program's timeout holds. */
static void test_timeout_holds(void **state)
{
    struct epoll_event events[8];
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 3);
        w->wait_kind = kind;
        assert_int_equal(world_hello(w), 2);
        for (int i = 1; i < 3; i++)
            assert_int_equal(epoll_ctl(w->epfd, EPOLL_CTL_DEL, w->pair[i].fd, NULL), 0);
        for (int round = 0; round < 2; round++) {
            double start = seconds();
            assert_int_equal(world_wait(w, events, 8, 120), 0);
            assert_true(seconds() - start >= 0.119 && seconds() - start < 0.5);
        }
        world_close(w);
    }
}

static void *leave_paused(void *arg)
{
    struct world **w = arg;
    *w = world_open(EPOLLIN | EPOLLET, TLS13, 4);
    assert_int_equal(world_hello(*w), 3);
    return NULL;
}

/* A thread ends, its operations still wait, and somebody else frees the connections. */
static void test_thread_ends(void **state)
{
    struct world *w;
    pthread_t thread;
    (void)state;
    for (int round = 0; round < 3; round++) {
        assert_int_equal(pthread_create(&thread, NULL, leave_paused, &w), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        world_close(w);
    }
}

static void test_errors_stay(void **state)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 3);
    struct epoll_event events[8];
    (void)state;
    assert_int_equal(world_hello(w), 2);
    assert_int_equal(epoll_wait(-1, events, 8, 0), -1);
    assert_int_equal(errno, EBADF);
    assert_int_equal(epoll_wait(w->epfd, events, 0, 0), -1);
    assert_int_equal(errno, EINVAL);
    world_run(w);
    world_close(w);
}

/* A program that waits elsewhere, for a socket that is in epoll all the same. */
static void test_poll_and_select(void **state)
{
    (void)state;
    for (int way = 0; way < 4; way++) {
        struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 3);
        struct pair *p = &w->pair[1], *other = &w->pair[2];
        struct pollfd fds[2] = {{.fd = p->fd, .events = POLLIN}, {.fd = other->fd, .events = POLLOUT}};
        fd_set in;
        FD_ZERO(&in);
        FD_SET(p->fd, &in);
        assert_int_equal(world_hello(w), 2);
        if (way == 0)
            assert_int_equal(poll(fds, 2, -1), 2);
        else if (way == 1)
            assert_int_equal(ppoll(fds, 1, NULL, NULL), 1);
        else if (way == 2)
            assert_int_equal(select(p->fd + 1, &in, NULL, NULL, NULL), 1);
        else
            assert_int_equal(pselect(p->fd + 1, &in, NULL, NULL, NULL, NULL), 1);
        assert_true(way < 2 ? fds[0].revents == POLLIN : FD_ISSET(p->fd, &in));
        assert_int_equal(pair_server(p), 0);
        assert_false(pair_paused(p));
        world_run(w);
        world_close(w);
    }
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_runs_before_sleep, test_only_looking, test_always_busy,
                     test_always_busy_with_handshakes, test_fair_and_small, test_repeats_when_level_triggered,
                     test_more_to_read_is_no_news, test_modified_registration, test_deleted_and_added,
                     test_timeout_holds, test_thread_ends, test_errors_stay, test_poll_and_select);
}
