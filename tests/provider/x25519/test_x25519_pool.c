/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ephemeral X25519 pairs made ahead of need: every one is used once, also across forks, threads and contexts; they are
 * what OpenSSL would have made; and the pool can be switched off.
 */
#include "x25519_keys.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAIRS 40
#define SIDES 4

struct batch {
    struct pair pair[PAIRS];
};

static void take(OSSL_LIB_CTX *ctx, struct batch *batch, int count)
{
    for (int i = 0; i < count; i++) {
        EVP_PKEY *key = x25519_generate(ctx);
        batch->pair[i] = x25519_pair(key);
        EVP_PKEY_free(key);
    }
}

static int repeats(const struct pair *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (memcmp(a[i].secret, a[j].secret, X25519) == 0 || memcmp(a[i].point, a[j].point, X25519) == 0)
                return 1;
    return 0;
}

/* OpenSSL computes the same public keys; eight of ours are one batch, once the operation is known to be on. */
static void test_pairs(void **state)
{
    assert_true(oct_op_is_on(OCT_OP_X25519_KEYGEN));
    const uint64_t before = x25519_counters(OCT_OP_X25519_KEYGEN).done;
    struct batch batch;

    (void)state;
    take(octuple_ctx, &batch, PAIRS);
    assert_false(repeats(batch.pair, PAIRS));
    const uint64_t made = x25519_counters(OCT_OP_X25519_KEYGEN).done - before;
    assert_true(made >= PAIRS - 7 && made <= PAIRS + 8);
    for (int i = 0; i < PAIRS; i++) {
        EVP_PKEY *key = x25519_import(plain_ctx, batch.pair[i].secret, NULL);
        const struct pair again = x25519_pair(key);
        assert_memory_equal(again.point, batch.pair[i].point, X25519);
        EVP_PKEY_free(key);
    }
}

/* Forks at every fill of the pool: parent and children, and a child's child, never have a pair in common. `raw` is a
 * fork that tells nobody (no handler runs): then wiped memory alone protects. */
static void check_fork(int raw, int taken)
{
    const size_t size = SIDES * sizeof(struct batch);
    struct batch *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;
    pid_t child;

    assert_true(shared != MAP_FAILED);
    take(octuple_ctx, &shared[0], taken);
    child = raw ? (pid_t)syscall(SYS_fork) : fork();
    assert_true(child >= 0);
    if (child == 0) {
        pid_t grandchild = raw ? (pid_t)syscall(SYS_fork) : fork();
        take(octuple_ctx, &shared[grandchild == 0 ? 1 : 2], 10);
        if (grandchild == 0)
            _exit(0);
        _exit(waitpid(grandchild, &status, 0) != grandchild || status != 0);
    }
    take(octuple_ctx, &shared[3], 10);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    memmove(&shared[0].pair[taken], &shared[1].pair[0], 10 * sizeof(struct pair));
    memmove(&shared[0].pair[taken + 10], &shared[2].pair[0], 10 * sizeof(struct pair));
    memmove(&shared[0].pair[taken + 20], &shared[3].pair[0], 10 * sizeof(struct pair));
    assert_false(repeats(shared[0].pair, (size_t)taken + 30));
    munmap(shared, size);
}

static void test_fork(void **state)
{
    (void)state;
    for (int taken = 1; taken <= 9; taken++) {
        check_fork(0, taken);
        check_fork(1, taken);
    }
}

struct worker {
    pthread_t thread;
    struct batch batch;
};

static void *work(void *arg)
{
    struct worker *worker = arg;
    take(octuple_ctx, &worker->batch, PAIRS);
    return NULL;
}

/* Threads, one after the other and side by side. */
static void test_threads(void **state)
{
    static struct worker worker[SIDES];
    static struct pair all[SIDES * PAIRS];

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < SIDES; i++)
            assert_int_equal(pthread_create(&worker[i].thread, NULL, work, &worker[i]), 0);
        for (int i = 0; i < SIDES; i++) {
            assert_int_equal(pthread_join(worker[i].thread, NULL), 0);
            memcpy(&all[i * PAIRS], worker[i].batch.pair, sizeof worker[i].batch.pair);
        }
        assert_false(repeats(all, SIDES * PAIRS));
    }
}

