/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Does the bound proof see anything in Poly1305 on general registers? Defects put into its steps: each must be
 * reported.
 */
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
static uint8_t block[16];

static void begin(digit h[3], struct poly_factor *f)
{
    failed_operation = NULL;
    poly_load_factor(f, p.r);
    poly_load_sum(h, p.sum);
}

/* The same steps without a defect pass. */
static void test_clean(void **state)
{
    struct poly_factor f;
    digit h[3];
    (void)state;
    begin(h, &f);
    if (setjmp(caught) == 0) {
        poly_block(h, &f, block);
        poly_store_sum(p.sum, h);
    }
    assert_null(failed_operation);
}

/* A sum whose upper word has not come back at the bottom. */
static void test_not_carried(void **state)
{
    struct poly_factor f;
    digit h[3];
    (void)state;
    begin(h, &f);
    if (setjmp(caught) == 0) {
        poly_block(h, &f, block);
        h[2] = digit_add(h[2], digit_set(1));
        poly_store_sum(p.sum, h);
    }
    assert_non_null(failed_operation);
}

/* A key that is not clamped. */
static void test_not_clamped(void **state)
{
    struct poly_factor f;
    digit h[3];
    (void)state;
    begin(h, &f);
    if (setjmp(caught) == 0) {
        f.r0 = digit_set(~(uint64_t)0);
        poly_block(h, &f, block);
    }
    assert_non_null(failed_operation);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_clean, test_not_carried, test_not_clamped);
}
