/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Programs whose sockets are in one epoll instance, while they sleep in another call on its descriptor: poll(),
 * select(), or epoll_wait() on a second instance. They look at the inner one only when the outer call says so.
 */
#include "world.h"

#include <octuple/queue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>

#define LEVEL   EPOLLIN
#define EDGE    (EPOLLIN | EPOLLET)
#define SECONDS 20

enum outer { POLL, PPOLL, SELECT, PSELECT, EPOLL, EPOLL_PWAIT2 };
static enum outer last = EPOLL_PWAIT2;

struct nest {
    enum outer outer;
    struct world *w;
    int top;    /* the epoll instance that is slept on, or whose descriptor poll() or select() gets */
    int middle; /* one in between, or -1 */
    int paused; /* how often a server was seen paused */
    int max;    /* of events of one look */
};

static unsigned waiting(void)
{
    const struct oct_queue *queue = oct_queue_thread_peek();
    return queue != NULL ? oct_queue_waiting(queue) : 0;
}

static void enlist(int epfd, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    assert_int_equal(epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event), 0);
}

static int by_select(int fd, int milliseconds, bool with_mask)
{
    struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
    struct timespec fine = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    fd_set in;
    FD_ZERO(&in);
    FD_SET(fd, &in);
    int n = with_mask ? pselect(fd + 1, &in, NULL, NULL, milliseconds < 0 ? NULL : &fine, NULL)
                      : select(fd + 1, &in, NULL, NULL, milliseconds < 0 ? NULL : &time);
    assert_true(n <= 0 || (n == 1 && FD_ISSET(fd, &in)));
    return n;
}

static int by_poll(int fd, int milliseconds, bool with_mask)
{
    struct pollfd set = {.fd = fd, .events = POLLIN};
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    int n = with_mask ? ppoll(&set, 1, milliseconds < 0 ? NULL : &time, NULL) : poll(&set, 1, milliseconds);
    assert_true(n <= 0 || (n == 1 && set.revents == POLLIN));
    return n;
}

static int by_epoll(const struct nest *t, int milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    struct epoll_event event = {.data.fd = -1};
    int n = t->outer == EPOLL ? epoll_wait(t->top, &event, 1, milliseconds)
                              : epoll_pwait2(t->top, &event, 1, milliseconds < 0 ? NULL : &time, NULL);
    assert_true(n <= 0 || (event.events == EPOLLIN && (event.data.fd == t->w->epfd || event.data.fd == t->middle)));
    return n;
}

static int sleep_outside(const struct nest *t, int milliseconds)
{
    if (t->outer == POLL || t->outer == PPOLL)
        return by_poll(t->top, milliseconds, t->outer == PPOLL);
    if (t->outer == SELECT || t->outer == PSELECT)
        return by_select(t->top, milliseconds, t->outer == PSELECT);
    return by_epoll(t, milliseconds);
}

/* The socket's instance in `depth` others, each registered with those events. */
static struct nest open_nest(enum outer outer, uint32_t sockets, uint32_t instances, int depth, int pairs)
{
    struct nest t = {.outer = outer, .middle = -1, .max = PAIRS_MAX};
    struct world *w = t.w = world_open_unslept(sockets, TLS13, pairs);
    t.top = w->epfd;
    for (int i = 0; i < depth; i++) {
        int next = epoll_create1(EPOLL_CLOEXEC);
        assert_true(next >= 0);
        enlist(next, t.top, instances);
        t.middle = i > 0 ? t.top : -1;
        t.top = next;
    }
    assert_true(sleep_outside(&t, 1) <= 0);
    return t;
}

static void close_nest(struct nest *t)
{
    if (t->middle >= 0)
        close(t->middle);
    if (t->top != t->w->epfd)
        close(t->top);
    world_close(t->w);
}

/* The way down, each step only if the one above said so. */
static int look_inside(const struct nest *t, struct epoll_event *events)
{
    struct epoll_event event;
    if (t->middle >= 0 && epoll_wait(t->middle, &event, 1, 0) < 1)
        return 0;
    return epoll_wait(t->w->epfd, events, t->max, 0);
}

static void serve(struct nest *t, const struct epoll_event *events, int n)
{
    for (int i = 0; i < n; i++) {
        struct pair *p = events[i].data.ptr;
        if (!p->server_done && !p->server_failed)
            pair_server(p);
        t->paused += pair_paused(p);
    }
}

static bool all_done(const struct world *w)
{
    for (int i = 0; i < w->pairs; i++)
        if (!w->pair[i].server_done || !w->pair[i].client_done)
            return false;
    return true;
}

static void clients(struct world *w)
{
    for (int i = 0; i < w->pairs; i++)
        pair_client(&w->pair[i]);
}

