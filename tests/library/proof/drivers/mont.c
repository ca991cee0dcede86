/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Montgomery arithmetic for whole moduli of RSA. Include after LIMBS, STRIP, and MONT_SQUARE or not. */
#include "kernels/rsa/rsa.h"

#define SLOTS 4
#include "kernels/rsa/mont_impl.h"

#include "proof.h"

static struct mont s[1];

static void modulus(void)
{
    proof_input(s->n, LIMBS, "n", V8_LIMB_MASK);
    proof_input(&s->k0, 1, "k0", V8_LIMB_MASK);
    proof_montgomery(s->n[0], s->k0);
}

int main(void)
{
    proof_begin("mont_mul");
    modulus();
    proof_input(s->slot[0], LIMBS, "a", V8_LIMB_MASK);
    proof_input(s->slot[1], LIMBS, "b", V8_LIMB_MASK);
    mont_mul(s, 2, 0, 1);
    proof_output(s->slot[2], LIMBS, "r");

    proof_begin("mont_square");
    modulus();
    proof_input(s->slot[0], LIMBS, "a", V8_LIMB_MASK);
    mont_square(s, 2, 0);
    proof_output(s->slot[2], LIMBS, "r");

    proof_begin("mont_reduce_once");
    modulus();
    proof_input(s->slot[2], LIMBS, "a", V8_LIMB_MASK);
    mont_reduce_once(s, 2);
    proof_output(s->slot[2], LIMBS, "r");
    return 0;
}
