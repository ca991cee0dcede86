/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What stands in an SM4 key, and keys on a tier of the caller's choice: for src/api and for tests. */
#ifndef OCT_API_SM4_INTERNAL_H
#define OCT_API_SM4_INTERNAL_H

#include "ops/sm4.h"

#include <octuple/sm4.h>

struct oct_sm4_inside {
    const struct oct_sm4_ops *ops;
    uint8_t expanded[OCT_SM4_EXPANDED_BYTES] OCT_ALIGN64;
};
_Static_assert(sizeof(struct oct_sm4_inside) <= sizeof(struct oct_sm4_key), "a key fits");
_Static_assert(OCT_SM4_LANES == OCT_SM4_CHAINS, "a call's lanes");

static inline const struct oct_sm4_inside *oct_sm4_inside(const struct oct_sm4_key *key)
{
    return (const struct oct_sm4_inside *)key->opaque;
}

/* oct_sm4_key_init() with the tier of the caller's choice. */
int oct_sm4_key_init_on(const struct oct_sm4_ops *ops, struct oct_sm4_key *key, const uint8_t *bytes);

/* Blocks that the last four bytes of a counter can count before they begin anew. */
uint64_t oct_sm4_blocks_ahead(const uint8_t counter[16]);
/* counter += blocks, at most so many. */
void oct_sm4_count(uint8_t counter[16], uint64_t blocks);

#endif
