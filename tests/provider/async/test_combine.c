/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Threads that block: on one CPU their operations meet in lanes, each gets its own result, and the switches hold. */
#include "common.h"

#include <octuple/counters.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS  6
#define MAX_SIZE 512

/* An operation, its key in both contexts, and for an exchange the peer's. */
struct kind {
    const char *type, *group, *digest;
    int op, exchanges;
    EVP_PKEY *own, *plain, *peer;
};

static struct kind kinds[] = {
    {.type = "RSA", .digest = "SHA256", .op = OCT_OP_RSA2048_PRIVATE},
    {.type = "EC", .group = "P-256", .digest = "SHA256", .op = OCT_OP_P256_SIGN},
    {.type = "EC", .group = "P-384", .digest = "SHA384", .op = OCT_OP_P384_SIGN},
    {.type = "ED25519", .op = OCT_OP_ED25519_SIGN},
    {.type = "EC", .group = "P-256", .op = OCT_OP_P256_DERIVE, .exchanges = 1},
    {.type = "X25519", .op = OCT_OP_X25519_DERIVE, .exchanges = 1},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static atomic_int failures;

static EVP_PKEY *generate(OSSL_LIB_CTX *ctx, const struct kind *kind)
{
    EVP_PKEY *key = strcmp(kind->type, "RSA") == 0 ? load_key(plain_ctx, "2048a")
                    : kind->group != NULL          ? EVP_PKEY_Q_keygen(ctx, NULL, "EC", kind->group)
                                                   : EVP_PKEY_Q_keygen(ctx, NULL, kind->type);
    assert_non_null(key);
    return key;
}

static int sign(OSSL_LIB_CTX *libctx, const struct kind *kind, const uint8_t text[32], uint8_t *out, size_t *len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const int ok = EVP_DigestSignInit_ex(ctx, NULL, kind->digest, libctx, NULL, kind->own, NULL) > 0 &&
                   EVP_DigestSign(ctx, out, len, text, 32) > 0;
    EVP_MD_CTX_free(ctx);
    return ok;
}

static int verify(const struct kind *kind, const uint8_t text[32], const uint8_t *signature, size_t len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    const int ok = EVP_DigestVerifyInit_ex(ctx, NULL, kind->digest, plain_ctx, NULL, kind->plain, NULL) > 0 &&
                   EVP_DigestVerify(ctx, signature, len, text, 32) > 0;
    EVP_MD_CTX_free(ctx);
    return ok;
}

/* Once, held against OpenSSL's own. Asserts nothing: fit for a thread. */
static int one_exchange(const struct kind *kind)
{
    uint8_t secret[MAX_SIZE], expected[MAX_SIZE];
    size_t len = sizeof secret, expected_len = sizeof expected;

    return derive_secret(octuple_ctx, kind->own, kind->peer, secret, &len) &&
           derive_secret(plain_ctx, kind->plain, kind->peer, expected, &expected_len) && len == expected_len &&
           memcmp(secret, expected, len) == 0;
}

static int one_signature(const struct kind *kind, OSSL_LIB_CTX *libctx, unsigned seed)
{
    uint8_t text[32], signature[MAX_SIZE];
    size_t len = sizeof signature;

    fill(text, sizeof text, seed);
    return sign(libctx, kind, text, signature, &len) && verify(kind, text, signature, len);
}

static int one(const struct kind *kind, unsigned seed)
{
    return kind->exchanges ? one_exchange(kind) : one_signature(kind, octuple_ctx, seed);
}

static uint64_t shared_batches(int op)
{
    struct oct_counters counters;
    uint64_t sum = 0;

    oct_counters_read(&counters);
    for (int i = 1; i < OCT_LANES; i++)
        sum += counters.op[op].flushes[i];
    return sum;
}

/* What the threads of a test are to do. */
static const struct kind *wanted;
static uint64_t enough;

static void *until_met(void *arg)
{
    unsigned seed = 1000 * (unsigned)(uintptr_t)arg;
    while (shared_batches(wanted->op) < enough)
        failures += !one(wanted, seed++);
    return NULL;
}

static void run_threads(void *(*function)(void *))
{
    pthread_t thread[THREADS];

    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, function, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
}

static void stay_here(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

static void test_they_meet(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        wanted = &kinds[i];
        /* On avx2 five threads have to meet before lanes pay, which takes long on a CPU that others use too. */
        enough = shared_batches(wanted->op) + (is_slow() ? 2 : 10);
        run_threads(until_met);
        assert_int_equal(failures, 0);
    }
}

/* A child of a process whose threads are in the middle of it. */
static atomic_int children_over;

static void *until_forked(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg;

    while (seed != 0 && !children_over)
        failures += !one(wanted, seed);
    for (int i = 0; seed == 0 && i < (is_slow() ? 2 : 20); i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0)
            _exit(!one(wanted, 1) || !one(wanted, 2));
        failures += child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    if (seed == 0)
        children_over = 1;
    return NULL;
}

static void test_fork(void **state)
{
    (void)state;
    wanted = &kinds[1];
    run_threads(until_forked);
    assert_int_equal(failures, 0);
}

/* As many as would certainly meet if combining were on. */
static struct kind off_kind;
static OSSL_LIB_CTX *off_ctx;

static void *some(void *arg)
{
    for (unsigned i = 0; i < 200; i++)
        failures += !one_signature(&off_kind, off_ctx, i + (unsigned)(uintptr_t)arg);
    return NULL;
}

static void check_off(const char *settings)
{
    const uint64_t before = shared_batches(OCT_OP_P256_SIGN);

    off_ctx = new_octuple_ctx(settings);
    off_kind = kinds[1];
    off_kind.own = copy_key(off_ctx, NULL, kinds[1].plain, EVP_PKEY_KEYPAIR);
    assert_true(is_ours(off_kind.own));
    run_threads(some);
    assert_int_equal(shared_batches(OCT_OP_P256_SIGN), before);
    assert_int_equal(failures, 0);
    EVP_PKEY_free(off_kind.own);
    OSSL_LIB_CTX_free(off_ctx);
}

static void test_switches(void **state)
{
    (void)state;
    check_off("combining = off\n");
    setenv("OCTUPLE_COMBINE", "off", 1);
    check_off(NULL);
    unsetenv("OCTUPLE_COMBINE");
}

static int open_keys(void **state)
{
    open_contexts(state);
    stay_here();
    for (size_t i = 0; i < KINDS; i++) {
        struct kind *kind = &kinds[i];
        kind->plain = generate(plain_ctx, kind);
        kind->own = copy_key(octuple_ctx, NULL, kind->plain, EVP_PKEY_KEYPAIR);
        assert_true(is_ours(kind->own));
        if (kind->exchanges)
            kind->peer = generate(plain_ctx, kind);
    }
    return 0;
}

static int close_keys(void **state)
{
    for (size_t i = 0; i < KINDS; i++) {
        EVP_PKEY_free(kinds[i].plain);
        EVP_PKEY_free(kinds[i].own);
        EVP_PKEY_free(kinds[i].peer);
    }
    return close_contexts(state);
}

int main(void)
{
    return RUN_TESTS(open_keys, close_keys, test_they_meet, test_fork, test_switches);
}
