/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Known-answer tests of RSA. The kernels do not care whether their moduli are prime, so no key is kept here. */
#include "base/big.h"
#include "ops/known_answer.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 64
#define MAX_LIMBS 80

/* The numbers of all lanes of all sides, where the kernels want them. */
struct numbers {
    oct_limb8 n[2][MAX_LIMBS], rr[2][MAX_LIMBS], exp[2][MAX_LIMBS], k0[2][1];
    oct_limb8 c[2][MAX_LIMBS], qinv[MAX_LIMBS], e[1], out[MAX_LIMBS], strong[2];
};

/* A number of `words` words, the top `clear` bits zero. */
static void draw(uint64_t *r, size_t words, unsigned clear, uint64_t *state)
{
    for (size_t i = 0; i < words; i++)
        r[i] = oct_known_draw(state);
    r[words - 1] &= ~(uint64_t)0 >> clear;
}

static void put(oct_limb8 *x, unsigned lane, size_t limbs, const uint64_t *words, size_t count)
{
    uint64_t limb[MAX_LIMBS];
    oct_big_to_limbs52(limb, limbs, words, count);
    for (size_t i = 0; i < limbs; i++)
        x[i][lane] = limb[i];
}

/* An odd modulus with its top bit set, and Montgomery's constants. Apart from the kernel's frames, like all that draws:
 * a test may run in a fibre. */
static OCT_NOINLINE void put_modulus(struct numbers *x, int side, unsigned lane, size_t limbs, size_t words,
                                     uint64_t *state)
{
    uint64_t n[MAX_WORDS], rr[MAX_WORDS] = {1};
    draw(n, words, 0, state);
    n[words - 1] |= (uint64_t)1 << 63;
    n[0] |= 1;
    oct_big_double_mod(rr, 2 * 52 * limbs, n, words);
    put(x->n[side], lane, limbs, n, words);
    put(x->rr[side], lane, limbs, rr, words);
    x->k0[side][0][lane] = oct_big_montgomery_k0(n[0]);
}

/* One operation's numbers: p in lane `p_lane` of side 0, q in lane `q_lane` of side `q_side`. */
static OCT_NOINLINE void put_crt_operation(struct numbers *x, unsigned p_lane, int q_side, unsigned q_lane,
                                           size_t words, size_t limbs, uint64_t *state)
{
    uint64_t r[2 * MAX_WORDS];
    put_modulus(x, 0, p_lane, limbs, words, state);
    put_modulus(x, q_side, q_lane, limbs, words, state);
    draw(r, words, 0, state);
    put(x->exp[0], p_lane, limbs, r, words);
    draw(r, words, 0, state);
    put(x->exp[q_side], q_lane, limbs, r, words);
    draw(r, words, 1, state);
    put(x->qinv, p_lane, limbs, r, words);
    draw(r, 2 * words, 2, state);
    put(x->c[0], p_lane, 2 * limbs, r, 2 * words);
    put(x->c[q_side], q_lane, 2 * limbs, r, 2 * words);
}

static uint64_t digest_lanes(uint64_t digest, const oct_limb8 *x, unsigned lanes, size_t limbs)
{
    for (unsigned lane = 0; lane < lanes; lane++)
        for (size_t i = 0; i < limbs; i++)
            digest = oct_known_digest(digest, x[i][lane]);
    return digest;
}

static uint64_t run_crt(const struct oct_ops *ops, int size, struct numbers *x, void *workspace, uint64_t digest)
{
    const size_t words = oct_rsa_bits((unsigned)size) / 128, limbs = oct_rsa_prime_limbs((unsigned)size);
    for (unsigned vectors = 1; vectors <= 2; vectors++) {
        uint64_t state = 0x6f637475706c6500 + 16 * (uint64_t)size + vectors;
        memset(x, 0, sizeof *x);
        for (unsigned i = 0; i < 4 * vectors; i++)
            put_crt_operation(x, i, vectors == 2, vectors == 2 ? i : i + 4, words, limbs, &state);
        struct oct_rsa_crt_args args = {.workspace = workspace, .vectors = vectors, .qinv = x->qinv, .out = x->out};
        for (int side = 0; side < 2; side++) {
            args.side[side].n = x->n[side];
            args.side[side].rr = x->rr[side];
            args.side[side].k0 = x->k0[side];
            args.side[side].exp = x->exp[side];
            args.side[side].c = x->c[side];
        }
        ops->rsa_crt[size].run(&args);
        digest = digest_lanes(digest, x->out, 4 * vectors, 2 * limbs);
    }
    /* Every private result is checked by the public operation: neither is any good without the other. */
    return oct_known_passes(ops, oct_known_rsa_public, size) ? digest : ~digest;
}

