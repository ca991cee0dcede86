/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Are products of vectors exact? Those of each backend against integers of 128 bits, in random factors and in those at
 * the edges: 0, 1, powers of two and their neighbours, what is just below 2^52, and factors whose product is close to a
 * multiple of 2^52, where a rounding would show. Whole products column by column.
 *
 * usage: exhaustive_exact BACKEND [MILLIONS]      (of products; by default 8. The proof is one of 200.)
 */
#include "exact.h"

#include "base/base.h"
#include "ops/ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMB ((uint64_t)1 << 52)
#define MOST 20

#define DECLARE(backend) extern const struct exact_ops exact_##backend, exact_##backend##_grouped;
DECLARE(c)
#if defined(OCT_HAVE_AVX512_TABLE)
DECLARE(avx512)
DECLARE(avx512f)
DECLARE(ifma256)
DECLARE(avx2)
#endif

static uint64_t state = 0x6f63747570;
static unsigned long products;

static uint64_t draw(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* A factor of 0 .. max. */
static uint64_t factor(uint64_t max)
{
    const uint64_t kind = draw() % 8, bits = draw() % 52, near = draw() % 3;
    uint64_t x = draw();
    if (kind == 0)
        x = ((uint64_t)1 << bits) + near - 1;
    else if (kind == 1)
        x = max - draw() % 4;
    else if (kind == 2)
        x = draw() % 4;
    else if (kind == 3)
        x = (x & (LIMB - 1)) >> bits;
    else if (kind == 4)
        x = (x & (LIMB - 1)) >> bits << bits;
    x &= LIMB - 1;
    return x <= max ? x : x % (max + 1);
}

/* The inverse of an odd number modulo 2^52: products with it, and their neighbours, are just about a multiple. */
static uint64_t inverse(uint64_t a)
{
    uint64_t x = a;
    for (int i = 0; i < 6; i++)
        x *= 2 - a * x;
    return x & (LIMB - 1);
}

static void fail(const struct exact_ops *ops, const char *what, uint64_t a, uint64_t b, uint64_t got, uint64_t wanted)
{
    printf("%s: %s of %#llx and %#llx is %#llx, not %#llx\n", ops->name, what, (unsigned long long)a,
           (unsigned long long)b, (unsigned long long)got, (unsigned long long)wanted);
    exit(1);
}

static void draw_pairs(uint64_t acc[8], uint64_t a[8], uint64_t b[8])
{
    for (int i = 0; i < 8; i++) {
        acc[i] = factor(LIMB - 1);
        a[i] = factor(LIMB - 1);
        b[i] = factor(LIMB - 1);
        if (draw() % 4 == 0)
            b[i] = (inverse(a[i] | 1) + draw() % 3 - 1) & (LIMB - 1);
        if (draw() % 8 == 0 && a[i] > 1)
            b[i] = (LIMB * (draw() % a[i]) / a[i] + draw() % 2) & (LIMB - 1);
    }
}

static void check_single(const struct exact_ops *ops)
{
    uint64_t acc[8] OCT_ALIGN64, a[8] OCT_ALIGN64, b[8] OCT_ALIGN64, r[5][8] OCT_ALIGN64;
    static const char *const what[5] = {"madd52lo", "madd52hi", "mul52lo_trunc", "madd52lo_trunc", "madd52hi_trunc"};
    draw_pairs(acc, a, b);
    ops->single(r, acc, a, b);
    for (int i = 0; i < 8; i++) {
        const unsigned __int128 product = (unsigned __int128)a[i] * b[i];
        const uint64_t low = (uint64_t)product & (LIMB - 1), high = (uint64_t)(product >> 52);
        const uint64_t wanted[5] = {acc[i] + low, acc[i] + high, low, acc[i] + low, acc[i] + high};
        for (int k = 0; k < 5; k++)
            if (r[k][i] != wanted[k])
                fail(ops, what[k], a[i], b[i], r[k][i], wanted[k]);
    }
    products += 8;
}

static void check_powers(const struct exact_ops *ops)
{
#define BITS(i, bits) bits,
    static const unsigned power[EXACT_POWERS] = {EXACT_EACH_POWER(BITS)};
    uint64_t acc[8] OCT_ALIGN64, a[8] OCT_ALIGN64, b[8] OCT_ALIGN64, r[EXACT_POWERS][2][8] OCT_ALIGN64;
    draw_pairs(acc, a, b);
    ops->powers(r, acc, a);
    for (int k = 0; k < EXACT_POWERS; k++)
        for (int i = 0; i < 8; i++) {
            const unsigned __int128 product = (unsigned __int128)a[i] << power[k];
            const uint64_t low = acc[i] + ((uint64_t)product & (LIMB - 1)), high = acc[i] + (uint64_t)(product >> 52);
            if (r[k][0][i] != low)
                fail(ops, "madd52lo_pow2", a[i], power[k], r[k][0][i], low);
            if (r[k][1][i] != high)
                fail(ops, "madd52hi_pow2", a[i], power[k], r[k][1][i], high);
        }
}

/* The columns of a product with its halves split at `split` bits: 52, or at 51 bits also those, with the high half
 * twice what it is then. */
static void columns(uint64_t *column, uint64_t (*x)[8], uint64_t (*y)[8], int n, int lane, unsigned bits,
                    unsigned split)
{
    memset(column, 0, 2 * MOST * sizeof *column);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const unsigned __int128 product = (unsigned __int128)x[i][lane] * y[j][lane];
            column[i + j] += (uint64_t)product & (((uint64_t)1 << split) - 1);
            column[i + j + 1] += (uint64_t)(product >> split) << (split - bits);
        }
}

