/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Operations in flat bytes that meet those of other threads. See octuple/flat.h. */
#include "api/flat_internal.h"

#include <octuple/queue.h>

/* With the jobs of other threads, or alone: `result` as of a batch of one lane. */
static int run_job(struct oct_job *job)
{
    int status = oct_queue_combine(job);
    if (status == OCT_ERR_FALLBACK) {
        struct oct_queue *queue = oct_queue_thread();
        status = queue ? oct_queue_run_now(queue, &job, 1) : OCT_ERR_MEMORY;
    }
    return status;
}

int oct_flat_combine(int op, const struct oct_flat_key *key, const uint8_t *in, size_t in_len, uint8_t *out,
                     struct oct_lanes *result)
{
    struct oct_job job = {.op = op};
    const struct oct_flat_lane at = {.in = in, .in_len = in_len, .out = out};
    int status = result ? oct_flat_lay(op, &job.rsa, key, &at) : OCT_ERR_ARGUMENT;
    if (status == OCT_OK && oct_operations[op].family->flat->draw_x8)
        status = OCT_ERR_UNSUPPORTED;
    if (status == OCT_OK)
        status = run_job(&job);
    if (status == OCT_OK)
        *result = (struct oct_lanes){.ok = job.status == OCT_OK, .invalid = job.status == OCT_ERR_RANGE};
    return status;
}
