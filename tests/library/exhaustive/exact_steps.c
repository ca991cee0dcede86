/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See exact.h: a backend's products, compiled as its kernels are. EXACT_OPS names them; with EXACT_GROUPED in the form
 * that kernels have which work on groups of lanes. */
#if defined(EXACT_GROUPED)
#define OCT_VEC_GROUPED
#endif
#include "vec/vec.h"

#include "exact.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

static OCT_NOINLINE void single_work(uint64_t r[5][8], const uint64_t acc[8], const uint64_t a[8], const uint64_t b[8])
{
    for (unsigned first = 0; first < 8; first += V8_LANES) {
        const v8 start = v8_load52(acc + first), x = v8_load52(a + first), y = v8_load52(b + first);
        v8_store52(r[0] + first, v8_madd52lo(start, x, y));
        v8_store52(r[1] + first, v8_madd52hi(start, x, y));
        v8_store52(r[2] + first, v8_mul52lo_trunc(x, y));
        /* Factors that are no limbs: only their low 52 bits count. */
        const v8 wide = v8_or(x, v8_sll(v8_low(y, 11), 52));
        v8_store52(r[3] + first, v8_madd52lo_trunc(start, wide, y));
        v8_store52(r[4] + first, v8_madd52hi_trunc(start, wide, y));
    }
}

static OCT_NOINLINE void powers_work(uint64_t r[EXACT_POWERS][2][8], const uint64_t acc[8], const uint64_t a[8])
{
    for (unsigned first = 0; first < 8; first += V8_LANES) {
        const v8 start = v8_load52(acc + first), x = v8_load52(a + first);
#define POWER(i, bits)                                                                                                 \
    v8_store52(r[i][0] + first, v8_madd52lo_pow2(start, x, bits));                                                     \
    v8_store52(r[i][1] + first, v8_madd52hi_pow2(start, x, bits));
        EXACT_EACH_POWER(POWER)
#undef POWER
    }
}

/* n limbs of x and y; r may be read. */
OCT_INLINE void whole(uint64_t (*r)[8], uint64_t (*const x)[8], uint64_t (*const y)[8], int n, enum exact_form form,
                      unsigned bits, const v8_start *start)
{
    v8 a[20], b[20], c[40];
    for (unsigned first = 0; first < 8; first += V8_LANES) {
        for (int i = 0; i < n; i++) {
            a[i] = v8_load52(x[i] + first);
            b[i] = v8_load52(y[i] + first);
        }
        for (int i = 0; i < 2 * n; i++)
            c[i] = v8_load52(r[i] + first);
        if (form == EXACT_SQUARE)
            v8_square(c, a, n, bits);
        else if (form == EXACT_PRODUCT)
            v8_product_from(c, a, b, n, 0, 0, bits);
        else if (form == EXACT_ADD)
            v8_product_from(c, a, b, n, 0, 1, bits);
        else if (form == EXACT_UPPER)
            v8_product_from(c, a, b, n, n, 0, bits);
        else if (form == EXACT_UPPER_ADD)
            v8_product_from(c, a, b, n, n, 1, bits);
        else if (form == EXACT_FOLDED && n <= EXACT_FOLDED_MOST)
            v8_product_folded(c, a, b, n, bits, EXACT_FOLD, start);
        else if (n <= EXACT_FOLDED_MOST)
            v8_square_folded(c, a, n, bits, EXACT_FOLD, start);
        for (int i = 0; i < 2 * n; i++)
            v8_store52(r[i] + first, c[i]);
    }
}

#define START(n, k, bits) V8_START(n, k, bits, EXACT_FOLD, EXACT_PLUS(k))
#define WHOLE(n, bits)                                                                                                 \
    static OCT_NOINLINE void whole_##n##_##bits(uint64_t(*r)[8], uint64_t(*const x)[8], uint64_t(*const y)[8],         \
                                                enum exact_form form)                                                  \
    {                                                                                                                  \
        static const v8_start start[EXACT_FOLDED_MOST] = {START(n, 0, bits), START(n, 1, bits), START(n, 2, bits),     \
                                                          START(n, 3, bits), START(n, 4, bits)};                       \
        if (form == EXACT_SQUARE)                                                                                      \
            whole(r, x, y, n, EXACT_SQUARE, bits, start);                                                              \
        else if (form == EXACT_PRODUCT)                                                                                \
            whole(r, x, y, n, EXACT_PRODUCT, bits, start);                                                             \
        else if (form == EXACT_ADD)                                                                                    \
            whole(r, x, y, n, EXACT_ADD, bits, start);                                                                 \
        else if (form == EXACT_UPPER)                                                                                  \
            whole(r, x, y, n, EXACT_UPPER, bits, start);                                                               \
        else if (form == EXACT_UPPER_ADD)                                                                              \
            whole(r, x, y, n, EXACT_UPPER_ADD, bits, start);                                                           \
        else if (form == EXACT_FOLDED)                                                                                 \
            whole(r, x, y, n, EXACT_FOLDED, bits, start);                                                              \
        else                                                                                                           \
            whole(r, x, y, n, EXACT_FOLDED_SQUARE, bits, start);                                                       \
    }
EXACT_EACH_SIZE(WHOLE)

static void single(uint64_t r[5][8], const uint64_t acc[8], const uint64_t a[8], const uint64_t b[8])
{
    const struct vec_mode mode = vec_begin();
    single_work(r, acc, a, b);
    vec_end(mode);
}

static void powers(uint64_t r[EXACT_POWERS][2][8], const uint64_t acc[8], const uint64_t a[8])
{
    const struct vec_mode mode = vec_begin();
    powers_work(r, acc, a);
    vec_end(mode);
}

static void any_whole(uint64_t (*r)[8], uint64_t (*const x)[8], uint64_t (*const y)[8], int n, unsigned bits,
                      enum exact_form form)
{
    const struct vec_mode mode = vec_begin();
#define RUN(limbs, radix)                                                                                              \
    if (n == (limbs) && bits == (radix))                                                                               \
        whole_##limbs##_##radix(r, x, y, form);
    EXACT_EACH_SIZE(RUN)
#undef RUN
    vec_end(mode);
}

const struct exact_ops EXACT_OPS = {TEXT(EXACT_OPS), single, powers, any_whole};