static void check_whole(const struct exact_ops *ops, int n, unsigned bits, enum exact_form form)
{
    static uint64_t x[MOST][8] OCT_ALIGN64, y[MOST][8] OCT_ALIGN64, r[2 * MOST][8] OCT_ALIGN64;
    uint64_t before[2 * MOST][8], wanted[2 * MOST];
    const uint64_t max = bits == 52 ? LIMB - 1 : ((uint64_t)1 << 51) + ((uint64_t)1 << 16);
    const int from = form == EXACT_UPPER || form == EXACT_UPPER_ADD ? n : 0;
    const int adds = form == EXACT_ADD || form == EXACT_UPPER_ADD;
    const int folds = form == EXACT_FOLDED || form == EXACT_FOLDED_SQUARE;
    for (int lane = 0; lane < 8; lane++)
        for (int i = 0; i < n; i++) {
            x[i][lane] = factor(max);
            y[i][lane] = form == EXACT_SQUARE || form == EXACT_FOLDED_SQUARE ? x[i][lane] : factor(max);
        }
    for (int k = 0; k < 2 * n; k++)
        for (int lane = 0; lane < 8; lane++)
            before[k][lane] = r[k][lane] = draw() >> 4;
    ops->whole(r, x, y, n, bits, form);
    for (int lane = 0; lane < 8; lane++) {
        int wrong[2] = {0, 0};
        /* Where a product is split at 51 bits is the backend's affair, but it is at the same place everywhere. */
        for (unsigned split = bits; split <= 52; split++) {
            columns(wanted, x, y, n, lane, bits, split);
            for (int k = 0; folds && k < n; k++)
                wanted[k] += EXACT_FOLD * wanted[k + n] + EXACT_PLUS((unsigned)k);
            for (int k = from; k < (folds ? n : 2 * n); k++)
                if (r[k - from][lane] != wanted[k] + (adds ? before[k - from][lane] : 0))
                    wrong[split - bits]++;
        }
        if (wrong[0] && (bits == 52 || wrong[1]))
            fail(ops, "a column", x[0][lane], y[0][lane], r[0][lane], wanted[from]);
    }
    products += 8 * (unsigned long)(n * n);
}

static void check_all(const struct exact_ops *ops, unsigned long millions)
{
    static const struct {
        int n;
        unsigned bits;
    } size[] = {
#define SIZE(n, bits) {n, bits},
        EXACT_EACH_SIZE(SIZE)};
    products = 0;
    for (unsigned long round = 0; products < 1000000 * millions; round++) {
        for (int i = 0; i < 64; i++)
            check_single(ops);
        check_powers(ops);
        for (size_t s = 0; s < OCT_ARRAY_LEN(size); s++)
            for (int form = 0; form < EXACT_FORMS; form++)
                if (form < EXACT_FOLDED || size[s].n <= EXACT_FOLDED_MOST)
                    check_whole(ops, size[s].n, size[s].bits, (enum exact_form)form);
    }
    printf("%s: %lu products are exact\n", ops->name, products);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        const struct exact_ops *ops[2];
    } backend[] = {
#define BACKEND(name) {#name, {&exact_##name, &exact_##name##_grouped}},
        BACKEND(c)
#if defined(OCT_HAVE_AVX512_TABLE)
            BACKEND(avx512) BACKEND(avx512f) BACKEND(ifma256) BACKEND(avx2)
#endif
    };
    const struct oct_ops *table[OCT_OPS_TABLES];
    const unsigned tables = oct_ops_runnable(table);
    const unsigned long millions = argc > 2 ? strtoul(argv[2], NULL, 10) : 8;
    for (size_t i = 0; argc > 1 && i < OCT_ARRAY_LEN(backend); i++)
        for (unsigned t = 0; t < tables; t++)
            if (strcmp(backend[i].name, argv[1]) == 0 && strcmp(table[t]->name, argv[1]) == 0) {
                check_all(backend[i].ops[0], millions);
                check_all(backend[i].ops[1], millions);
                return 0;
            }
    printf("SKIP: no such table on this CPU\n");
    return 77;
}
