/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "kernels/lattice/mldsa_zetas.c"

#include "kernels/lattice/mldsa_ntt_impl.h"

#include "lanes.h"

static void inputs(ntt_poly p, const char *name, int32_t low, int32_t high)
{
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = lanes_input(name, I32X16_LANES, low, high);
}
static void outputs(const ntt_poly p, const char *name)
{
    for (int i = 0; i < NTT_VECTORS; i++)
        lanes_output(name, &p[i], I32X16_LANES);
}

int main(void)
{
    static int32_t a[256], b[256], c[256];
    ntt_poly p;
    proof_begin("forward");
    inputs(p, "a", -MLDSA_Q, MLDSA_Q);
    ntt_forward(p);
    outputs(p, "r");

    proof_begin("backward");
    inputs(p, "a", -MLDSA_Q, MLDSA_Q);
    ntt_backward(p);
    outputs(p, "r");

    proof_begin("order");
    for (int i = 0; i < NTT_VECTORS; i++)
        oct_proof_keep(a + 16 * i, lanes_input("a", I32X16_LANES, 0, MLDSA_MATRIX_MAX));
    ntt_order(c, a);
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = oct_proof_recall(c + 16 * i, 16, 0, 0);
    outputs(p, "r");

    proof_begin("collect");
    for (int i = 0; i < NTT_VECTORS; i++) {
        const i32x16 x = lanes_input("a", I32X16_LANES, -MLDSA_FORWARD_MAX, MLDSA_FORWARD_MAX);
        const i32x16 y = lanes_input("b", I32X16_LANES, -MLDSA_FORWARD_MAX, MLDSA_FORWARD_MAX);
        const i32x16 z = lanes_input("c", I32X16_LANES, 0, MLDSA_MATRIX_MAX);
        p[i] = ntt_collect(sum64x16_add(sum64x16_mul(x, y), sum64x16_mul(z, y)));
    }
    outputs(p, "r");
    (void)b;
    return 0;
}
