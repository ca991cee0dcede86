/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The steps of ML-KEM for all inputs there are, which 16 bits allow: Montgomery's product of all numbers with all
 * factors, reductions of all numbers, compression and its inverse, noise, numbers of a few bits in every lane.
 * Transforms are linear maps: they are held against FIPS 203 by its definition on all 256 unit vectors; products
 * likewise, on all pairs that meet.
 *
 * usage: exhaustive_mlkem c | avx512
 */
#include "cpu/cpu.h"
#include "kernels/lattice/keccak.h"
#include "mlkem_steps.h"
#include "ops/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define Q         3329
#define R_INVERSE 169 /* 2^-16 mod q */

static const struct mlkem_steps *steps;
static const unsigned widths[] = {1, 4, 5, 10, 11, 12};

/* x mod q, of 0 .. q - 1. */
static int modulo(int64_t x)
{
    return (int)((x % Q + Q) % Q);
}

/* All numbers of 16 bits, 32 at a time. */
#define EACH_VECTOR(first) for (int first = -32768; first < 32768; first += LANES)
static void fill(int16_t a[LANES], int first)
{
    for (int i = 0; i < LANES; i++)
        a[i] = (int16_t)(first + i);
}

static void test_multiply(void **state)
{
    int16_t a[LANES] __attribute__((aligned(64))), out[LANES] __attribute__((aligned(64)));
    (void)state;
    assert_int_equal(modulo((int64_t)R_INVERSE * 65536), 1);
    for (int factor = -1664; factor <= 1664; factor++)
        EACH_VECTOR(first)
        {
            int wrong = 0;
            fill(a, first);
            steps->multiply(out, a, (int16_t)factor);
            for (int i = 0; i < LANES; i++) {
                const int product = a[i] * factor, size = product < 0 ? -product : product;
                const int rest = out[i] * 65536 - product;
                wrong |= rest % Q != 0 || out[i] > size / 65536 + 1665 || -out[i] > size / 65536 + 1666;
            }
            assert_false(wrong);
        }
}

static void test_reduce(void **state)
{
    int16_t a[LANES] __attribute__((aligned(64))), out[LANES] __attribute__((aligned(64)));
    (void)state;
    EACH_VECTOR(first)
    {
        fill(a, first);
        steps->reduce(out, a);
        for (int i = 0; i < LANES; i++)
            assert_true(modulo(out[i]) == modulo(a[i]) && out[i] >= -2187 && out[i] <= 2187);
        steps->canonical(out, a);
        for (int i = 0; i < LANES; i++)
            assert_int_equal(out[i], modulo(a[i]));
    }
}

/* By FIPS 203's definition: round(2^d / q * x) mod 2^d, halves up. */
static int compressed(int x, unsigned d)
{
    const int64_t doubled = ((int64_t)modulo(x) << (d + 1)) + Q;
    return (int)(doubled / (2 * Q)) & ((1 << d) - 1);
}

static void test_compress(void **state)
{
    int16_t a[LANES] __attribute__((aligned(64))), out[LANES] __attribute__((aligned(64)));
    (void)state;
    for (size_t w = 0; w < 5; w++)
        EACH_VECTOR(first)
        {
            const unsigned d = widths[w];
            const int limit = d == 11 ? 8191 : 16383;
            fill(a, first);
            steps->compress(out, a, d);
            for (int i = 0; i < LANES; i++)
                if (a[i] >= -limit && a[i] <= limit)
                    assert_int_equal(out[i], compressed(a[i], d));
        }
}

static void test_decompress(void **state)
{
    int16_t a[LANES] __attribute__((aligned(64))), out[LANES] __attribute__((aligned(64))),
        back[LANES] __attribute__((aligned(64)));
    (void)state;
    for (size_t w = 0; w < 5; w++)
        for (int first = 0; first < 1 << widths[w]; first += LANES) {
            const unsigned d = widths[w];
            for (int i = 0; i < LANES; i++)
                a[i] = (int16_t)((first + i) & ((1 << d) - 1));
            steps->decompress(out, a, d);
            steps->compress(back, out, d);
            for (int i = 0; i < LANES; i++) {
                assert_int_equal(out[i], (2 * Q * a[i] + (1 << d)) >> (d + 1));
                assert_int_equal(back[i], a[i]);
            }
        }
}

