/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See pause.h. */
#include "pause.h"

#include "base/thread_mode.h"
#include "provider/core/key.h"

struct pause {
    struct oct_queue *queue;
    struct oct_job *job;
    void *const *key;
};

static void hold(const struct pause *pause)
{
    for (int i = 0; i < OCT_TASK_KEYS; i++)
        oct_prov_key_up_ref(pause->key[i]);
}

static void release(const struct pause *pause)
{
    for (int i = 0; i < OCT_TASK_KEYS; i++)
        oct_prov_key_free(pause->key[i]);
}

/* A job that has run, or whose queue has gone, is not cancelled again. */
static void lost(void *arg)
{
    const struct pause *pause = arg;
    oct_queue_cancel(pause->queue, pause->job);
    release(pause);
}

static void tell(struct oct_job *job)
{
    oct_fibre_tell(job->arg);
}

/* A connection that is given up must not go on with a result either: the rest of its handshake may be at hand. */
static enum oct_outcome wait_for(struct oct_fibre *fibre, struct pause *pause)
{
    bool told = true;

    if (oct_queue_holds(pause->queue, pause->job))
        told = oct_fibre_pause(fibre, lost, pause);
    if (oct_queue_holds(pause->queue, pause->job)) {
        oct_queue_cancel(pause->queue, pause->job);
        told = false;
    }
    if (oct_thread_is_draining())
        return OCT_OUTCOME_GAVE_UP;
    return told || pause->job->state == OCT_JOB_DONE ? OCT_OUTCOME_WAITED : OCT_OUTCOME_FAILED;
}

enum oct_outcome oct_pause_for(struct oct_fibre *fibre, struct oct_queue *queue, struct oct_job *job,
                               void *const key[OCT_TASK_KEYS])
{
    struct pause pause = {.queue = queue, .job = job, .key = key};
    enum oct_outcome outcome = OCT_OUTCOME_FAILED;

    hold(&pause);
    job->done = tell;
    job->arg = fibre;
    if (oct_queue_submit(queue, job) == OCT_OK)
        outcome = wait_for(fibre, &pause);
    release(&pause);
    return outcome;
}
