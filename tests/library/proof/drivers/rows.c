/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The square and product of RSA's primes in rows. Include after OCT_ROWS, LIMBS, STRIP, WINDOW, PRIME_BITS. */
#include "kernels/rsa/rsa.h"

#define SLOTS 5
#include "kernels/rsa/fold_rows_impl.h"
#include "kernels/rsa/fold_number_impl.h"
#include "kernels/rsa/rsa_crt_impl.h"

#include "proof.h"

static struct fold s[1];

static void number(v8 *r, int limbs, const char *name)
{
    proof_input(r, limbs, name, V8_LIMB_MASK);
}

static void modulus(void)
{
    number(s->n, LIMBS, "n");
    number(&s->k0, 1, "k0");
    proof_montgomery(s->n[0], s->k0);
}

int main(void)
{
    proof_begin("mont_mul");
    modulus();
    number(s->slot[1], LIMBS, "a");
    number(s->slot[2], LIMBS, "b");
    fold_mul(s, 1, 3, 1, 2);
    proof_output(s->slot[3], LIMBS, "r");

    proof_begin("mont_square");
    modulus();
    number(s->slot[1], LIMBS, "a");
    fold_square(s, 1, 3, 1, NULL, 0);
    proof_output(s->slot[3], LIMBS, "r");

    proof_begin("fold_reduce_once");
    modulus();
    number(s->slot[3], LIMBS, "a");
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
    number(blocks, LIMBS, "a");
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
