/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Threads at work, by turns with the keys of one provider and of the other. */
#ifndef OCT_BENCH_THREADS_MEASURE_H
#define OCT_BENCH_THREADS_MEASURE_H

#include "work.h"

#define MAX_TURNS 1000

enum side { STOCK, OCTUPLE, SIDES };

struct plan {
    unsigned threads, turns, milliseconds; /* of a turn, beside 2 for each thread: so that each has its own */
    unsigned work_us;                      /* other work between two operations */
};

struct result {
    double per_s[SIDES], ratio;
    double cpu_us[SIDES], cpu_ratio; /* CPU time of the process for each operation */
    uint64_t p50[SIDES], p99[SIDES]; /* nanoseconds */
};

/* 1, or 0 if anything failed or a result was wrong. */
int measure(const struct plan *plan, const struct work_keys keys[SIDES], struct result *r);

#endif
