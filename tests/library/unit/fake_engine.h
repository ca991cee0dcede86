/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * An engine that computes nothing, on a clock that goes only when it runs: the queue's tests decide what everything
 * costs and which result each job gets, and see which jobs were in lanes together.
 */
#ifndef OCT_TESTS_FAKE_ENGINE_H
#define OCT_TESTS_FAKE_ENGINE_H

#include "batch/queue_internal.h"

struct fake {
    uint64_t clock;
    uint64_t cost[2]; /* of a vector of up to four jobs, of five to eight */
    int refuse;       /* a status that submit is to return, or 0 */
    unsigned runs;    /* batches */
    unsigned lanes;   /* of the last batch */
    struct oct_job *lane[OCT_LANES];
};
extern struct fake fake;

/* A job's result in lanes is rsa.in - FAKE_STATUS: OCT_OK if `in` is NULL. */
#define FAKE_STATUS ((const uint8_t *)1024)

/* A queue with the fake engine. learn: whether costs are learned. */
struct oct_queue *fake_queue(bool learn);

#endif
