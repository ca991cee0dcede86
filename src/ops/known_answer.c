/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Known-answer tests, one for each operation, run before the operation is offered: a miscompiled kernel, a faulty CPU
 * or a hypervisor that garbles vector state shall cost speed, never a wrong signature.
 *
 * The kernels do not care whether their moduli are prime, so the inputs are a stream of splitmix64 from a stated seed,
 * and no key is kept here. The answers are FNV-1a digests of the results; tools/check-known-answers computes them anew
 * with Python's integers and compares.
 */
#include "base/big.h"
#include "ops/known_answer.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 64
#define MAX_LIMBS 80

static const uint64_t known_answer[OCT_OP_COUNT] = {
    [OCT_OP_RSA2048_PRIVATE] = 0x94a248522676410c, [OCT_OP_RSA3072_PRIVATE] = 0xe922f671d68ca27a,
    [OCT_OP_RSA4096_PRIVATE] = 0xb3265f6660395d96, [OCT_OP_RSA2048_PUBLIC] = 0xd4f76901cb6e9caf,
    [OCT_OP_RSA3072_PUBLIC] = 0xc07e4b7018ff1af7,  [OCT_OP_RSA4096_PUBLIC] = 0x1226f6040b38d9ca,
    [OCT_OP_X25519_DERIVE] = 0xa85901ba4f8832c1,   [OCT_OP_X25519_KEYGEN] = 0x1c76971d0bbfe7fe,
    [OCT_OP_P256_SIGN] = 0x06608ab4e06bd94e,       [OCT_OP_P256_KEYGEN] = 0xd12ee4ba12e63f7f,
    [OCT_OP_P256_DERIVE] = 0x97d7f91e0ec5d3b5,     [OCT_OP_P384_SIGN] = 0x21bebaca83f4986f,
    [OCT_OP_P384_KEYGEN] = 0x191b4688b7169d15,     [OCT_OP_P384_DERIVE] = 0x04d2f3d27799ee9f,
    [OCT_OP_ED25519_SIGN] = 0x590ffe1b6165a666,    [OCT_OP_ED25519_VERIFY] = 0xd9fb6b00ff985954,
    [OCT_OP_P256_VERIFY] = 0x88f523af632256fd,     [OCT_OP_P384_VERIFY] = 0xb61e0ad1eb0ba756,
};

/* The numbers of all lanes of all sides, where the kernels want them. */
struct numbers {
    oct_limb8 n[2][MAX_LIMBS], rr[2][MAX_LIMBS], exp[2][MAX_LIMBS], k0[2][1];
    oct_limb8 c[2][MAX_LIMBS], qinv[MAX_LIMBS], e[1], out[MAX_LIMBS];
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
    const size_t words = 16 + 8 * (size_t)size, limbs = 20 + 10 * (size_t)size;
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
    return oct_ops_known_answer(ops, OCT_OP_RSA2048_PUBLIC + size) == 0 ? digest : ~digest;
}

static uint64_t run_public(const struct oct_ops *ops, int size, struct numbers *x, void *workspace, uint64_t digest)
{
    const size_t words = 32 + 16 * (size_t)size, limbs = 40 + 20 * (size_t)size;
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

/* The families that have their own files draw their own numbers. */
#define OTHER_FAMILY(family)                                                                                           \
    static uint64_t run_##family(const struct oct_ops *ops, int size, struct numbers *x, void *workspace,              \
                                 uint64_t digest)                                                                      \
    {                                                                                                                  \
        (void)size, (void)x;                                                                                           \
        return oct_known_##family(ops, workspace, digest);                                                             \
    }
OTHER_FAMILY(x25519_derive)
OTHER_FAMILY(x25519_public)
OTHER_FAMILY(ed25519_base)
OTHER_FAMILY(ed25519_verify)
#define CURVE_FAMILY(family)                                                                                           \
    static uint64_t run_##family(const struct oct_ops *ops, int curve, struct numbers *x, void *workspace,             \
                                 uint64_t digest)                                                                      \
    {                                                                                                                  \
        (void)x;                                                                                                       \
        return oct_known_##family(ops, curve, workspace, digest);                                                      \
    }
CURVE_FAMILY(ec_sign)
CURVE_FAMILY(ec_public)
CURVE_FAMILY(ec_derive)
CURVE_FAMILY(ec_verify)

int oct_ops_known_answer(const struct oct_ops *ops, int op)
{
    const struct {
        uint64_t (*run)(const struct oct_ops *, int, struct numbers *, void *, uint64_t);
        int size;
        size_t workspace;
    } test[OCT_OP_COUNT] = {
#define OCT_OPERATION(enumerator, name, family, size, kernel)                                                          \
    [OCT_OP_##enumerator] = {run_##family, size, *ops->family[size].workspace},
#define run_rsa_crt    run_crt
#define run_rsa_public run_public
#include "ops/ops.def"
#undef OCT_OPERATION
    };
    struct numbers *x = aligned_alloc(64, (sizeof *x + 63) / 64 * 64);
    void *workspace = aligned_alloc(64, (test[op].workspace + 63) / 64 * 64);
    uint64_t digest = 0xcbf29ce484222325;
    if (x && workspace)
        digest = test[op].run(ops, test[op].size, x, workspace, digest);
    free(workspace);
    free(x);
    return digest == known_answer[op] ? 0 : -1;
}
