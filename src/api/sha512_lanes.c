/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "api/sha512_lanes.h"

#include <endian.h>
#include <string.h>

/* A one bit, and the length in 16 bytes. */
#define PADDING 17

static const struct oct_hash_shape shape = {OCT_SHA512_BLOCK, PADDING};

static void take_digest(struct oct_sha512_space *space, unsigned lane)
{
    for (unsigned i = 0; i < 8; i++) {
        const uint64_t word = htobe64(space->state[i][lane]);
        memcpy(space->digest[lane] + 8 * i, &word, sizeof word);
    }
}

void oct_sha512_lanes(const struct oct_ops *ops, struct oct_sha512_space *space,
                      const struct oct_hash_message message[], unsigned lanes)
{
    struct oct_sha512_args args = {.state = space->state};
    size_t blocks[OCT_LANES], most = 0;
    for (unsigned i = 0; i < OCT_LANES; i++) {
        blocks[i] = i < lanes ? oct_hash_count(shape, &message[i]) : 0;
        most = blocks[i] > most ? blocks[i] : most;
        /* What a lane without a message hashes is no matter, but there has to be something. */
        args.block[i] = space->block[0];
        for (unsigned j = 0; j < OCT_LANES; j++)
            space->state[j][i] = oct_sha512_start[j];
    }
    for (size_t index = 0; index < most; index++) {
        for (unsigned i = 0; i < lanes; i++)
            args.block[i] =
                index < blocks[i] ? oct_hash_block(shape, space->block[i], &message[i], index) : space->block[0];
        ops->sha512.run(&args);
        for (unsigned i = 0; i < lanes; i++)
            if (index + 1 == blocks[i])
                take_digest(space, i);
    }
}
