/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/batch/pile.c: who lays its job where, who takes it, and when somebody hopes for company. One thread plays all. */
#include "unit.h"

#include <sched.h>

#include "batch/pile.h"

#define OP    OCT_OP_X25519_DERIVE
#define WORTH 2

static const char who[16];
static bool at_once = true;

static enum oct_pile_place lay(struct oct_pile *pile, struct oct_laid *mine, int thread)
{
    struct oct_batch batch = {.count = 0};
    enum oct_pile_place place = oct_pile_lay(pile, mine, &who[thread], WORTH, &batch);
    assert_int_equal(batch.count, place == OCT_PILE_FULL ? OCT_LANES : 0);
    return place;
}

static unsigned collect(struct oct_pile *pile, const struct oct_laid *mine)
{
    struct oct_batch batch = {.count = 0};
    oct_pile_collect(pile, mine, WORTH, at_once, &batch);
    if (batch.count > 0)
        assert_ptr_equal(batch.laid[0], mine);
    return batch.count;
}

/* A pile that has just seen company, by threads 0 and 1, the second the last. */
static struct oct_pile lucky(void)
{
    struct oct_pile pile = {.last = &who[1]};
    struct oct_laid laid[2] = {{0}};

    assert_int_equal(lay(&pile, &laid[0], 0), OCT_PILE_FIRST);
    assert_int_equal(lay(&pile, &laid[1], 1), OCT_PILE_LATER);
    assert_int_equal(collect(&pile, &laid[0]), 2);
    return pile;
}

static void test_always_alone(void **state)
{
    struct oct_pile pile = {.jobs.count = 0};
    struct oct_laid laid = {0};
    (void)state;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(lay(&pile, &laid, 0), OCT_PILE_ALONE);
    assert_int_equal(pile.jobs.count, 0);
}

static void test_eight(void **state)
{
    struct oct_pile pile = {.last = &who[9]};
    struct oct_laid laid[OCT_LANES] = {{0}}, other = {0};
    struct oct_batch batch = {.count = 0};
    (void)state;
    for (int i = 0; i < OCT_LANES - 1; i++)
        assert_int_equal(lay(&pile, &laid[i], i), i == 0 ? OCT_PILE_FIRST : OCT_PILE_LATER);
    assert_int_equal(oct_pile_lay(&pile, &laid[7], &who[7], WORTH, &batch), OCT_PILE_FULL);
    assert_int_equal(batch.count, OCT_LANES);
    for (int i = 0; i < OCT_LANES; i++)
        assert_ptr_equal(batch.laid[i], &laid[i]);
    /* The first comes back: what it began is gone, and what another has begun is not its own. */
    assert_int_equal(collect(&pile, &laid[0]), 0);
    assert_int_equal(lay(&pile, &other, 3), OCT_PILE_FIRST);
    assert_int_equal(collect(&pile, &laid[0]), 0);
    assert_int_equal(collect(&pile, &other), 1);
}

/* After company a thread hopes for more, though it is the last to come, until four waits were fruitless. */
static void test_luck(void **state)
{
    struct oct_pile pile = lucky();
    struct oct_laid laid = {0};
    (void)state;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(lay(&pile, &laid, 1), OCT_PILE_FIRST);
        assert_int_equal(collect(&pile, &laid), 1);
    }
    assert_int_equal(lay(&pile, &laid, 1), OCT_PILE_ALONE);
}

/* But after one in which others have had the CPU, and did not come, it does not. */
static void test_long_miss(void **state)
{
    struct oct_pile pile = lucky();
    struct oct_laid laid = {0};
    (void)state;
    assert_int_equal(lay(&pile, &laid, 1), OCT_PILE_FIRST);
    at_once = false;
    assert_int_equal(collect(&pile, &laid), 1);
    at_once = true;
    assert_int_equal(lay(&pile, &laid, 1), OCT_PILE_ALONE);
    assert_int_equal(lay(&pile, &laid, 0), OCT_PILE_ALONE); /* the pause */
    assert_int_equal(lay(&pile, &laid, 1), OCT_PILE_FIRST);
}

