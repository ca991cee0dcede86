/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The steps of ML-DSA: rounding of all q numbers with and without hints, and packing of all numbers of all widths, by
 * FIPS 204's definitions. Transforms are linear maps: they are held against the definition on all 256 unit vectors, and
 * products on all pairs of these. Montgomery's product has too many inputs for all; it takes every factor with numbers
 * at the edges, and every number below q with some factors.
 *
 * usage: exhaustive_mldsa c | avx512
 */
#include "mldsa_steps.h"
#include "ops/mldsa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define Q         8380417
#define ALIGNED   __attribute__((aligned(64)))
#define R_INVERSE 8265825 /* 2^-32 mod q */

static const struct mldsa_steps *steps, *sets[2];
static const unsigned widths[] = {1, 3, 4, 6, 10, 13, 18, 20};

/* x mod q, of 0 .. q - 1. */
static int32_t modulo(int64_t x)
{
    return (int32_t)((x % Q + Q) % Q);
}

/* FIPS 204, algorithm 36. */
static void decompose(int32_t *high, int32_t *low, int32_t r)
{
    const int32_t interval = (Q - 1) / (steps->set == 44 ? 44 : 16);
    *low = r % interval;
    if (*low > interval / 2)
        *low -= interval;
    *high = (r - *low) / interval;
    if (r - *low == Q - 1) {
        *high = 0;
        --*low;
    }
}

/* Sixteen numbers from `first` on, those of q and more again from zero. */
static void fill(int32_t a[LANES], int32_t first)
{
    for (int i = 0; i < LANES; i++)
        a[i] = (first + i) % Q;
}

static void check_rounding(int32_t first)
{
    int32_t r[LANES] ALIGNED, high[LANES] ALIGNED, low[LANES] ALIGNED, hint[LANES] ALIGNED, used[LANES] ALIGNED;
    const int32_t highs = steps->set == 44 ? 44 : 16;
    int wrong = 0;
    fill(r, first);
    steps->round(high, low, r);
    for (int i = 0; i < LANES; i++)
        hint[i] = (first / LANES + i) & 1;
    steps->use_hint(used, r, hint);
    for (int i = 0; i < LANES; i++) {
        int32_t h, l;
        decompose(&h, &l, r[i]);
        wrong |= high[i] != h || low[i] != l;
        wrong |= used[i] != (hint[i] ? (h + (l > 0 ? 1 : highs - 1)) % highs : h);
    }
    assert_false(wrong);
}

/* t = t1 * 2^13 + t0, with t0 of -4095 .. 4096; and the canonical form of a number and of itself less q. */
static void check_t(int32_t first)
{
    int32_t t[LANES] ALIGNED, t1[LANES] ALIGNED, t0[LANES] ALIGNED, below[LANES] ALIGNED;
    int wrong = 0;
    fill(t, first);
    steps->split_t(t1, t0, t);
    for (int i = 0; i < LANES; i++) {
        wrong |= t1[i] * 8192 + t0[i] != t[i] || t0[i] < -4095 || t0[i] > 4096;
        below[i] = i % 2 ? t[i] : t[i] - Q;
    }
    steps->canonical(below, below);
    assert_false(wrong);
    assert_memory_equal(below, t, sizeof t);
}

static void test_rounding(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        steps = sets[s];
        for (int32_t first = 0; first < Q; first += LANES) {
            check_rounding(first);
            check_rounding(first + 1); /* every number with and without a hint */
        }
    }
    for (int32_t first = 0; first < Q; first += LANES)
        check_t(first);
}

/* Of a low part and what was added to it: the high part of the sum is another one. All low parts near the ends of the
 * interval, where it matters, and every high part. */
