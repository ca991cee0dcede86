/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Known-answer tests on the curve of 2^255-19. The one for public keys also digests the whole fixed-base table, made by
 * the operations under test: a wrong entry would otherwise wait for the scalar that needs it.
 */
#include "ops/known_answer.h"

#include <stdlib.h>
#include <string.h>

#define LIMBS 5

/* The low `limbs` limbs of `bits` bits of words of 64; the words above are zero. */
static void put(oct_limb8 *x, unsigned lane, unsigned bits, const uint64_t word[4])
{
    for (unsigned i = 0; i < LIMBS; i++) {
        const unsigned at = bits * i / 64, shift = bits * i % 64;
        uint64_t limb = word[at] >> shift;
        if (shift > 0 && at + 1 < 4)
            limb |= word[at + 1] << (64 - shift);
        x[i][lane] = limb & (((uint64_t)1 << bits) - 1);
    }
}

static void draw4(uint64_t word[4], uint64_t *state)
{
    for (int i = 0; i < 4; i++)
        word[i] = oct_known_draw(state);
}

static void put_scalar(oct_limb8 *x, unsigned lane, uint64_t *state)
{
    uint64_t word[4];
    draw4(word, state);
    word[0] &= ~(uint64_t)7;
    word[3] = (word[3] & ~(uint64_t)0 >> 1) | (uint64_t)1 << 62;
    put(x, lane, 52, word);
}

/* Any 255 bits; but a point of small order in lane 0, and the largest number there is in lane 1. */
static void put_peer(oct_limb8 *x, unsigned lane, uint64_t *state)
{
    uint64_t word[4];
    draw4(word, state);
    if (lane == 0)
        memset(word, 0, sizeof word);
    if (lane == 1)
        memset(word, 0xff, sizeof word);
    word[3] &= ~(uint64_t)0 >> 1;
    put(x, lane, 51, word);
}

static uint64_t digest_lanes(uint64_t digest, const oct_limb8 *x)
{
    for (unsigned lane = 0; lane < 8; lane++)
        for (unsigned i = 0; i < LIMBS; i++)
            digest = oct_known_digest(digest, x[i][lane]);
    return digest;
}

uint64_t oct_known_x25519_derive(const struct oct_ops *ops, int variant, void *workspace, uint64_t digest)
{
    (void)variant;
    oct_limb8 scalar[LIMBS] OCT_ALIGN64, peer[LIMBS] OCT_ALIGN64, out[LIMBS] OCT_ALIGN64;
    uint64_t state = 0x6f63747832353530;
    for (unsigned lane = 0; lane < 8; lane++) {
        put_scalar(scalar, lane, &state);
        put_peer(peer, lane, &state);
    }
    const struct oct_x25519_args args = {.workspace = workspace, .scalar = scalar, .peer = peer, .out = out};
    ops->x25519_derive[0].run(&args);
    return digest_lanes(digest, out);
}

const uint64_t *oct_known_comb25519(const struct oct_ops *ops, uint64_t **own)
{
    *own = NULL;
    if (ops == oct_ops_selected())
        return oct_comb25519(ops);
    uint64_t *comb = aligned_alloc(64, OCT_COMB25519_WORDS * sizeof *comb);
    if (comb && oct_comb25519_make(ops, comb) == 0)
        return *own = comb;
    free(comb);
    return NULL;
}

uint64_t oct_known_x25519_public(const struct oct_ops *ops, int variant, void *workspace, uint64_t digest)
{
    (void)variant;
    oct_limb8 scalar[LIMBS] OCT_ALIGN64, out[LIMBS] OCT_ALIGN64;
    uint64_t state = 0x6f63747832353531, *own;
    const uint64_t *comb = oct_known_comb25519(ops, &own);
    if (!comb)
        return digest;
    for (size_t i = 0; i < OCT_COMB25519_WORDS; i++)
        digest = oct_known_digest(digest, comb[i]);
    for (unsigned lane = 0; lane < 8; lane++)
        put_scalar(scalar, lane, &state);
    const struct oct_x25519_args args = {.workspace = workspace, .comb = comb, .scalar = scalar, .out = out};
    ops->x25519_public[0].run(&args);
    free(own);
    return digest_lanes(digest, out);
}
