/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "unit.h"

#include "fake_runner.h"

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

struct oct_queue *fake_queue(bool learn)
{
    static struct oct_runner runner[OCT_OP_COUNT];
    const struct oct_queue_config config = {.now = fake_now};
    struct oct_queue *queue = NULL;

    for (int op = 0; op < OCT_OP_COUNT; op++)
        runner[op] = (struct oct_runner){fake_check, fake_run, false};
    memset(&fake, 0, sizeof fake);
    fake.clock = 1000;
    fake.cost[0] = 1500;
    fake.cost[1] = 3000;
    if (oct_queue_new_with(&queue, &config, runner, !learn) != OCT_OK)
        abort();
    return queue;
}