static void test_make_hint(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        steps = sets[s];
        const int32_t highs = steps->set == 44 ? 44 : 16, gamma2 = (Q - 1) / (2 * highs);
        for (int32_t high = 0; high < highs; high++)
            for (int32_t low = -gamma2 - 200; low <= gamma2 + 200; low += low == -gamma2 + 200 ? 2 * gamma2 - 400 : 1) {
                int32_t a[LANES] ALIGNED, b[LANES] ALIGNED, hint[LANES] ALIGNED, want, unused;
                for (int i = 0; i < LANES; i++) {
                    a[i] = low;
                    b[i] = high;
                }
                steps->make_hint(hint, a, b);
                decompose(&want, &unused, modulo((int64_t)high * 2 * gamma2 + low));
                for (int i = 0; i < LANES; i++)
                    assert_int_equal(hint[i], want != high);
            }
    }
}

static int bit_of(const uint8_t *bytes, unsigned i)
{
    return bytes[i / 8] >> i % 8 & 1;
}

/* A number in one lane, others in the rest; nothing before or behind is touched. */
static void check_bits(unsigned bits, int32_t number, unsigned lane, int32_t others)
{
    int32_t a[LANES] ALIGNED, out[LANES] ALIGNED;
    uint8_t bytes[64];
    int wrong = 0;
    for (unsigned i = 0; i < LANES; i++)
        a[i] = i == lane ? number : others;
    memset(bytes, 0xa5, sizeof bytes);
    steps->store_bits(bytes + 1, a, bits);
    for (unsigned i = 0; i < LANES * bits; i++)
        wrong |= bit_of(bytes + 1, i) != (a[i / bits] >> i % bits & 1);
    wrong |= bytes[0] != 0xa5 || bytes[1 + 2 * bits] != 0xa5;
    steps->load_bits(out, bytes + 1, bits);
    assert_false(wrong);
    assert_memory_equal(out, a, sizeof out);
}

/* Every number of every width, in lanes in turn; of every lane all single bits. */
static void test_bits(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        const int32_t end = (int32_t)1 << widths[w], step = widths[w] > 13 ? 7 : 1;
        for (int32_t number = 0; number < end; number += step)
            check_bits(widths[w], number, (unsigned)number % LANES, number % 2 ? 0 : end - 1);
        for (unsigned lane = 0; lane < LANES; lane++)
            for (unsigned bit = 0; bit < widths[w]; bit++) {
                check_bits(widths[w], 1 << bit, lane, 0);
                check_bits(widths[w], end - 1 - (1 << bit), lane, end - 1);
            }
    }
}

/* Three bytes a number, which are read only. */
static void test_load24(void **state)
{
    uint8_t bytes[3 * LANES];
    int32_t out[LANES] ALIGNED;
    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(37 * i + 5);
    steps->load_bits(out, bytes, 24);
    for (int i = 0; i < LANES; i++)
        assert_int_equal(out[i], bytes[3 * i] | bytes[3 * i + 1] << 8 | bytes[3 * i + 2] << 16);
}

/* Every set of lanes that is kept, in order. */
static void test_accept(void **state)
{
    int32_t a[LANES] ALIGNED, out[LANES] ALIGNED;
    (void)state;
    for (unsigned kept = 0; kept < 1u << LANES; kept++) {
        unsigned n = 0;
        for (unsigned i = 0; i < LANES; i++)
            a[i] = kept >> i & 1 ? Q - 1 - (int32_t)i : Q + (int32_t)i;
        const unsigned got = steps->accept(out, a, Q);
        for (unsigned i = 0; i < LANES; i++)
            if (kept >> i & 1)
                assert_int_equal(out[n++], a[i]);
        assert_int_equal(got, n);
    }
}

static void check_product(const int32_t a[LANES], int32_t factor)
{
    int32_t out[LANES] ALIGNED;
    int wrong = 0;
    steps->multiply(out, a, factor);
    for (int i = 0; i < LANES; i++) {
        const int64_t exact = (int64_t)a[i] * factor, size = exact < 0 ? -exact : exact;
        const int64_t most = (size >> 32) + Q / 2 + 2;
        wrong |= modulo(out[i]) != modulo(modulo(exact) * (int64_t)R_INVERSE) || out[i] > most || -out[i] > most;
    }
    assert_false(wrong);
}

