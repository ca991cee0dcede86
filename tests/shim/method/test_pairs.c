/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Key pairs of X25519 that libssl gets ahead of need: each is used once, also across forks and threads, and fits; and
 * the program's own calls stay AWS-LC's. With an argument, in a process where AWS-LC is left alone.
 */
#include "world.h"

#include <dlfcn.h>
#include <octuple/counters.h>
#include <openssl/bio.h>
#include <openssl/curve25519.h>
#include <openssl/mem.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define BYTES  32
#define SHARES 40
#define SIDES  4

static bool left_alone;
static SSL_CTX *client_ctx;

static uint64_t made(void)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[OCT_OP_X25519_KEYGEN].done;
}

/* The share in a hello of a client's, which is ended behind it. */
static void take(uint8_t share[BYTES])
{
    static const uint8_t before[] = {0, 29, 0, BYTES}; /* the group, and how many bytes */
    SSL *client = SSL_new(client_ctx);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    const uint8_t *bytes;
    size_t size, at = 0;
    assert_int_equal(SSL_set1_groups_list(client, "X25519"), 1);
    SSL_set_bio(client, in, out);
    SSL_set_connect_state(client);
    assert_int_equal(SSL_do_handshake(client), -1);
    assert_true(BIO_mem_contents(out, &bytes, &size));
    while (at + sizeof before + BYTES <= size && memcmp(bytes + at, before, sizeof before) != 0)
        at++;
    assert_true(at + sizeof before + BYTES <= size);
    memcpy(share, bytes + at + sizeof before, BYTES);
    SSL_free(client);
}

static void take_some(uint8_t (*share)[BYTES], int count)
{
    for (int i = 0; i < count; i++)
        take(share[i]);
}

static bool repeats(const uint8_t (*share)[BYTES], int count)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (memcmp(share[i], share[j], BYTES) == 0)
                return true;
    return false;
}

/* Both ends have theirs from the pool, and agree. */
static void test_handshakes(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        const uint64_t before = made();
        struct world *w = world_open(EPOLLIN | EPOLLET, TLS13, 12);
        world_hello(w);
        world_run(w);
        for (int i = 0; i < w->pairs; i++) {
            assert_true(w->pair[i].server_done && w->pair[i].client_done);
            assert_int_equal(SSL_get_curve_id(w->pair[i].server), SSL_CURVE_X25519);
        }
        world_exchange(w);
        world_close(w);
        assert_true(round == 0 || made() - before >= 24 - 7);
    }
}

static void test_once_each(void **state)
{
    const uint64_t before = made();
    uint8_t share[SHARES][BYTES];
    (void)state;
    take_some(share, SHARES);
    assert_false(repeats(share, SHARES));
    const uint64_t more = made() - before;
    assert_true(left_alone ? more == 0 : more >= SHARES - 7 && more <= SHARES + 8);
}

static void test_programs_own(void **state)
{
    const uint64_t before = made();
    uint8_t public_key[BYTES], private_key[BYTES], again[BYTES];
    Dl_info info;
    (void)state;
    for (int i = 0; i < SHARES; i++) {
        X25519_keypair(public_key, private_key);
        X25519_public_from_private(again, private_key);
        assert_memory_equal(public_key, again, BYTES);
    }
    assert_int_equal(made(), before);
    void *const found = dlsym(RTLD_DEFAULT, "X25519_keypair");
    assert_true(found != NULL && dladdr(found, &info) != 0 && strstr(info.dli_fname, "libcrypto") != NULL);
}

/* `raw` is a fork that tells nobody. */
static void check_fork(bool raw, int taken)
{
    const size_t size = SIDES * SHARES * BYTES;
    uint8_t(*shared)[BYTES] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    assert_true(shared != MAP_FAILED);
    take_some(shared, taken);
    const pid_t child = raw ? (pid_t)syscall(SYS_fork) : fork();
    assert_true(child >= 0);
    if (child == 0) {
        const pid_t grandchild = raw ? (pid_t)syscall(SYS_fork) : fork();
        take_some(shared + taken + (grandchild == 0 ? 10 : 20), 10);
        if (grandchild == 0)
            _exit(0);
        _exit(waitpid(grandchild, &status, 0) != grandchild || status != 0);
    }
    take_some(shared + taken, 10);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(repeats(shared, taken + 30));
    munmap(shared, size);
}

static void test_forks(void **state)
{
    (void)state;
    for (int taken = 1; taken <= 9; taken++) {
        check_fork(false, taken);
        check_fork(true, taken);
    }
}

static void *work(void *share)
{
    take_some(share, SHARES);
    return NULL;
}

static void test_threads(void **state)
{
    static uint8_t share[SIDES * SHARES][BYTES];
    pthread_t thread[SIDES];
    (void)state;
    for (int i = 0; i < SIDES; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, share + i * SHARES), 0);
    for (int i = 0; i < SIDES; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_false(repeats(share, SIDES * SHARES));
}

int main(int argc, char *argv[])
{
    (void)argv;
    left_alone = argc > 1;
    if (!left_alone)
        world_start();
    client_ctx = SSL_CTX_new(TLS_client_method());
    return left_alone
               ? RUN_TESTS(NULL, NULL, test_once_each, test_programs_own, test_threads)
               : RUN_TESTS(NULL, NULL, test_handshakes, test_once_each, test_programs_own, test_forks, test_threads);
}
