/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * 32 little-endian bytes into a lane and out of it: scalars as limbs of 52 bits, field elements as limbs of 51.
 * Straight lines, since the values are secret and a batch does this for every lane.
 */
#ifndef OCT_API_BYTES25519_H
#define OCT_API_BYTES25519_H

#include "ops/ops.h"

#include <endian.h>
#include <string.h>

OCT_INLINE uint64_t oct_load_le64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return le64toh(x);
}
OCT_INLINE void oct_store_le64(uint8_t *p, uint64_t x)
{
    x = htole64(x);
    memcpy(p, &x, sizeof x);
}

OCT_INLINE void oct_load_words(uint64_t word[4], const uint8_t bytes[32])
{
    for (int i = 0; i < 4; i++)
        word[i] = oct_load_le64(bytes + 8 * i);
}

/* All 256 bits, 52 to a limb. */
OCT_INLINE void oct_spread52(oct_limb8 x[5], unsigned lane, const uint64_t word[4])
{
    const uint64_t mask = ((uint64_t)1 << 52) - 1;
    x[0][lane] = word[0] & mask;
    x[1][lane] = (word[0] >> 52 | word[1] << 12) & mask;
    x[2][lane] = (word[1] >> 40 | word[2] << 24) & mask;
    x[3][lane] = (word[2] >> 28 | word[3] << 36) & mask;
    x[4][lane] = word[3] >> 16;
}

/* The low 255 bits, 51 to a limb. */
OCT_INLINE void oct_spread51(oct_limb8 x[5], unsigned lane, const uint64_t word[4])
{
    const uint64_t mask = ((uint64_t)1 << 51) - 1;
    x[0][lane] = word[0] & mask;
    x[1][lane] = (word[0] >> 51 | word[1] << 13) & mask;
    x[2][lane] = (word[1] >> 38 | word[2] << 26) & mask;
    x[3][lane] = (word[2] >> 25 | word[3] << 39) & mask;
    x[4][lane] = word[3] >> 12 & mask;
}

/* All 256 bits of an encoded point: 51 to a limb of y, and the sign of x above the last. */
OCT_INLINE void oct_spread_point(oct_limb8 x[5], unsigned lane, const uint64_t word[4])
{
    oct_spread51(x, lane, word);
    x[4][lane] = word[3] >> 12;
}

/* All 512 bits of a digest, 52 to a limb. */
OCT_INLINE void oct_spread_wide(oct_limb8 x[10], unsigned lane, const uint64_t word[8])
{
    const uint64_t mask = ((uint64_t)1 << 52) - 1;
    for (unsigned i = 0; i < 10; i++) {
        const unsigned at = 52 * i / 64, shift = 52 * i % 64;
        const uint64_t above = shift > 12 && at < 7 ? word[at + 1] << (64 - shift) : 0;
        x[i][lane] = (word[at] >> shift | above) & mask;
    }
}

/* Words from limbs of 52 bits: a number below 2^256. */
OCT_INLINE void oct_gather52(uint64_t word[4], const oct_limb8 x[5], unsigned lane)
{
    word[0] = x[0][lane] | x[1][lane] << 52;
    word[1] = x[1][lane] >> 12 | x[2][lane] << 40;
    word[2] = x[2][lane] >> 24 | x[3][lane] << 28;
    word[3] = x[3][lane] >> 36 | x[4][lane] << 16;
}

/* A canonical field element, below 2^255, or an encoded point, back into words. */
OCT_INLINE void oct_gather51(uint64_t word[4], const oct_limb8 x[5], unsigned lane)
{
    word[0] = x[0][lane] | x[1][lane] << 51;
    word[1] = x[1][lane] >> 13 | x[2][lane] << 38;
    word[2] = x[2][lane] >> 26 | x[3][lane] << 25;
    word[3] = x[3][lane] >> 39 | x[4][lane] << 12;
}

#endif
