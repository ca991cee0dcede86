/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/batch/peers.c: policies and nices of a thread, each in a child of its own. */
#include "unit.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "batch/peers.h"

/* Each nicer than those before, which nobody is refused. */
static const struct {
    int policy, nice;
} states[] = {
    {SCHED_OTHER, 0},  {SCHED_BATCH, 0},  {SCHED_OTHER, 1}, {SCHED_BATCH, 1},
    {SCHED_OTHER, 19}, {SCHED_BATCH, 19}, {SCHED_IDLE, 19},
};
#define STATES (sizeof states / sizeof states[0])

static bool become(int policy, int priority, int nice)
{
    const struct sched_param param = {.sched_priority = priority};
    return sched_setscheduler(0, policy, &param) == 0 && setpriority(PRIO_PROCESS, 0, nice) == 0;
}

static void child_is_all(void *arg)
{
    int seen[STATES];

    (void)arg;
    for (unsigned i = 0; i < STATES; i++) {
        CHILD_ASSERT(become(states[i].policy, 0, states[i].nice));
        seen[i] = oct_peers_ask();
        CHILD_ASSERT(seen[i] >= 0 && seen[i] < OCT_PEERS && seen[i] == oct_peers_ask());
        for (unsigned j = 0; j < i; j++)
            CHILD_ASSERT(seen[j] != seen[i]);
    }
    CHILD_ASSERT(seen[0] == OCT_PEERS_USUAL);
}

static void test_kinds(void **state)
{
    (void)state;
    if (!become(SCHED_OTHER, 0, 0))
        skip(); /* the tests run at a nice, and may not go back */
    in_child(child_is_all, NULL);
}

static void child_is_real_time(void *arg)
{
    (void)arg;
    for (int policy = SCHED_FIFO; policy <= SCHED_RR; policy++)
        if (become(policy, 1, 0))
            CHILD_ASSERT(oct_peers_ask() == OCT_PEERS_NONE);
}

/* Where the system lets us be that. */
static void test_real_time(void **state)
{
    (void)state;
    in_child(child_is_real_time, NULL);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_kinds, test_real_time);
}
