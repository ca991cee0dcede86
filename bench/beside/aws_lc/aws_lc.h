/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Rows beside AWS-LC, by family. AWS-LC has one operation at a time, so a call of its side makes eight in turn. */
#ifndef OCT_BENCH_AWS_LC_H
#define OCT_BENCH_AWS_LC_H

#include "lanes.h"

extern const struct beside_row aws_lc_rsa[], aws_lc_ec[], aws_lc_25519[], aws_lc_post_quantum[];

#define AWS_LC_ROW(name, which, family, verb)                                                                          \
    {                                                                                                                  \
        name, "op/s", which, 0, family##_open, family##_close, family##_our_##verb, family##_their_##verb,             \
            family##_same                                                                                              \
    }

#endif
