/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See pause.h. */
#include "pause.h"

#include "base/thread_mode.h"
#include "pause_pays.h"
#include "provider/core/key.h"
#include "waker.h"

#include <openssl/crypto.h>
#include <string.h>

/* What others see of an operation while its slice is away. */
struct pause {
    struct oct_queue *queue;
    struct oct_job job; /* a copy of the operation's own */
    void *key[OCT_TASK_KEYS];
};

static struct pause *pause_new(struct oct_queue *queue, const struct oct_job *job, void *const key[OCT_TASK_KEYS])
{
    struct pause *pause = OPENSSL_zalloc(sizeof *pause);
    if (pause == NULL)
        return NULL;
    pause->queue = queue;
    pause->job = *job;
    for (int i = 0; i < OCT_TASK_KEYS; i++) {
        pause->key[i] = key[i];
        oct_prov_key_up_ref(key[i]);
    }
    return pause;
}

static void pause_free(struct pause *pause)
{
    for (int i = 0; i < OCT_TASK_KEYS; i++)
        oct_prov_key_free(pause->key[i]);
    OPENSSL_free(pause);
}

#define FIRST_WORD (offsetof(struct oct_job, flags) + sizeof(unsigned))
#define LAST_WORD  offsetof(struct oct_job, done)
_Static_assert(FIRST_WORD % sizeof(uintptr_t) == 0 && LAST_WORD % sizeof(uintptr_t) == 0,
               "what stands between these two is the lane, in whole words");

/*
 * Buffers of the operation that lie in the slice are now in its copy, and what the batch writes there is put back with
 * it. A lane consists of pointers and of lengths. No length is as large as an address of the stack, so every word that
 * lies in the slice is a pointer into it.
 */
static void moved(void *arg, uintptr_t low, uintptr_t top, ptrdiff_t by)
{
    struct pause *pause = arg;
    for (size_t at = FIRST_WORD; at < LAST_WORD; at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, (char *)&pause->job + at, sizeof word);
        if (word < low || word >= top)
            continue;
        word += (uintptr_t)by;
        memcpy((char *)&pause->job + at, &word, sizeof word);
    }
}

/* A job that has run, or whose queue has gone, is not cancelled again. */
static void lost(void *arg)
{
    struct pause *pause = arg;
    oct_queue_cancel(pause->queue, &pause->job);
    pause_free(pause);
}

static const struct oct_slice_wait waiting = {moved, lost};

static void tell(struct oct_job *job)
{
    oct_slice_tell(job->arg);
}

/* A connection that is given up must not go on with a result either: the rest of its handshake may be at hand. */
static enum oct_outcome leave(struct oct_slice *slice, struct pause *pause)
{
    bool told = true;

    if (oct_queue_holds(pause->queue, &pause->job))
        told = oct_slice_pause(slice, &waiting, pause);
    if (oct_queue_holds(pause->queue, &pause->job)) {
        oct_queue_cancel(pause->queue, &pause->job);
        told = false;
    }
    if (oct_thread_is_draining())
        return OCT_OUTCOME_GAVE_UP;
    return told || pause->job.state == OCT_JOB_DONE ? OCT_OUTCOME_WAITED : OCT_OUTCOME_FAILED;
}

static enum oct_outcome pause_slice(struct oct_slice *slice, struct oct_queue *queue, struct oct_job *job,
                                    void *const key[OCT_TASK_KEYS])
{
    struct pause *pause = pause_new(queue, job, key);
    enum oct_outcome outcome = OCT_OUTCOME_FAILED;

    if (pause == NULL)
        return OCT_OUTCOME_FAILED;
    pause->job.done = tell;
    pause->job.arg = slice;
    if (oct_queue_submit(queue, &pause->job) == OCT_OK)
        outcome = leave(slice, pause);
    job->status = pause->job.status;
    job->state = pause->job.state;
    pause_free(pause);
    return outcome;
}

static enum oct_outcome leave_async_job(struct oct_waker *waker, struct oct_queue *queue, struct oct_job *job)
{
    if (oct_queue_holds(queue, job))
        oct_waker_arm(waker);
    while (oct_queue_holds(queue, job)) {
        int paused = ASYNC_pause_job();
        oct_pause_note(!oct_queue_holds(queue, job) || oct_queue_waiting(queue) > 1);
        /* A connection that is given up must not go on with a result either: the rest of its handshake may be at hand.
         */
        if (!oct_queue_holds(queue, job))
            return oct_thread_is_draining() ? OCT_OUTCOME_GAVE_UP : OCT_OUTCOME_WAITED;
        if (!paused || oct_thread_is_draining()) {
            oct_queue_cancel(queue, job);
            return paused ? OCT_OUTCOME_GAVE_UP : OCT_OUTCOME_FAILED;
        }
        if (!oct_waker_should_poll(waker)) {
            oct_queue_cancel(queue, job);
            return OCT_OUTCOME_FAILED;
        }
        oct_queue_poll(queue);
    }
    return OCT_OUTCOME_WAITED;
}

static enum oct_outcome pause_async_job(ASYNC_JOB *fibre, struct oct_queue *queue, struct oct_job *job,
                                        void *const key[OCT_TASK_KEYS])
{
    struct oct_waker *waker = oct_waker_begin(fibre, queue, job, key);
    enum oct_outcome outcome = OCT_OUTCOME_FAILED;

    if (waker == NULL)
        return OCT_OUTCOME_FAILED;
    job->done = oct_waker_done;
    job->arg = waker;
    if (oct_queue_submit(queue, job) == OCT_OK)
        outcome = leave_async_job(waker, queue, job);
    oct_waker_end(waker);
    return outcome;
}

enum oct_outcome oct_pause_for(const struct oct_place *at, struct oct_queue *queue, struct oct_job *job,
                               void *const key[OCT_TASK_KEYS])
{
    return at->job != NULL ? pause_async_job(at->job, queue, job, key) : pause_slice(at->slice, queue, job, key);
}
