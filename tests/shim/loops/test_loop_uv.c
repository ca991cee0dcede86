/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: MODULE libuv PACKAGE libuv1-dev */
/* A server on libuv, whose loop is the outermost, or embedded in another, which sleeps on uv_backend_fd(). */
#include "world.h"

#include <octuple/queue.h>
#include <poll.h>
#include <time.h>
#include <uv.h>

#define SECONDS      20
#define MILLISECONDS 200 /* so that a test that hangs can end */

enum outer { OWN, POLL, EPOLL };

static int paused;

static void on_readable(uv_poll_t *handle, int status, int events)
{
    struct pair *p = handle->data;
    assert_int_equal(status, 0);
    assert_int_equal(events, UV_READABLE);
    if (!p->server_done && !p->server_failed)
        pair_server(p);
    paused += pair_paused(p);
}

static bool all_done(struct world *w)
{
    bool done = true;
    for (int i = 0; i < w->pairs; i++) {
        pair_client(&w->pair[i]);
        done = done && w->pair[i].server_done && w->pair[i].client_done;
    }
    return done;
}

static void on_time(uv_timer_t *timer)
{
    (void)timer;
}

/* One turn. The loop inside, which has no timer, is looked at only when it can be read. */
static void turn(enum outer outer, uv_loop_t *loop, int outer_epfd)
{
    struct pollfd set = {.fd = uv_backend_fd(loop), .events = POLLIN};
    struct epoll_event event;
    if (outer == OWN) {
        uv_run(loop, UV_RUN_ONCE);
        return;
    }
    int n = outer == POLL ? poll(&set, 1, MILLISECONDS) : epoll_wait(outer_epfd, &event, 1, MILLISECONDS);
    assert_true(n >= 0);
    if (n > 0)
        uv_run(loop, UV_RUN_NOWAIT);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    uv_close(handle, NULL);
}

static void serves(enum outer outer, int pairs)
{
    struct world *w = world_open_unslept(0, TLS13, pairs);
    struct epoll_event event = {.events = EPOLLIN};
    uv_poll_t sockets[PAIRS_MAX];
    uv_timer_t timer;
    uv_loop_t loop;
    time_t end = time(NULL) + SECONDS;

    paused = 0;
    assert_int_equal(uv_loop_init(&loop), 0);
    uv_timer_init(&loop, &timer);
    if (outer == OWN)
        uv_timer_start(&timer, on_time, MILLISECONDS, MILLISECONDS);
    if (outer == EPOLL)
        assert_int_equal(epoll_ctl(w->elsewhere, EPOLL_CTL_ADD, uv_backend_fd(&loop), &event), 0);
    for (int i = 0; i < pairs; i++) {
        assert_int_equal(uv_poll_init(&loop, &sockets[i], w->pair[i].fd), 0);
        sockets[i].data = &w->pair[i];
        uv_poll_start(&sockets[i], UV_READABLE, on_readable);
    }
    uv_run(&loop, UV_RUN_NOWAIT);
    while (!all_done(w)) {
        assert_true(time(NULL) < end);
        turn(outer, &loop, w->elsewhere);
    }
    world_exchange(w);
    assert_true(paused > 0);
    uv_walk(&loop, close_handle, NULL);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    world_close(w);
}

static void all_kinds(enum outer outer)
{
    struct oct_counters before, after;
    oct_counters_read(&before);
    serves(outer, 4);
    serves(outer, world_slow() ? 5 : 16);
    oct_counters_read(&after);
    assert_true(world_slow() || after.op[0].done > before.op[0].done);
}

static void test_own(void **state)
{
    (void)state;
    all_kinds(OWN);
}

static void test_inside_poll(void **state)
{
    (void)state;
    all_kinds(POLL);
}

static void test_inside_epoll(void **state)
{
    (void)state;
    all_kinds(EPOLL);
}

/* Later versions of libuv hand registrations to io_uring, where nobody sees them: then handshakes stay synchronous. */
int main(void)
{
    setenv("UV_USE_IO_URING", "0", 1);
    world_start();
    return RUN_TESTS(NULL, NULL, test_own, test_inside_poll, test_inside_epoll);
}
