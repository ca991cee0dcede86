/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "api/sha512_lanes.h"

#include <endian.h>
#include <string.h>

#define BLOCK OCT_SHA512_BLOCK
/* A one bit, and the length in 16 bytes. */
#define PADDING 17

static size_t count_blocks(const struct oct_sha512_message *m)
{
    return (m->head_len + m->body_len + PADDING + BLOCK - 1) / BLOCK;
}

/* The part of [from, from + len) that falls into the block that begins at `at`. */
static void copy_part(uint8_t block[BLOCK], size_t at, const uint8_t *data, size_t from, size_t len)
{
    const size_t first = at > from ? at : from;
    const size_t end = at + BLOCK < from + len ? at + BLOCK : from + len;
    if (first < end)
        memcpy(block + (first - at), data + (first - from), end - first);
}

/* A block that has something else than the body in it. */
static void assemble(uint8_t block[BLOCK], const struct oct_sha512_message *m, size_t at)
{
    const size_t len = m->head_len + m->body_len;
    copy_part(block, at, m->head, 0, m->head_len);
    copy_part(block, at, m->body, m->head_len, m->body_len);
    if (len >= at + BLOCK)
        return;
    const size_t filled = len > at ? len - at : 0;
    memset(block + filled, 0, BLOCK - filled);
    if (len >= at)
        block[filled] = 0x80;
    if (filled + PADDING <= BLOCK) {
        const uint64_t bits = htobe64((uint64_t)len * 8);
        memcpy(block + BLOCK - sizeof bits, &bits, sizeof bits);
    }
}

/* Where block number `index` of a message stands: in the body, if it lies there as it is. */
static const uint8_t *find_block(uint8_t block[BLOCK], const struct oct_sha512_message *m, size_t index)
{
    const size_t at = index * BLOCK;
    if (at >= m->head_len && at + BLOCK <= m->head_len + m->body_len)
        return m->body + (at - m->head_len);
    assemble(block, m, at);
    return block;
}

static void take_digest(struct oct_sha512_space *space, unsigned lane)
{
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t word = htobe64(space->state[i][lane]);
        memcpy(space->digest[lane] + 8 * i, &word, sizeof word);
    }
}

void oct_sha512_lanes(const struct oct_ops *ops, struct oct_sha512_space *space,
                      const struct oct_sha512_message message[], unsigned lanes)
{
    struct oct_sha512_args args = {.state = space->state};
    size_t blocks[OCT_LANES], most = 0;
    for (unsigned i = 0; i < OCT_LANES; i++) {
        blocks[i] = i < lanes ? count_blocks(&message[i]) : 0;
        most = blocks[i] > most ? blocks[i] : most;
        /* What a lane without a message hashes is no matter, but there has to be something. */
        args.block[i] = space->block[0];
        for (unsigned j = 0; j < OCT_LANES; j++)
            space->state[j][i] = oct_sha512_start[j];
    }
    for (size_t index = 0; index < most; index++) {
        for (unsigned i = 0; i < lanes; i++)
            args.block[i] = index < blocks[i] ? find_block(space->block[i], &message[i], index) : space->block[0];
        ops->sha512.run(&args);
        for (unsigned i = 0; i < lanes; i++)
            if (index + 1 == blocks[i])
                take_digest(space, i);
    }
}
