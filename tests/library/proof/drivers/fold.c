/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The folding square and product of RSA's primes. Include after BLOCKS, BLOCK, BLOCK_BITS, WINDOW, PRIME_BITS. */
#include "kernels/rsa/rsa.h"

#define SLOTS 5
#include "kernels/rsa/fold_impl.h"
#include "kernels/rsa/fold_number_impl.h"

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
    return 0;
}
