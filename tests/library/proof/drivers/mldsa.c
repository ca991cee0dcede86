/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "kernels/lattice/mldsa_zetas.c"

#include "kernels/lattice/mldsa_code_impl.h"

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
    ntt_store(b, p);
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = ntt_load(b, i);
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

    proof_begin("decompose");
    const i32x16 r = lanes_input("a", I32X16_LANES, 0, MLDSA_Q - 1), high = code_high(r), zero = i32x16_set1(0);
    const i32x16 low = code_low(r, high), up = code_use_hint(r, i32x16_set1(1)), same = code_use_hint(r, zero);
    lanes_output("high", &high, I32X16_LANES);
    lanes_output("low", &low, I32X16_LANES);
    lanes_output("up", &up, I32X16_LANES);
    lanes_output("same", &same, I32X16_LANES);

    proof_begin("round");
    const i32x16 t = lanes_input("a", I32X16_LANES, 0, MLDSA_Q - 1), t1 = code_t1(t), t0 = code_t0(t, t1);
    lanes_output("t1", &t1, I32X16_LANES);
    lanes_output("t0", &t0, I32X16_LANES);

    proof_begin("canonical");
    const i32x16 x = lanes_input("a", I32X16_LANES, 1 - MLDSA_Q, MLDSA_Q - 1), y = code_canonical(x);
    lanes_output("r", &y, I32X16_LANES);

    proof_begin("hint");
    const i32x16 sum = lanes_input("a", I32X16_LANES, 1 - 2 * GAMMA2, 2 * GAMMA2 - 1);
    const i32x16 h = lanes_input("h", I32X16_LANES, 0, MLDSA_HIGHS - 1), hint = code_make_hint(sum, h);
    lanes_output("r", &hint, I32X16_LANES);
    return 0;
}
