/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Faults in the making of Ed25519's points, on every table. A table of multiples with one wrong bit stands for faults
 * of the arithmetic: the kernel must see that the point is not one, in every lane that met the bit, and give out
 * nothing. And what the calls above make of it: one more try alone, then a zeroed signature beside the good ones of its
 * neighbours, or no key.
 */
#include "api/ed25519_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/rand.h>

#define LIMBS     OCT_ED25519_LIMBS
#define WIDE      OCT_ED25519_WIDE_LIMBS
#define SIGNATURE OCT_ED25519_SIGNATURE_BYTES

static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;
static struct oct_ed25519_key *key;

static int setup(void **state)
{
    static const uint8_t seed[32] = {7};
    (void)state;
    tables = oct_ops_runnable(table);
    return oct_ed25519_key_new_on(&oct_ops_c, &key, seed) == OCT_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    oct_ed25519_key_free(key);
    return 0;
}

/* --- the kernel, on a table of multiples that is wrong */

static oct_limb8 wide[WIDE] OCT_ALIGN64, scalar[LIMBS] OCT_ALIGN64;
static oct_limb8 good_point[LIMBS] OCT_ALIGN64, point[LIMBS] OCT_ALIGN64;

static unsigned run_base(const struct oct_ops *ops, const uint64_t *comb, oct_limb8 *out)
{
    void *workspace = aligned_alloc(64, (*ops->ed25519_base[0].workspace + 63) / 64 * 64);
    const struct oct_ed25519_base_args args = {workspace, comb, wide, scalar, out};
    assert_non_null(workspace);
    const unsigned good = ops->ed25519_base[0].run(&args);
    free(workspace);
    return good;
}

/* Lanes whose point is another than it should be; those are to be refused, and zero. */
static unsigned wrong_lanes(unsigned good)
{
    unsigned wrong = 0;
    for (unsigned lane = 0; lane < OCT_LANES; lane++) {
        unsigned differs = 0, nonzero = 0;
        for (unsigned i = 0; i < LIMBS; i++) {
            differs |= point[i][lane] != good_point[i][lane];
            nonzero |= point[i][lane] != 0;
        }
        assert_int_equal(differs, !(good >> lane & 1));
        assert_true(!differs || !nonzero);
        wrong |= differs << lane;
    }
    return wrong;
}

static void test_wrong_table(void **state)
{
    uint64_t *comb = aligned_alloc(64, OCT_COMB25519_WORDS * sizeof *comb);
    unsigned seen = 0, unharmed = 0;
    (void)state;
    assert_non_null(comb);
    assert_int_equal(RAND_bytes((uint8_t *)wide, sizeof wide), 1);
    for (unsigned lane = 0; lane < OCT_LANES; lane++)
        for (unsigned i = 0; i < WIDE; i++)
            wide[i][lane] &= ((uint64_t)1 << (i + 1 < WIDE ? 52 : 44)) - 1;
    for (unsigned t = 0; t < tables; t++) {
        memcpy(comb, oct_comb25519(table[t]), OCT_COMB25519_WORDS * sizeof *comb);
        /* The portable table is slow: beside another table it does less. */
        const unsigned stride = table[t] != &oct_ops_c ? 3 : tables > 1 ? 61 : 7;
        assert_int_equal(run_base(table[t], comb, good_point), 0xff);
        for (unsigned word = t; word < OCT_COMB25519_WORDS; word += stride) {
            comb[word] ^= (uint64_t)1 << word % 51;
            const unsigned wrong = wrong_lanes(run_base(table[t], comb, point));
            seen += wrong != 0;
            unharmed += wrong != 0xff;
            comb[word] ^= (uint64_t)1 << word % 51;
        }
    }
    assert_true(seen > 100 && unharmed > 100);
    free(comb);
}

/* --- the calls, on a kernel that reports faults */

static const struct oct_ops *real;
static unsigned faulty, remaining; /* these lanes, in so many runs */

static unsigned faulty_base(const struct oct_ed25519_base_args *args)
{
    unsigned good = real->ed25519_base[0].run(args);
    if (!remaining)
        return good;
    remaining--;
    for (unsigned lane = 0; lane < OCT_LANES; lane++)
        for (unsigned i = 0; i < LIMBS && (faulty >> lane & 1); i++)
            args->point[i][lane] = 0;
    return good & ~faulty;
}

static struct oct_ops spoilt(const struct oct_ops *ops, unsigned lanes, unsigned runs)
{
    struct oct_ops copy = *ops;
    real = ops;
    faulty = lanes;
    remaining = runs;
    copy.ed25519_base[0].run = faulty_base;
    return copy;
}

static void check_sign(const struct oct_ops *ops, unsigned lanes, unsigned runs, unsigned wanted)
{
    static const uint8_t zero[SIGNATURE];
    uint8_t want[SIGNATURE], got[OCT_LANES][SIGNATURE];
    struct oct_ed25519_sign_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0xff};
    const struct oct_ops copy = spoilt(ops, lanes, runs);
    for (unsigned i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_ed25519_sign_lane){key, (const uint8_t *)"octuple", 7, got[i]};
    assert_int_equal(oct_ed25519_sign_on(&copy, lane, OCT_LANES, &result), OCT_OK);
    assert_int_equal(result.ok, wanted);
    assert_int_equal(result.invalid, 0);
    lane[0].signature = want;
    assert_int_equal(oct_ed25519_sign_on(ops, lane, 1, &result), OCT_OK);
    for (unsigned i = 0; i < OCT_LANES; i++)
        assert_memory_equal(got[i], wanted >> i & 1 ? want : zero, SIGNATURE);
}

static void test_sign(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++) {
        check_sign(table[t], 0x24, 1, 0xff); /* tried again, and good */
        check_sign(table[t], 0xff, 1, 0xff);
        /* Lane 0 is where a lane is tried alone: with it two runs are bad, so lane 0's second try is too. */
        check_sign(table[t], 0x21, 2, 0xfe);
        check_sign(table[t], 0xff, 9, 0x00);
    }
}

static void test_key(void **state)
{
    static const uint8_t seed[32] = {7};
    (void)state;
    for (unsigned t = 0; t < tables; t++) {
        struct oct_ed25519_key *made = NULL;
        struct oct_ops copy = spoilt(table[t], 0xff, 1);
        assert_int_equal(oct_ed25519_key_new_on(&copy, &made, seed), OCT_OK);
        assert_memory_equal(oct_ed25519_key_public(made), oct_ed25519_key_public(key), OCT_ED25519_PUBLIC_BYTES);
        oct_ed25519_key_free(made);
        made = NULL;
        copy = spoilt(table[t], 0xff, 2);
        assert_int_equal(oct_ed25519_key_new_on(&copy, &made, seed), OCT_ERR_FAULT);
        assert_null(made);
    }
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_wrong_table, test_sign, test_key);
}
