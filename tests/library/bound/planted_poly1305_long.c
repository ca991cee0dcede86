/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Does the bound proof see anything in Poly1305 of long stretches, on limbs of 26 bits? Defects put into its steps:
 * each must be reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "kernels/chacha/poly1305_long_impl.h"

#include "caught.h"

static struct poly_long l;
static uint8_t data[LONG_GROUP];

static void load(quads h[POLY_LIMBS])
{
    failed_operation = NULL;
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        h[k] = quads_load(l.sum[k], POLY_BITS);
}

/* The same steps without a defect pass. */
static void test_clean(void **state)
{
    quads h[POLY_LIMBS];
    (void)state;
    load(h);
    if (setjmp(caught) == 0) {
        poly_group(h, &l.powers, data);
        for (unsigned k = 0; k < POLY_LIMBS; k++)
            quads_store(l.sum[k], h[k], POLY_BITS);
    }
    assert_null(failed_operation);
}

/* A sum of which one limb has not passed on its excess: more than a factor may have. */
static void test_half_carried(void **state)
{
    quads h[POLY_LIMBS];
    (void)state;
    load(h);
    if (setjmp(caught) == 0) {
        poly_group(h, &l.powers, data);
        h[0] = quads_add(h[0], quads_sll(h[1], QUADS_FACTOR_BITS - POLY_RADIX));
        poly_group(h, &l.powers, data);
    }
    assert_non_null(failed_operation);
}

/* A sum that is too large for the place where it is kept, though it could still be a factor. */
static void test_large_sum(void **state)
{
    quads h[POLY_LIMBS];
    (void)state;
    load(h);
    if (setjmp(caught) == 0) {
        poly_group(h, &l.powers, data);
        quads_store(l.sum[0], quads_add(h[0], quads_sll(h[1], 1)), POLY_BITS);
    }
    assert_non_null(failed_operation);
}

/* Products summed up too often before they are carried. */
static void test_overflow(void **state)
{
    quads h[POLY_LIMBS];
    struct poly_sum sum;
    (void)state;
    load(h);
    poly_sum_zero(&sum);
    if (setjmp(caught) == 0)
        for (volatile int i = 0; i < 100; i++)
            poly_multiply_far(&sum, h, l.powers.far[0]);
    assert_non_null(failed_operation);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_clean, test_half_carried, test_large_sum, test_overflow);
}
