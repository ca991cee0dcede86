/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Both sides by turns of some milliseconds, the other one first every second time. What the machine does meanwhile
 * meets both turns of a pair. Time is the thread's CPU time, so that a turn that had to wait is not a slow one.
 */
#include "beside.h"

#include <time.h>

#define TURN_SECONDS 0.005
#define WARM_UPS     2
#define MIN_PAIRS    5

struct side {
    unsigned (*run)(void *state);
    void *state;
    unsigned calls; /* in one turn */
};

static double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Units per second of CPU time; 0 if a call failed. */
static double turn(const struct side *side)
{
    const double began = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    double units = 0;
    for (unsigned i = 0; i < side->calls; i++) {
        const unsigned done = side->run(side->state);
        if (done == 0)
            return 0;
        units += done;
    }
    return units / (clock_seconds(CLOCK_THREAD_CPUTIME_ID) - began);
}

/* How many calls fill a turn, found by doubling. */
static int calibrate(struct side *side)
{
    for (side->calls = 1;; side->calls *= 2) {
        const double began = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
        if (turn(side) == 0)
            return 0;
        const double took = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - began;
        if (took >= TURN_SECONDS / 2) {
            side->calls = (unsigned)(side->calls * TURN_SECONDS / took);
            side->calls += side->calls == 0;
            return 1;
        }
    }
}

static int take_pair(const struct side side[2], unsigned number, double rate[2])
{
    for (unsigned i = 0; i < 2; i++) {
        const unsigned which = (i + number) % 2;
        rate[which] = turn(&side[which]);
        if (rate[which] == 0)
            return 0;
    }
    return 1;
}

int beside_take_turns(const struct beside_row *row, void *state, double seconds, struct beside_pairs *pairs)
{
    struct side side[2] = {{row->octuple, state, 0}, {row->peer, state, 0}};
    double rate[2], end;

    pairs->n = 0;
    if (!calibrate(&side[0]) || !calibrate(&side[1]))
        return 0;
    for (unsigned i = 0; i < WARM_UPS; i++)
        if (!take_pair(side, i, rate))
            return 0;
    end = clock_seconds(CLOCK_MONOTONIC) + seconds;
    while (pairs->n < MIN_PAIRS || (pairs->n < BESIDE_MAX_PAIRS && clock_seconds(CLOCK_MONOTONIC) < end)) {
        if (!take_pair(side, pairs->n, rate))
            return 0;
        pairs->octuple[pairs->n] = rate[0];
        pairs->peer[pairs->n++] = rate[1];
    }
    return 1;
}
