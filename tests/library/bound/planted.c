/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Does the bound proof see anything? Defects of the two kinds that it is there for, put into real kernel steps: a sum
 * that overflows 64 bits after enough products, and a multiplicand of 53 bits. Each must be reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "kernels/rsa/rsa.h"

#define LIMBS 20
#define STRIP 4
#define SLOTS 4
#define MONT_SQUARE
#include "kernels/rsa/mont_impl.h"

#include "caught.h"

static struct mont s[1];
static uint64_t numbers[LIMBS][V8_LANES];

static void reset(void)
{
    static const uint64_t any[V8_LANES];
    failed_operation = NULL;
    for (int j = 0; j < LIMBS; j++) {
        s->n[j] = v8_load52(any);
        for (int i = 0; i < SLOTS; i++)
            s->slot[i][j] = v8_load52(any);
    }
    s->k0 = v8_load52(any);
}

/* The same steps without a defect pass: what is caught below is the defect. */
static void test_clean(void **state)
{
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        mont_mul(s, 2, 0, 1);
        mont_square(s, 2, 0);
        mont_reduce_once(s, 2);
        mont_set_one(s, 2);
        mont_load(s->slot[2], (const oct_limb8 *)numbers, LIMBS);
    }
    assert_null(failed_operation);
}

/* An addition of two numbers whose carries were not passed on before they are multiplied: limbs of 53 bits. */
static void test_53_bits(void **state)
{
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        for (int j = 0; j < LIMBS; j++)
            s->slot[0][j] = v8_add(s->slot[0][j], s->slot[1][j]);
        mont_mul(s, 2, 0, 1);
    }
    assert_non_null(failed_operation);
    assert_non_null(strstr(failed_operation, "multiplicand"));
}

/* The smallest excess: one more than 2^52 - 1. */
static void test_one_more(void **state)
{
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        s->slot[1][7] = v8_add(s->slot[1][7], v8_set1(1));
        mont_mul(s, 2, 0, 1);
    }
    assert_non_null(failed_operation);
    assert_non_null(strstr(failed_operation, "multiplicand"));
}

/* A square accumulated too often before its columns are carried. */
static void test_overflow(void **state)
{
    int times = 0;
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        mont_b_mul_first(s->t, s->slot[0], s->slot[1], s->n, s->slot[2]);
        for (volatile int i = 0; i < 1000; i++, times++)
            mont_b_mul_next(s->t, s->slot[0], s->slot[1], s->n, s->slot[2]);
    }
    assert_non_null(failed_operation);
    assert_null(strstr(failed_operation, "multiplicand"));
}

/* A subtraction below zero that is then taken for a limb. */
static void test_negative_limb(void **state)
{
    (void)state;
    reset();
    if (setjmp(caught) == 0) {
        s->slot[0][3] = v8_sub(s->slot[0][3], s->slot[1][3]);
        mont_square(s, 2, 0);
    }
    assert_non_null(failed_operation);
    assert_non_null(strstr(failed_operation, "multiplicand"));
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_clean, test_53_bits, test_one_more, test_overflow, test_negative_limb);
}
