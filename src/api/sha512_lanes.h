/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SHA-512 of eight messages at once: padding, and lanes of different length. */
#ifndef OCT_API_SHA512_LANES_H
#define OCT_API_SHA512_LANES_H

#include "api/hash_blocks.h"
#include "base/sha512.h"
#include "ops/ops.h"

#include <octuple/status.h>

/* What oct_sha512_lanes() works in: 64-byte aligned, and left dirty. */
struct oct_sha512_space {
    oct_limb8 state[8];
    uint8_t block[OCT_LANES][OCT_SHA512_BLOCK];
    uint8_t digest[OCT_LANES][OCT_SHA512_BYTES];
};

/* space->digest = the digests of the first `lanes` messages, each below 2^61 - 64 bytes. Time and addresses depend on
 * lengths only. */
void oct_sha512_lanes(const struct oct_ops *ops, struct oct_sha512_space *space,
                      const struct oct_hash_message message[], unsigned lanes);

#endif
