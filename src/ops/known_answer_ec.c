/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Known-answer tests on P-256, P-384 and the curve of SM2. The one for public keys also digests the whole comb: a wrong
 * entry would otherwise wait for the scalar that needs it. Scalars have their top bit clear and are therefore below n.
 */
#include "base/big.h"
#include "ops/known_answer.h"

#define MAX_LIMBS OCT_EC_NONCE_LIMBS
#define MAX_WORDS 8

static unsigned limbs_of(int curve)
{
    return oct_ec_shape((unsigned)curve).limbs;
}

static size_t words_of(int curve)
{
    return (oct_ec_shape((unsigned)curve).bytes + 7) / 8;
}

/* Fills all lanes of x with numbers of `words` words, the top `clear` bits zero. */
static void draw_lanes(oct_limb8 *x, unsigned limbs, size_t words, unsigned clear, uint64_t *state)
{
    for (unsigned lane = 0; lane < 8; lane++) {
        uint64_t word[MAX_WORDS], limb[MAX_LIMBS];
        for (size_t i = 0; i < words; i++)
            word[i] = oct_known_draw(state);
        word[words - 1] &= ~(uint64_t)0 >> clear;
        oct_big_to_limbs52(limb, limbs, word, words);
        for (unsigned j = 0; j < limbs; j++)
            x[j][lane] = limb[j];
    }
}

static void draw_scalars(oct_limb8 *x, int curve, uint64_t *state)
{
    draw_lanes(x, limbs_of(curve), words_of(curve), 1, state);
}

/* The mask of the good lanes is part of the answer. */
static uint64_t digest_lanes(uint64_t digest, unsigned good, const oct_limb8 *x, int curve)
{
    digest = oct_known_digest(digest, good);
    for (unsigned lane = 0; lane < 8; lane++)
        for (unsigned i = 0; i < limbs_of(curve); i++)
            digest = oct_known_digest(digest, x[i][lane]);
    return digest;
}

uint64_t oct_known_ec_sign(const struct oct_ops *ops, int curve, void *workspace, uint64_t digest)
{
    oct_limb8 d[MAX_LIMBS] OCT_ALIGN64, nonce[MAX_LIMBS] OCT_ALIGN64, message[MAX_LIMBS] OCT_ALIGN64;
    oct_limb8 r[MAX_LIMBS] OCT_ALIGN64, s[MAX_LIMBS] OCT_ALIGN64;
    uint64_t state = 0x6f63746563647301 + 16 * (uint64_t)curve;
    const struct oct_ec_sign_args args = {.workspace = workspace,
                                          .comb = oct_ops_ec_comb(ops, (unsigned)curve),
                                          .d = d,
                                          .nonce = nonce,
                                          .digest = message,
                                          .r = r,
                                          .s = s};
    if (!args.comb)
        return digest;
    draw_scalars(d, curve, &state);
    draw_lanes(nonce, OCT_EC_NONCE_LIMBS, 8, 0, &state);
    draw_lanes(message, limbs_of(curve), words_of(curve), 0, &state);
    const unsigned good = ops->ec_sign[curve].run(&args);
    digest = digest_lanes(digest, good, r, curve);
    return digest_lanes(digest, good, s, curve);
}

uint64_t oct_known_ec_public(const struct oct_ops *ops, int curve, void *workspace, uint64_t digest)
{
    oct_limb8 scalar[MAX_LIMBS] OCT_ALIGN64, x[MAX_LIMBS] OCT_ALIGN64, y[MAX_LIMBS] OCT_ALIGN64;
    uint64_t state = 0x6f63746563647302 + 16 * (uint64_t)curve;
    const struct oct_ec_public_args args = {
        .workspace = workspace, .comb = oct_ops_ec_comb(ops, (unsigned)curve), .scalar = scalar, .x = x, .y = y};
    if (!args.comb)
        return digest;
    for (size_t i = 0; i < *ops->ec_comb[curve].bytes / sizeof *args.comb; i++)
        digest = oct_known_digest(digest, args.comb[i]);
    draw_scalars(scalar, curve, &state);
    const unsigned good = ops->ec_public[curve].run(&args);
    digest = digest_lanes(digest, good, x, curve);
    return digest_lanes(digest, good, y, curve);
}

/* Peers are multiples of G by the same table of operations: then a wrong comb is found here too. */
uint64_t oct_known_ec_derive(const struct oct_ops *ops, int curve, void *workspace, uint64_t digest)
{
    oct_limb8 scalar[MAX_LIMBS] OCT_ALIGN64, x[MAX_LIMBS] OCT_ALIGN64, y[MAX_LIMBS] OCT_ALIGN64;
    oct_limb8 out[MAX_LIMBS] OCT_ALIGN64;
    uint64_t state = 0x6f63746563647303 + 16 * (uint64_t)curve;
    const struct oct_ec_public_args public = {
        .workspace = workspace, .comb = oct_ops_ec_comb(ops, (unsigned)curve), .scalar = scalar, .x = x, .y = y};
    const struct oct_ec_derive_args derive = {.workspace = workspace, .scalar = scalar, .x = x, .y = y, .out = out};
    if (!public.comb)
        return digest;
    draw_scalars(scalar, curve, &state);
    (void)ops->ec_public[curve].run(&public);
    draw_scalars(scalar, curve, &state);
    return digest_lanes(digest, ops->ec_derive[curve].run(&derive), out, curve);
}

/* Changes the lowest bit of a lane. */
static void spoil(oct_limb8 *x, unsigned lane)
{
    x[0][lane] ^= 1;
}

/* Signatures that the same table of operations makes, whose numbers are part of the answer; then the odd lanes are each
 * spoilt in another place: to say yes to all, or no, is wrong. */
uint64_t oct_known_ec_verify(const struct oct_ops *ops, int curve, void *workspace, uint64_t digest)
{
    oct_limb8 d[MAX_LIMBS] OCT_ALIGN64, nonce[MAX_LIMBS] OCT_ALIGN64, message[MAX_LIMBS] OCT_ALIGN64;
    oct_limb8 x[MAX_LIMBS] OCT_ALIGN64, y[MAX_LIMBS] OCT_ALIGN64, r[MAX_LIMBS] OCT_ALIGN64, s[MAX_LIMBS] OCT_ALIGN64;
    oct_limb8 *const number[] = {x, y, r, s};
    uint64_t state = 0x6f63746563647304 + 16 * (uint64_t)curve;
    const uint64_t *comb = oct_ops_ec_comb(ops, (unsigned)curve);
    const struct oct_ec_public_args public = {.workspace = workspace, .comb = comb, .scalar = d, .x = x, .y = y};
    const struct oct_ec_sign_args sign = {
        .workspace = workspace, .comb = comb, .d = d, .nonce = nonce, .digest = message, .r = r, .s = s};
    const struct oct_ec_verify_args verify = {
        .workspace = workspace, .comb = comb, .x = x, .y = y, .digest = message, .r = r, .s = s};
    if (!comb)
        return digest;
    draw_scalars(d, curve, &state);
    draw_lanes(nonce, OCT_EC_NONCE_LIMBS, 8, 0, &state);
    draw_lanes(message, limbs_of(curve), words_of(curve), 0, &state);
    (void)ops->ec_public[curve].run(&public);
    (void)ops->ec_sign[curve].run(&sign);
    spoil(y, 1);
    spoil(message, 3);
    spoil(r, 5);
    spoil(s, 7);
    const unsigned good = ops->ec_verify[curve].run(&verify);
    for (unsigned i = 0; i < OCT_ARRAY_LEN(number); i++)
        digest = digest_lanes(digest, good, number[i], curve);
    return digest;
}
