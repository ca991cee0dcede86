/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Does the bound proof see anything in the curves' fields? Defects put into real steps of 2^255-19 and P-256: a carry,
 * a bias or a settling left out, one addition too many. Each must be reported, as the kind of failure that it is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "kernels/curve25519/fe25519.h"
#include "kernels/ec/p256_impl.h"
#include "kernels/ec/ec_invert_impl.h"
#include "kernels/ec/ec_point_impl.h"

#include "caught.h"

static const uint64_t any[V8_LANES];

/* Runs a piece of kernel; returns the operation that left its bounds, or NULL. */
static const char *run(void (*piece)(void))
{
    failed_operation = NULL;
    if (setjmp(caught) == 0)
        piece();
    return failed_operation;
}

static void expect_multiplicand(void (*piece)(void))
{
    assert_non_null(run(piece));
    assert_non_null(strstr(failed_operation, "multiplicand"));
}

/* A column that is carried as a number >= 0, and may be none. */
static void expect_negative(void (*piece)(void))
{
    assert_non_null(run(piece));
    assert_non_null(strstr(failed_operation, "srl"));
}

static void expect_overflow(void (*piece)(void))
{
    assert_non_null(run(piece));
    assert_null(strstr(failed_operation, "multiplicand"));
}

/* --- 2^255-19 */

static fe fe_any(void)
{
    fe r;
    for (int i = 0; i < FE_LIMBS; i++)
        r.l[i] = v8_load52(any);
    return r;
}

static void fe_good(void)
{
    fe a = fe_any(), b = fe_any();
    b = fe_mul(fe_sub(a, b), fe_add(a, b));
    b = fe_carried_difference(fe_mul_biased(a, b), fe_sqr_wide(b));
    b = fe_carry(fe_mul_small_add(fe_mul_wide(a, b), b, 121665));
    fe_invert(&a, &b);
    (void)fe_canonical(a);
}

/* A sum of two numbers, multiplied before it is carried: limbs of 53 bits. */
static void fe_no_carry(void)
{
    fe a = fe_any(), b = fe_any();
    for (int i = 0; i < FE_LIMBS; i++)
        a.l[i] = v8_add(a.l[i], b.l[i]);
    (void)fe_mul(a, b);
}

/* The same by the smallest excess. */
static void fe_one_more(void)
{
    fe a = fe_any();
    a.l[3] = v8_add(a.l[3], v8_set1(1));
    (void)fe_sqr(a);
}

/* A whole limb where 32 bits count. */
static void fe_not_short(void)
{
    (void)v8_mul_short(fe_any().l[0], 19);
}

/* Differences want the bias: without it limbs are negative. */
static void fe_no_bias(void)
{
    const fe a = fe_any(), b = fe_any();
    (void)fe_mul(fe_carried_difference(fe_widen(a), fe_widen(b)), a);
}
static void fe_no_bias_of_product(void)
{
    const fe a = fe_any(), b = fe_any();
    (void)fe_sqr(fe_carried_difference(fe_mul_wide(a, b), fe_mul_wide(b, a)));
}

/* Two products are more than the bias. */
static void fe_two_products(void)
{
    const fe a = fe_any(), b = fe_any();
    fe_wide w = fe_wide_sub(fe_biased(a), fe_mul_wide(a, b));
    w = fe_wide_sub(w, fe_mul_wide(b, a));
    (void)fe_sqr(fe_carry(w));
}

/* Columns of 60 bits, added once too often. */
static void fe_many_products(void)
{
    const fe a = fe_any();
    fe_wide w = fe_wide_zero();
    for (int i = 0; i < 9; i++)
        w = fe_wide_add(w, fe_sqr_wide(a));
}

static void test_fe_good(void **state)
{
    (void)state;
    assert_null(run(fe_good));
}

static void test_fe_multiplicand(void **state)
{
    (void)state;
    expect_multiplicand(fe_no_carry);
    expect_multiplicand(fe_not_short);
    expect_multiplicand(fe_one_more);
    expect_negative(fe_no_bias);
    expect_negative(fe_no_bias_of_product);
    expect_negative(fe_two_products);
}

static void test_fe_overflow(void **state)
{
    (void)state;
    expect_overflow(fe_many_products);
}

