/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See hist.h. Bucket numbers: the first 256 values have one each, then each power of two is cut into 256. */
#include "hist.h"

#define SUB_BITS 8

static unsigned bucket_of(uint64_t value)
{
    if (value < LOAD_HIST_SUB)
        return (unsigned)value;
    unsigned shift = 63 - SUB_BITS - (unsigned)__builtin_clzll(value);
    unsigned bucket = (shift + 1) * LOAD_HIST_SUB + (unsigned)(value >> shift) - LOAD_HIST_SUB;
    return bucket < LOAD_HIST_BUCKETS ? bucket : LOAD_HIST_BUCKETS - 1;
}

/* The middle of a bucket. */
static uint64_t value_of(unsigned bucket)
{
    if (bucket < LOAD_HIST_SUB)
        return bucket;
    unsigned shift = bucket / LOAD_HIST_SUB - 1;
    uint64_t low = (uint64_t)(bucket % LOAD_HIST_SUB + LOAD_HIST_SUB) << shift;
    return low + ((uint64_t)1 << shift) / 2;
}

void load_hist_add(struct load_hist *hist, uint64_t nanoseconds)
{
    hist->count++;
    hist->sum += nanoseconds;
    if (nanoseconds > hist->max)
        hist->max = nanoseconds;
    hist->bucket[bucket_of(nanoseconds)]++;
}

uint64_t load_hist_quantile(const struct load_hist *hist, double fraction)
{
    uint64_t rank = (uint64_t)(fraction * (double)hist->count), seen = 0;
    for (unsigned i = 0; i < LOAD_HIST_BUCKETS; i++) {
        seen += hist->bucket[i];
        if (seen > rank)
            return value_of(i) < hist->max ? value_of(i) : hist->max;
    }
    return hist->max;
}
