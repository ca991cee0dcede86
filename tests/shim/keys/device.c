/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "device.h"

#include <openssl/engine.h>
#include <openssl/pem.h>

int devices = 2;

static char folder[64], hang_file[96], fail_file[96], key_file[96];
static EVP_PKEY *device_key[2];
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

SSL_CTX *device_context(int device, enum kind kind)
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

void device_turn(struct world *w, int milliseconds)
{
    struct epoll_event events[PAIRS_MAX];
    for (int n = world_wait(w, events, PAIRS_MAX, milliseconds); n > 0; n--)
        (void)pair_server(events[n - 1].data.ptr);
}

/* A world whose handshakes wait for the device, which answers nothing before device_release(). */
struct world *device_world(int device, enum kind kind)
{
    (void)device_context(device, kind);
    touch(hang_file);
    struct world *w = world_open(EPOLLIN | EPOLLET, kind, PAIRS);
    for (int i = 0; i < PAIRS; i++)
        pair_client(&w->pair[i]);
    for (int i = 0; i < 10; i++)
        device_turn(w, 2);
    for (int i = 1; i < PAIRS; i++)
        assert_true(pair_paused(&w->pair[i]));
    return w;
}

void device_release(void)
{
    unlink(hang_file);
}

void device_finish(struct world *w)
{
    device_release();
    world_run(w);
    world_exchange(w);
    world_close(w);
}

/* The first operation of an owner tells what kind it is. */
void device_warm_up(int device)
{
    (void)device_context(device, SOME_KIND);
    device_finish(world_open(EPOLLIN | EPOLLET, SOME_KIND, 2));
}

void device_fails(bool on)
{
    if (on)
        touch(fail_file);
    else
        unlink(fail_file);
}

void device_start(void)
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
    if (getenv("OCTUPLE_TEST_NO_JOBS") != NULL)
        devices = 1;
    world_start();
}

void device_end(void)
{
    unlink(key_file);
    rmdir(folder);
}
