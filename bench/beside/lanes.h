/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Octuple's side of rows whose calls run eight operations, for peers that have such operations too. */
#ifndef OCT_BENCH_LANES_H
#define OCT_BENCH_LANES_H

#include "beside.h"

#include <octuple/octuple.h>

#define LANES    8
#define ALL_GOOD 0xff

/* Whether a batch of eight was run and every lane is good. */
static inline int all_good(int status, const struct oct_lanes *result)
{
    return status == OCT_OK && result->ok == ALL_GOOD;
}

/* Our side of a row: the call that runs eight lanes of `struct family`, s, and writes `result`. */
#define OURS(family, verb, call)                                                                                       \
    static unsigned family##_our_##verb(void *arg)                                                                     \
    {                                                                                                                  \
        struct family *s = arg;                                                                                        \
        struct oct_lanes result;                                                                                       \
        return all_good(call, &result) ? LANES : 0;                                                                    \
    }

#endif
