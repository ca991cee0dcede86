/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS lattice */
/*
 * Does the bound proof see anything in lanes of 16 bits? Defects put into real steps of ML-KEM: numbers too large for
 * a transform, a reduction that is left out, too many products in one sum, a number that is stored out of its bounds.
 * Each must be reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "kernels/lattice/mlkem_code_impl.h"

#include "caught.h"

static ntt_poly p[NTT_PAIR];
static int16_t numbers[MLKEM_N] OCT_ALIGN64, others[MLKEM_N] OCT_ALIGN64;

static void reset(int low, int high)
{
    failed_operation = NULL;
    for (int n = 0; n < NTT_PAIR; n++)
        for (int i = 0; i < NTT_VECTORS; i++)
            p[n][i] = (i16x32){low, high};
}

/* The same steps without a defect pass, and keep the bounds that their comments state. */
static void test_clean(void **state)
{
    (void)state;
    reset(-MLKEM_Q, MLKEM_Q);
    if (setjmp(caught) == 0) {
        ntt_forward(p);
        for (int i = 0; i < NTT_VECTORS; i++)
            assert_true(p[0][i].lo >= -17000 && p[1][i].hi <= 17000);
        ntt_prepare(numbers, others, p[0]);
        reset(-4000, 4000);
        ntt_backward(p);
        for (int i = 0; i < NTT_VECTORS; i++)
            assert_true(p[0][i].lo >= -2600 && p[1][i].hi <= 2600);
        for (unsigned d = 1; d <= 11; d++)
            i16x32_need("compress", code_compress((i16x32){-8191, 8191}, d), 0, (1 << d) - 1);
    }
    assert_null(failed_operation);
}

static void test_large_input(void **state)
{
    (void)state;
    reset(-20000, 20000);
    if (setjmp(caught) == 0)
        ntt_forward(p);
    assert_string_equal(failed_operation, "sub");
}

/* Layers back without the reduction among them. */
static void test_no_reduction(void **state)
{
    (void)state;
    reset(-4000, 4000);
    if (setjmp(caught) == 0)
        for (int layer = 3; layer >= 0; layer--)
            ntt_inner_back(p, &OCT_NAME(mlkem_zetas), layer);
    assert_non_null(failed_operation);
}

/* Products that are transformed back without Montgomery's reduction of their sum. */
static void test_too_many_products(void **state)
{
    sum32x16 sum = sum32x16_zero();
    (void)state;
    reset(0, 4095);
    if (setjmp(caught) == 0)
        for (volatile int i = 0; i < 1000; i++)
            sum = sum32x16_dot(sum, p[0][0], (i16x32){-MLKEM_REDUCED_MAX, MLKEM_REDUCED_MAX});
    assert_string_equal(failed_operation, "dot");
}

static void test_store(void **state)
{
    (void)state;
    reset(-MLKEM_REDUCED_MAX - 1, 0);
    if (setjmp(caught) == 0)
        i16x32_store(numbers, p[0][0], -MLKEM_REDUCED_MAX, MLKEM_REDUCED_MAX);
    assert_string_equal(failed_operation, "store");
}

/* A number that is not canonical, encoded. */
static void test_encode(void **state)
{
    (void)state;
    reset(-1, 3328);
    if (setjmp(caught) == 0)
        i16x32_store_bits((uint8_t *)numbers, p[0][0], 12);
    assert_string_equal(failed_operation, "store_bits");
}

static void test_lookup(void **state)
{
    (void)state;
    reset(0, 16);
    if (setjmp(caught) == 0)
        (void)i16x32_lookup16(OCT_NAME(mlkem_zetas).cbd, p[0][0]);
    assert_string_equal(failed_operation, "lookup16");
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_clean, test_large_input, test_no_reduction, test_too_many_products, test_store,
                     test_encode, test_lookup);
}
