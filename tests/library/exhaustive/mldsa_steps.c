/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See mldsa_steps.h; compiled once for each set and backend, the way its kernels are. */
#include "mldsa_steps.h"

#define MLDSA_TAU         39
#define MLDSA_ETA         2
#define MLDSA_GAMMA1_BITS 17
#if STEPS_SET == 44
#define MLDSA_HIGHS 44
#else
#define MLDSA_HIGHS 16
#endif
#include "kernels/lattice/mldsa_code_impl.h"

static i32x16 get(const int32_t a[LANES])
{
    return i32x16_load_table(a);
}
static void put(int32_t out[LANES], i32x16 a)
{
    i32x16_store(out, a, INT32_MIN, INT32_MAX);
}
static void multiply(int32_t out[LANES], const int32_t a[LANES], int32_t factor)
{
    put(out, ntt_mul_constant(get(a), factor));
}
static void canonical(int32_t out[LANES], const int32_t a[LANES])
{
    put(out, code_canonical(get(a)));
}
static void round_all(int32_t high[LANES], int32_t low[LANES], const int32_t r[LANES])
{
    const i32x16 h = code_high(get(r));
    put(low, code_low(get(r), h));
    put(high, h);
}
static void use_hint(int32_t out[LANES], const int32_t r[LANES], const int32_t hint[LANES])
{
    put(out, code_use_hint(get(r), get(hint)));
}
static void make_hint(int32_t out[LANES], const int32_t low[LANES], const int32_t high[LANES])
{
    put(out, code_make_hint(get(low), get(high)));
}
static void split_t(int32_t t1[LANES], int32_t t0[LANES], const int32_t t[LANES])
{
    const i32x16 high = code_t1(get(t));
    put(t0, code_t0(get(t), high));
    put(t1, high);
}

/* Widths are constants where kernels use them. */
#define EACH_WIDTH(call)                                                                                               \
    switch (bits) {                                                                                                    \
        call(1) call(3) call(4) call(6) call(10) call(13) call(18) call(20)                                            \
    }
static void load_bits(int32_t out[LANES], const uint8_t *bytes, unsigned bits)
{
#define LOAD(width)                                                                                                    \
    case width:                                                                                                        \
        put(out, i32x16_load_bits(bytes, width));                                                                      \
        break;
    if (bits == 24)
        put(out, i32x16_load_bits(bytes, 24));
    EACH_WIDTH(LOAD)
}
static void store_bits(uint8_t *bytes, const int32_t a[LANES], unsigned bits)
{
#define STORE(width)                                                                                                   \
    case width:                                                                                                        \
        i32x16_store_bits(bytes, get(a), width);                                                                       \
        break;
    EACH_WIDTH(STORE)
}
static unsigned accept(int32_t out[LANES], const int32_t a[LANES], int32_t limit)
{
    return i32x16_store_below_declassify(out, get(a), limit);
}

static void forward(int32_t a[N])
{
    ntt_poly p;
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = get(a + LANES * i);
    ntt_forward(p);
    for (int i = 0; i < NTT_VECTORS; i++)
        put(a + LANES * i, p[i]);
}
static void product(int32_t out[N], const int32_t a[N], const int32_t b[N])
{
    ntt_poly p;
    ntt_multiply(p, a, b);
    for (int i = 0; i < NTT_VECTORS; i++)
        put(out + LANES * i, p[i]);
}

const struct mldsa_steps STEPS = {
    .set = STEPS_SET,
    .multiply = multiply,
    .canonical = canonical,
    .round = round_all,
    .use_hint = use_hint,
    .make_hint = make_hint,
    .split_t = split_t,
    .load_bits = load_bits,
    .store_bits = store_bits,
    .accept = accept,
    .forward = forward,
    .order = ntt_order,
    .product = product,
};