static void run(struct nest *t)
{
    struct epoll_event events[PAIRS_MAX];
    time_t end = time(NULL) + SECONDS;
    while (!all_done(t->w)) {
        assert_true(time(NULL) < end);
        clients(t->w);
        int n = sleep_outside(t, 100);
        assert_true(n >= 0);
        if (n > 0)
            serve(t, events, look_inside(t, events));
    }
    world_exchange(t->w);
    assert_int_equal(waiting(), 0);
}

static void serves(enum outer outer, uint32_t sockets, uint32_t instances, int depth, int pairs)
{
    struct nest t = open_nest(outer, sockets, instances, depth, pairs);
    run(&t);
    assert_true(t.paused > 0);
    close_nest(&t);
}

/* poll() and select() get the descriptor of the instance itself, the others have one of their own around it. */
static void test_every_outer_call(void **state)
{
    const int pairs[] = {4, world_slow() ? 5 : 16};
    (void)state;
    for (enum outer outer = POLL; outer <= last; outer++)
        for (int i = 0; i < 2; i++) {
            serves(outer, LEVEL, LEVEL, outer >= EPOLL, pairs[i]);
            serves(outer, EDGE, LEVEL, outer >= EPOLL, pairs[i]);
        }
}

static void test_instance_is_edge_triggered(void **state)
{
    (void)state;
    for (enum outer outer = POLL; outer <= last; outer++) {
        serves(outer, LEVEL, EDGE, 1 + (outer >= EPOLL), 4);
        serves(outer, EDGE, EDGE, 1 + (outer >= EPOLL), 6);
    }
}

/* A handshake is in mid-operation, and its client says more: the instance can be read all the time, for nothing. */
static void test_more_to_read_is_no_news(void **state)
{
    struct epoll_event events[PAIRS_MAX];
    (void)state;
    for (enum outer outer = POLL; outer <= last; outer++) {
        struct nest t = open_nest(outer, LEVEL, LEVEL, outer >= EPOLL, 4);
        clients(t.w);
        assert_int_equal(sleep_outside(&t, -1), 1);
        serve(&t, events, look_inside(&t, events));
        assert_int_equal(waiting(), t.paused);
        assert_in_range(t.paused, 3, 4);
        for (int i = 0; i < 4; i++)
            assert_int_equal(send(t.w->pair[i].peer, "x", 1, 0), 1);
        assert_int_equal(sleep_outside(&t, -1), 1);
        assert_int_equal(waiting(), 0);
        close_nest(&t);
    }
}

/* Looks once each time that it is told to, and counts what it hears of each pair. */
static void hear(const struct nest *t, int heard[])
{
    struct epoll_event events[PAIRS_MAX];
    int n = look_inside(t, events), before[PAIRS_MAX];
    memcpy(before, heard, sizeof before);
    for (int i = 0; i < n; i++) {
        size_t which = (size_t)((struct pair *)events[i].data.ptr - t->w->pair);
        heard[which]++;
        assert_int_equal(heard[which], before[which] + 1); /* not twice in one look */
    }
}

/* Around an edge-triggered instance one hears of it once. All that has happened in it is then found in one look, by the
 * kernel or made up; what comes afterwards is told anew. */
static void edges(int order, int depth)
{
    struct nest t = open_nest(EPOLL, EDGE, EDGE, depth, 4);
    struct pair *noise = world_add(t.w, world_server_ctx(TLS13), EDGE);
    struct epoll_event events[PAIRS_MAX];
    int heard[PAIRS_MAX] = {0};

    t.w->pairs--;
    clients(t.w);
    assert_int_equal(sleep_outside(&t, -1), 1);
    serve(&t, events, look_inside(&t, events));
    if (order != 1)
        assert_int_equal(send(noise->peer, "x", 1, 0), 1);
    assert_int_equal(sleep_outside(&t, -1), 1);
    if (order == 2) { /* so long that the jobs are run by a call that has found something */
        hear(&t, heard);
        usleep(2000);
    }
    if (order != 0)
        assert_int_equal(send(noise->peer, "x", 1, 0), 1);
    if (order == 2)
        assert_int_equal(sleep_outside(&t, -1), 1);
    do
        hear(&t, heard);
    while (sleep_outside(&t, 20) > 0);
    for (int i = 0; i < 4; i++)
        assert_true(!pair_paused(&t.w->pair[i]) || heard[i] > 0);
    assert_int_equal(heard[4], 1 + (order == 2));
    t.w->pairs++;
    close_nest(&t);
}

static void test_edges_are_not_lost(void **state)
{
    (void)state;
    for (int order = 0; order < 3; order++)
        for (int depth = 1; depth < 3; depth++)
            edges(order, depth);
}