/* All four bits in every lane, among all others. */
static void test_noise(void **state)
{
    int16_t out[LANES] __attribute__((aligned(64)));
    (void)state;
    for (unsigned shift = 0; shift < 16; shift++) {
        uint8_t bytes[16];
        for (unsigned i = 0; i < 16; i++)
            bytes[i] = (uint8_t)((2 * i + shift) % 16 | (2 * i + 1 + 3 * shift) % 16 << 4);
        steps->noise(out, bytes);
        for (unsigned i = 0; i < LANES; i++) {
            const int x = bytes[i / 2] >> 4 * (i % 2) & 15;
            assert_int_equal(out[i], (x & 1) + (x >> 1 & 1) - (x >> 2 & 1) - (x >> 3));
        }
    }
}

static int bit_of(const uint8_t *bytes, unsigned i)
{
    return bytes[i / 8] >> i % 8 & 1;
}

/* Every number of every width in every lane, its neighbours all zeros and all ones; nothing before or behind is
 * touched. */
static void check_bits(unsigned bits, int number, unsigned lane, int others)
{
    int16_t a[LANES] __attribute__((aligned(64))), out[LANES] __attribute__((aligned(64)));
    uint8_t bytes[64];
    for (unsigned i = 0; i < LANES; i++)
        a[i] = (int16_t)(i == lane ? number : others);
    memset(bytes, 0xa5, sizeof bytes);
    steps->store_bits(bytes + 1, a, bits);
    for (unsigned i = 0; i < LANES * bits; i++)
        assert_int_equal(bit_of(bytes + 1, i), a[i / bits] >> i % bits & 1);
    assert_int_equal(bytes[0], 0xa5);
    assert_int_equal(bytes[1 + 4 * bits], 0xa5);
    steps->load_bits(out, bytes + 1, bits);
    assert_memory_equal(out, a, sizeof out);
}

static void test_bits(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++)
        for (unsigned lane = 0; lane < LANES; lane++)
            for (int number = 0; number < 1 << widths[w]; number++)
                check_bits(widths[w], number, lane, number % 2 ? 0 : (1 << widths[w]) - 1);
}

/* Every number of 12 bits in every lane: kept or not, and all that are kept in their order. */
static void test_accept(void **state)
{
    int16_t a[LANES] __attribute__((aligned(64))), out[LANES] __attribute__((aligned(64)));
    (void)state;
    for (int first = 0; first < 4096; first++) {
        unsigned n = 0;
        for (int i = 0; i < LANES; i++)
            a[i] = (int16_t)((first + 137 * i) % 4096);
        const unsigned got = steps->accept(out, a);
        for (int i = 0; i < LANES; i++)
            if (a[i] < Q)
                assert_int_equal(out[n++], a[i]);
        assert_int_equal(got, n);
    }
}

static int power(int base, unsigned e)
{
    int r = 1;
    for (; e > 0; e--)
        r = modulo((int64_t)r * base);
    return r;
}

/* The root of pair j: 17^(2 rev(j) + 1), rev the reversal of seven bits. */
static int root(unsigned j)
{
    unsigned reversed = 0;
    for (unsigned b = 0; b < 7; b++)
        reversed |= (j >> b & 1) << (6 - b);
    return power(17, 2 * reversed + 1);
}

