/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "api/sm3_lanes.h"

#include <endian.h>
#include <string.h>

_Static_assert(OCT_SM3_LANES == OCT_SM3_KERNEL_LANES, "the API's lanes are the kernel's");

/* A one bit, and the length in 8 bytes. */
#define PADDING 9

static const struct oct_hash_shape shape = {OCT_SM3_BLOCK, PADDING};
static const uint32_t start[8] = OCT_SM3_START;

static void take_digest(struct oct_sm3_space *space, unsigned lane)
{
    for (unsigned i = 0; i < 8; i++) {
        const uint32_t word = htobe32(space->state[i][lane]);
        memcpy(space->digest[lane] + 4 * i, &word, sizeof word);
    }
}

void oct_sm3_lanes(const struct oct_ops *ops, struct oct_sm3_space *space, const struct oct_hash_message message[],
                   unsigned lanes)
{
    struct oct_sm3_args args = {.state = space->state};
    size_t blocks[OCT_SM3_LANES], most = 0;
    for (unsigned i = 0; i < OCT_SM3_LANES; i++) {
        blocks[i] = i < lanes ? oct_hash_count(shape, &message[i]) : 0;
        most = blocks[i] > most ? blocks[i] : most;
        /* What a lane without a message hashes is no matter, but there has to be something. */
        args.block[i] = space->block[0];
        for (unsigned j = 0; j < 8; j++)
            space->state[j][i] = start[j];
    }
    for (size_t index = 0; index < most; index++) {
        for (unsigned i = 0; i < lanes; i++)
            args.block[i] =
                index < blocks[i] ? oct_hash_block(shape, space->block[i], &message[i], index) : space->block[0];
        ops->sm3[0].run(&args);
        for (unsigned i = 0; i < lanes; i++)
            if (index + 1 == blocks[i])
                take_digest(space, i);
    }
}
