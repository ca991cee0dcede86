/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Known-answer tests of Ed25519: every kernel that signing is made of, SHA-512 too, and the fixed-base table, made
 * anew; for verification, a signature in each lane, of which every second one is wrong in a way of its own.
 */
#include "ops/known_answer.h"

#include <stdlib.h>

#define LIMBS  OCT_ED25519_LIMBS
#define WIDE   OCT_ED25519_WIDE_LIMBS
#define BLOCKS 2

static void draw_wide(oct_limb8 *x, uint64_t *state)
{
    for (unsigned lane = 0; lane < 8; lane++)
        for (unsigned i = 0; i < WIDE; i++)
            x[i][lane] = oct_known_draw(state) & (i + 1 < WIDE ? ((uint64_t)1 << 52) - 1 : ((uint64_t)1 << 44) - 1);
}

static uint64_t digest_lanes(uint64_t digest, const oct_limb8 *x, unsigned limbs)
{
    for (unsigned lane = 0; lane < 8; lane++)
        for (unsigned i = 0; i < limbs; i++)
            digest = oct_known_digest(digest, x[i][lane]);
    return digest;
}

static uint64_t run_sha512(const struct oct_ops *ops, uint64_t *state, uint64_t digest)
{
    oct_limb8 chain[8] OCT_ALIGN64;
    uint8_t block[8][128];
    struct oct_sha512_args args = {.state = chain};
    for (unsigned lane = 0; lane < 8; lane++) {
        args.block[lane] = block[lane];
        for (unsigned i = 0; i < 8; i++)
            chain[i][lane] = oct_known_draw(state);
    }
    for (unsigned n = 0; n < BLOCKS; n++) {
        for (unsigned i = 0; i < sizeof block; i++)
            (&block[0][0])[i] = (uint8_t)oct_known_draw(state);
        ops->sha512.run(&args);
    }
    return digest_lanes(digest, chain, 8);
}

/* A key pair, a nonce and a challenge in each lane, and the signature's s, from the stream. */
struct signatures {
    oct_limb8 wide[WIDE], a[LIMBS], point_a[LIMBS], r[LIMBS], point_r[LIMBS], s[LIMBS];
};

static unsigned sign(const struct oct_ops *ops, void *workspace, const uint64_t *comb, struct signatures *x,
                     uint64_t *state)
{
    draw_wide(x->wide, state);
    const struct oct_ed25519_base_args key = {workspace, comb, x->wide, x->a, x->point_a};
    unsigned good = ops->ed25519_base[0].run(&key);
    draw_wide(x->wide, state);
    const struct oct_ed25519_base_args nonce = {workspace, comb, x->wide, x->r, x->point_r};
    good &= ops->ed25519_base[0].run(&nonce);
    draw_wide(x->wide, state);
    const struct oct_ed25519_scalar_args sum = {x->wide, x->r, x->a, x->s};
    ops->ed25519_scalar.run(&sum);
    return good;
}

uint64_t oct_known_ed25519_base(const struct oct_ops *ops, int variant, void *workspace, uint64_t digest)
{
    (void)variant;
    struct signatures x OCT_ALIGN64;
    uint64_t state = 0x6f63743235353139, *own;
    const uint64_t *comb = oct_known_comb25519(ops, &own);
    if (!comb)
        return digest;
    for (size_t i = 0; i < OCT_COMB25519_WORDS; i++)
        digest = oct_known_digest(digest, comb[i]);
    digest = run_sha512(ops, &state, digest);
    digest = oct_known_digest(digest, sign(ops, workspace, comb, &x, &state));
    digest = digest_lanes(digest, x.a, LIMBS);
    digest = digest_lanes(digest, x.point_a, LIMBS);
    digest = digest_lanes(digest, x.r, LIMBS);
    digest = digest_lanes(digest, x.point_r, LIMBS);
    free(own);
    return digest_lanes(digest, x.s, LIMBS);
}

/* Lanes 1, 3, 5, 7 spoiled: another s, another challenge, the other sign of A, the other sign of R. */
static void spoil(struct signatures *x)
{
    const uint64_t sign = (uint64_t)1 << 51;
    x->s[0][1] ^= 1;
    x->wide[0][3] ^= 1;
    x->point_a[LIMBS - 1][5] ^= sign;
    x->point_r[LIMBS - 1][7] ^= sign;
}

uint64_t oct_known_ed25519_verify(const struct oct_ops *ops, int variant, void *workspace, uint64_t digest)
{
    (void)variant;
    struct signatures x OCT_ALIGN64;
    uint64_t state = 0x6f63743235353140, *own;
    const uint64_t *comb = oct_known_comb25519(ops, &own);
    void *base = aligned_alloc(64, (*ops->ed25519_base[0].workspace + 63) / 64 * 64);
    if (comb && base) {
        const struct oct_ed25519_verify_args args = {workspace, comb, x.wide, x.s, x.point_a, x.point_r};
        for (size_t i = 0; i < OCT_COMB25519_WORDS; i++)
            digest = oct_known_digest(digest, comb[i]);
        digest = oct_known_digest(digest, sign(ops, base, comb, &x, &state));
        digest = digest_lanes(digest, x.point_r, LIMBS);
        digest = oct_known_digest(digest, ops->ed25519_verify[0].run(&args));
        spoil(&x);
        digest = oct_known_digest(digest, ops->ed25519_verify[0].run(&args));
    }
    free(base);
    free(own);
    return digest;
}
