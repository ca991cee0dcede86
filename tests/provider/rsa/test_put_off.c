/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The lane key of a private key is made when several threads may use it, and not for a fork; a process that never has
 * two operations at once does without. It lies in pages that no core dump has, and these tell here whether there is
 * one.
 */
#include "common.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "2048a"

static const uint8_t text[32] = {1};

static unsigned kept_back(void)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    unsigned size = 0, all = 0;
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        (void)sscanf(line, "Size: %u", &size);
        all += strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " dd") != NULL ? size : 0;
    }
    fclose(maps);
    return all;
}

static int sign(EVP_PKEY *key)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    uint8_t signature[256];
    size_t len = sizeof signature;
    const int ok = EVP_PKEY_sign_init(ctx) == 1 && EVP_PKEY_sign(ctx, signature, &len, text, sizeof text) == 1 &&
                   EVP_PKEY_verify_init(ctx) == 1 && EVP_PKEY_verify(ctx, signature, len, text, sizeof text) == 1;
    EVP_PKEY_CTX_free(ctx);
    return ok;
}

/* A thread, and its result. */
static void *in_thread(void *(*run)(void *arg), void *arg)
{
    pthread_t thread;
    void *result = NULL;
    assert_int_equal(pthread_create(&thread, NULL, run, arg), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    return result;
}

static void *sign_there(void *key)
{
    return sign(key) ? key : NULL;
}

/* With an arena of its own, which is kept for the next one. */
static void *idle_there(void *arg)
{
    free(malloc(1));
    return arg;
}

/* Whether a process has a lane key of `key`, when `key` has been used as `run` does. threads: it has had two before. */
static void expect(bool (*run)(EVP_PKEY *key), bool threads, bool made)
{
    const pid_t child = fork();
    int status = -1;
    if (child == 0) {
        EVP_PKEY *key = load_key(octuple_ctx, NAME);
        if (threads)
            (void)in_thread(idle_there, NULL);
        const unsigned before = kept_back();
        const bool good = is_ours(key) && run(key) && (kept_back() > before) == made && sign(key);
        EVP_PKEY_free(key);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* More than the first operations of a child, which steps aside. */
static bool alone(EVP_PKEY *key)
{
    int good = 1;
    for (int i = 0; i < 100; i++)
        good &= sign(key);
    return good;
}

static bool by_no_thread(EVP_PKEY *key)
{
    return in_thread(idle_there, key) != NULL;
}

static bool by_a_thread(EVP_PKEY *key)
{
    int good = 1;
    for (int i = 0; i < 100; i++)
        good &= in_thread(sign_there, key) != NULL;
    return good;
}

static bool by_a_fork(EVP_PKEY *key)
{
    const unsigned before = kept_back();
    const pid_t child = fork();
    int status = -1;
    if (child == 0)
        _exit(kept_back() == before && sign(key) ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void test_alone(void **state)
{
    (void)state;
    expect(alone, false, false);
}

static void test_threads(void **state)
{
    (void)state;
    expect(by_no_thread, true, false);
    expect(by_a_thread, true, true);
}

static void test_fork(void **state)
{
    (void)state;
    expect(by_a_fork, false, false);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_alone, test_threads, test_fork);
}