/* One descriptor at a time is looked at, of several that are ready. */
static void test_small_looks(void **state)
{
    (void)state;
    for (enum outer outer = POLL; outer <= last; outer++) {
        struct nest t = open_nest(outer, outer % 2 ? LEVEL : EDGE, LEVEL, outer >= EPOLL, 6);
        t.max = 1;
        run(&t);
        close_nest(&t);
    }
}

/* TLS 1.2's clients say three things at once. */
static void test_older_versions(void **state)
{
    (void)state;
    for (enum kind kind = TLS12_ECDHE; kind <= TLS12_RSA && !world_slow(); kind++)
        for (enum outer outer = POLL; outer <= last; outer++) {
            struct nest t = open_nest(outer, LEVEL, LEVEL, outer >= EPOLL, 0);
            for (int i = 0; i < 5; i++)
                world_add(t.w, world_server_ctx(kind), LEVEL);
            run(&t);
            assert_true(t.paused > 0);
            close_nest(&t);
        }
}

/* Jobs wait whose program has stopped waiting for them: the sleep outside is as long as it was to be. */
static void test_timeout_holds(void **state)
{
    struct epoll_event events[PAIRS_MAX];
    (void)state;
    for (enum outer outer = POLL; outer <= last; outer++) {
        struct nest t = open_nest(outer, EDGE, LEVEL, outer >= EPOLL, 3);
        struct timespec before, after;
        clients(t.w);
        assert_int_equal(sleep_outside(&t, -1), 1);
        serve(&t, events, look_inside(&t, events));
        assert_true(waiting() > 0);
        for (int i = 0; i < 3; i++)
            assert_int_equal(epoll_ctl(t.w->epfd, EPOLL_CTL_DEL, t.w->pair[i].fd, NULL), 0);
        clock_gettime(CLOCK_MONOTONIC, &before);
        assert_int_equal(sleep_outside(&t, 57), 0);
        clock_gettime(CLOCK_MONOTONIC, &after);
        assert_int_equal(waiting(), 0);
        assert_true((after.tv_sec - before.tv_sec) * 1000000000l + after.tv_nsec - before.tv_nsec >= 57000000);
        close_nest(&t);
    }
}

/* All handshakes with looks at the inner instance alone, and sleeps that nobody sees in between. */
static int run_unseen(struct world *w)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    struct nest t = {.w = w, .middle = -1, .max = PAIRS_MAX};
    struct epoll_event events[PAIRS_MAX];
    time_t end = time(NULL) + SECONDS;
    while (!all_done(w)) {
        assert_true(time(NULL) < end);
        clients(w);
        serve(&t, events, epoll_wait(w->epfd, events, PAIRS_MAX, 0));
        nanosleep(&pause, NULL);
    }
    world_exchange(w);
    return t.paused;
}

/* It has never been seen to sleep there, so nothing is paused; if it has, its looks are enough. */
static void test_sleeps_unseen(void **state)
{
    (void)state;
    for (int level = 0; level < 2; level++) {
        struct world *w = world_open_unslept(level ? LEVEL : EDGE, TLS13, 5);
        assert_int_equal(run_unseen(w), 0);
        world_close(w);
        w = world_open(level ? LEVEL : EDGE, TLS13, 5);
        assert_true(run_unseen(w) > 0);
        world_close(w);
    }
}

/* Handshakes that must not be paused, since the sleep outside would not end for them. */
static void stays_synchronous(struct nest *t)
{
    clients(t->w);
    for (int i = 0; i < t->w->pairs; i++) {
        pair_server(&t->w->pair[i]);
        assert_false(pair_paused(&t->w->pair[i]));
    }
    assert_int_equal(waiting(), 0);
}

static void test_registered_otherwise(void **state)
{
    const uint32_t ways[] = {EPOLLIN | EPOLLONESHOT, EPOLLOUT};
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct nest t = open_nest(EPOLL, EDGE, ways[way], 1, 4);
        stays_synchronous(&t);
        close_nest(&t);
    }
}

/* Two around one: either may be what is slept on. */
static void test_in_two_instances(void **state)
{
    struct nest t = open_nest(EPOLL, EDGE, LEVEL, 1, 4);
    (void)state;
    enlist(t.w->elsewhere, t.w->epfd, LEVEL);
    stays_synchronous(&t);
    close_nest(&t);
}

static void *sleep_there(void *arg)
{
    sleep_outside(arg, 1);
    return NULL;
}

