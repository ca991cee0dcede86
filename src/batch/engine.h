/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How the queue's jobs are checked and run: on the operations of the API, or, in tests of the queue, on others. */
#ifndef OCT_BATCH_ENGINE_H
#define OCT_BATCH_ENGINE_H

#include <octuple/queue.h>

#include <stdbool.h>

struct oct_engine {
    /* OCT_OK, or why the job, whose `op` is one, cannot be submitted. */
    int (*check)(const struct oct_job *job);
    /* Before lanes of an operation run, and outside of what is measured: makes them ready, as far as they are not. */
    void (*get_ready)(int op);
    /* Runs 1 to 8 jobs of one operation and sets the status of each. Must not call back into the queue. */
    void (*run)(struct oct_job *const job[], unsigned jobs);
    /* One to eight jobs of the operation are one vector: struct oct_cost. */
    bool (*is_whole)(int op);
};

extern const struct oct_engine oct_engine;

#endif
