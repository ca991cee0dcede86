/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: BY_HAND */
/*
 * Keys in devices of the test: one that blocks, one that pauses (bench/programs/devices). Their handshakes end in every
 * way while the device is at work for them.
 */
#include "device.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

static void test_served(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        device_warm_up(device);
        device_finish(device_world(device, SOME_KIND));
        device_finish(device_world(device, TLS12_ECDHE));
    }
}

static int said;

static void say(const SSL *s, int where, int ret)
{
    (void)s, (void)where, (void)ret;
    said++;
}

/* Until the device has answered nothing of the objects is gone; afterwards all of it is. */
static void wait_for_allocations(long most)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 0);
    const time_t end = time(NULL) + 20;
    while (world_allocations() > most) {
        assert_true(time(NULL) < end);
        device_turn(w, 5);
    }
    world_close(w);
}

/* What is allocated when no device is at work any more. */
static long settled(void)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 0);
    for (int i = 0; i < 40; i++)
        device_turn(w, 10);
    world_close(w);
    return world_allocations();
}

/* libssl has the info callback at hand when it pauses. Once the object is freed it is not called. */
static void test_freed(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++)
        for (enum kind kind = SOME_KIND; kind <= TLS12_ECDHE; kind++) {
            device_warm_up(device);
            for (int i = 0; i < 2; i++) {
                world_close(device_world(device, kind));
                device_release();
            }
            const long before = settled();
            SSL_CTX_set_info_callback(device_context(device, kind), say);
            struct world *w = device_world(device, kind);
            assert_true(said > 0);
            said = 0;
            world_close(w);
            device_release();
            SSL_CTX_set_info_callback(device_context(device, kind), NULL);
            wait_for_allocations(before);
            assert_int_equal(said, 0);
        }
}

/* The program goes on with the object. */
static void test_cleared(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        device_warm_up(device);
        struct world *w = device_world(device, SOME_KIND);
        device_release();
        for (int i = 0; i < PAIRS; i++)
            assert_int_equal(SSL_clear(w->pair[i].server), 1);
        world_close(w);
        device_finish(device_world(device, SOME_KIND));
    }
}

static void test_fails(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        device_warm_up(device);
        device_fails(true);
        struct world *w = device_world(device, SOME_KIND);
        device_release();
        world_run(w);
        for (int i = 0; i < PAIRS; i++)
            assert_true(w->pair[i].server_failed);
        world_close(w);
        device_fails(false);
        ERR_clear_error();
        device_finish(device_world(device, SOME_KIND));
    }
}

/* Each handshake fails when its time is over; when the device is back all is freed, and served again. */
static void test_hangs(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        device_warm_up(device);
        struct world *w = device_world(device, SOME_KIND);
        world_run(w);
        for (int i = 0; i < PAIRS; i++)
            assert_true(w->pair[i].server_failed);
        world_close(w);
        device_release();
        ERR_clear_error();
        device_finish(device_world(device, SOME_KIND));
    }
}

/* What no helper has begun is done in the child, the rest fails there. The parent sees nothing of it. */
static void test_forked(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        int status = 0;
        device_warm_up(device);
        struct world *w = device_world(device, SOME_KIND);
        device_release();
        const pid_t child = fork();
        if (child == 0) {
            alarm(30);
            const int nothing = open("/dev/null", O_RDWR);
            for (int i = 0; i < PAIRS; i++)
                (void)dup2(nothing, w->pair[i].fd);
            for (int i = 0; i < PAIRS; i++)
                (void)pair_server(&w->pair[i]);
            for (int i = 0; i < PAIRS; i++)
                SSL_free(w->pair[i].server);
            exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        device_finish(w);
    }
}

static void *leave_at_device(void *arg)
{
    return device_world(*(int *)arg, SOME_KIND);
}

/* Nobody can go on with them; the device's answer reaches nobody. */
static void test_thread_ends(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        pthread_t thread;
        void *w;
        device_warm_up(device);
        assert_int_equal(pthread_create(&thread, NULL, leave_at_device, &device), 0);
        assert_int_equal(pthread_join(thread, &w), 0);
        device_release();
        world_close(w);
        device_finish(device_world(device, SOME_KIND));
    }
}

/* The process ends while helpers are at work: that of the last test is this one's. */
static void test_process_ends(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        int status = 0;
        const pid_t child = fork();
        if (child == 0) {
            alarm(30);
            device_warm_up(device);
            (void)device_world(device, SOME_KIND);
            device_release();
            exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
    device_start();
    const int failed = RUN_TESTS(NULL, NULL, test_served, test_freed, test_cleared, test_fails, test_hangs, test_forked,
                                 test_thread_ends, test_process_ends);
    device_end();
    return failed;
}
