/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What verification adds up, u1*G + u2*Q, on groups of order 97: one in 13 of all u1, u2 and Q over the field of P-256,
 * and one in 61 over that of P-384, which is slower; with OCT_TEST_DEPTH=exhaustive all, and one in 29. Where the sum
 * is infinity, or its two terms are one point or infinity themselves, no signature that a random test makes ever comes.
 * And the comparison of its x: with that of the sum, and with that of another point.
 *
 * usage: exhaustive_verify c | avx512 | avx512f | ifma256 | avx2
 */
#include "depth.h"
#include "points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define ORDER 97

static const struct group_ops *const *ops;
static struct small small[2]; /* [curve] */

struct sum {
    unsigned u1, u2, q, differ; /* q: the index of Q */
    unsigned r;                 /* the index of the point whose x it is held against */
};

static unsigned index_of(const struct sum *s)
{
    const unsigned second = s->u2 * s->q % ORDER;
    return (s->u1 + (s->differ ? ORDER - second : second)) % ORDER;
}

/* The k-th of all sums. Half of them are compared with their own x, or that of their negative; the others with
 * another's. */
static struct sum sum_at(unsigned long k)
{
    struct sum s = {(unsigned)(k % ORDER), (unsigned)(k / ORDER % ORDER),
                    (unsigned)(k / ORDER / ORDER % (ORDER - 1)) + 1, 0, 0};
    s.differ = (s.u1 ^ s.u2 ^ s.q) >> 1 & 1;
    const unsigned own = index_of(&s);
    const unsigned other = (own + 1 + (unsigned)(k % (ORDER - 1))) % ORDER; /* any but own */
    s.r = k & 1 ? own : k & 2 ? (ORDER - own) % ORDER : other;
    if (s.r == 0)
        s.r = 1 + (unsigned)(k % (ORDER - 1));
    return s;
}

static int has_x_of(const struct sum *s)
{
    const unsigned own = index_of(s);
    return own != 0 && (s->r == own || s->r == ORDER - own);
}

static void run_sums(int curve, const void *comb, const struct sum sum[GROUP_LANES], unsigned long seed)
{
    const struct group_ops *o = ops[curve];
    const struct small *s = &small[curve];
    oct_limb8 u1[GROUP_MAX_LIMBS] OCT_ALIGN64, u2[GROUP_MAX_LIMBS] OCT_ALIGN64, r[GROUP_MAX_LIMBS] OCT_ALIGN64;
    struct group_points q;
    struct group_result result;
    unsigned differ = 0;
    memset(&q, 0, sizeof q);
    memset(&result, 0x5a, sizeof result);
    for (unsigned i = 0; i < GROUP_LANES; i++) {
        uint64_t limb[GROUP_MAX_LIMBS];
        points_scalar(o, s, limb, sum[i].u1, seed & 1);
        points_set_number(u1, i, limb, o->limbs);
        points_scalar(o, s, limb, sum[i].u2, seed >> 1 & 1);
        points_set_number(u2, i, limb, o->limbs);
        points_set_number(r, i, s->point[sum[i].r][0].x, o->limbs);
        points_set(&q, i, s, sum[i].q, (unsigned)(seed + i) % SMALL_FORMS);
        differ |= sum[i].differ << i;
    }
    const unsigned matches =
        o->verify(&result, comb, &q, (const oct_limb8 *)u1, (const oct_limb8 *)u2, differ, (const oct_limb8 *)r);
    for (unsigned i = 0; i < GROUP_LANES; i++) {
        points_expect(&result, i, s, index_of(&sum[i]));
        assert_int_equal(matches >> i & 1, has_x_of(&sum[i]));
    }
}

/* One vector in so many, a prime; the c table is slow. */
static unsigned stride_of(int curve)
{
    if (strstr(ops[curve]->name, "_c"))
        return 601;
    return curve == 1 ? amount(29, 61, 61) : amount(1, 13, 13);
}

static void test_verify(void **state)
{
    const unsigned long total = (unsigned long)ORDER * ORDER * (ORDER - 1);
    unsigned long count = 0, infinite = 0, doubled = 0;
    (void)state;
    for (int curve = 0; curve < 2; curve++) {
        const unsigned stride = stride_of(curve);
        struct group_points base;
        for (unsigned i = 0; i < GROUP_LANES; i++)
            points_set(&base, i, &small[curve], 1, 0);
        void *comb = ops[curve]->comb_new(&base);
        for (unsigned long at = 0; at < total; at += GROUP_LANES * stride) {
            struct sum sum[GROUP_LANES];
            for (unsigned i = 0; i < GROUP_LANES; i++) {
                sum[i] = sum_at(at + i);
                infinite += index_of(&sum[i]) == 0;
                doubled += index_of(&sum[i]) == 2 * sum[i].u1 % ORDER;
            }
            run_sums(curve, comb, sum, at / GROUP_LANES);
            count += GROUP_LANES;
        }
        free(comb);
    }
    print_message("%lu sums, %lu infinite, %lu of twice the same\n", count, infinite, doubled);
    assert_true(infinite > 0 && doubled > 0);
}

static int setup(void **state)
{
    (void)state;
    for (int curve = 0; curve < 2; curve++)
        small_open(&small[curve], curve, ORDER);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int curve = 0; curve < 2; curve++)
        small_close(&small[curve]);
    return 0;
}

int main(int argc, char **argv)
{
    int status;
    ops = points_backend(argc, argv, &status);
    if (!ops)
        return status;
    return RUN_TESTS(setup, teardown, test_verify);
}
