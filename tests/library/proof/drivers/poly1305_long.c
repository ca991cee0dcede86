/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Poly1305 of a long stretch on limbs of 26 bits, from the sum before it and its blocks to the number that the sum is
 * after it, before its reduction. */
#include "kernels/chacha/poly1305_number_impl.h"
/* No claim is about it: it shall not count as proved since it is entered. */
#define poly_reduce(words) ((void)(words))
#include "kernels/chacha/poly1305_long_impl.h"

#include "proof.h"

enum { LIMBS = POLY_LIMBS, BLOCKS = 64 };

static v8 key[2][LIMBS], block[BLOCKS][LIMBS];
static int key_limb;

/* Limbs of r, then of the sum so far: as poly_long_begin() asks for them. */
v8 oct_proof_key(void)
{
    key_limb++;
    return key[(key_limb - 1) / LIMBS][(key_limb - 1) % LIMBS];
}
v8 oct_proof_block(const uint8_t *p, int k)
{
    return block[tier_load64(p)][k];
}
/* Words take no part: what they were before is an input. */
void oct_proof_digits(const digit *digits, int n)
{
    (void)digits, (void)n;
}
digit oct_proof_bytes(const uint8_t *p)
{
    (void)p;
    return (digit){0};
}

static void inputs(int blocks)
{
    static const char *const names[2] = {"r", "h0"};
    key_limb = 0;
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < LIMBS; k++)
            proof_input(&key[i][k], 1, names[i], ((uint64_t)1 << 26) - 1);
        proof_number_is(i ? "before" : "key", key[i], LIMBS, 26);
    }
    for (int j = 0; j < blocks; j++)
        for (int k = 0; k < LIMBS; k++)
            proof_input(&block[j][k], 1, "m", ((uint64_t)1 << (k == LIMBS - 1 ? 24 : 26)) - 1);
}

static void powers(void)
{
    static struct poly_long l;
    static const uint64_t r[3];
    proof_begin("powers");
    inputs(0);
    poly_make_some_powers(&l.powers, r, 2 * QUADS_LANES);
    poly_make_far_powers(&l.powers);
    for (int i = 0; i <= 2 * QUADS_LANES; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", 2 * QUADS_LANES - i);
        for (int k = 0; k < LIMBS; k++) {
            const v8 x = v8_load52((const uint64_t[V8_LANES]){l.powers.power[k][i]});
            proof_output(&x, 1, name);
        }
    }
    for (int n = 1; n <= 4; n++)
        for (int lane = 0; lane < QUADS_LANES; lane++) {
            char name[16];
            snprintf(name, sizeof name, "f%d.%d", QUADS_LANES * n, lane);
            for (int k = 0; k < LIMBS; k++) {
                const v8 x = v8_load52((const uint64_t[V8_LANES]){l.powers.far[n - 1][k][lane]});
                proof_output(&x, 1, name);
            }
        }
}

/* A vector and some groups; as poly_long_end() with its last step left out. */
static void stretch(const char *name, int groups)
{
    static struct poly_long l;
    static struct poly p;
    static uint8_t data[16 * BLOCKS];
    quads h[LIMBS];
    v8 sum[LIMBS];
    struct poly_sum products;
    const int blocks = QUADS_LANES * (1 + 4 * groups);
    proof_begin(name);
    inputs(blocks);
    for (int j = 0; j < blocks; j++)
        tier_store64(data + 16 * j, (uint64_t)j);
    poly_long_begin(&l, &p, data);
    poly_long_groups(&l, data + LONG_BEGIN, (size_t)groups);
    for (int k = 0; k < LIMBS; k++)
        h[k] = quads_load(l.sum[k], POLY_BITS);
    poly_sum_zero(&products);
    poly_multiply_falling(&products, &l.powers, h, QUADS_LANES);
    poly_carry(h, &products);
    for (int k = 0; k < LIMBS; k++)
        sum[k] = quads_sum(h[k]).lane[0];
    proof_output(sum, LIMBS, "h");
}

int main(void)
{
    powers();
    stretch("begin", 0);
    stretch("group", 1);
    stretch("groups", 2);
    return 0;
}
