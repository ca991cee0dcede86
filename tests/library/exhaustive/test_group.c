/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The point formulas of the NIST curves on all pairs of points of small groups, orders 64 (with a point of order 2) and
 * 97: the special cases, which no random test meets, are everywhere. And scalar multiplication by windows and by comb,
 * all points by all residues, where every addition can meet them. Each lane has another pair, and each point comes in
 * several forms.
 *
 * usage: exhaustive_group c | avx512 | avx512f | ifma256 | avx2
 */
#include "depth.h"
#include "points.h"

#include "ops/ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

static const struct group_ops *const *ops;
static const unsigned orders[] = {64, 97};
static struct small small[2][2]; /* [curve][order] */

struct pair {
    unsigned p, q, negative; /* indices */
};

static unsigned sum_of(const struct small *s, const struct pair *pair)
{
    return (pair->p + (pair->negative ? s->order - pair->q : pair->q)) % s->order;
}

/* What an incomplete addition promises: the sum, but for an infinite p or q, and that p = q can be told. */
static void expect_incomplete(const struct group_result *r, unsigned lane, const struct small *s,
                              const struct pair *pair)
{
    const unsigned sum = sum_of(s, pair), q = pair->negative ? (s->order - pair->q) % s->order : pair->q;
    if (pair->p == 0 || pair->q == 0)
        return;
    const int same = pair->p == q;
    points_expect(r, lane, s, same ? 0 : sum);
    if (same || sum == 0)
        assert_int_equal(r->x_is_zero >> lane & 1, same);
}

static void expect(const struct group_result *r, unsigned lane, const struct small *s, enum group_formula formula,
                   const struct pair *pair)
{
    if (formula == GROUP_DOUBLE)
        points_expect(r, lane, s, 2 * pair->p % s->order);
    else if (formula == GROUP_ADD || formula == GROUP_MIXED)
        expect_incomplete(r, lane, s, pair);
    else
        points_expect(r, lane, s, sum_of(s, pair));
}

/* Eight pairs through one formula, in place and not. A mixed addition's q is affine: not infinity. */
static void run_pairs(const struct group_ops *o, const struct small *s, enum group_formula formula,
                      const struct pair pair[GROUP_LANES], unsigned seed)
{
    struct group_points p, q;
    struct group_result r;
    unsigned negative = 0;
    memset(&p, 0, sizeof p);
    memset(&q, 0, sizeof q);
    const int mixed = formula == GROUP_MIXED || formula == GROUP_MIXED_COMPLETE;
    for (unsigned i = 0; i < GROUP_LANES; i++) {
        points_set(&p, i, s, pair[i].p, (seed + i) % SMALL_FORMS);
        points_set(&q, i, s, pair[i].q, mixed ? 0 : (seed / 3 + i) % SMALL_FORMS);
        negative |= pair[i].negative << i;
    }
    for (int alias = 0; alias < 2; alias++) {
        memset(&r, 0x5a, sizeof r);
        o->apply(&r, formula, &p, &q, negative, alias);
        for (unsigned i = 0; i < GROUP_LANES; i++)
            if (!mixed || pair[i].q != 0)
                expect(&r, i, s, formula, &pair[i]);
    }
}

/* The c table is slow: one vector in three, where other tables take all. */
static unsigned stride_of(const struct group_ops *o)
{
    const struct oct_ops *table[OCT_OPS_TABLES];
    return strstr(o->name, "_c") && !depth_is_exhaustive() && oct_ops_runnable(table) > 1 ? 3 : 1;
}

static unsigned long all_pairs(const struct group_ops *o, const struct small *s, enum group_formula formula)
{
    const unsigned n = s->order, total = formula == GROUP_DOUBLE ? n * SMALL_FORMS : 2 * n * n, stride = stride_of(o);
    for (unsigned at = 0; at < total; at += GROUP_LANES * stride) {
        struct pair pair[GROUP_LANES];
        for (unsigned i = 0; i < GROUP_LANES; i++) {
            const unsigned k = (at + i) % total;
            pair[i] = (struct pair){k % n, k / n % n, k / n / n};
        }
        run_pairs(o, s, formula, pair, at / GROUP_LANES);
    }
    return total / stride;
}

