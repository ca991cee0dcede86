/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Does the bound proof see defects in whole products (src/vec/vec.h)? Factors that are too large by one, alone and
 * together, at both radices; sums that nobody carried; and the entry of the comb on 2^255-19 without the carry that
 * only whole products want. Each must be reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "kernels/curve25519/comb25519_impl.h"

_Static_assert(VEC_WHOLE, "this is about whole products");

#include "caught.h"

static const char *run(void (*piece)(void))
{
    failed_operation = NULL;
    if (setjmp(caught) == 0)
        piece();
    return failed_operation;
}

static void expect(const char *what, void (*piece)(void))
{
    assert_non_null(run(piece));
    assert_non_null(strstr(failed_operation, what));
}

#define N 5
static const uint64_t any[V8_LANES];
static v8 x[N], y[N], r[2 * N];

/* Numbers of 0 .. max in all limbs of both factors. */
static void factors(uint64_t max)
{
    for (int i = 0; i < N; i++)
        x[i] = y[i] = v8_argument_bound(v8_load52(any), max);
}

static void good(void)
{
    factors(V8_LIMB_MASK);
    v8_product_from(r, x, y, N, 0, 0, 52);
    v8_product_from(r, x, y, N, N, 0, 52);
    v8_square(r, x, N, 52);
    factors(((uint64_t)1 << 51) + ((uint64_t)1 << 16));
    v8_product_from(r, x, y, N, 0, 0, 51);
    v8_product_from(r, x, y, N, 0, 1, 51);
    v8_square(r, x, N, 51);
}

static void one_more(void)
{
    factors(V8_LIMB_MASK);
    y[3] = v8_add(y[3], v8_set1(1));
    v8_product_from(r, x, y, N, 0, 0, 52);
}
static void one_more_squared(void)
{
    factors(V8_LIMB_MASK);
    x[N - 1] = v8_add(x[N - 1], v8_set1(1));
    v8_square(r, x, N, 52);
}
static void negative(void)
{
    factors(V8_LIMB_MASK);
    x[0] = v8_sub(x[0], v8_set1(1));
    v8_product_from(r, x, y, N, N, 0, 52);
}
/* Each is below 2^52, their product is 2^103. */
static void both_large(void)
{
    factors(((uint64_t)1 << 51) - 1);
    x[2] = v8_set1((uint64_t)1 << 51);
    y[2] = v8_set1(V8_LIMB_MASK);
    y[2] = v8_argument_bound(y[2], V8_LIMB_MASK);
    x[2] = v8_argument_bound(x[2], ((uint64_t)1 << 51) + 1);
    v8_product_from(r, x, y, N, 0, 0, 51);
}
static void folded_too_large(void)
{
    static const v8_start start[FE_LIMBS];
    factors(V8_LIMB_MASK);
    y[1] = v8_set1((uint64_t)1 << 52);
    v8_product_folded(r, x, y, FE_LIMBS, FE_BITS, 19, start);
}
static void summed_too_often(void)
{
    factors(V8_LIMB_MASK);
    v8_product_from(r, x, y, N, 0, 0, 52);
    for (volatile int i = 0; i < 1000; i++)
        v8_product_from(r, x, y, N, 0, 1, 52);
}

/* --- 2^255-19 */

static void carried_good(void)
{
    const fe a = fe_carry(fe_wide_zero());
    fe b = fe_mul(fe_sub(a, a), fe_add(a, a));
    b = fe_carry(fe_mul_small_add(fe_mul_wide(a, b), b, 121665));
    fe_invert(&b, &b);
    (void)fe_canonical(b);
}
static void not_carried(void)
{
    fe a = fe_carry(fe_wide_zero());
    for (int i = 0; i < FE_LIMBS; i++)
        a.l[i] = v8_load52(any);
    (void)fe_mul(a, a);
}

static struct ed_point sum;
static struct ed_affine entry;
static void entry_good(void)
{
    static const uint64_t row[COMB_ROW_WORDS];
    ed_set_identity(&sum);
    comb_entry(&entry, row, v8_low(v8_load52(any), 5));
    for (int i = 0; i < 3; i++)
        ed_add_affine(&sum, &entry);
}
/* What comb_entry() does without fe_narrow(). */
static void entry_wide(void)
{
    entry_good();
    for (int i = 0; i < FE_LIMBS; i++)
        entry.dt2.l[i] = v8_sub(v8_set1(2 * fe_prime_limb(i)), v8_argument_bound(v8_load52(any), FE_MASK));
    ed_add_affine(&sum, &entry);
}

static void test_good(void **state)
{
    (void)state;
    assert_null(run(good));
    assert_null(run(carried_good));
    assert_null(run(entry_good));
}

static void test_factors(void **state)
{
    (void)state;
    expect("multiplicand", one_more);
    expect("multiplicand", one_more_squared);
    expect("multiplicand", negative);
    expect("multiplicand", both_large);
    expect("multiplicand", folded_too_large);
    expect("multiplicand", not_carried);
    expect("multiplicand", entry_wide);
}

static void test_sums(void **state)
{
    (void)state;
    assert_non_null(run(summed_too_often));
    assert_null(strstr(failed_operation, "multiplicand"));
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_good, test_factors, test_sums);
}
