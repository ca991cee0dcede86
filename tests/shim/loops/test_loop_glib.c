/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: MODULE glib-2.0 PACKAGE libglib2.0-dev */
/* GLib's main loop, which sleeps in poll() on the descriptor of an epoll instance: that of another event loop. */
#include "world.h"

#include <glib-unix.h>
#include <glib.h>
#include <octuple/queue.h>
#include <time.h>

#define SECONDS 20

static int paused;

static gboolean on_instance(gint epfd, GIOCondition condition, gpointer arg)
{
    struct epoll_event events[PAIRS_MAX];
    (void)arg;
    assert_int_equal(condition, G_IO_IN);
    int n = epoll_wait(epfd, events, PAIRS_MAX, 0);
    for (int i = 0; i < n; i++) {
        struct pair *p = events[i].data.ptr;
        if (!p->server_done && !p->server_failed)
            pair_server(p);
        paused += pair_paused(p);
    }
    return G_SOURCE_CONTINUE;
}

static gboolean on_time(gpointer arg)
{
    (void)arg;
    return G_SOURCE_CONTINUE;
}

/* Always at work: the loop looks, and never sleeps. */
static gboolean on_idle(gpointer arg)
{
    (void)arg;
    return G_SOURCE_CONTINUE;
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

static void serves(uint32_t events, int pairs, bool busy)
{
    struct world *w = world_open_unslept(events, TLS13, pairs);
    time_t end = time(NULL) + SECONDS;
    guint source = g_unix_fd_add(w->epfd, G_IO_IN, on_instance, w);
    /* So that a test that hangs can end. */
    guint timer = g_timeout_add(200, on_time, NULL);

    paused = 0;
    g_main_context_iteration(NULL, TRUE);
    guint idle = busy ? g_idle_add(on_idle, NULL) : 0;
    while (!all_done(w)) {
        assert_true(time(NULL) < end);
        g_main_context_iteration(NULL, TRUE);
    }
    world_exchange(w);
    assert_true(paused > 0);
    g_source_remove(source);
    g_source_remove(timer);
    if (busy)
        g_source_remove(idle);
    world_close(w);
}

static void test_inside_glib(void **state)
{
    struct oct_counters before, after;
    (void)state;
    oct_counters_read(&before);
    for (int busy = 0; busy < 2; busy++) {
        serves(EPOLLIN, 4, busy);
        serves(EPOLLIN | EPOLLET, 4, busy);
        serves(EPOLLIN, world_slow() ? 5 : 16, busy);
        serves(EPOLLIN | EPOLLET, world_slow() ? 5 : 16, busy);
    }
    oct_counters_read(&after);
    assert_true(world_slow() || after.op[0].done > before.op[0].done);
}

int main(void)
{
    world_start();
    return RUN_TESTS(NULL, NULL, test_inside_glib);
}
