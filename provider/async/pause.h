/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * An operation that waits on a slice of the preload shim's (base/slice.h). The shim polls the queue and resumes the
 * slice when its job is done. wait.h is the same for fibres of OpenSSL's.
 */
#ifndef OCT_PROVIDER_PAUSE_H
#define OCT_PROVIDER_PAUSE_H

#include "task.h"

#include "base/slice.h"

/* WAITED: the job is done, or a fork has left it behind. GAVE_UP: the connection is given up, and the operation is to
 * fail. FAILED: there was no pause. In each case the job is in no queue afterwards. */
enum oct_outcome { OCT_OUTCOME_WAITED, OCT_OUTCOME_GAVE_UP, OCT_OUTCOME_FAILED };

/* Submits the job, and pauses the calling slice until it is done. Until then it holds references to the job's keys,
 * which the program may free meanwhile. */
enum oct_outcome oct_pause_for(struct oct_slice *slice, struct oct_queue *queue, struct oct_job *job,
                               void *const key[OCT_TASK_KEYS]);

#endif
