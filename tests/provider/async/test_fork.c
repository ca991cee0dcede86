/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* fork() with jobs in flight: parent and child each finish all of theirs, and neither takes the other's wake-ups. */
#include "common.h"
#include "fibres.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS 5

static EVP_PKEY *key;

/* In the child cmocka's assertions would run the parent's teardown: plain checks and an exit status instead. */
static int child_finishes(struct signer *signer)
{
    int wrong = oct_queue_waiting(oct_queue_thread()) != 0;

    for (int i = 0; i < JOBS; i++) {
        for (int steps = 0; steps < 50 && !signer[i].ended; steps++)
            signer_step(&signer[i]);
        wrong |= !signer[i].ended || !signer_is_right(&signer[i], "2048a");
        signer_clear(&signer[i]);
    }
    for (unsigned i = 0; i < 9; i++) { /* and new work, in lanes of its own */
        signer_init(&signer[0], key, 100 + i);
        signer_finish(&signer[0]);
        wrong |= !signer_is_right(&signer[0], "2048a");
        signer_clear(&signer[0]);
    }
    return wrong;
}

static void expect_success(pid_t child)
{
    int status = -1;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int ignore(void *arg)
{
    (void)arg;
    return 1;
}

static void check_fork(int with_callback)
{
    struct signer signer[JOBS];
    pid_t child;

    for (unsigned i = 0; i < JOBS; i++) {
        signer_init(&signer[i], key, i);
        if (with_callback)
            assert_true(ASYNC_WAIT_CTX_set_callback(signer[i].wait, ignore, NULL));
        assert_int_equal(signer_step(&signer[i]), 0);
    }
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(child_finishes(signer));
    expect_success(child);
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), JOBS);
    for (int i = 0; i < JOBS; i++) {
        assert_true(with_callback || is_readable(signer_fd(&signer[i]))); /* the child has not read it */
        signer_finish(&signer[i]);
        assert_true(signer_is_right(&signer[i], "2048a"));
        signer_clear(&signer[i]);
    }
}

static void test_descriptors(void **state)
{
    (void)state;
    check_fork(0);
}

static void test_callbacks(void **state)
{
    (void)state;
    check_fork(1);
}

/* The child frees the wait contexts of the parent's jobs, as a process does that closes what it inherited. */
static void test_child_closes(void **state)
{
    struct signer signer[JOBS];
    pid_t child;

    (void)state;
    for (unsigned i = 0; i < JOBS; i++) {
        signer_init(&signer[i], key, i);
        assert_int_equal(signer_step(&signer[i]), 0);
    }
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int i = 0; i < JOBS; i++)
            signer_clear(&signer[i]);
        _exit(0);
    }
    expect_success(child);
    signers_end(signer, JOBS, "2048a");
}

/* A wait context that was used before the fork is used again in both. */
static void test_reuse_after_fork(void **state)
{
    struct signer signer;
    int fd;
    pid_t child;

    (void)state;
    signer_init(&signer, key, 1);
    signer_finish(&signer);
    fd = signer_fd(&signer);
    signer.job = NULL;
    signer.ended = 0;
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int wrong = signer_step(&signer) != 0 || !is_readable(signer_fd(&signer));
        signer_finish(&signer);
        wrong |= !signer_is_right(&signer, "2048a");
        signer_clear(&signer);
        _exit(wrong);
    }
    expect_success(child);
    assert_false(is_readable(fd));
    assert_int_equal(signer_step(&signer), 0);
    assert_int_equal(signer_fd(&signer), fd);
    signers_end(&signer, 1, "2048a");
}

static int load(void **state)
{
    open_contexts(state);
    key = load_key(octuple_ctx, "2048a");
    return 0;
}

static int unload(void **state)
{
    EVP_PKEY_free(key);
    return close_contexts(state);
}

int main(void)
{
    return RUN_TESTS(load, unload, test_descriptors, test_callbacks, test_child_closes, test_reuse_after_fork);
}
