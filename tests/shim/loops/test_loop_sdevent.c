/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: MODULE libsystemd PACKAGE libsystemd-dev */
/* A server on sd-event, whose loop is the outermost, or embedded in another, which sleeps on sd_event_get_fd(). */
#include "world.h"

#include <octuple/queue.h>
#include <poll.h>
#include <systemd/sd-event.h>
#include <time.h>

#define SECONDS      20
#define MILLISECONDS 200 /* so that a test that hangs can end */

enum outer { OWN, POLL, EPOLL };

static int paused;

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *arg)
{
    struct pair *p = arg;
    (void)source, (void)fd;
    assert_int_equal(events, EPOLLIN);
    if (!p->server_done && !p->server_failed)
        pair_server(p);
    paused += pair_paused(p);
    return 0;
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

/* 0 if nothing happened outside in that time. */
static int sleep_outside(enum outer outer, sd_event *loop, int outer_epfd)
{
    struct pollfd set = {.fd = sd_event_get_fd(loop), .events = POLLIN};
    struct epoll_event event;
    int n = outer == POLL ? poll(&set, 1, MILLISECONDS) : epoll_wait(outer_epfd, &event, 1, MILLISECONDS);
    assert_true(n >= 0);
    return n;
}

static void turn(enum outer outer, sd_event *loop, int outer_epfd, time_t end)
{
    if (outer == OWN) {
        assert_true(sd_event_run(loop, MILLISECONDS * 1000) >= 0);
        return;
    }
    int value = sd_event_prepare(loop);
    if (value == 0) {
        while (sleep_outside(outer, loop, outer_epfd) == 0)
            assert_true(time(NULL) < end);
        value = sd_event_wait(loop, 0);
    }
    assert_true(value >= 0);
    if (value > 0)
        assert_true(sd_event_dispatch(loop) >= 0);
}

static void serves(enum outer outer, int pairs)
{
    struct world *w = world_open_unslept(0, TLS13, pairs);
    struct epoll_event event = {.events = EPOLLIN};
    time_t end = time(NULL) + SECONDS;
    sd_event *loop;

    paused = 0;
    assert_true(sd_event_new(&loop) >= 0);
    if (outer == EPOLL)
        assert_int_equal(epoll_ctl(w->elsewhere, EPOLL_CTL_ADD, sd_event_get_fd(loop), &event), 0);
    for (int i = 0; i < pairs; i++)
        assert_true(sd_event_add_io(loop, NULL, w->pair[i].fd, EPOLLIN, on_readable, &w->pair[i]) >= 0);
    while (!all_done(w)) {
        assert_true(time(NULL) < end);
        turn(outer, loop, w->elsewhere, end);
    }
    world_exchange(w);
    assert_true(paused > 0);
    sd_event_unref(loop);
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

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_own, test_inside_poll, test_inside_epoll);
}
