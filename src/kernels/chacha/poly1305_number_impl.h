/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What all forms of Poly1305 do with a number as words: the key, the last reduction, the tag. All is secret. */
#ifndef OCT_KERNELS_POLY1305_NUMBER_IMPL_H
#define OCT_KERNELS_POLY1305_NUMBER_IMPL_H

#include "vec/cipher/tier.h"

/* r is clamped: no word is above these. */
#define POLY_R0_MOST 0x0ffffffc0fffffff
#define POLY_R1_MOST 0x0ffffffc0ffffffc

/* r and what is added to the result. */
VEC_STEP void poly_split_key(uint64_t r[2], uint64_t pad[2], const uint8_t key[32])
{
    r[0] = tier_load64(key) & POLY_R0_MOST;
    r[1] = tier_load64(key + 8) & POLY_R1_MOST;
    pad[0] = tier_load64(key + 16);
    pad[1] = tier_load64(key + 24);
}

/* The number below p from one below 2^141: what is above 2^130 is below 2^11, and once that has come back five times at
 * the bottom the number is below 2p. It is at least p if and only if five more reach 2^130. */
VEC_STEP void poly_reduce(uint64_t w[3])
{
    uint64_t v[3];
    unsigned __int128 t = (unsigned __int128)w[0] + 5 * (w[2] >> 2);
    w[0] = (uint64_t)t;
    t = (t >> 64) + w[1];
    w[1] = (uint64_t)t;
    w[2] = (w[2] & 3) + (uint64_t)(t >> 64);
    t = (unsigned __int128)w[0] + 5;
    v[0] = (uint64_t)t;
    t = (t >> 64) + w[1];
    v[1] = (uint64_t)t;
    v[2] = w[2] + (uint64_t)(t >> 64);
    const uint64_t over = oct_mask_nonzero(v[2] >> 2);
    v[2] &= 3;
    for (unsigned i = 0; i < 3; i++)
        w[i] ^= (w[i] ^ v[i]) & over;
}

/* A message's number and what is added to it, mod 2^128. */
VEC_STEP void poly_tag(uint8_t tag[16], const uint64_t w[3], uint64_t pad_low, uint64_t pad_high)
{
    const unsigned __int128 t = (unsigned __int128)w[0] + pad_low;
    tier_store64(tag, (uint64_t)t);
    tier_store64(tag + 8, (uint64_t)(t >> 64) + w[1] + pad_high);
}

#endif
