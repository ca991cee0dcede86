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
_Static_assert(OCT_SM3_BLOCK == OCT_HASH_MIN_BLOCK, "a size of blocks");

static void take_digest(struct oct_sm3_space *space, unsigned lane)
{
    for (unsigned i = 0; i < 8; i++) {
        const uint32_t word = htobe32(space->state[i][lane]);
        memcpy(space->digest[lane] + 4 * i, &word, sizeof word);
    }
}

/* How many blocks all lanes can go on with, from where they lie: at least one, which may have to be assembled. */
static size_t common_run(const struct oct_hash_message message[], const size_t blocks[], unsigned lanes, size_t index)
{
    size_t run = SIZE_MAX;
    for (unsigned i = 0; i < lanes; i++) {
        const size_t n = index < blocks[i] ? oct_hash_in_place(shape, &message[i], index) : SIZE_MAX;
        run = n < run ? n : run;
    }
    return run ? run : 1;
}

/* Lanes without a block go along with one that has: what they hash is no matter. */
static void set_blocks(struct oct_sm3_args *args, struct oct_sm3_space *space, const struct oct_hash_message message[],
                       const size_t blocks[], unsigned lanes, size_t index)
{
    const uint8_t *any = NULL;
    for (unsigned i = 0; i < OCT_SM3_LANES; i++) {
        args->block[i] = NULL;
        if (i < lanes && index < blocks[i])
            any = args->block[i] = oct_hash_block(shape, space->block[i], &message[i], index);
    }
    for (unsigned i = 0; i < OCT_SM3_LANES; i++)
        if (!args->block[i])
            args->block[i] = any;
}

/* The same word in all lanes, two at a time. */
static void fill(oct_word16 row, uint32_t word)
{
    const uint64_t two = word | (uint64_t)word << 32;
    for (unsigned i = 0; i < OCT_SM3_LANES; i += 2)
        memcpy(&row[i], &two, sizeof two);
}

static size_t start_lanes(struct oct_sm3_space *space, size_t blocks[], const struct oct_hash_message message[],
                          unsigned lanes)
{
    size_t most = 0;
    for (unsigned j = 0; j < 8; j++)
        fill(space->state[j], start[j]);
    for (unsigned i = 0; i < lanes; i++) {
        blocks[i] = oct_hash_count(shape, &message[i]);
        most = blocks[i] > most ? blocks[i] : most;
    }
    return most;
}

void oct_sm3_lanes(const struct oct_ops *ops, struct oct_sm3_space *space, const struct oct_hash_message message[],
                   unsigned lanes)
{
    struct oct_sm3_args args = {.state = space->state};
    size_t blocks[OCT_SM3_LANES];
    const size_t most = start_lanes(space, blocks, message, lanes);
    for (size_t index = 0; index < most; index += args.blocks) {
        set_blocks(&args, space, message, blocks, lanes, index);
        args.blocks = common_run(message, blocks, lanes, index);
        ops->sm3[0].run(&args);
        for (unsigned i = 0; i < lanes; i++)
            if (index + args.blocks == blocks[i])
                take_digest(space, i);
    }
}
