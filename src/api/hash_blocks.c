/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "api/hash_blocks.h"

#include <endian.h>
#include <string.h>

size_t oct_hash_count(struct oct_hash_shape shape, const struct oct_hash_message *m)
{
    return (m->head_len + m->body_len + shape.padding + shape.block - 1) / shape.block;
}

/* The part of [from, from + len) that falls into the block that begins at `at`. */
static void copy_part(size_t size, uint8_t *block, size_t at, const uint8_t *data, size_t from, size_t len)
{
    const size_t first = at > from ? at : from;
    const size_t end = at + size < from + len ? at + size : from + len;
    if (first < end)
        memcpy(block + (first - at), data + (first - from), end - first);
}

/* A block that has something else than the body in it. */
static void assemble(struct oct_hash_shape shape, uint8_t *block, const struct oct_hash_message *m, size_t at)
{
    const size_t len = m->head_len + m->body_len;
    copy_part(shape.block, block, at, m->head, 0, m->head_len);
    copy_part(shape.block, block, at, m->body, m->head_len, m->body_len);
    if (len >= at + shape.block)
        return;
    const size_t filled = len > at ? len - at : 0;
    memset(block + filled, 0, shape.block - filled);
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

size_t oct_hash_in_place(struct oct_hash_shape shape, const struct oct_hash_message *m, size_t index)
{
    const size_t at = index * shape.block, len = m->head_len + m->body_len;
    return at >= m->head_len && at < len ? (len - at) / shape.block : 0;
}
