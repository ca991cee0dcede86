/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The folding square and product of RSA's primes. Include after BLOCKS, BLOCK, BLOCK_BITS, WINDOW, PRIME_BITS. */
#include "kernels/rsa/rsa.h"

#define SLOTS 5
#include "kernels/rsa/fold_impl.h"
#include "kernels/rsa/fold_number_impl.h"
#include "kernels/rsa/rsa_crt_impl.h"

#include "proof.h"

static struct fold s[1];

static void number(v8 *r, int blocks, const char *name)
{
    for (int j = 0; j < blocks * BLOCK; j++)
        proof_input(r + j, 1, name, ((uint64_t)1 << fold_width((unsigned)j)) - 1);
}

static void modulus(void)
{
    number(s->n, BLOCKS, "n");
    proof_input(&s->k0, 1, "k0", V8_LIMB_MASK);
    proof_montgomery(s->n[0], s->k0);
}

/* With Q as fold_constants() leaves it. */
static void constants(void)
{
    v8 q[LIMBS];
    modulus();
    number(q, BLOCKS, "q");
    fold_modulus(s);
    fold_factors(s->q[0], q);
    fold_factors(s->q[1], q + HALF);
}

static void finish(void)
{
    proof_output(s->low, HALF, "l");
    proof_output(s->m, HALF, "m");
    proof_output(s->slot[3], LIMBS, "r");
}

int main(void)
{
    printf("blocks %d %d %d %d\n", BLOCKS, BLOCK, BLOCK_BITS, PRIME_BITS);
    proof_begin("fold_constants");
    modulus();
    fold_constants(s);
    proof_output(s->m, HALF, "m");
    proof_output(s->slot[PICKED], LIMBS, "r");
    v8 factors[2][HALF_FACTORS];
    for (int i = 0; i < 2; i++) {
        fold_factors(factors[i], s->slot[PICKED] + i * HALF);
        proof_output(s->q[i], HALF_FACTORS, "kept");
        proof_output(factors[i], HALF_FACTORS, "factors");
    }

    proof_begin("fold_mul");
    constants();
    number(s->slot[1], BLOCKS, "a");
    number(s->slot[2], BLOCKS, "b");
    fold_mul(s, 1, 3, 1, 2);
    finish();

    proof_begin("fold_square");
    constants();
    number(s->slot[1], BLOCKS, "a");
    fold_square(s, 1, 3, 1, NULL, 0);
    finish();

    proof_begin("fold_reduce_once");
    modulus();
    number(s->slot[3], BLOCKS, "a");
    fold_reduce_once(s, 1, 3);
    proof_output(s->slot[3], LIMBS, "r");

    proof_begin("fold_carry");
    v8 t[LIMBS];
    proof_input(t, LIMBS, "a", ((uint64_t)1 << 60) - 1);
    fold_carry(s, 3, t);
    proof_output(s->slot[3], LIMBS, "r");

    /* Numbers outside have limbs of 52 bits. */
    static oct_limb8 outside[2 * OUTER];
    v8 a[OUTER], blocks[LIMBS];
    proof_begin("fold_load");
    proof_input(a, OUTER, "a", V8_LIMB_MASK);
    for (int i = 0; i < OUTER; i++)
        v8_store52(outside[i], a[i]);
    fold_load(blocks, (const oct_limb8 *)outside, OUTER, 0);
    proof_output(blocks, LIMBS, "r");

    proof_begin("fold_unload");
    number(blocks, BLOCKS, "a");
    fold_unload(a, OUTER, blocks);
    proof_output(a, OUTER, "r");

    static struct crt_workspace w;
    proof_begin("crt_sum");
    proof_input(w.m2, OUTER, "m", V8_LIMB_MASK);
    proof_input(w.q, OUTER, "q", V8_LIMB_MASK);
    proof_input(w.h, OUTER, "h", V8_LIMB_MASK);
    crt_sum(&w, &(const struct oct_rsa_crt_args){.out = outside});
    for (int i = 0; i < 2 * OUTER; i++) {
        const v8 limb = v8_load52(outside[i]);
        proof_output(&limb, 1, "r");
    }
    return 0;
}
