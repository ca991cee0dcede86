/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The measurement of `octuple speed`.
 *
 * Both sides run on one core in short slices, one after the other, and the ratio is the median over the pairs: what the
 * machine does meanwhile (clock, neighbours on the host) hits both slices of a pair alike, and a pair that was hit in
 * the middle does not count. Time is the thread's CPU time, so that a preempted slice is not a slow one.
 */
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include "speed.h"

/* Long enough for timer and cache warm-up to vanish, short enough for a hundred pairs in two seconds. */
#define SLICE_SECONDS 0.010
#define MIN_PAIRS     5
#define MAX_PAIRS     4096

struct side {
    unsigned (*run)(void *state);
    void *state;
    unsigned calls;         /* in one slice */
    double rate[MAX_PAIRS]; /* units per second of each slice */
};

static cpu_set_t original;
static int have_original;
static int core = -1;

int speed_pin(void)
{
    cpu_set_t one;
    have_original = sched_getaffinity(0, sizeof original, &original) == 0;
    if (core < 0)
        core = sched_getcpu();
    if (core < 0 || !have_original)
        return -1;
    CPU_ZERO(&one);
    CPU_SET((size_t)core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? core : -1;
}

void speed_unpin(void)
{
    if (have_original)
        sched_setaffinity(0, sizeof original, &original);
}

static double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Runs `calls` calls; returns units per second of CPU time, 0 if a call failed. */
static double slice(const struct side *side, unsigned calls)
{
    double units = 0;
    double begin = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    for (unsigned i = 0; i < calls; i++) {
        unsigned done = side->run(side->state);
        if (done == 0)
            return 0;
        units += done;
    }
    return units / (clock_seconds(CLOCK_THREAD_CPUTIME_ID) - begin);
}

/* Finds how many calls fill a slice, by doubling; that is the warm-up too. */
static int calibrate(struct side *side, double seconds)
{
    double want = seconds / (4 * MIN_PAIRS) < SLICE_SECONDS ? seconds / (4 * MIN_PAIRS) : SLICE_SECONDS;
    for (side->calls = 1;; side->calls *= 2) {
        double begin = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
        if (slice(side, side->calls) == 0)
            return 0;
        double took = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
        if (took >= want / 2) {
            double fit = side->calls * want / took;
            side->calls = fit < 1 ? 1 : (unsigned)fit;
            return 1;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double value[], unsigned n)
{
    qsort(value, n, sizeof value[0], by_value);
    return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

static int run_pairs(struct side *octuple, struct side *openssl, double seconds, struct speed_result *result)
{
    static double ratio[MAX_PAIRS];
    struct side *const sides[2] = {octuple, openssl};
    double end = clock_seconds(CLOCK_MONOTONIC) + seconds;
    unsigned n = 0;
    while (n < MIN_PAIRS || (n < MAX_PAIRS && clock_seconds(CLOCK_MONOTONIC) < end)) {
        /* One slice of each side, the other one first every second time. */
        for (unsigned i = 0; i < 2; i++) {
            struct side *side = sides[(i + n) % 2];
            if (side->run != NULL && (side->rate[n] = slice(side, side->calls)) == 0)
                return 0;
        }
        ratio[n] = octuple->run != NULL && openssl->run != NULL ? octuple->rate[n] / openssl->rate[n] : 0;
        n++;
    }
    result->pairs = n;
    result->ratio = median(ratio, n);
    result->octuple_per_s = octuple->run != NULL ? median(octuple->rate, n) : 0;
    result->openssl_per_s = openssl->run != NULL ? median(openssl->rate, n) : 0;
    return 1;
}

int speed_measure(const struct speed_op *op, void *state, double seconds, int with_octuple, struct speed_result *result)
{
    static struct side octuple, openssl;
    octuple.run = with_octuple ? op->octuple : NULL;
    openssl.run = speed_op_has_openssl(op, state) ? op->openssl : NULL;
    octuple.state = openssl.state = state;
    if ((with_octuple && !calibrate(&octuple, seconds)) || (openssl.run != NULL && !calibrate(&openssl, seconds)))
        return 0;
    *result = (struct speed_result){0};
    if (octuple.run == NULL && openssl.run == NULL)
        return 1;
    if (!run_pairs(&octuple, &openssl, seconds, result))
        return 0;
    if (speed_op_is_bytes(op)) {
        result->octuple_per_s *= 1e-9;
        result->openssl_per_s *= 1e-9;
    }
    return 1;
}
