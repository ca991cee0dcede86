/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the known-answer tests of all families share: the stream that inputs are drawn from, and the digest of results.
 */
#ifndef OCT_OPS_KNOWN_ANSWER_H
#define OCT_OPS_KNOWN_ANSWER_H

#include "ops/ops.h"

#include <stdbool.h>

OCT_INLINE uint64_t oct_known_draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

OCT_INLINE uint64_t oct_known_digest(uint64_t digest, uint64_t word)
{
    for (int i = 0; i < 8; i++)
        digest = (digest ^ (word >> (8 * i) & 0xff)) * 0x100000001b3;
    return digest;
}

/* The same for bytes, in words of little-endian order; zeros fill the last word of the digest. */
OCT_INLINE void oct_known_draw_bytes(uint8_t *out, size_t len, uint64_t *state)
{
    for (size_t i = 0; i < len; i += 8) {
        const uint64_t word = oct_known_draw(state);
        for (size_t j = 0; j < 8; j++)
            out[i + j] = (uint8_t)(word >> 8 * j);
    }
}

OCT_INLINE uint64_t oct_known_digest_bytes(uint64_t digest, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i += 8) {
        uint64_t word = 0;
        for (size_t j = 0; j < 8 && i + j < len; j++)
            word |= (uint64_t)bytes[i + j] << 8 * j;
        digest = oct_known_digest(digest, word);
    }
    return digest;
}

/* The table of multiples on the curve of 2^255-19 by the operations under test: the one that the process will use, if
 * it is for these, since what is tested need not be made twice, else one in *own, for free(). NULL without memory. */
const uint64_t *oct_known_comb25519(const struct oct_ops *ops, uint64_t **own);

/*
 * The test of one family at one of its sizes: draws its inputs, runs the operation of `ops`, and adds the results to
 * the digest. The workspace is the kernel's. Each family of ops.def has such a function, and each of its rows an
 * answer.
 */
typedef uint64_t oct_known_fn(const struct oct_ops *ops, int size, void *workspace, uint64_t digest);
#define OCT_OPERATION(enumerator, name, family, size, kernel, answer) oct_known_fn oct_known_##family;
#include "ops/ops.def"
#undef OCT_OPERATION

/* Whether a family's test passes at a size: for operations that rest on another. */
bool oct_known_passes(const struct oct_ops *ops, oct_known_fn *family, int size);

#endif
