/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See mlkem_steps.h; compiled once for each backend, the way its kernels are. */
#include "mlkem_steps.h"

#include "kernels/lattice/mlkem_code_impl.h"
#include "kernels/lattice/mlkem_sample_impl.h"

#include <string.h>

static i16x32 get(const int16_t a[LANES])
{
    return i16x32_load_table(a);
}
static void put(int16_t out[LANES], i16x32 a)
{
    i16x32_store(out, a, -32768, 32767);
}
static void multiply(int16_t out[LANES], const int16_t a[LANES], int16_t factor)
{
    put(out, ntt_mul(get(a), i16x32_set1(factor), i16x32_set1(MLKEM_TIMES_QINV(factor))));
}
static void reduce(int16_t out[LANES], const int16_t a[LANES])
{
    put(out, ntt_reduce(get(a)));
}
static void canonical(int16_t out[LANES], const int16_t a[LANES])
{
    put(out, ntt_canonical(get(a)));
}

/* Widths are constants where kernels use them. */
#define WITH_WIDTHS(bits, call)                                                                                        \
    switch (bits) {                                                                                                    \
    case 1:                                                                                                            \
        call(1);                                                                                                       \
        break;                                                                                                         \
    case 4:                                                                                                            \
        call(4);                                                                                                       \
        break;                                                                                                         \
    case 5:                                                                                                            \
        call(5);                                                                                                       \
        break;                                                                                                         \
    case 10:                                                                                                           \
        call(10);                                                                                                      \
        break;                                                                                                         \
    case 11:                                                                                                           \
        call(11);                                                                                                      \
        break;                                                                                                         \
    default:                                                                                                           \
        call(12);                                                                                                      \
        break;                                                                                                         \
    }
static void compress(int16_t out[LANES], const int16_t a[LANES], unsigned d)
{
#define CALL(bits) put(out, code_compress(get(a), bits > 11 ? 11 : bits))
    WITH_WIDTHS(d, CALL)
#undef CALL
}
static void decompress(int16_t out[LANES], const int16_t a[LANES], unsigned d)
{
#define CALL(bits) put(out, code_decompress(get(a), bits > 11 ? 11 : bits))
    WITH_WIDTHS(d, CALL)
#undef CALL
}
static void load_bits(int16_t out[LANES], const uint8_t *bytes, unsigned d)
{
#define CALL(bits) put(out, i16x32_load_bits(bytes, bits))
    WITH_WIDTHS(d, CALL)
#undef CALL
}
static void store_bits(uint8_t *bytes, const int16_t a[LANES], unsigned d)
{
#define CALL(bits) i16x32_store_bits(bytes, get(a), bits)
    WITH_WIDTHS(d, CALL)
#undef CALL
}
static void noise(int16_t out[LANES], const uint8_t bytes[16])
{
    put(out, code_noise(bytes));
}
static unsigned accept(int16_t out[LANES], const int16_t a[LANES])
{
    return i16x32_store_below_public(out, get(a), MLKEM_Q);
}

static void transform(int16_t a[2][N], int back)
{
    ntt_poly p[NTT_PAIR];
    for (int n = 0; n < NTT_PAIR; n++)
        for (int i = 0; i < NTT_VECTORS; i++)
            p[n][i] = get(a[n] + LANES * i);
    if (back)
        ntt_backward(p);
    else
        ntt_forward(p);
    for (int n = 0; n < NTT_PAIR; n++)
        for (int i = 0; i < NTT_VECTORS; i++)
            put(a[n] + LANES * i, p[n][i]);
}
static void forward(int16_t a[2][N])
{
    transform(a, 0);
}
static void backward(int16_t a[2][N])
{
    transform(a, 1);
}
static void product(int16_t out[N], const int16_t a[N], const int16_t b[N])
{
    static int16_t straight[N] OCT_ALIGN64, crossed[N] OCT_ALIGN64;
    ntt_poly p;
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = get(b + LANES * i);
    ntt_prepare(straight, crossed, p);
    for (int i = 0; i < NTT_VECTORS; i++) {
        const i16x32 x = get(a + LANES * i);
        put(out + LANES * i, ntt_collect(sum32x16_dot(sum32x16_zero(), x, ntt_load_prepared(straight, i)),
                                         sum32x16_dot(sum32x16_zero(), x, ntt_load_prepared(crossed, i))));
    }
}

static void more(int16_t out[8][N], const uint8_t seed[8][32])
{
    static struct sample_space space OCT_ALIGN64;
    unsigned have[V8_LANES] = {0};
    w8 x[V8_LANES];
    for (int i = 0; i < V8_LANES; i++)
        x[i] = w8_load_row(seed[i], SEED_WORDS);
    w8_transpose(x, x);
    for (int i = 0; i < SEED_WORDS; i++)
        space.rho[i] = x[i];
    sample_open(&space);
    sample_stream(&space, (uint64_t)KECCAK_SUFFIX_SHAKE << 16);
    while (sample_more(&space, out[0], have))
        ;
}

const struct mlkem_steps STEPS = {
    .name = STEPS_NAME,
    .multiply = multiply,
    .reduce = reduce,
    .canonical = canonical,
    .compress = compress,
    .decompress = decompress,
    .noise = noise,
    .load_bits = load_bits,
    .store_bits = store_bits,
    .accept = accept,
    .forward = forward,
    .backward = backward,
    .product = product,
    .more = more,
};
