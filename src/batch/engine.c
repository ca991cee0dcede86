/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See engine.h. The families say all that is particular to them (api/operation.h). */
#include "batch/engine.h"

#include "api/operation.h"
#include "api/verdict.h"
#include "base/base.h"

#include <string.h>

/* Room for eight lanes of any family: the union of a job has one. */
#define LANE_BYTES (offsetof(struct oct_job, done) - offsetof(struct oct_job, rsa))

static const void *lane_of(const struct oct_job *job)
{
    return &job->rsa;
}

/* Who can run on the fallback may never need lanes, so that the known answers wait until lanes are to run. */
static bool is_served(const struct oct_job *job)
{
    return job->flags & OCT_JOB_MAY_FALL_BACK ? oct_op_may_be_on(job->op) : oct_op_is_on(job->op);
}

static int check(const struct oct_job *job)
{
    const struct oct_operation *operation = &oct_operations[job->op];
    const int status = operation->family->check(operation, lane_of(job));

    if (status != OCT_OK)
        return status;
    return is_served(job) ? OCT_OK : OCT_ERR_UNSUPPORTED;
}

static void get_ready(int op)
{
    (void)oct_op_is_on(op);
}

/* What a batch said becomes the status of each job. One that was refused as a whole (memory, or the operation has
 * failed its known answers) wrote nothing: whoever can fall back does. */
static void judge(struct oct_job *const job[], unsigned jobs, int status, const struct oct_lanes *result)
{
    for (unsigned i = 0; i < jobs; i++)
        if (status != OCT_OK)
            job[i]->status = job[i]->flags & OCT_JOB_MAY_FALL_BACK ? OCT_ERR_FALLBACK : status;
        else if (result->ok >> i & 1)
            job[i]->status = OCT_OK;
        else
            job[i]->status = result->invalid >> i & 1 ? OCT_ERR_RANGE : OCT_ERR_FAULT;
}

/* The arguments were checked when the jobs were submitted. No lane runs before the operation is on. */
static void run(struct oct_job *const job[], unsigned jobs)
{
    const struct oct_operation *operation = &oct_operations[job[0]->op];
    const size_t size = operation->family->lane_bytes;
    uint64_t lane[OCT_LANES * LANE_BYTES / sizeof(uint64_t)];
    struct oct_lanes result = {0, 0};

    OCT_ASSERT(jobs >= 1 && jobs <= OCT_LANES && size <= LANE_BYTES);
    for (unsigned i = 0; i < jobs; i++)
        memcpy((uint8_t *)lane + i * size, lane_of(job[i]), size);
    const int status = oct_op_is_on(job[0]->op)
                           ? operation->family->run_x8(operation, oct_ops_selected(), lane, jobs, &result)
                           : OCT_ERR_UNSUPPORTED;
    judge(job, jobs, status, &result);
}

static bool is_whole(int op)
{
    return oct_operations[op].family->whole;
}

const struct oct_engine oct_engine = {check, get_ready, run, is_whole};