static uint64_t run_public(const struct oct_ops *ops, int size, struct numbers *x, void *workspace, uint64_t digest)
{
    const size_t words = oct_rsa_bits((unsigned)size) / 64, limbs = oct_rsa_limbs((unsigned)size);
    uint64_t state = 0x6f637475706c6508 + 16 * (uint64_t)size;
    memset(x, 0, sizeof *x);
    for (unsigned lane = 0; lane < 8; lane++) {
        uint64_t r[MAX_WORDS];
        put_modulus(x, 0, lane, limbs, words, &state);
        draw(r, words, 1, &state);
        put(x->c[0], lane, limbs, r, words);
        x->e[0][lane] = (oct_known_draw(&state) & 0xffffffff) | 0x80000001;
    }
    for (int f4 = 0; f4 < 2; f4++) {
        const struct oct_rsa_public_args args = {.workspace = workspace,
                                                 .all_f4 = f4,
                                                 .n = x->n[0],
                                                 .rr = x->rr[0],
                                                 .k0 = x->k0[0],
                                                 .e = x->e,
                                                 .x = x->c[0],
                                                 .out = x->out};
        ops->rsa_public[size].run(&args);
        digest = digest_lanes(digest, x->out, 8, limbs);
    }
    return digest;
}

/*
 * The numbers of one lane of the strong test, in turns: any modulus and base; bases 1 and -1; and a modulus m^2 + 1
 * with the base m = 2 mod 4, whose square is -1. So all but the first pass, each by another look.
 */
static OCT_NOINLINE void put_strong_lane(struct numbers *x, int side, unsigned lane, int size, uint64_t *state)
{
    const size_t words = oct_rsa_bits((unsigned)size) / 128, limbs = oct_rsa_prime_limbs((unsigned)size);
    uint64_t n[MAX_WORDS], base[MAX_WORDS + 1] = {1}, rr[MAX_WORDS] = {1};
    draw(n, words, 0, state);
    n[words - 1] |= (uint64_t)1 << 63;
    if (lane % 4 == 0) {
        draw(base, words, 0, state);
        base[words] = oct_known_draw(state) & 0xff;
    } else if (lane % 4 == 3) {
        draw(base, words / 2, 0, state);
        memset(base + words / 2, 0, (words / 2 + 1) * sizeof *base);
        base[words / 2 - 1] |= (uint64_t)3 << 62;
        base[0] = (base[0] & ~(uint64_t)3) | 2;
        oct_big_mul(n, base, words / 2, base, words / 2);
    }
    n[0] |= 1;
    if (lane % 4 == 2) {
        memcpy(base, n, words * sizeof *base);
        base[0] ^= 1;
    }
    oct_big_double_mod(rr, 2 * 52 * limbs, n, words);
    put(x->n[side], lane, limbs, n, words);
    put(x->rr[side], lane, limbs, rr, words);
    put(x->c[side], lane, limbs, base, words + 1);
    x->k0[side][0][lane] = oct_big_montgomery_k0(n[0]);
    n[0] ^= 1;
    put(x->exp[side], lane, limbs, n, words);
}

static uint64_t run_keygen(const struct oct_ops *ops, int size, struct numbers *x, void *workspace, uint64_t digest)
{
    const size_t limbs = oct_rsa_prime_limbs((unsigned)size);
    for (unsigned vectors = 1; vectors <= 2; vectors++) {
        uint64_t state = 0x6f637475706c6504 + 16 * (uint64_t)size + vectors;
        struct oct_rsa_strong_args args = {.crt = {.workspace = workspace, .vectors = vectors}};
        memset(x, 0, sizeof *x);
        for (int side = 0; side < (int)vectors; side++) {
            for (unsigned lane = 0; lane < 8; lane++)
                put_strong_lane(x, side, lane, size, &state);
            args.crt.side[side].n = x->n[side];
            args.crt.side[side].rr = x->rr[side];
            args.crt.side[side].k0 = x->k0[side];
            args.crt.side[side].exp = x->exp[side];
            args.crt.side[side].c = x->c[side];
            args.result[side].power = x->out + side * (int)limbs;
            args.result[side].strong = x->strong + side;
        }
        ops->rsa_keygen[size].run(&args);
        for (unsigned side = 0; side < vectors; side++) {
            digest = digest_lanes(digest, x->out + side * limbs, 8, limbs);
            digest = digest_lanes(digest, x->strong + side, 8, 1);
        }
    }
    /* A key is tried out before it leaves. */
    return oct_known_passes(ops, oct_known_rsa_crt, size) ? digest : ~digest;
}

typedef uint64_t run_fn(const struct oct_ops *ops, int size, struct numbers *x, void *workspace, uint64_t digest);

static uint64_t run_with_numbers(run_fn *run, const struct oct_ops *ops, int size, void *workspace, uint64_t digest)
{
    struct numbers *x = aligned_alloc(64, (sizeof *x + 63) / 64 * 64);
    if (x)
        digest = run(ops, size, x, workspace, digest);
    free(x);
    return digest;
}

uint64_t oct_known_rsa_crt(const struct oct_ops *ops, int size, void *workspace, uint64_t digest)
{
    return run_with_numbers(run_crt, ops, size, workspace, digest);
}

uint64_t oct_known_rsa_public(const struct oct_ops *ops, int size, void *workspace, uint64_t digest)
{
    return run_with_numbers(run_public, ops, size, workspace, digest);
}

uint64_t oct_known_rsa_keygen(const struct oct_ops *ops, int size, void *workspace, uint64_t digest)
{
    return run_with_numbers(run_keygen, ops, size, workspace, digest);
}