static void test_multiply(void **state)
{
    static const int32_t edges[LANES] ALIGNED = {0,         1,     -1,        2,       -2,         Q,    -Q, Q - 1,
                                                 INT32_MAX, 1 - Q, INT32_MIN, 1 << 30, -(1 << 30), 4095, 77, Q / 2};
    int32_t a[LANES] ALIGNED;
    (void)state;
    assert_int_equal(modulo((int64_t)R_INVERSE * (((int64_t)1 << 32) % Q)), 1);
    for (int32_t factor = -(Q / 2); factor <= Q / 2; factor += 3)
        check_product(edges, factor);
    for (int32_t first = 0; first < Q; first += LANES) {
        fill(a, first);
        check_product(a, first % 2 ? Q / 2 - first / 2 : first / 2 - Q / 2);
    }
}

static int32_t power(int32_t base, unsigned e)
{
    int64_t r = 1;
    for (; e > 0; e--)
        r = r * base % Q;
    return (int32_t)r;
}

/* The root of place k: 1753^(2 rev(k) + 1), rev the reversal of eight bits. */
static int32_t root(unsigned k)
{
    unsigned reversed = 0;
    for (unsigned b = 0; b < 8; b++)
        reversed |= (k >> b & 1) << (7 - b);
    return power(1753, 2 * reversed + 1);
}

static int32_t units[N][N] ALIGNED; /* all unit vectors, transformed */

static void test_forward(void **state)
{
    static int32_t defined[N] ALIGNED, ordered[N] ALIGNED, roots[N], value[N];
    (void)state;
    for (unsigned k = 0; k < N; k++) {
        roots[k] = root(k);
        value[k] = 1;
    }
    for (unsigned i = 0; i < N; i++) {
        memset(units[i], 0, sizeof units[i]);
        units[i][i] = 1;
        steps->forward(units[i]);
        memcpy(defined, value, sizeof defined);
        steps->order(ordered, defined);
        for (unsigned k = 0; k < N; k++) {
            assert_int_equal(modulo(units[i][k]), ordered[k]);
            value[k] = modulo((int64_t)value[k] * roots[k]);
        }
    }
}

/* X^i X^j = X^(i + j), with X^256 = -1: all pairs. */
static void test_products(void **state)
{
    static int32_t out[N] ALIGNED;
    (void)state;
    for (unsigned i = 0; i < N; i++)
        for (unsigned j = 0; j < N; j++) {
            int wrong = 0;
            steps->product(out, units[i], units[j]);
            for (unsigned k = 0; k < N; k++) {
                const int32_t want = k != (i + j) % N ? 0 : i + j < N ? 1 : Q - 1;
                wrong |= modulo(out[k]) != want || out[k] >= Q || out[k] <= -Q;
            }
            assert_false(wrong);
        }
}

int main(int argc, char **argv)
{
    const struct oct_mldsa_ops *table[OCT_LATTICE_BACKENDS];
    const char *wish = argc == 2 ? argv[1] : "c";
    const unsigned tables = oct_mldsa_runnable(table);
    unsigned found = 0;
    while (found < tables && strcmp(table[found]->name, wish) != 0)
        found++;
    if (found == tables) {
        printf("SKIP: no table %s on this CPU\n", wish);
        return 77;
    }
    sets[0] = &mldsa_steps_44_c;
    sets[1] = &mldsa_steps_65_c;
#if defined(OCT_HAVE_AVX512_TABLE)
    if (strcmp(wish, "avx512") == 0) {
        sets[0] = &mldsa_steps_44_avx512;
        sets[1] = &mldsa_steps_65_avx512;
    } else if (strcmp(wish, "avx2") == 0) {
        sets[0] = &mldsa_steps_44_avx2;
        sets[1] = &mldsa_steps_65_avx2;
    }
#endif
    steps = sets[0];
    return RUN_TESTS(NULL, NULL, test_rounding, test_make_hint, test_bits, test_load24, test_accept, test_multiply,
                     test_forward, test_products);
}
