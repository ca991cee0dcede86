/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * An operation that waits: in a slice of the preload shim's (base/slice.h), or in an async job of OpenSSL's (waker.h).
 * The shim polls the queue and resumes the slice when its job is done.
 */
#ifndef OCT_PROVIDER_PAUSE_H
#define OCT_PROVIDER_PAUSE_H

#include "task.h"

#include "base/slice.h"

#include <openssl/async.h>

/* Where an operation stands: in an OpenSSL async job; or, that being NULL, in a slice; or, both NULL, in neither. */
struct oct_place {
    ASYNC_JOB *job;
    struct oct_slice *slice;
};

/* WAITED: the job is done, or a fork has left it behind. GAVE_UP: the connection is given up, and the operation is to
 * fail. FAILED: there was no pause. In each case the job is in no queue afterwards. */
enum oct_outcome { OCT_OUTCOME_WAITED, OCT_OUTCOME_GAVE_UP, OCT_OUTCOME_FAILED };

/* Submits the job, and pauses the slice or async job that the caller runs in until it is done. Until then it holds
 * references to the job's keys, which the program may free meanwhile. */
enum oct_outcome oct_pause_for(const struct oct_place *at, struct oct_queue *queue, struct oct_job *job,
                               void *const key[OCT_TASK_KEYS]);

#endif