static void test_formulas(void **state)
{
    unsigned long count = 0;
    (void)state;
    for (int curve = 0; curve < 2; curve++)
        for (unsigned g = 0; g < OCT_ARRAY_LEN(orders); g++)
            for (int formula = 0; formula < GROUP_FORMULAS; formula++)
                count += all_pairs(ops[curve], &small[curve][g], (enum group_formula)formula);
    print_message("%lu pairs, each twice\n", count);
}

/* Lane i: point p[i] by scalar k[i]; the comb is of p[0]. */
static void run_scalars(const struct group_ops *o, const struct small *s, const void *comb, const unsigned p[],
                        const unsigned k[], int is_random)
{
    struct group_points points;
    struct group_result r;
    oct_limb8 scalar[GROUP_MAX_LIMBS] OCT_ALIGN64;
    memset(&points, 0, sizeof points);
    memset(scalar, 0, sizeof scalar);
    for (unsigned i = 0; i < GROUP_LANES; i++) {
        uint64_t limb[GROUP_MAX_LIMBS];
        points_scalar(o, s, limb, k[i], is_random);
        points_set_number(scalar, i, limb, o->limbs);
        points_set(&points, i, s, p[i], i % SMALL_FORMS);
    }
    memset(&r, 0x5a, sizeof r);
    if (comb)
        o->comb_multiply(&r, comb, (const oct_limb8 *)scalar);
    else
        o->multiply(&r, &points, (const oct_limb8 *)scalar);
    for (unsigned i = 0; i < GROUP_LANES; i++)
        points_expect(&r, i, s, (unsigned)((unsigned long)p[i] * k[i] % s->order));
}

/* All points by all residues (odd ones for an even order), each residue in turn small and random. The c table, which is
 * slow: one vector in `stride`. */
static void test_windows(void **state)
{
    const unsigned stride = strstr(ops[0]->name, "_c") ? 35 : 1;
    unsigned long count = 0;
    (void)state;
    for (int curve = 0; curve < 2; curve++)
        for (unsigned g = 0; g < OCT_ARRAY_LEN(orders); g++) {
            const struct small *s = &small[curve][g];
            const unsigned n = s->order, step = n % 2 == 0 ? 2 : 1, residues = n / step;
            for (unsigned at = 0; at < n * residues; at += GROUP_LANES * stride) {
                unsigned p[GROUP_LANES], k[GROUP_LANES];
                for (unsigned i = 0; i < GROUP_LANES; i++) {
                    p[i] = (at + i) % n;
                    k[i] = ((at + i) / n * step + step - 1) % n;
                }
                for (int is_random = 0; is_random < 2; is_random++)
                    run_scalars(ops[curve], s, NULL, p, k, is_random);
                count += 2 * GROUP_LANES;
            }
        }
    print_message("%lu products\n", count);
}

/* Bases by all residues; a comb wants an order above its largest odd multiple, 63. */
static void test_comb(void **state)
{
    const unsigned bases = strstr(ops[0]->name, "_c") ? 2 : 96;
    unsigned long count = 0;
    (void)state;
    for (int curve = 0; curve < 2; curve++) {
        const struct small *s = &small[curve][1];
        for (unsigned base = 1; base <= bases; base++) {
            struct group_points points;
            for (unsigned i = 0; i < GROUP_LANES; i++)
                points_set(&points, i, s, base, 0);
            void *comb = ops[curve]->comb_new(&points);
            for (unsigned at = 0; at < s->order; at += GROUP_LANES) {
                unsigned p[GROUP_LANES], k[GROUP_LANES];
                for (unsigned i = 0; i < GROUP_LANES; i++) {
                    p[i] = base;
                    k[i] = (at + i) % s->order;
                }
                for (int is_random = 0; is_random < 2; is_random++)
                    run_scalars(ops[curve], s, comb, p, k, is_random);
                count += 2 * GROUP_LANES;
            }
            free(comb);
        }
    }
    print_message("%lu products\n", count);
}

static int setup(void **state)
{
    (void)state;
    for (int curve = 0; curve < 2; curve++)
        for (unsigned g = 0; g < OCT_ARRAY_LEN(orders); g++)
            small_open(&small[curve][g], curve, orders[g]);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int curve = 0; curve < 2; curve++)
        for (unsigned g = 0; g < OCT_ARRAY_LEN(orders); g++)
            small_close(&small[curve][g]);
    return 0;
}

int main(int argc, char **argv)
{
    int status;
    ops = points_backend(argc, argv, &status);
    if (!ops)
        return status;
    return RUN_TESTS(setup, teardown, test_formulas, test_windows, test_comb);
}
