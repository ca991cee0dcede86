/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * One operation of any family, to be run in lanes or by the fallback, whichever is due (task.c). A family puts a struct
 * oct_task first into a struct of its own, with the keys and buffers, on the stack of the calling slice or fibre.
 */
#ifndef OCT_PROVIDER_TASK_H
#define OCT_PROVIDER_TASK_H

#include "base/slice.h"

#include <octuple/octuple.h>
#include <stdbool.h>

struct oct_prov;
struct oct_task;

#define OCT_TASK_KEYS 2

/* What a family has to say about an operation. */
struct oct_task_type {
    /* Fills in the job's lane; 0 if this one cannot run in lanes. */
    int (*fill)(const struct oct_task *task, struct oct_job *job);
    /* The operation on OpenSSL's own code; 1, or 0 with an error raised. */
    int (*fallback)(const struct oct_task *task);
    /* The error (enum oct_reason) for an input that lanes find invalid. */
    int invalid_reason;
    /* What it is to libssl. A verification, and what a client does, is none: a handshake never pauses there. */
    enum oct_slice_work work;
};

struct oct_task {
    const struct oct_task_type *type;
    struct oct_prov *prov;
    int op;       /* enum oct_op; -1 if lanes do not serve it */
    int lane_key; /* 1 if its key is ready for lanes: if it runs by the fallback at once, the counters say so */
    /* Even one such operation may be cheaper in a vector of its own than by the fallback; the queue learns whether it
     * is. */
    bool may_pay_alone;
    /* There is nothing that could be cheaper than a vector for one: the fallback is for where lanes are not. */
    bool lanes_only;
    void *key[OCT_TASK_KEYS]; /* what the job uses while it waits (core/key.h); NULL: none */
};

/* Runs it. Returns 1, or 0 with an error raised. The buffers stay in place while the calling slice or fibre is paused;
 * they must be on its stack or on the heap. */
int oct_task_run(const struct oct_task *task);

#endif
