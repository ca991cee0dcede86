/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Does the bound proof see defects in RSA's arithmetic in rows? A limb of one bit too many, a sum without its carries,
 * columns that are taken for limbs, and columns that nobody carries. Each must be reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "kernels/rsa/rsa.h"

#define LIMBS  20
#define STRIP  5
#define WINDOW 4
#define SLOTS  5
#include "kernels/rsa/fold_rows_impl.h"

#include "kernels/rsa/fold_number_impl.h"

#include "caught.h"

static struct fold s[1];
static uint64_t number[LIMBS][V8_LANES];

static const char *run(void (*piece)(void))
{
    failed_operation = NULL;
    fold_load(s->n, number, LIMBS, 0);
    s->k0 = v8_load52(number[0]);
    for (int i = 0; i < SLOTS; i++)
        fold_load(s->slot[i], number, LIMBS, 0);
    if (setjmp(caught) == 0)
        piece();
    return failed_operation;
}

static void good(void)
{
    fold_mul(s, 1, 2, 0, 1);
    fold_square(s, 1, 2, 2, NULL, 0);
    fold_reduce_once(s, 1, 2);
}

static void wide_limb(void)
{
    s->slot[0][7] = v8_add(s->slot[0][7], v8_set1(1));
    fold_square(s, 1, 2, 0, NULL, 0);
}

static void no_carries(void)
{
    for (int j = 0; j < LIMBS; j++)
        s->slot[0][j] = v8_add(s->slot[0][j], s->slot[1][j]);
    fold_mul(s, 1, 2, 0, 1);
}

static void columns(void)
{
    fold_square(s, 1, 2, 0, NULL, 0);
    block_copy(s->slot[0], s->t + STRIP);
    fold_square(s, 1, 2, 0, NULL, 0);
}

static void overflow(void)
{
    rows_square(s->t, s->m, s->slot[0], s->n, &s->k0);
    for (volatile int i = 0; i < 5000; i++)
        rows_limb(s->t, s->n[0], 0, s->slot[1], 0);
}

static void test_defects(void **state)
{
    (void)state;
    assert_null(run(good));
    assert_non_null(strstr(run(wide_limb), "multiplicand"));
    assert_non_null(strstr(run(no_carries), "multiplicand"));
    assert_non_null(strstr(run(columns), "multiplicand"));
    const char *found = run(overflow);
    assert_non_null(found);
    assert_null(strstr(found, "multiplicand"));
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_defects);
}
