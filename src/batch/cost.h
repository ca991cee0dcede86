/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whether a vector pays, from what vectors and the fallback were measured to cost on this very thread.
 *
 * A vector costs the same whatever its fill. RSA's private operation packs (operation, prime) into lanes, so up to four
 * jobs are one vector and five to eight are two: two costs to learn for an operation, and the one of the fallback.
 * Where every operation is one lane (`whole`) eight jobs are one vector, and there is one cost to learn.
 */
#ifndef OCT_BATCH_COST_H
#define OCT_BATCH_COST_H

#include <stdbool.h>
#include <stdint.h>

#define OCT_COST_GRANULE 4 /* jobs in one vector, where that is not eight */

/*
 * A running estimate in nanoseconds. What disturbs a measurement (a thread that is preempted, a cold cache) only ever
 * adds to it, so the estimate keeps to the lower samples: it falls quickly and rises slowly, and one outlier moves it
 * little (base/policy.h).
 */
struct oct_estimate {
    uint64_t value;
    unsigned samples; /* 0: nothing known; counts up to OCT_POLICY_COST_SURE */
};

struct oct_cost {
    struct oct_estimate vector[2]; /* of up to four jobs, of five to eight; if `whole` the first is of all */
    struct oct_estimate fallback;  /* of one operation */
    unsigned unused[2];            /* chunks of that size since its vector last ran */
    unsigned fallback_age;         /* chunks since the cost of the fallback was last told */
    bool whole;                    /* one to eight jobs are one vector */
    bool frozen;                   /* learns nothing: vectors from two jobs on */
    unsigned lost;                 /* trials with one job that a vector has lost, one after the other */
};

void oct_estimate_add(struct oct_estimate *estimate, uint64_t nanoseconds);

/* The smallest number of jobs for which a vector is cheaper than that many runs of the fallback; 9 if there is none. */
unsigned oct_cost_break_even(const struct oct_cost *cost);

/* How many of `jobs` (1 to 8) to run in lanes, so that the whole is cheapest, at least `must` (those that cannot run
 * on the fallback); now and then another number than the cheapest, to see whether the estimates still hold. */
unsigned oct_cost_plan(struct oct_cost *cost, unsigned jobs, unsigned must);

/* True while the cost of the fallback is known by enough samples and that of a small vector is not: for who always
 * comes alone, and so would never learn whether a vector pays even then. The first few, maybe of a process that has
 * just started, do not wait for what a first vector needs. */
bool oct_cost_wants_vector(const struct oct_cost *cost);

void oct_cost_note_vector(struct oct_cost *cost, unsigned lanes, uint64_t nanoseconds);
void oct_cost_note_fallback(struct oct_cost *cost, uint64_t nanoseconds);

#endif
