/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#include "kernels/lattice/mlkem_zetas.c"

#include "kernels/lattice/mlkem_code_impl.h"

#include "lanes.h"

#define K 4

static void inputs(ntt_poly p, const char *name, int low, int high)
{
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = lanes_input(name, I16X32_LANES, low, high);
}
static void outputs(const ntt_poly p, const char *name)
{
    for (int i = 0; i < NTT_VECTORS; i++)
        lanes_output(name, &p[i], I16X32_LANES);
}

int main(void)
{
    static int16_t straight[K][256], crossed[K][256];
    ntt_poly p[NTT_PAIR];
    proof_begin("forward");
    inputs(p[0], "a", -MLKEM_Q, MLKEM_Q);
    inputs(p[1], "b", -MLKEM_Q, MLKEM_Q);
    ntt_forward(p);
    outputs(p[0], "ra");
    outputs(p[1], "rb");

    proof_begin("backward");
    inputs(p[0], "a", -4000, 4000);
    inputs(p[1], "b", -4000, 4000);
    ntt_backward(p);
    outputs(p[0], "ra");
    outputs(p[1], "rb");

    proof_begin("reduce");
    inputs(p[0], "a", -32768, 32767);
    for (int i = 0; i < NTT_VECTORS; i++)
        p[1][i] = ntt_reduce(p[0][i]);
    outputs(p[1], "r");

    proof_begin("canonical");
    inputs(p[0], "a", -32768, 32767);
    for (int i = 0; i < NTT_VECTORS; i++)
        p[1][i] = ntt_canonical(p[0][i]);
    outputs(p[1], "r");

    /* As mlkem_product() has it: K products of prepared polynomials, summed up and reduced once. */
    proof_begin("product");
    kept_many = 0;
    for (int j = 0; j < K; j++) {
        char name[3] = {'b', (char)('0' + j), 0};
        inputs(p[0], name, -17000, 17000);
        ntt_prepare(straight[j], crossed[j], p[0]);
    }
    for (int i = 0; i < NTT_VECTORS; i++) {
        sum32x16 first = sum32x16_zero(), second = sum32x16_zero();
        for (int j = 0; j < K; j++) {
            char name[3] = {'a', (char)('0' + j), 0};
            const i16x32 a = lanes_input(name, I16X32_LANES, 0, MLKEM_MATRIX_MAX);
            first = sum32x16_dot(first, a, ntt_load_prepared(straight[j], i));
            second = sum32x16_dot(second, a, ntt_load_prepared(crossed[j], i));
        }
        p[1][i] = ntt_collect(first, second);
    }
    outputs(p[1], "r");

    static const unsigned widths[] = {1, 4, 5, 10, 11};
    for (int i = 0; i < 5; i++) {
        const unsigned d = widths[i];
        const int most = d == 11 ? 8191 : 16383;
        char name[32];
        snprintf(name, sizeof name, "compress%u", d);
        proof_begin(name);
        const i16x32 x = lanes_input("a", I16X32_LANES, -most, most), r = code_compress(x, d);
        lanes_output("r", &r, I16X32_LANES);
        snprintf(name, sizeof name, "decompress%u", d);
        proof_begin(name);
        const i16x32 y = lanes_input("a", I16X32_LANES, 0, (1 << d) - 1), s = code_decompress(y, d);
        lanes_output("r", &s, I16X32_LANES);
    }
    return 0;
}
