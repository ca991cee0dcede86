/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: BY_HAND */
/*
 * What is counted of keys in devices: each operation once, under what has become of it, while it waits and afterwards.
 */
#include "device.h"

#include <sys/wait.h>

#define THREADS 3 /* OCTUPLE_KEYS of this test */

static struct oct_key_counters now(void)
{
    struct oct_key_counters c;
    oct_counters_read_keys(&c);
    return c;
}

static uint64_t sum(const uint64_t *n, size_t count)
{
    uint64_t all = 0;
    while (count-- > 0)
        all += n[count];
    return all;
}

/* What holds at every moment at which this thread looks. */
static struct oct_key_counters checked(void)
{
    const struct oct_key_counters c = now();
    assert_int_equal(c.begun, c.done + c.failed + c.timed_out + c.called_off + c.in_flight);
    assert_int_equal(c.begun, c.by_threads + c.by_pausing + sum(c.inside, OCT_KEYS_REASONS));
    assert_int_equal(sum((const uint64_t[]){c.owner[0].operations, c.owner[1].operations, c.owner[2].operations}, 3),
                     c.begun);
    assert_true(c.in_flight <= c.in_flight_most && c.line <= c.line_most && c.working <= c.threads);
    return c;
}

/* Helpers put down their work a little after the handshake knows of it. */
static struct oct_key_counters idle(void)
{
    for (int i = 0; now().working + now().line != 0; i++) {
        assert_true(i < 10000);
        usleep(1000);
    }
    return checked();
}

static void test_owner_is_known_by_its_first(void **state)
{
    (void)state;
    struct oct_key_counters c = now();
    assert_int_equal(c.state, OCT_KEYS_STATE_UNDECIDED);
    assert_int_equal(c.limit, THREADS);
    assert_int_equal(c.timeout, 1500000000);
    assert_int_equal(c.begun, 0);
    device_warm_up(0);
    c = idle();
    assert_int_equal(c.state, OCT_KEYS_STATE_SERVED);
    assert_int_equal(c.done, 2);
    assert_true(c.inside[OCT_KEYS_INSIDE_NO_FIBRE] + c.inside[OCT_KEYS_INSIDE_FIRST] >= 1);
    assert_string_equal(c.owner[0].name, "slow device of the test");
    assert_true(c.owner[0].nanoseconds >= 2 * 40000000ull);
    assert_true(sum(c.device_time + 16, OCT_KEYS_BUCKETS - 16) == 2); /* 2^15 us and more */
}

static void test_while_they_wait(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        device_warm_up(device);
        const struct oct_key_counters before = idle();
        struct world *w = device_world(device, SOME_KIND);
        struct oct_key_counters c = checked();
        assert_int_equal(c.in_flight, PAIRS);
        assert_int_equal(c.threads, device == 0 ? THREADS : before.threads);
        assert_int_equal(c.working, device == 0 ? THREADS : 0);
        assert_int_equal(c.line, device == 0 ? PAIRS - THREADS : 0);
        device_finish(w);
        c = idle();
        assert_int_equal(c.in_flight, 0);
        assert_int_equal(c.done - before.done, PAIRS);
        assert_int_equal(
            (device == 0 ? c.by_threads : c.by_pausing) - (device == 0 ? before.by_threads : before.by_pausing), PAIRS);
        assert_int_equal(c.owner[device].way, device == 0 ? OCT_KEYS_WAY_THREADS : OCT_KEYS_WAY_PAUSES);
        assert_int_equal(sum(c.line_time, OCT_KEYS_BUCKETS), c.by_threads);
        assert_int_equal(sum(c.device_time, OCT_KEYS_BUCKETS), c.begun);
    }
}

static void test_failures(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        device_warm_up(device);
        const struct oct_key_counters before = idle();
        device_fails(true);
        struct world *w = device_world(device, SOME_KIND);
        device_release();
        world_run(w);
        world_close(w);
        device_fails(false);
        ERR_clear_error();
        const struct oct_key_counters c = idle();
        assert_int_equal(c.failed - before.failed, PAIRS);
        assert_int_equal(c.done, before.done);
    }
}

/* A device that answers too late changes nothing of it. */
static void test_time_is_over(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        device_warm_up(device);
        const struct oct_key_counters before = idle();
        struct world *w = device_world(device, SOME_KIND);
        world_run(w);
        struct oct_key_counters c = checked();
        assert_int_equal(c.timed_out - before.timed_out, PAIRS);
        assert_int_equal(c.in_flight, 0);
        assert_int_equal(c.line, 0);
        assert_int_equal(c.working, device == 0 ? THREADS : 0);
        world_close(w);
        device_release();
        ERR_clear_error();
        c = idle();
        assert_int_equal(c.timed_out - before.timed_out, PAIRS);
        assert_int_equal(c.called_off, before.called_off);
    }
}

/* What no helper has begun leaves the line at once. */
static void test_connections_end(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        device_warm_up(device);
        const struct oct_key_counters before = idle();
        world_close(device_world(device, SOME_KIND));
        struct oct_key_counters c = checked();
        assert_int_equal(c.called_off - before.called_off, PAIRS);
        assert_int_equal(c.line, 0);
        device_release();
        device_finish(world_open(EPOLLIN | EPOLLET, SOME_KIND, 2));
        c = idle();
        assert_int_equal(c.called_off - before.called_off, PAIRS);
        assert_int_equal(c.failed, before.failed);
    }
}

/* Those that were under way count as run in the child, where nothing is in flight. */
static void in_child(struct world *w)
{
    const struct oct_key_counters c = now();
    alarm(30);
    if (c.state != OCT_KEYS_STATE_SERVED || c.limit != THREADS || c.begun != 0 || c.threads != 0 || c.in_flight != 0)
        _exit(1);
    const int nothing = open("/dev/null", O_RDWR);
    for (int i = 0; i < PAIRS; i++)
        (void)dup2(nothing, w->pair[i].fd);
    for (int i = 0; i < PAIRS; i++)
        (void)pair_server(&w->pair[i]);
    const struct oct_key_counters after = now();
    _exit(after.inside[OCT_KEYS_INSIDE_FORKED] == PAIRS && after.begun == PAIRS && after.in_flight == 0 &&
                  after.line == 0
              ? 0
              : 2);
}

static void test_forked(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        int status = 0;
        device_warm_up(device);
        const struct oct_key_counters before = idle();
        struct world *w = device_world(device, SOME_KIND);
        const struct oct_key_counters waiting = checked();
        device_release();
        const pid_t child = fork();
        if (child == 0)
            in_child(w);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        device_finish(w);
        assert_int_equal(waiting.begun, idle().begun);
        assert_int_equal(idle().done - before.done, PAIRS);
    }
}

int main(void)
{
    device_start();
    const int failed = RUN_TESTS(NULL, NULL, test_owner_is_known_by_its_first, test_while_they_wait, test_failures,
                                 test_time_is_over, test_connections_end, test_forked);
    device_end();
    return failed;
}
