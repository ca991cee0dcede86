/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Each primitive of vec.h once for each constant that it can have, on words that are named (words.h). */
#include "vec/vec.h"

#include <stdlib.h>

static v8 input(const char *name)
{
    uint64_t w[V8_LANES] OCT_ALIGN64;
    printf("input:%s\n", name);
    for (int i = 0; i < V8_LANES; i++)
        w[i] = WORDS_TAG | (uint64_t)words_lines << 4 | (uint64_t)i;
    words_lines++;
    return v8_load52(w);
}
static void output(v8 a)
{
    uint64_t w[V8_LANES] OCT_ALIGN64;
    v8_store52(w, a);
    printf("output");
    for (int i = 0; i < V8_LANES; i++)
        printf(" %lx", w[i]);
    printf("\n");
}
static void begin(const char *name, uint64_t constant)
{
    printf("begin %s %lu\n", name, constant);
    words_lines = 0;
}

#define A input("a")
#define B input("b")
#define C input("c")
#define ONE(name, ...)                                                                                                 \
    do {                                                                                                               \
        begin(#name, 0);                                                                                               \
        v8 a_ = A;                                                                                                     \
        output(name(a_ __VA_OPT__(, ) __VA_ARGS__));                                                                   \
    } while (0)
#define TWO(name)                                                                                                      \
    do {                                                                                                               \
        begin(#name, 0);                                                                                               \
        v8 a_ = A, b_ = B;                                                                                             \
        output(name(a_, b_));                                                                                          \
    } while (0)
#define THREE(name)                                                                                                    \
    do {                                                                                                               \
        begin(#name, 0);                                                                                               \
        v8 a_ = A, b_ = B, c_ = C;                                                                                     \
        output(name(a_, b_, c_));                                                                                      \
    } while (0)
#define EACH(name, first, last)                                                                                        \
    for (unsigned bits_ = first; bits_ <= (last); bits_++) {                                                           \
        begin(#name, bits_);                                                                                           \
        v8 a_ = A;                                                                                                     \
        output(name(a_, bits_));                                                                                       \
    }
#define EACH2(name, first, last)                                                                                       \
    for (unsigned bits_ = first; bits_ <= (last); bits_++) {                                                           \
        begin(#name, bits_);                                                                                           \
        v8 a_ = A, b_ = B;                                                                                             \
        output(name(a_, b_, bits_));                                                                                   \
    }
#define MASKS(name, mask)                                                                                              \
    do {                                                                                                               \
        begin(name, 0);                                                                                                \
        v8 a_ = A, b_ = B, c_ = C, d_ = input("d");                                                                    \
        output(v8_select(mask, c_, d_));                                                                               \
    } while (0)
#define CONSTANT(name, ...)                                                                                            \
    for (const uint32_t *c_ = (const uint32_t[]){__VA_ARGS__, 0}; *c_; c_++) {                                         \
        begin(#name, *c_);                                                                                             \
        v8 a_ = A;                                                                                                     \
        output(name(a_, *c_));                                                                                         \
    }

static void products(int n, unsigned bits)
{
    v8 x[20], y[20], r[40];
    char name[40];
    for (int square = 0; square < 2; square++)
        for (int from = 0; from <= (square ? 0 : n); from += n)
            for (int add = 0; add < (square ? 1 : 2); add++) {
                snprintf(name, sizeof name, "%s:%d:%d:%d", square ? "v8_square" : "v8_product_from", n, from, add);
                begin(name, bits);
                for (int i = 0; i < n; i++)
                    x[i] = input("x");
                for (int i = 0; i < n && !square; i++)
                    y[i] = input("y");
                for (int i = 0; i < 2 * n - from; i++)
                    r[i] = add ? input("r") : v8_zero();
                if (square)
                    v8_square(r, x, n, bits);
                else
                    v8_product_from(r, x, y, n, from, add, bits);
                for (int i = 0; i < 2 * n - from; i++)
                    output(r[i]);
            }
}
#define N 5
static void folded_products(void)
{
    static const v8_start start[N] = {V8_START(N, 0, 51, 19, 1000), V8_START(N, 1, 51, 19, 1001),
                                      V8_START(N, 2, 51, 19, 1002), V8_START(N, 3, 51, 19, 1003),
                                      V8_START(N, 4, 51, 19, 1004)};
    v8 x[N], y[N], r[N];
    for (int square = 0; square < 2; square++) {
        begin(square ? "v8_square_folded" : "v8_product_folded", 51);
        for (int i = 0; i < N; i++)
            x[i] = input("x");
        for (int i = 0; i < N && !square; i++)
            y[i] = input("y");
        if (square)
            v8_square_folded(r, x, N, 51, 19, start);
        else
            v8_product_folded(r, x, y, N, 51, 19, start);
        for (int i = 0; i < N; i++)
            output(r[i]);
    }
}

int main(void)
{
    TWO(v8_add);
    TWO(v8_sub);
    TWO(v8_or);
    TWO(v8_xor);
    ONE(v8_low52);
    EACH(v8_low, 1, 62)
    EACH(v8_sll, 1, 62)
    EACH(v8_sra, 1, 62)
    EACH(v8_srl, 1, 62)
    THREE(v8_madd52lo);
    THREE(v8_madd52hi);
    THREE(v8_madd52lo_trunc);
    THREE(v8_madd52hi_trunc);
    TWO(v8_mul52lo_trunc);
    EACH2(v8_madd52lo_pow2, 1, 51)
    EACH2(v8_madd52hi_pow2, 1, 51)
    CONSTANT(v8_mul_small, 1, 2, 3, 19, 20, 38, 121665, 0x7fffffff, 0xffffffff)
    CONSTANT(v8_mul_short, 1, 2, 3, 19, 20, 38, 121665, 0x7fffffff, 0xffffffff)
    begin("v8_set1", 0);
    output(v8_set1(0x0123456789abcdef));
    begin("v8_zero", 0);
    output(v8_zero());
#if V8_LANES == 8
    ONE(v8_swap_halves);
#endif
    MASKS("v8_is_negative", v8_is_negative(a_));
    MASKS("v8_is_nonzero", v8_is_nonzero(a_));
    MASKS("m8_or", m8_or(v8_is_negative(a_), v8_is_negative(b_)));
    MASKS("m8_and", m8_and(v8_is_negative(a_), v8_is_negative(b_)));
    MASKS("m8_not", m8_not(v8_is_negative(a_)));
    for (unsigned bit = 0; bit < 63; bit++) {
        begin("v8_test_bit", bit);
        v8 a = A, c = C, d = input("d");
        output(v8_select(v8_test_bit(a, bit), c, d));
    }
    begin("v8_lookup_shared16", 0);
    {
        static uint64_t table[16] OCT_ALIGN64;
        for (int i = 0; i < 16; i += V8_LANES)
            v8_store52(table + i, input("t"));
        const v8 index = input("a");
        output(v8_lookup_shared16(table, index));
    }
    TWO(w8_add);
    THREE(w8_xor3);
    THREE(w8_choose);
    THREE(w8_majority);
    EACH(w8_ror, 1, 63)
    EACH(w8_srl, 1, 63)
    begin("w8_load_be", 0);
    {
        static uint8_t memory[8][80];
        const uint8_t *lane[8];
        v8 column[8];
        for (int j = 0; j < 8; j++) {
            uint64_t w[V8_LANES] OCT_ALIGN64;
            v8_store52(w, input("t"));
            for (int i = 0; i < V8_LANES; i++)
                memcpy(memory[i] + 16 + 8 * j, &w[i], 8);
        }
        for (int i = 0; i < 8; i++)
            lane[i] = memory[i];
        w8_load_be(column, lane, 16);
        for (int j = 0; j < 8; j++)
            output(column[j]);
    }
    products(4, 52);
    products(5, 52);
    products(8, 52);
    products(20, 52);
    products(5, 51);
    folded_products();
    return 0;
}
