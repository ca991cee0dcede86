/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Messages as the blocks that a hash in the manner of Merkle and Damgard takes: padded, and in place where they can be.
 */
#ifndef OCT_API_HASH_BLOCKS_H
#define OCT_API_HASH_BLOCKS_H

#include "base/base.h"

/* Blocks have one of these sizes. */
#define OCT_HASH_MIN_BLOCK 64
#define OCT_HASH_MAX_BLOCK 128

/* A message in two parts, one after the other; a part of no length may be NULL. */
struct oct_hash_message {
    const uint8_t *head, *body;
    size_t head_len, body_len;
};

/* Bytes of a block, and of the least padding: a one bit, and the length. A constant, so that what divides by a block
 * shifts. */
struct oct_hash_shape {
    size_t block, padding;
};

static inline size_t oct_hash_count(struct oct_hash_shape shape, const struct oct_hash_message *m)
{
    return (m->head_len + m->body_len + shape.padding + shape.block - 1) / shape.block;
}

/* Where block number `index` of a message stands: in the body, if it lies there as it is, or else in `block`, which is
 * then written. */
const uint8_t *oct_hash_block(struct oct_hash_shape shape, uint8_t *block, const struct oct_hash_message *m,
                              size_t index);

/* How many blocks from `index` on lie in the body as they are, one after the other. */
static inline size_t oct_hash_in_place(struct oct_hash_shape shape, const struct oct_hash_message *m, size_t index)
{
    const size_t at = index * shape.block, len = m->head_len + m->body_len;
    return at >= m->head_len && at < len ? (len - at) / shape.block : 0;
}

#endif
