/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/batch/rendezvous.c: who waits, who takes the jobs, and when a thread
 * expects others. One thread plays all of them. */
#include "unit.h"

#include <sched.h>

#include "batch/peers.h"
#include "batch/rendezvous.h"

#define OP    OCT_OP_X25519_DERIVE
#define WORTH 2

static const char who[16];
static bool at_once = true;

static enum oct_rendezvous_role join(struct oct_rendezvous *here, struct oct_waiter *mine, int thread)
{
    struct oct_batch batch = {.count = 0};
    enum oct_rendezvous_role role = oct_rendezvous_join(here, mine, &who[thread], WORTH, &batch);
    assert_int_equal(batch.count, role == OCT_RENDEZVOUS_FULL ? OCT_LANES : 0);
    return role;
}

static unsigned collect(struct oct_rendezvous *here, const struct oct_waiter *mine)
{
    struct oct_batch batch = {.count = 0};
    oct_rendezvous_collect(here, mine, WORTH, at_once, &batch);
    if (batch.count > 0)
        assert_ptr_equal(batch.waiter[0], mine);
    return batch.count;
}

/* A rendezvous where threads 0 and 1 have just met, the second the last. */
static struct oct_rendezvous just_met(void)
{
    struct oct_rendezvous here = {.last = &who[1]};
    struct oct_waiter waiter[2] = {{0}};

    assert_int_equal(join(&here, &waiter[0], 0), OCT_RENDEZVOUS_FIRST);
    assert_int_equal(join(&here, &waiter[1], 1), OCT_RENDEZVOUS_LATER);
    assert_int_equal(collect(&here, &waiter[0]), 2);
    return here;
}

static void test_always_alone(void **state)
{
    struct oct_rendezvous here = {.jobs.count = 0};
    struct oct_waiter waiter = {0};
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(join(&here, &waiter, 0), OCT_RENDEZVOUS_ALONE);
    assert_int_equal(here.jobs.count, 0);
}

static void test_eight(void **state)
{
    struct oct_rendezvous here = {.last = &who[9]};
    struct oct_waiter waiter[OCT_LANES] = {{0}}, other = {0};
    struct oct_batch batch = {.count = 0};
    (void)state;
    for (int i = 0; i < OCT_LANES - 1; i++)
        assert_int_equal(join(&here, &waiter[i], i), i == 0 ? OCT_RENDEZVOUS_FIRST : OCT_RENDEZVOUS_LATER);
    assert_int_equal(oct_rendezvous_join(&here, &waiter[7], &who[7], WORTH, &batch), OCT_RENDEZVOUS_FULL);
    assert_int_equal(batch.count, OCT_LANES);
    for (int i = 0; i < OCT_LANES; i++)
        assert_ptr_equal(batch.waiter[i], &waiter[i]);
    /* The first comes back: what it began is gone, and what another has begun is not its own. */
    assert_int_equal(collect(&here, &waiter[0]), 0);
    assert_int_equal(join(&here, &other, 3), OCT_RENDEZVOUS_FIRST);
    assert_int_equal(collect(&here, &waiter[0]), 0);
    assert_int_equal(collect(&here, &other), 1);
}

/* After a meeting a thread expects others, though it is the last to come, until four yields were fruitless. */
static void test_credit(void **state)
{
    struct oct_rendezvous here = just_met();
    struct oct_waiter waiter = {0};
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(join(&here, &waiter, 1), OCT_RENDEZVOUS_FIRST);
        assert_int_equal(collect(&here, &waiter), 1);
    }
    assert_int_equal(join(&here, &waiter, 1), OCT_RENDEZVOUS_ALONE);
}

/* But after one in which others have had the CPU, and did not come, it does not. */
static void test_long_miss(void **state)
{
    struct oct_rendezvous here = just_met();
    struct oct_waiter waiter = {0};
    (void)state;
    assert_int_equal(join(&here, &waiter, 1), OCT_RENDEZVOUS_FIRST);
    at_once = false;
    assert_int_equal(collect(&here, &waiter), 1);
    at_once = true;
    assert_int_equal(join(&here, &waiter, 1), OCT_RENDEZVOUS_ALONE);
    assert_int_equal(join(&here, &waiter, 0), OCT_RENDEZVOUS_ALONE); /* the pause */
    assert_int_equal(join(&here, &waiter, 1), OCT_RENDEZVOUS_FIRST);
}

