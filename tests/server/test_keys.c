/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Keys in devices of the test: one that blocks, one that pauses (bench/devices). Their handshakes end in every
 * way while the device is at work for them.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "world.h"

#include <openssl/engine.h>
#include <openssl/pem.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#define PAIRS 6

/* The devices know RSA only. */
#define SOME_KIND (world_slow() ? TLS12_ECDHE : TLS13)

static char folder[64], hang_file[96], fail_file[96], key_file[96];
static EVP_PKEY *device_key[2];
static int devices = 2; /* ThreadSanitizer knows nothing of OpenSSL's jobs, in which the second one pauses */
static const char *const engine_name[2] = {"slow", "card"};

static void touch(const char *file)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fclose(f);
}

static ENGINE *engine_load(const char *name)
{
    char path[512];
    ENGINE *engine = ENGINE_by_id("dynamic");
    snprintf(path, sizeof path, "%s/%s.so", getenv("OCTUPLE_TEST_DEVICES"), name);
    assert_non_null(engine);
    assert_int_equal(ENGINE_ctrl_cmd_string(engine, "SO_PATH", path, 0), 1);
    assert_int_equal(ENGINE_ctrl_cmd_string(engine, "LOAD", NULL, 0), 1);
    assert_int_equal(ENGINE_init(engine), 1);
    return engine;
}

static SSL_CTX *context(int device, enum kind kind)
{
    SSL_CTX *ctx = world_server_ctx(kind);
    if (device_key[device] == NULL) {
        FILE *f = fopen(key_file, "w");
        assert_int_equal(
            PEM_write_PrivateKey(f, SSL_CTX_get0_privatekey(world_server_ctx(TLS12_ECDHE)), NULL, NULL, 0, NULL, NULL),
            1);
        fclose(f);
        device_key[device] = ENGINE_load_private_key(engine_load(engine_name[device]), key_file, NULL, NULL);
        assert_non_null(device_key[device]);
    }
    assert_int_equal(SSL_CTX_use_PrivateKey(ctx, device_key[device]), 1);
    return ctx;
}

static void turn(struct world *w, int milliseconds)
{
    struct epoll_event events[PAIRS_MAX];
    for (int n = world_wait(w, events, PAIRS_MAX, milliseconds); n > 0; n--)
        (void)pair_server(events[n - 1].data.ptr);
}

/* A world whose handshakes wait for the device, which answers nothing before release(). */
static struct world *at_device(int device, enum kind kind)
{
    (void)context(device, kind);
    touch(hang_file);
    struct world *w = world_open(EPOLLIN | EPOLLET, kind, PAIRS);
    for (int i = 0; i < PAIRS; i++)
        pair_client(&w->pair[i]);
    for (int i = 0; i < 10; i++)
        turn(w, 2);
    for (int i = 1; i < PAIRS; i++)
        assert_true(pair_paused(&w->pair[i]));
    return w;
}

static void release(void)
{
    unlink(hang_file);
}

static void finish(struct world *w)
{
    release();
    world_run(w);
    world_exchange(w);
    world_close(w);
}

/* The first operation of an owner tells what kind it is. */
static void warm_up(int device)
{
    (void)context(device, SOME_KIND);
    finish(world_open(EPOLLIN | EPOLLET, SOME_KIND, 2));
}

static void test_served(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        warm_up(device);
        finish(at_device(device, SOME_KIND));
        finish(at_device(device, TLS12_ECDHE));
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
        turn(w, 5);
    }
    world_close(w);
}

/* What is allocated when no device is at work any more. */
static long settled(void)
{
    struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 0);
    for (int i = 0; i < 40; i++)
        turn(w, 10);
    world_close(w);
    return world_allocations();
}

/* libssl has the info callback at hand when it pauses. Once the object is freed it is not called. */
static void test_freed(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++)
        for (enum kind kind = SOME_KIND; kind <= TLS12_ECDHE; kind++) {
            warm_up(device);
            for (int i = 0; i < 2; i++) {
                world_close(at_device(device, kind));
                release();
            }
            const long before = settled();
            SSL_CTX_set_info_callback(context(device, kind), say);
            struct world *w = at_device(device, kind);
            assert_true(said > 0);
            said = 0;
            world_close(w);
            release();
            SSL_CTX_set_info_callback(context(device, kind), NULL);
            wait_for_allocations(before);
            assert_int_equal(said, 0);
        }
}

/* The program goes on with the object. */
static void test_cleared(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        warm_up(device);
        struct world *w = at_device(device, SOME_KIND);
        release();
        for (int i = 0; i < PAIRS; i++)
            assert_int_equal(SSL_clear(w->pair[i].server), 1);
        world_close(w);
        finish(at_device(device, SOME_KIND));
    }
}

static void test_fails(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        warm_up(device);
        touch(fail_file);
        struct world *w = at_device(device, SOME_KIND);
        release();
        world_run(w);
        for (int i = 0; i < PAIRS; i++)
            assert_true(w->pair[i].server_failed);
        world_close(w);
        unlink(fail_file);
        ERR_clear_error();
        finish(at_device(device, SOME_KIND));
    }
}

/* Each handshake fails when its time is over; when the device is back all is freed, and served again. */
static void test_hangs(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        warm_up(device);
        struct world *w = at_device(device, SOME_KIND);
        world_run(w);
        for (int i = 0; i < PAIRS; i++)
            assert_true(w->pair[i].server_failed);
        world_close(w);
        release();
        ERR_clear_error();
        finish(at_device(device, SOME_KIND));
    }
}

/* What no helper has begun is done in the child, the rest fails there. The parent sees nothing of it. */
static void test_forked(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        int status = 0;
        warm_up(device);
        struct world *w = at_device(device, SOME_KIND);
        release();
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
        finish(w);
    }
}

static void *leave_at_device(void *arg)
{
    return at_device(*(int *)arg, SOME_KIND);
}

/* Nobody can go on with them; the device's answer reaches nobody. */
static void test_thread_ends(void **state)
{
    (void)state;
    for (int device = 0; device < devices; device++) {
        pthread_t thread;
        void *w;
        warm_up(device);
        assert_int_equal(pthread_create(&thread, NULL, leave_at_device, &device), 0);
        assert_int_equal(pthread_join(thread, &w), 0);
        release();
        world_close(w);
        finish(at_device(device, SOME_KIND));
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
            warm_up(device);
            (void)at_device(device, SOME_KIND);
            release();
            exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

static void make_place(void)
{
    strcpy(folder, "/tmp/octuple-keys-XXXXXX");
    if (mkdtemp(folder) == NULL)
        exit(1);
    snprintf(hang_file, sizeof hang_file, "%s/hang", folder);
    snprintf(fail_file, sizeof fail_file, "%s/fail", folder);
    snprintf(key_file, sizeof key_file, "%s/key", folder);
    setenv("OCTUPLE_TEST_DEVICE_US", "40000", 1);
    setenv("OCTUPLE_TEST_DEVICE_HANG", hang_file, 1);
    setenv("OCTUPLE_TEST_DEVICE_FAIL", fail_file, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_served),      cmocka_unit_test(test_freed),        cmocka_unit_test(test_cleared),
        cmocka_unit_test(test_fails),       cmocka_unit_test(test_hangs),        cmocka_unit_test(test_forked),
        cmocka_unit_test(test_thread_ends), cmocka_unit_test(test_process_ends),
    };
    if (getenv("OCTUPLE_TEST_NO_JOBS") != NULL)
        devices = 1;
    make_place();
    world_start();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(key_file);
    rmdir(folder);
    return failed;
}