/* One thread sleeps outside and wakes the one that looks inside. */
static void test_other_thread_sleeps(void **state)
{
    (void)state;
    for (enum outer outer = POLL; outer <= last; outer++) {
        pthread_t thread;
        struct nest t = {.outer = outer, .w = world_open(EDGE, TLS13, 4), .middle = -1};
        t.top = outer < EPOLL ? t.w->epfd : epoll_create1(EPOLL_CLOEXEC);
        if (outer >= EPOLL)
            enlist(t.top, t.w->epfd, LEVEL);
        /* select() tells of what can be read only. */
        pair_client(&t.w->pair[0]);
        assert_int_equal(pthread_create(&thread, NULL, sleep_there, &t), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        stays_synchronous(&t);
        close_nest(&t);
    }
}

/* The inner instance is closed while handshakes are paused in it, and another takes its place. */
static void test_closed_inside(void **state)
{
    struct epoll_event events[PAIRS_MAX];
    (void)state;
    for (enum outer outer = POLL; outer <= last; outer++) {
        struct nest t = open_nest(outer, EDGE, LEVEL, outer >= EPOLL, 4);
        clients(t.w);
        assert_int_equal(sleep_outside(&t, -1), 1);
        serve(&t, events, look_inside(&t, events));
        assert_true(waiting() > 0);
        close(t.w->epfd);
        if (outer >= EPOLL)
            assert_int_equal(sleep_outside(&t, 10), 0);
        t.w->epfd = epoll_create1(EPOLL_CLOEXEC);
        t.top = outer >= EPOLL ? t.top : t.w->epfd;
        if (outer >= EPOLL)
            enlist(t.top, t.w->epfd, LEVEL);
        for (int i = 0; i < 4; i++) {
            struct epoll_event event = {.events = EDGE, .data.ptr = &t.w->pair[i]};
            assert_int_equal(epoll_ctl(t.w->epfd, EPOLL_CTL_ADD, t.w->pair[i].fd, &event), 0);
        }
        run(&t);
        close_nest(&t);
    }
}

/* The child goes on with what its parent had paused, and with the instances that it has from there. */
static void test_child_goes_on(void **state)
{
    struct epoll_event events[PAIRS_MAX];
    (void)state;
    for (enum outer outer = POLL; outer <= last; outer++) {
        int status;
        struct nest t = open_nest(outer, EDGE, LEVEL, outer >= EPOLL, 4);
        clients(t.w);
        assert_int_equal(sleep_outside(&t, -1), 1);
        serve(&t, events, look_inside(&t, events));
        assert_true(waiting() > 0);
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS);
            run(&t);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        close_nest(&t);
    }
}

/* The descriptor of the inner instance has a second number, under which nobody knows it. */
static void test_second_number(void **state)
{
    (void)state;
    for (enum outer outer = POLL; outer < EPOLL; outer++) {
        struct nest t = {.outer = outer, .w = world_open_unslept(LEVEL, TLS13, 4), .middle = -1, .max = PAIRS_MAX};
        t.top = dup(t.w->epfd);
        run(&t);
        close_nest(&t);
    }
}

/* A program hears once of what is done, does something else, and sleeps: what it has not followed ends by then. */
static void test_not_followed(void **state)
{
    (void)state;
    for (enum outer outer = POLL; outer <= last; outer++) {
        const bool plain = outer < EPOLL;
        struct nest t = open_nest(outer, EDGE, LEVEL, plain ? 0 : 1, 4);
        struct world *w = t.w;
        struct epoll_event events[PAIRS_MAX];
        clients(w);
        assert_true(sleep_outside(&t, 100) > 0);
        serve(&t, events, look_inside(&t, events));
        assert_true(t.paused > 0);
        while (sleep_outside(&t, 20) > 0)
            while (look_inside(&t, events) > 0)
                ;
        assert_true(sleep_outside(&t, 20) <= 0);
        for (int i = 0; i < w->pairs; i++) {
            assert_false(pair_paused(&w->pair[i]));
            pair_client(&w->pair[i]);
            assert_true(w->pair[i].client_done);
            assert_int_equal(pair_server(&w->pair[i]), 1);
        }
        world_exchange(w);
        close_nest(&t);
    }
}

int main(void)
{
    world_start();
    struct epoll_event event;
    if (epoll_pwait2(-1, &event, 1, NULL, NULL) < 0 && errno == ENOSYS) {
        print_message("epoll_pwait2() is not tested: the kernel is older than 5.11\n");
        last = EPOLL;
    }
    return RUN_TESTS(NULL, NULL, test_every_outer_call, test_instance_is_edge_triggered, test_more_to_read_is_no_news,
                     test_edges_are_not_lost, test_small_looks, test_older_versions, test_timeout_holds,
                     test_sleeps_unseen, test_registered_otherwise, test_in_two_instances, test_other_thread_sleeps,
                     test_closed_inside, test_child_goes_on, test_not_followed, test_second_number);
}
