/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/base/fork.c: locks that a fork may meet, in which order it takes them, and what it tells their owners. */
#include "unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fork.h"

static char told[16];

static void tell(char what)
{
    told[strlen(told)] = what;
}

static void before_first(void);
static void before_second(void);
static void first_in_child(void);
static void second_in_child(void);
static struct oct_fork_lock first = {PTHREAD_MUTEX_INITIALIZER, before_first, first_in_child, NULL},
                            second = {PTHREAD_MUTEX_INITIALIZER, before_second, second_in_child, NULL},
                            silent = OCT_FORK_LOCK_INIT;

static bool is_free(struct oct_fork_lock *lock)
{
    if (pthread_mutex_trylock(&lock->mutex) != 0)
        return false;
    oct_fork_unlock(lock);
    return true;
}

static bool all_free(void)
{
    return is_free(&first) && is_free(&second) && is_free(&silent);
}

static void before_first(void)
{
    tell(all_free() ? 'a' : '?');
}

static void before_second(void)
{
    tell(all_free() ? 'b' : '?');
}

static void first_in_child(void)
{
    tell(all_free() ? 'c' : '?');
}

static void second_in_child(void)
{
    tell(all_free() ? 'd' : '?');
}

static int child_says(const char *expected)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(strcmp(told, expected) != 0 || !all_free());
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_order(void **state)
{
    (void)state;
    memset(told, 0, sizeof told);
    assert_int_equal(child_says("bacd"), 0);
    assert_string_equal(told, "ba");
    assert_true(all_free());
}

static sem_t held;
static bool half_done;

/* The child would find what it guards half done, and the lock held for good. */
static void *holder(void *arg)
{
    oct_fork_lock(&silent);
    half_done = true;
    sem_post(&held);
    usleep(20000);
    half_done = false;
    oct_fork_unlock(&silent);
    return arg;
}

static void test_held_by_another_thread(void **state)
{
    pthread_t thread;
    int status = -1;
    (void)state;
    assert_int_equal(sem_init(&held, 0, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, holder, NULL), 0);
    assert_int_equal(sem_wait(&held), 0);
    const pid_t child = fork();
    if (child == 0)
        _exit(half_done || !all_free());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

/* Each generation has its own, and its parent's; what a child writes its parent reads, and nobody else. */
static void test_board(void **state)
{
    int status = -1;
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        struct oct_fork_board *parents = oct_fork_parents_board();
        if (parents == NULL || oct_fork_board() != NULL)
            _exit(1);
        atomic_store(&parents->brief, 7);
        const pid_t next = fork();
        if (next == 0)
            _exit(oct_fork_parents_board() == NULL || atomic_load(&oct_fork_parents_board()->brief) != 0);
        _exit(waitpid(next, &status, 0) != next || status != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_non_null(oct_fork_board());
    assert_int_equal(atomic_exchange(&oct_fork_board()->brief, 0), 7);
}

int main(void)
{
    if (!oct_fork_lock_watch(&first) || !oct_fork_lock_watch(&silent) || !oct_fork_lock_watch(&second))
        return 1;
    return RUN_TESTS(NULL, NULL, test_order, test_held_by_another_thread, test_board);
}
