/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Two sides at the same work by turns of some thirty microseconds in one process, so that what the machine does
 * meanwhile meets both. A ratio is the median over the pairs of neighbouring turns; times are medians too.
 */
#ifndef OCT_BENCH_EVP_TURNS_H
#define OCT_BENCH_EVP_TURNS_H

#include <stddef.h>

#define TURNS_MAX 10000

/* A unit of work: one side of it, what makes it ready, and what is timed. Both return 0 if anything failed. */
struct unit {
    void *work;
    int (*prepare)(void *work);
    int (*run)(void *work);
    size_t count; /* of the pieces, records or derivations in a unit */
};

struct result {
    double stock_ns, octuple_ns, ratio; /* for each piece, record or derivation */
};

/* same() compares what two sides have come to. 1, or 0 if work failed or the two do not come to the same. */
int turns_measure(const struct unit *stock, const struct unit *octuple, int (*same)(const void *a, const void *b),
                  size_t turns, struct result *r);

#endif
