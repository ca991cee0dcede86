/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Does the bound proof see anything in Poly1305? Defects put into its steps: each must be reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "kernels/chacha/poly1305_impl.h"

#include "caught.h"

static struct poly p;
static uint8_t data[POLY_GROUP];

static void load(quads h[POLY_LIMBS])
{
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        h[k] = quads_load(p.sum[k], POLY_BITS);
}

/* The same steps without a defect pass. */
static void test_clean(void **state)
{
    quads h[POLY_LIMBS];
    (void)state;
    failed_operation = NULL;
    load(h);
    if (setjmp(caught) == 0) {
        poly_group(h, &p.powers, data);
        for (unsigned k = 0; k < POLY_LIMBS; k++)
            quads_store(p.sum[k], h[k], POLY_BITS);
    }
    assert_null(failed_operation);
}

/* A sum that is carried but for its last step: the excess of the top stays on the lowest limb. */
static void test_half_carried(void **state)
{
    quads h[POLY_LIMBS];
    (void)state;
    failed_operation = NULL;
    load(h);
    if (setjmp(caught) == 0) {
        poly_group(h, &p.powers, data);
        h[0] = quads_add(h[0], quads_sll(h[1], 52 - POLY_RADIX));
        poly_group(h, &p.powers, data);
    }
    assert_non_null(failed_operation);
}

/* Products summed up too often before they are carried. */
static void test_overflow(void **state)
{
    quads h[POLY_LIMBS];
    struct poly_sum sum;
    (void)state;
    failed_operation = NULL;
    load(h);
    poly_sum_zero(&sum);
    if (setjmp(caught) == 0)
        for (volatile int i = 0; i < 100000; i++)
            poly_multiply_far(&sum, h, p.powers.far[0]);
    assert_non_null(failed_operation);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_clean, test_half_carried, test_overflow);
}
