/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Latencies in a histogram of fixed size: 256 buckets per power of two, so that a quantile is right to 0.4 %, however
 * many values there are.
 */
#ifndef OCTUPLE_LOADGEN_HIST_H
#define OCTUPLE_LOADGEN_HIST_H

#include <stdint.h>

#define LOAD_HIST_SUB     256
#define LOAD_HIST_BUCKETS (LOAD_HIST_SUB * 34) /* up to 2^41 ns, half an hour */

struct load_hist {
    uint64_t count, sum, max;
    uint64_t bucket[LOAD_HIST_BUCKETS];
};

void load_hist_add(struct load_hist *hist, uint64_t nanoseconds);

/* The value below which `fraction` (0 to 1) of all values are; 0 if there are none. */
uint64_t load_hist_quantile(const struct load_hist *hist, double fraction);

#endif
