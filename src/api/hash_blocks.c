/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "api/hash_blocks.h"

#include <endian.h>
#include <string.h>

/* The part of [from, from + len) that falls into the block that begins at `at`. */
static void copy_part(size_t size, uint8_t *block, size_t at, const uint8_t *data, size_t from, size_t len)
{
    const size_t first = at > from ? at : from;
    const size_t end = at + size < from + len ? at + size : from + len;
    if (first < end)
        memcpy(block + (first - at), data + (first - from), end - first);
}

/* Of one of two sizes, so that each is a few stores. */
static void clear_block(uint8_t *block, size_t size)
{
    memset(block, 0, OCT_HASH_MIN_BLOCK);
    if (size > OCT_HASH_MIN_BLOCK)
        memset(block + OCT_HASH_MIN_BLOCK, 0, OCT_HASH_MAX_BLOCK - OCT_HASH_MIN_BLOCK);
}

/* A block that has something else than the body in it. */
static void assemble(struct oct_hash_shape shape, uint8_t *block, const struct oct_hash_message *m, size_t at)
{
    const size_t len = m->head_len + m->body_len, filled = len > at ? len - at : 0;
    clear_block(block, shape.block);
    if (filled) {
        copy_part(shape.block, block, at, m->head, 0, m->head_len);
        copy_part(shape.block, block, at, m->body, m->head_len, m->body_len);
    }
    if (filled >= shape.block)
        return;
    if (len >= at)
        block[filled] = 0x80;
    if (filled + shape.padding <= shape.block) {
        const uint64_t bits = htobe64((uint64_t)len * 8);
        memcpy(block + shape.block - sizeof bits, &bits, sizeof bits);
    }
}

const uint8_t *oct_hash_block(struct oct_hash_shape shape, uint8_t *block, const struct oct_hash_message *m,
                              size_t index)
{
    const size_t at = index * shape.block;
    if (at >= m->head_len && at + shape.block <= m->head_len + m->body_len)
        return m->body + (at - m->head_len);
    assemble(shape, block, m, at);
    return block;
}
