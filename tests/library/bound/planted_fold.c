/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Does the bound proof see defects in RSA's arithmetic on blocks? A block whose last limb is as wide as the others,
 * carries that are not passed on, columns that are taken for limbs, and products that are summed up too often, put into
 * the real steps. Each must be reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "kernels/rsa/rsa.h"

#define BLOCKS     4
#define BLOCK      5
#define BLOCK_BITS 258
#define WINDOW     4
#define SLOTS      5
#include "kernels/rsa/fold_impl.h"

#include "kernels/rsa/fold_number_impl.h"

#include "caught.h"

static struct fold s[1];
static uint64_t number[LIMBS][V8_LANES];

static void reset(void)
{
    failed_operation = NULL;
    fold_load(s->n, number, LIMBS, 0);
    s->k0 = v8_load52(number[0]);
    fold_constants(s);
    for (int i = 0; i < SLOTS; i++)
        fold_load(s->slot[i], number, LIMBS, 0);
    for (int j = 0; j < LIMBS; j++)
        for (int i = 0; i < 1 << WINDOW; i++)
            s->table[j][i] = s->slot[1][j];
}

static void expect(const char *what)
{
    assert_non_null(failed_operation);
    assert_non_null(strstr(failed_operation, what));
}

/* The same steps without a defect pass: what is caught below is the defect. */
static void test_clean(void **state)
{
    m8 bit[2][WINDOW];
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        for (unsigned i = 0; i < WINDOW; i++)
            bit[0][i] = v8_test_bit(s->slot[0][0], i);
        fold_mul(s, 1, 2, 0, 1);
        fold_square(s, 1, 2, 2, NULL, 0);
        fold_square(s, 1, 2, 2, bit, 0);
        fold_reduce_once(s, 1, 2);
    }
    assert_null(failed_operation);
}

/* The last limb of a block needs room for the sums of blocks. */
static void test_wide_block(void **state)
{
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        s->slot[0][BLOCK - 1] = v8_load52(number[0]);
        fold_square(s, 1, 2, 0, NULL, 0);
    }
    expect("multiplicand");
}

/* One bit too many there: the smallest excess is that of a sum of four. */
static void test_wide_by_one(void **state)
{
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        s->slot[0][BLOCK - 1] = v8_low(v8_load52(number[0]), BLOCK_TOP_BITS + 1);
        fold_mul(s, 1, 2, 1, 0);
    }
    expect("multiplicand");
}

/* A sum of two numbers without its carries. */
static void test_no_carries(void **state)
{
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        for (int j = 0; j < LIMBS; j++)
            s->slot[0][j] = v8_add(s->slot[0][j], s->slot[1][j]);
        fold_mul(s, 1, 2, 0, 1);
    }
    expect("multiplicand");
}

/* Columns of H, which may be negative, taken for limbs. */
static void test_columns(void **state)
{
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        fold_mul(s, 1, 2, 0, 1);
        for (int j = 0; j < LIMBS; j++)
            s->slot[0][j] = s->h[j];
        fold_low_mul(s, s->slot[0], s->slot[1]);
    }
    expect("multiplicand");
}

/* Products of blocks summed up too often before they are carried. */
static void test_overflow(void **state)
{
    v8 sum[BLOCK];
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        block_clear(sum);
        for (volatile int i = 0; i < 1000; i++)
            block_madd(sum, s->slot[0], s->slot[1], i % 2);
    }
    assert_non_null(failed_operation);
    assert_null(strstr(failed_operation, "multiplicand"));
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_clean, test_wide_block, test_wide_by_one, test_no_carries, test_columns,
                     test_overflow);
}
