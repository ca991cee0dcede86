/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SHAKE256 (FIPS 202) of eight messages of any lengths (mldsa.h), block by block. A lane's digest is taken when its
 * last block has run, and the lane goes on with zeros: lengths are public, and need no mask.
 */
#include "kernels/lattice/keccak_impl.h"
#include "kernels/lattice/mldsa.h"

#include <string.h>

#define RATE         KECCAK_RATE_SHAKE256
#define BLOCK        ((size_t)8 * RATE)
#define DIGEST_WORDS 8

struct shake256_workspace {
    w8 state[KECCAK_WORDS];
    uint8_t block[V8_LANES][BLOCK];
    uint8_t digest[V8_LANES][8 * DIGEST_WORDS];
};

/* The part of a piece of `len` bytes, which begins at `begin` of a message, that is in the block at `at`. */
OCT_INLINE void shake256_copy(uint8_t block[BLOCK], size_t at, const uint8_t *piece, size_t begin, size_t len)
{
    const size_t first = begin > at ? begin : at, end = begin + len < at + BLOCK ? begin + len : at + BLOCK;
    if (first < end)
        memcpy(block + (first - at), piece + (first - begin), end - first);
}

/* Whether any message, with its padding, reaches the block at `at`. */
static OCT_NOINLINE int shake256_reaches(const struct oct_shake256_args *args, size_t at)
{
    for (unsigned lane = 0; lane < args->lanes; lane++)
        if (args->head_len[lane] + args->body_len[lane] >= at)
            return 1;
    return 0;
}

/* The block at `at` of a lane's message, padded if it is the last one. */
static OCT_NOINLINE void shake256_fill(uint8_t block[BLOCK], const struct oct_shake256_args *args, unsigned lane,
                                       size_t at)
{
    const size_t len = args->head_len[lane] + args->body_len[lane];
    memset(block, 0, BLOCK);
    shake256_copy(block, at, args->head[lane], 0, args->head_len[lane]);
    shake256_copy(block, at, args->body[lane], args->head_len[lane], args->body_len[lane]);
    if (len >= at && len - at < BLOCK) {
        block[len - at] = KECCAK_SUFFIX_SHAKE;
        block[BLOCK - 1] ^= 0x80;
    }
}

VEC_CHAIN void shake256_take(struct shake256_workspace *w, const struct oct_shake256_args *args, size_t at)
{
    w8 x[V8_LANES];
    w8_transpose(x, w->state);
    for (int i = 0; i < V8_LANES; i++)
        w8_store_row(w->digest[i], x[i], DIGEST_WORDS);
    for (unsigned lane = 0; lane < args->lanes; lane++) {
        const size_t len = args->head_len[lane] + args->body_len[lane];
        if (len >= at && len - at < BLOCK)
            memcpy(args->out[lane], w->digest[lane], sizeof w->digest[lane]);
    }
}

const size_t OCT_NAME(shake256_workspace) = sizeof(struct shake256_workspace);

void OCT_NAME(shake256)(const struct oct_shake256_args *args)
{
    struct shake256_workspace *w = args->workspace;
    keccak_clear(w->state);
    memset(w->block, 0, sizeof w->block);
    for (size_t at = 0; shake256_reaches(args, at); at += BLOCK) {
        for (unsigned lane = 0; lane < args->lanes; lane++)
            shake256_fill(w->block[lane], args, lane, at);
        keccak_add_rows(w->state, 0, w->block[0], BLOCK, RATE);
        keccak_permute(w->state, w->state);
        shake256_take(w, args, at);
    }
    v8_clear_registers();
}
