/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Rows beside AWS-LC, by family. AWS-LC has one operation at a time, so a call of its side makes eight in turn. */
#ifndef OCT_BENCH_AWS_LC_H
#define OCT_BENCH_AWS_LC_H

#include "beside.h"

#include <octuple/octuple.h>

#define LANES    8
#define ALL_GOOD 0xff

extern const struct beside_row aws_lc_rsa[], aws_lc_ec[], aws_lc_25519[], aws_lc_post_quantum[];

/* Whether a batch of eight was run and every lane is good. */
static inline int all_good(int status, const struct oct_lanes *result)
{
    return status == OCT_OK && result->ok == ALL_GOOD;
}

/* Octuple's side of a row: the call that runs eight lanes of `struct family`, s, and writes `result`. */
#define AWS_LC_OURS(family, verb, call)                                                                                \
    static unsigned family##_our_##verb(void *arg)                                                                     \
    {                                                                                                                  \
        struct family *s = arg;                                                                                        \
        struct oct_lanes result;                                                                                       \
        return all_good(call, &result) ? LANES : 0;                                                                    \
    }

#define AWS_LC_ROW(name, which, family, verb)                                                                          \
    {                                                                                                                  \
        name, "op/s", which, 0, family##_open, family##_close, family##_our_##verb, family##_their_##verb,             \
            family##_same                                                                                              \
    }

#endif