static void *take_three(void *batch)
{
    take(octuple_ctx, batch, 3);
    return NULL;
}

/* What a thread leaves behind is the next one's: a thread for each connection takes one pair. */
static void test_next_thread(void **state)
{
    struct pair all[9];
    struct batch batch;
    pthread_t thread;
    uint64_t before = 0;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&thread, NULL, take_three, &batch), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        memcpy(&all[3 * i], batch.pair, 3 * sizeof *all);
        before = i == 0 ? x25519_counters(OCT_OP_X25519_KEYGEN).done : before;
    }
    assert_false(repeats(all, 9));
    assert_true(x25519_counters(OCT_OP_X25519_KEYGEN).done - before <= 8);
}

static int take_in_fibre(int i, void *arg)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "X25519");
    struct batch *batch = arg;
    size_t len;

    if (key == NULL)
        return 0;
    len = X25519;
    (void)EVP_PKEY_get_raw_private_key(key, batch->pair[i].secret, &len);
    len = X25519;
    (void)EVP_PKEY_get_raw_public_key(key, batch->pair[i].point, &len);
    EVP_PKEY_free(key);
    return 1;
}

static void test_fibres(void **state)
{
    struct batch batch;

    (void)state;
    run_fibres(PAIRS, take_in_fibre, &batch);
    assert_false(repeats(batch.pair, PAIRS));
}

/* A copy of all memory of this process that the kernel keeps from children (wf) and from core dumps (dd). */
static size_t guarded(uint8_t *copy, size_t size)
{
    unsigned long begin = 0, end = 0, from, to;
    char line[512];
    size_t used = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            begin = from;
            end = to;
        } else if (strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " wf") != NULL && strstr(line, " dd") != NULL) {
            assert_true(used + (end - begin) <= size);
            memcpy(copy + used, (const void *)begin, end - begin);
            used += end - begin;
        }
    }
    fclose(maps);
    return used;
}

/* A pair that waits lies there, and lies there no more once it has been taken. */
static void test_memory(void **state)
{
    static uint8_t before[1 << 20], after[1 << 20];
    struct batch batch;

    (void)state;
    take(octuple_ctx, &batch, 1);
    for (int i = 0, seen = 0; i < 9; i++) {
        const size_t len = guarded(before, sizeof before);
        take(octuple_ctx, &batch, 1);
        const size_t len_after = guarded(after, sizeof after);
        seen += memmem(before, len, batch.pair[0].secret, X25519) != NULL;
        assert_null(memmem(after, len_after, batch.pair[0].secret, X25519));
        assert_null(memmem(after, len_after, batch.pair[0].point, X25519));
        assert_true(i < 8 || seen >= 7); /* of nine, one or two were the first of a new batch */
    }
}

static void test_off(void **state)
{
    OSSL_LIB_CTX *ctx = new_octuple_ctx("pools = off");
    const struct oct_op_counters before = x25519_counters(OCT_OP_X25519_KEYGEN);
    struct oct_op_counters after;
    struct batch batch;

    (void)state;
    take(ctx, &batch, PAIRS);
    assert_false(repeats(batch.pair, PAIRS));
    after = x25519_counters(OCT_OP_X25519_KEYGEN);
    assert_int_equal(after.done, before.done);
    assert_int_equal(after.fallback - before.fallback, PAIRS);
    OSSL_LIB_CTX_free(ctx);
}

/* A pair that was made under one context may serve another; unloading leaves nothing behind that is used later. */
static void test_contexts(void **state)
{
    struct batch batch;

    (void)state;
    for (int i = 0; i < PAIRS / 4; i++) {
        OSSL_LIB_CTX *ctx = new_octuple_ctx(NULL);
        for (int j = 0; j < 4; j++) {
            EVP_PKEY *key = x25519_generate(j % 2 ? octuple_ctx : ctx);
            batch.pair[4 * i + j] = x25519_pair(key);
            EVP_PKEY_free(key);
        }
        OSSL_LIB_CTX_free(ctx);
    }
    assert_false(repeats(batch.pair, PAIRS));
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_pairs, test_fork, test_threads, test_next_thread, test_fibres,
                     test_memory, test_off, test_contexts);
}