/* Too few for a vector to pay are no luck. */
static void test_not_worth(void **state)
{
    struct oct_pile pile = {.last = &who[1]};
    struct oct_laid laid[2] = {{0}};
    struct oct_batch batch;
    (void)state;
    assert_int_equal(oct_pile_lay(&pile, &laid[0], &who[0], 3, &batch), OCT_PILE_FIRST);
    assert_int_equal(oct_pile_lay(&pile, &laid[1], &who[1], 3, &batch), OCT_PILE_LATER);
    oct_pile_collect(&pile, &laid[0], 3, true, &batch);
    assert_int_equal(batch.count, 2);
    assert_int_equal(lay(&pile, &laid[1], 1), OCT_PILE_ALONE);
}

/* Threads that come by turns and never meet: the pauses between two waits double up to 64. */
static void test_pauses(void **state)
{
    struct oct_pile pile = {.last = &who[1]};
    struct oct_laid laid = {0};
    int turn = 0;
    (void)state;
    for (int pause = 0; pause <= 128; pause = pause == 0 ? 1 : 2 * pause) {
        for (int i = 0; i < (pause > 64 ? 64 : pause); i++)
            assert_int_equal(lay(&pile, &laid, turn++ % 2), OCT_PILE_ALONE);
        assert_int_equal(lay(&pile, &laid, turn++ % 2), OCT_PILE_FIRST);
        assert_int_equal(collect(&pile, &laid), 1);
    }
}

/* Company ends the pauses, whoever it was that waited. */
static void test_company_after_pauses(void **state)
{
    struct oct_pile pile = lucky();
    struct oct_laid laid[2] = {{0}};
    (void)state;
    for (int turn = 0; turn < 300; turn++)
        if (lay(&pile, &laid[0], turn % 2) == OCT_PILE_FIRST)
            assert_int_equal(collect(&pile, &laid[0]), 1);
    for (int turn = 0; lay(&pile, &laid[0], turn % 2) != OCT_PILE_FIRST; turn++)
        assert_in_range(turn, 0, 64);
    assert_int_equal(lay(&pile, &laid[1], 5), OCT_PILE_LATER);
    assert_int_equal(collect(&pile, &laid[0]), 2);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(lay(&pile, &laid[0], 5), OCT_PILE_FIRST);
        assert_int_equal(collect(&pile, &laid[0]), 1);
    }
}

static void stay_here(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

/* In the child: empty, and not locked, though another thread of the parent had it. */
static void test_fork(void **state)
{
    const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    struct oct_laid laid = {0};
    struct oct_pile *pile;
    pid_t child;
    (void)state;
    stay_here();
    pile = oct_pile_here(OP);
    assert_non_null(pile);
    assert_ptr_equal(oct_pile_here(OP), pile);
    assert_ptr_not_equal(oct_pile_here(OP + 1), pile);
    assert_memory_equal(&pile->lock, &fresh, sizeof fresh);
    pile->last = &who[1];
    assert_int_equal(lay(pile, &laid, 0), OCT_PILE_FIRST);
    pthread_mutex_lock(&pile->lock);
    child = fork();
    if (child == 0) {
        struct oct_batch batch;
        alarm(60); /* who would wait for the lock would wait for ever */
        CHILD_ASSERT(oct_pile_here(OP) == pile);
        CHILD_ASSERT(oct_pile_lay(pile, &laid, &who[0], WORTH, &batch) == OCT_PILE_ALONE);
        CHILD_ASSERT(oct_pile_lay(pile, &laid, &who[1], WORTH, &batch) == OCT_PILE_FIRST);
        _exit(0);
    }
    assert_child_good(child);
    pthread_mutex_unlock(&pile->lock);
    assert_int_equal(collect(pile, &laid), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_always_alone), cmocka_unit_test(test_eight),
        cmocka_unit_test(test_luck),         cmocka_unit_test(test_long_miss),
        cmocka_unit_test(test_not_worth),    cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_fork),         cmocka_unit_test(test_company_after_pauses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
