/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "unit.h"

#include "fake_engine.h"

struct fake fake;

static uint64_t fake_now(void *arg)
{
    (void)arg;
    return fake.clock;
}

static int fake_check(const struct oct_job *job)
{
    (void)job;
    return fake.refuse;
}

static void fake_get_ready(int op)
{
    (void)op;
}

static void fake_run(struct oct_job *const job[], unsigned jobs)
{
    for (unsigned i = 0; i < jobs; i++) {
        fake.lane[i] = job[i];
        job[i]->status = job[i]->rsa.in == NULL ? OCT_OK : (int)(job[i]->rsa.in - FAKE_STATUS);
    }
    fake.lanes = jobs;
    fake.runs++;
    fake.clock += fake.cost[jobs > 4];
}

static bool fake_is_whole(int op)
{
    (void)op;
    return false;
}

struct oct_queue *fake_queue(bool learn)
{
    static const struct oct_engine engine = {fake_check, fake_get_ready, fake_run, fake_is_whole};
    const struct oct_queue_config config = {.now = fake_now};
    struct oct_queue *queue = NULL;

    memset(&fake, 0, sizeof fake);
    fake.clock = 1000;
    fake.cost[0] = 1500;
    fake.cost[1] = 3000;
    if (oct_queue_new_with(&queue, &config, &engine, !learn) != OCT_OK)
        abort();
    return queue;
}
