/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM3 of up to sixteen messages at once: padding, and lanes of different length. */
#ifndef OCT_API_SM3_LANES_H
#define OCT_API_SM3_LANES_H

#include "api/hash_blocks.h"
#include "ops/ops.h"

#include <octuple/sm3.h>

#define OCT_SM3_BLOCK 64

/* What oct_sm3_lanes() works in: 64-byte aligned, and left dirty. */
struct oct_sm3_space {
    oct_word16 state[8];
    uint8_t block[OCT_SM3_LANES][OCT_SM3_BLOCK];
    uint8_t digest[OCT_SM3_LANES][OCT_SM3_BYTES];
};

/* space->digest = the digests of the first `lanes` messages. Time and addresses depend on lengths only. */
void oct_sm3_lanes(const struct oct_ops *ops, struct oct_sm3_space *space, const struct oct_hash_message message[],
                   unsigned lanes);

/* oct_sm3_x16() on a given table, which may be NULL. */
int oct_sm3_on(const struct oct_ops *ops, const struct oct_sm3_lane lane[], unsigned lanes);

#endif
