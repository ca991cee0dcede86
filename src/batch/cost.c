/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Learning costs and deciding by them. Pure arithmetic on a few numbers: no clock, no queue. */
#include "batch/cost.h"

#include "base/policy.h"

#include <octuple/status.h>

/* Eighteen minutes: nothing takes longer, and eight of them are far from an overflow. */
#define SAMPLE_MAX ((uint64_t)1 << 40)

static uint64_t clip(uint64_t v, uint64_t low, uint64_t high)
{
    return v < low ? low : v > high ? high : v;
}

void oct_estimate_add(struct oct_estimate *estimate, uint64_t nanoseconds)
{
    uint64_t sample = clip(nanoseconds, 1, SAMPLE_MAX);
    uint64_t value = estimate->value;

    if (estimate->samples < OCT_POLICY_COST_SURE) {
        if (estimate->samples == 0 || sample < value)
            estimate->value = sample;
        estimate->samples++;
        return;
    }
    sample = clip(sample, value / OCT_POLICY_COST_OUTLIER, OCT_POLICY_COST_OUTLIER * value);
    /* At least one nanosecond up, so that no value is too small to grow again. */
    if (sample > value)
        estimate->value = value + (sample - value + OCT_POLICY_COST_RISE - 1) / OCT_POLICY_COST_RISE;
    else
        estimate->value = value - (value - sample) / OCT_POLICY_COST_FALL;
}

static unsigned size_class(const struct oct_cost *cost, unsigned jobs)
{
    return !cost->whole && jobs > OCT_COST_GRANULE;
}

/* The costs to reckon with. What has not been measured is assumed such that vectors from two jobs on pay, so that it
 * soon is. */
static uint64_t vector_cost(const struct oct_cost *cost, unsigned jobs)
{
    const struct oct_estimate *one = &cost->vector[0], *two = &cost->vector[1];
    uint64_t small = one->samples != 0 ? one->value : 2 * cost->fallback.value - 1;

    if (size_class(cost, jobs) == 0)
        return small;
    return two->samples != 0 ? two->value : 2 * small;
}

static bool known(const struct oct_cost *cost)
{
    return !cost->frozen && cost->fallback.samples != 0 &&
           (cost->vector[0].samples != 0 || cost->vector[1].samples != 0);
}

unsigned oct_cost_break_even(const struct oct_cost *cost)
{
    unsigned jobs = 1;

    if (!known(cost))
        return OCT_POLICY_COST_UNKNOWN;
    while (jobs <= OCT_LANES && vector_cost(cost, jobs) >= jobs * cost->fallback.value)
        jobs++;
    return jobs;
}

bool oct_cost_wants_vector(const struct oct_cost *cost)
{
    return !cost->frozen && cost->fallback.samples >= OCT_POLICY_COST_SURE &&
           cost->vector[0].samples < OCT_POLICY_COST_SURE;
}

/* The cheapest of: all in lanes; one full vector and the rest on the fallback; all on it. */
static unsigned cheapest(const struct oct_cost *cost, unsigned jobs, unsigned must)
{
    uint64_t fallback = cost->fallback.value;

    if (!known(cost))
        return jobs >= OCT_POLICY_COST_UNKNOWN || must != 0 ? jobs : 0;

    unsigned lanes = jobs;
    uint64_t least = vector_cost(cost, jobs);
    if (size_class(cost, jobs) != size_class(cost, must)) {
        uint64_t split = vector_cost(cost, OCT_COST_GRANULE) + (jobs - OCT_COST_GRANULE) * fallback;
        if (split < least) {
            lanes = OCT_COST_GRANULE;
            least = split;
        }
    }
    return must == 0 && jobs * fallback <= least ? 0 : lanes;
}

/* A vector that lost would never be measured again. By its first measurements it may have lost wrongly: one of them is
 * easily far too dear, and it is taken again at once until there are enough. Later it is tried now and then, since the
 * machine may have changed: if it turns out cheaper than was thought that counts at once. Trials with one job become
 * rarer the more of them it has lost, so that they do not show in the latencies of handshakes that come alone. */
static bool retry_due(struct oct_cost *cost, unsigned jobs, unsigned lanes)
{
    unsigned c = size_class(cost, jobs);
    struct oct_estimate *vector = &cost->vector[c];

    if (!known(cost))
        return false;
    if (lanes != 0 && size_class(cost, lanes) == c) {
        cost->lost = jobs == 1 ? 0 : cost->lost;
        return false;
    }
    if (vector->samples != 0 && vector->samples < OCT_POLICY_COST_SURE)
        return true;
    if (++cost->unused[c] < (unsigned)OCT_POLICY_TRIAL << (jobs == 1 ? cost->lost : 0))
        return false;
    cost->unused[c] = 0;
    if (jobs == 1 && cost->lost < OCT_POLICY_TRIAL_DOUBLED)
        cost->lost++;
    vector->samples = vector->samples != 0 ? OCT_POLICY_COST_SURE - 1 : 0;
    return true;
}

/* The same for a cost of the fallback that nobody tells any more because vectors always win. If the next one told
 * is smaller it counts at once. */
static bool refresh_due(struct oct_cost *cost, unsigned lanes, unsigned must)
{
    if (!known(cost) || lanes <= must || ++cost->fallback_age < OCT_POLICY_COST_REFRESH)
        return false;
    cost->fallback_age = 0;
    cost->fallback.samples = 1;
    return true;
}

unsigned oct_cost_plan(struct oct_cost *cost, unsigned jobs, unsigned must)
{
    unsigned lanes = cheapest(cost, jobs, must);

    if (retry_due(cost, jobs, lanes))
        return jobs;
    if (refresh_due(cost, lanes, must))
        return lanes - 1;
    return lanes;
}

void oct_cost_note_vector(struct oct_cost *cost, unsigned lanes, uint64_t nanoseconds)
{
    unsigned c = size_class(cost, lanes);

    if (cost->frozen)
        return;
    cost->unused[c] = 0;
    oct_estimate_add(&cost->vector[c], nanoseconds);
}

void oct_cost_note_fallback(struct oct_cost *cost, uint64_t nanoseconds)
{
    if (cost->frozen)
        return;
    cost->fallback_age = 0;
    oct_estimate_add(&cost->fallback, nanoseconds);
}
