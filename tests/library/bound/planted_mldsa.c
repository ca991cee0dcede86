/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS lattice */
/*
 * Does the bound proof see anything in lanes of 32 bits? Defects put into real steps of ML-DSA: numbers too large for a
 * transform, an inverse without the reduction before it, too many products in one sum, numbers that are stored or
 * encoded out of their bounds. Each must be reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define MLDSA_TAU         39
#define MLDSA_ETA         2
#define MLDSA_GAMMA1_BITS 17
#define MLDSA_HIGHS       44
#include "kernels/lattice/mldsa_code_impl.h"

#include "caught.h"

static ntt_poly p;
static int32_t numbers[MLDSA_N] OCT_ALIGN64;

static void reset(int64_t low, int64_t high)
{
    failed_operation = NULL;
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = (i32x16){low, high};
}

/* The same steps without a defect pass, and keep the bounds that their comments state. */
static void test_clean(void **state)
{
    (void)state;
    reset(-MLDSA_Q, MLDSA_Q);
    if (setjmp(caught) == 0) {
        ntt_forward(p);
        ntt_store(numbers, p);
        reset(-MLDSA_Q, MLDSA_Q);
        ntt_multiply(p, numbers, numbers);
        i32x16_need("backward", p[0], -MLDSA_BACK_MAX, MLDSA_BACK_MAX);
        const i32x16 r = code_canonical(p[1]), high = code_high(r);
        i32x16_need("canonical", r, 0, MLDSA_Q - 1);
        i32x16_need("high", high, 0, MLDSA_HIGHS - 1);
        i32x16_need("use_hint", code_use_hint(r, (i32x16){0, 1}), 0, MLDSA_HIGHS - 1);
        i32x16_need("t1", code_t1(r), 0, 1023);
        i32x16_need("hint", code_make_hint((i32x16){-2 * MLDSA_Q, 2 * MLDSA_Q}, high), 0, 1);
    }
    assert_null(failed_operation);
}

static void test_large_input(void **state)
{
    (void)state;
    reset(INT32_MIN, INT32_MAX);
    if (setjmp(caught) == 0)
        ntt_forward(p);
    assert_string_equal(failed_operation, "sub");
}

/* What the forward transform makes, transformed back without a product, which would reduce it. */
static void test_no_reduction(void **state)
{
    (void)state;
    reset(-MLDSA_FORWARD_MAX, MLDSA_FORWARD_MAX);
    if (setjmp(caught) == 0)
        ntt_backward(p);
    assert_non_null(failed_operation);
}

static void test_too_many_products(void **state)
{
    const i32x16 large = {-MLDSA_FORWARD_MAX, MLDSA_FORWARD_MAX};
    (void)state;
    reset(0, 0);
    if (setjmp(caught) == 0) {
        sum64x16 sum = sum64x16_mul(large, large);
        for (volatile int i = 0; i < 10000; i++)
            sum = sum64x16_add(sum, sum);
    }
    assert_string_equal(failed_operation, "add of products");
}

/* Sums that 64 bits bear, and whose reduced form 32 bits do not. */
static void test_high(void **state)
{
    (void)state;
    reset(0, 0);
    if (setjmp(caught) == 0)
        (void)ntt_collect((sum64x16){0, (__int128)1 << 63});
    assert_string_equal(failed_operation, "high");
}

static void test_store(void **state)
{
    (void)state;
    reset(0, MLDSA_FORWARD_MAX + 1);
    if (setjmp(caught) == 0)
        ntt_store(numbers, p);
    assert_string_equal(failed_operation, "store");
}

/* A number beyond the top of its range, encoded as its distance from there. */
static void test_encode(void **state)
{
    (void)state;
    reset(-GAMMA1 + 1, GAMMA1 + 1);
    if (setjmp(caught) == 0)
        code_store_from((uint8_t *)numbers, p[0], Z_BITS, GAMMA1);
    assert_string_equal(failed_operation, "store_bits");
}

/* Canonical form of what is too far below zero. */
static void test_canonical(void **state)
{
    (void)state;
    reset(-MLDSA_Q - 1, 0);
    if (setjmp(caught) == 0)
        (void)code_canonical(p[0]);
    assert_string_equal(failed_operation, "add_if_negative");
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_clean, test_large_input, test_no_reduction, test_too_many_products, test_high,
                     test_store, test_encode, test_canonical);
}