/* X^i modulo X^2 - root; and back, with the factor 2^16 of products. Different vectors side by side. */
static void test_transforms(void **state)
{
    static int16_t a[2][N] __attribute__((aligned(64)));
    (void)state;
    for (unsigned i = 0; i < N; i++) {
        const int value[2] = {1 + (int)i % 3000, -(int)(3 * i) - 1};
        const unsigned at[2] = {i, N - 1 - i};
        memset(a, 0, sizeof a);
        for (unsigned n = 0; n < 2; n++)
            a[n][at[n]] = (int16_t)value[n];
        steps->forward(a);
        for (unsigned n = 0; n < 2; n++)
            for (unsigned j = 0; j < N; j++) {
                const int want = j % 2 == at[n] % 2 ? modulo((int64_t)value[n] * power(root(j / 2), at[n] / 2)) : 0;
                assert_int_equal(modulo(a[n][j]), want);
                a[n][j] = (int16_t)(modulo(a[n][j]) - (want > Q / 2 ? Q : 0));
            }
        steps->backward(a);
        for (unsigned n = 0; n < 2; n++)
            for (unsigned j = 0; j < N; j++)
                assert_int_equal(modulo(a[n][j]), j == at[n] ? modulo((int64_t)value[n] * 65536) : 0);
    }
}

/* Products of all pairs of unit vectors that share a root; what does not share one gives zero. */
static void test_product(void **state)
{
    static int16_t a[N] __attribute__((aligned(64))), b[N] __attribute__((aligned(64))),
        out[N] __attribute__((aligned(64)));
    (void)state;
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < N; k++) {
            const int x = 3328 - (int)i, y = 1 + 60 * (int)k;
            memset(a, 0, sizeof a);
            memset(b, 0, sizeof b);
            a[i] = (int16_t)x;
            b[k] = (int16_t)y;
            steps->product(out, a, b);
            const int64_t both = (int64_t)x * y % Q * R_INVERSE;
            for (unsigned j = 0; j < N; j++) {
                const int meets = i / 2 == k / 2 && j / 2 == i / 2 && j % 2 == (i + k) % 2;
                assert_int_equal(modulo(out[j]), meets ? modulo(both * (i % 2 && k % 2 ? root(i / 2) : 1)) : 0);
            }
        }
}

/* As if the first three blocks had given nothing: what follows them has to come in order, through as many blocks as it
 * takes. No seed is known that needs a fifth, so nothing else would go there. */
static void test_more(void **state)
{
    static int16_t out[8][N] __attribute__((aligned(64)));
    static uint8_t stream[10 * 168], message[34];
    uint8_t seed[8][32];
    void *workspace = aligned_alloc(64, (oct_c_keccak_workspace + 63) / 64 * 64);
    (void)state;
    assert_non_null(workspace);
    for (int i = 0; i < 8; i++)
        memset(seed[i], 17 * i, sizeof seed[i]);
    steps->more(out, seed);
    for (int i = 0; i < 8; i++) {
        const struct oct_keccak_args args = {.workspace = workspace,
                                             .lanes = 1,
                                             .in = {message},
                                             .out = {stream},
                                             .in_len = sizeof message,
                                             .out_len = sizeof stream,
                                             .function = OCT_SHAKE128};
        unsigned n = 0;
        memcpy(message, seed[i], sizeof seed[i]);
        oct_c_keccak(&args);
        for (const uint8_t *p = stream + 3 * 168; n < N; p += 3) {
            const int two[2] = {p[0] | (p[1] & 15) << 8, p[1] >> 4 | p[2] << 4};
            for (int k = 0; k < 2; k++)
                if (two[k] < Q && n < N)
                    assert_int_equal(out[i][n++], two[k]);
        }
    }
    free(workspace);
}

int main(int argc, char **argv)
{
    steps = &steps_c;
#if defined(OCT_HAVE_AVX512_TABLE)
    struct oct_cpu cpu;
    oct_cpu_detect(&cpu);
    const char *missing = NULL;
    if (argc > 1 && strcmp(argv[1], "avx512") == 0) {
        steps = &steps_avx512;
        missing = oct_cpu_missing(&cpu, OCT_NEEDS_LATTICE512);
    } else if (argc > 1 && strcmp(argv[1], "avx2") == 0) {
        steps = &steps_avx2;
        missing = oct_cpu_missing(&cpu, OCT_NEEDS_AVX2);
    }
    if (missing) {
        printf("SKIP: %s\n", missing);
        return 77;
    }
#endif
    (void)argc, (void)argv;
    return RUN_TESTS(NULL, NULL, test_multiply, test_reduce, test_compress, test_decompress, test_noise, test_bits,
                     test_accept, test_transforms, test_product, test_more);
}