/* --- P-256 */

static struct point p, q;
static struct gcd gcd;

/* Coordinates as the formulas leave them. */
static void points(void)
{
    static const uint64_t numbers[LIMBS][V8_LANES];
    struct num x;
    num_load(&x, (const oct_limb8 *)numbers);
    fp_to_mont(&p.x, &x);
    p.y = p.z = p.x;
    fp_settle(&p.x);
    fp_settle(&p.y);
    q = p;
}

static void ec_good(void)
{
    points();
    for (int i = 0; i < 3; i++) {
        point_double(&p, &p);
        point_add(&p, &p, &q, v8_is_negative(v8_zero()));
        point_add_mixed(&p, &p, &q.x, &q.y, v8_is_negative(v8_zero()));
    }
    point_to_affine_start(&gcd, &p);
    gcd_run(&gcd, 1);
    (void)point_to_affine_finish(&q.x, &q.y, &p, &gcd);
}

/* A product that was left as columns. */
static void ec_no_carry(void)
{
    points();
    fp_mul(&p.x, &p.x, &p.y);
    fp_mul(&p.x, &p.x, &p.y);
}

static void ec_one_more(void)
{
    points();
    p.x.l[1] = v8_add(v8_load52(any), v8_set1(1));
    fp_mul(&p.y, &p.y, &p.x);
}

/* A difference that is carried but not settled: its top limb is negative. */
static void ec_no_settle(void)
{
    points();
    num_sub(&p.x, &p.x, &q.y);
    fp_carry(&p.x);
    fp_sqr(&p.x, &p.x);
}

/* Sums that are carried but never settled: a settled number has a top limb of 49 bits and a little, eight times
 * that 53. */
static void ec_outgrown(void)
{
    points();
    for (int i = 0; i < 3; i++) {
        num_add(&p.x, &p.x, &p.x);
        fp_carry(&p.x);
    }
    fp_sqr(&p.x, &p.x);
}

/* Four times that fits. */
static void ec_just_not_outgrown(void)
{
    points();
    for (int i = 0; i < 2; i++) {
        num_add(&p.x, &p.x, &p.x);
        fp_carry(&p.x);
    }
    fp_sqr(&p.x, &p.x);
}

/* Columns times a number that is not small. */
static void ec_overflow(void)
{
    points();
    fp_mul(&p.x, &p.x, &p.y);
    num_sll(&p.x, &p.x, 10);
}

/* An entry of a matrix of divisions, without the offset that makes it no less than 0. */
static void ec_no_offset(void)
{
    v8 c[LIMBS + 1];
    points();
    point_to_affine_start(&gcd, &p);
    gcd_divide_1(&gcd);
    gcd.u = v8_sub(gcd.u, v8_set1((uint64_t)1 << GCD_STEPS));
    gcd_columns(c, &gcd.f, &gcd.g, gcd.u, gcd.v);
}

/* And the top limb of a number, without its bias. */
static void ec_no_gcd_bias(void)
{
    v8 c[LIMBS + 1];
    points();
    point_to_affine_start(&gcd, &p);
    gcd_divide_1(&gcd);
    gcd_update_fg(&gcd);
    gcd.f.l[LIMBS - 1] = v8_sub(gcd.f.l[LIMBS - 1], v8_set1(GCD_BIAS));
    gcd_columns(c, &gcd.f, &gcd.g, gcd.u, gcd.v);
}

static void test_ec_good(void **state)
{
    (void)state;
    assert_null(run(ec_good));
    assert_null(run(ec_just_not_outgrown));
}

static void test_ec_multiplicand(void **state)
{
    (void)state;
    expect_multiplicand(ec_no_carry);
    expect_multiplicand(ec_one_more);
    expect_multiplicand(ec_no_settle);
    expect_multiplicand(ec_outgrown);
    expect_multiplicand(ec_no_offset);
    expect_multiplicand(ec_no_gcd_bias);
}

static void test_ec_overflow(void **state)
{
    (void)state;
    expect_overflow(ec_overflow);
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_fe_good, test_fe_multiplicand, test_fe_overflow, test_ec_good,
                     test_ec_multiplicand, test_ec_overflow);
}
