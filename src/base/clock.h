/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The one clock by which everything measures: the monotonic one, which no administrator sets. */
#ifndef OCT_BASE_CLOCK_H
#define OCT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define OCT_NANOSECONDS 1000000000u

static inline uint64_t oct_clock_nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * OCT_NANOSECONDS + (uint64_t)t.tv_nsec;
}

#endif