/* Too few for a vector to pay give no credit. */
static void test_not_worth(void **state)
{
    struct oct_rendezvous here = {.last = &who[1]};
    struct oct_waiter waiter[2] = {{0}};
    struct oct_batch batch;
    (void)state;
    assert_int_equal(oct_rendezvous_join(&here, &waiter[0], &who[0], 3, &batch), OCT_RENDEZVOUS_FIRST);
    assert_int_equal(oct_rendezvous_join(&here, &waiter[1], &who[1], 3, &batch), OCT_RENDEZVOUS_LATER);
    oct_rendezvous_collect(&here, &waiter[0], 3, true, &batch);
    assert_int_equal(batch.count, 2);
    assert_int_equal(join(&here, &waiter[1], 1), OCT_RENDEZVOUS_ALONE);
}

/* Threads that come by turns and never meet: the pauses between two waits double up to 64. */
static void test_pauses(void **state)
{
    struct oct_rendezvous here = {.last = &who[1]};
    struct oct_waiter waiter = {0};
    int turn = 0;
    (void)state;
    for (int pause = 0; pause <= 128; pause = pause == 0 ? 1 : 2 * pause) {
        for (int i = 0; i < (pause > 64 ? 64 : pause); i++)
            assert_int_equal(join(&here, &waiter, turn++ % 2), OCT_RENDEZVOUS_ALONE);
        assert_int_equal(join(&here, &waiter, turn++ % 2), OCT_RENDEZVOUS_FIRST);
        assert_int_equal(collect(&here, &waiter), 1);
    }
}

/* A meeting ends the pauses, whichever thread it was that waited. */
static void test_meeting_after_pauses(void **state)
{
    struct oct_rendezvous here = just_met();
    struct oct_waiter waiter[2] = {{0}};
    (void)state;
    for (int turn = 0; turn < 300; turn++)
        if (join(&here, &waiter[0], turn % 2) == OCT_RENDEZVOUS_FIRST)
            assert_int_equal(collect(&here, &waiter[0]), 1);
    for (int turn = 0; join(&here, &waiter[0], turn % 2) != OCT_RENDEZVOUS_FIRST; turn++)
        assert_in_range(turn, 0, 64);
    assert_int_equal(join(&here, &waiter[1], 5), OCT_RENDEZVOUS_LATER);
    assert_int_equal(collect(&here, &waiter[0]), 2);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(join(&here, &waiter[0], 5), OCT_RENDEZVOUS_FIRST);
        assert_int_equal(collect(&here, &waiter[0]), 1);
    }
}

static void stay_here(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

/* The first ever is the last, and then whoever comes, for each operation by itself. */
static void test_came_last(void **state)
{
    (void)state;
    stay_here();
    for (int op = OP; op < OP + 2; op++) {
        assert_true(oct_rendezvous_came_last(op, &who[0]));
        assert_true(oct_rendezvous_came_last(op, &who[0]));
        assert_false(oct_rendezvous_came_last(op, &who[1]));
        assert_true(oct_rendezvous_came_last(op, &who[1]));
        assert_false(oct_rendezvous_came_last(op, &who[0]));
    }
}

/* In the child: empty, and not locked, though another thread of the parent had it. */
static void test_fork(void **state)
{
    const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    struct oct_waiter waiter = {0};
    struct oct_rendezvous *here;
    pid_t child;
    (void)state;
    stay_here();
    here = oct_rendezvous_here(OP, OCT_PEERS_USUAL);
    assert_non_null(here);
    assert_ptr_equal(oct_rendezvous_here(OP, OCT_PEERS_USUAL), here);
    assert_ptr_not_equal(oct_rendezvous_here(OP + 1, OCT_PEERS_USUAL), here);
    for (int peers = 0; peers < OCT_PEERS; peers++)
        assert_int_equal(oct_rendezvous_here(OP, peers) == here, peers == OCT_PEERS_USUAL);
    assert_memory_equal(&here->lock, &fresh, sizeof fresh);
    here->last = &who[1];
    assert_int_equal(join(here, &waiter, 0), OCT_RENDEZVOUS_FIRST);
    pthread_mutex_lock(&here->lock);
    child = fork();
    if (child == 0) {
        struct oct_batch batch;
        alarm(60); /* who would wait for the lock would wait for ever */
        CHILD_ASSERT(oct_rendezvous_here(OP, OCT_PEERS_USUAL) == here);
        CHILD_ASSERT(oct_rendezvous_join(here, &waiter, &who[0], WORTH, &batch) == OCT_RENDEZVOUS_ALONE);
        CHILD_ASSERT(oct_rendezvous_join(here, &waiter, &who[1], WORTH, &batch) == OCT_RENDEZVOUS_FIRST);
        _exit(0);
    }
    assert_child_good(child);
    pthread_mutex_unlock(&here->lock);
    assert_int_equal(collect(here, &waiter), 1);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_always_alone, test_eight, test_credit, test_long_miss, test_not_worth,
                     test_pauses, test_came_last, test_fork, test_meeting_after_pauses);
}
