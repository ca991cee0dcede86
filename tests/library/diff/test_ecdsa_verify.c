/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDSA verification in lanes against libcrypto's: good signatures and every way to be a bad one (ecdsa_samples.h), in
 * all positions, each beside every other.
 */
#include "api/ec_internal.h"
#include "ecdsa_samples.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define MAX OCT_EC_MAX_BYTES

static struct ec_ref ref[OCT_ECDSA_CURVES];
static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;
static struct ecdsa_sample sample[OCT_ECDSA_CURVES][ECDSA_KINDS];

static int setup(void **state)
{
    static const size_t lengths[] = {32, 48, 64, 20, 33, 1, 47};
    (void)state;
    tables = oct_ops_runnable(table);
    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++) {
        ec_ref_open(&ref[curve], curve);
        for (int kind = 0; kind < ECDSA_KINDS; kind++)
            ecdsa_sample_make(&ref[curve], &sample[curve][kind], (enum ecdsa_kind)kind,
                              lengths[(unsigned)kind % OCT_ARRAY_LEN(lengths)]);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++)
        ec_ref_close(&ref[curve]);
    return 0;
}

static void compare(const struct oct_ops *ops, int curve, const struct ecdsa_sample *const from[], unsigned lanes)
{
    struct oct_ecdsa_verify_lane lane[OCT_LANES];
    struct oct_lanes result = {0x5a, 0xa5};
    unsigned good = 0;
    for (unsigned i = 0; i < lanes; i++) {
        lane[i] = (struct oct_ecdsa_verify_lane){from[i]->key, from[i]->digest, from[i]->len, from[i]->signature};
        good |= (unsigned)from[i]->good << i;
    }
    assert_int_equal(oct_ecdsa_verify_on(ops, curve, lane, lanes, &result), OCT_OK);
    assert_int_equal(result.ok, good);
    assert_int_equal(result.invalid, ((1u << lanes) - 1) & ~good);
}

/* From one step to the next. */
static unsigned stride_of(const struct oct_ops *ops)
{
    return ops == &oct_ops_c ? amount(11, 11, ECDSA_KINDS) : amount(1, 1, 3) * tables_stride(ops);
}

/* Each kind in each position, beside those that stand `step` apart: with all steps, beside every other. */
static void test_kinds(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++)
            for (unsigned step = 0; step < ECDSA_KINDS; step += stride_of(table[t]))
                for (unsigned first = 0; first < ECDSA_KINDS; first++) {
                    const struct ecdsa_sample *from[OCT_LANES];
                    for (unsigned i = 0; i < OCT_LANES; i++)
                        from[i] = &sample[curve][(first + i * step) % ECDSA_KINDS];
                    compare(table[t], curve, from, OCT_LANES);
                }
}

/* Each kind alone (in brief not on the portable table, as it is beside others there), and one to eight lanes, where a
 * good and a bad one are the lane that fills up the others. */
static void test_lanes(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++) {
            for (unsigned kind = 0; kind < ECDSA_KINDS; kind += table[t] == &oct_ops_c ? amount(1, 1, ECDSA_KINDS) : 1)
                compare(table[t], curve, (const struct ecdsa_sample *[]){&sample[curve][kind]}, 1);
            for (unsigned lanes = 2; lanes <= OCT_LANES; lanes++)
                for (unsigned first = GOOD; first <= ZERO_BOTH; first += ZERO_BOTH) {
                    const struct ecdsa_sample *from[OCT_LANES] = {&sample[curve][first]};
                    for (unsigned i = 1; i < lanes; i++)
                        from[i] = &sample[curve][(7 * i + lanes) % ECDSA_KINDS];
                    compare(table[t], curve, from, lanes);
                }
        }
}

/* Digests of all lengths; in every other lane with a bit of the last byte changed: refused where that byte counts. */
static void test_digest_lengths(void **state)
{
    static struct ecdsa_sample made[OCT_EC_MAX_DIGEST];
    (void)state;
    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++) {
        for (unsigned i = 0; i < OCT_EC_MAX_DIGEST; i++)
            ecdsa_sample_make(&ref[curve], &made[i], GOOD, i + 1);
        for (unsigned turn = 0; turn < 2; turn++) {
            for (unsigned i = turn; turn && i < OCT_EC_MAX_DIGEST; i += 2) {
                made[i].digest[i] ^= 4;
                made[i].good = i >= ref[curve].bytes;
            }
            for (unsigned i = 0; i < OCT_EC_MAX_DIGEST; i += OCT_LANES)
                for (unsigned t = 0; t < tables; t++) {
                    const struct ecdsa_sample *from[OCT_LANES];
                    for (unsigned j = 0; j < OCT_LANES; j++)
                        from[j] = &made[i + j];
                    compare(table[t], curve, from, OCT_LANES);
                }
        }
    }
}

/* Octuple's own signatures. */
static void test_own(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++) {
            uint8_t key[OCT_LANES][MAX];
            struct ecdsa_sample made[OCT_LANES];
            struct oct_ecdsa_sign_lane lane[OCT_LANES];
            const struct ecdsa_sample *from[OCT_LANES];
            struct oct_lanes result;
            for (unsigned i = 0; i < OCT_LANES; i++) {
                ecdsa_sample_make(&ref[curve], &made[i], GOOD, 20 + i);
                ec_ref_scalar(&ref[curve], key[i], EC_REF_SCALARS - 1);
                assert_true(ec_ref_public(&ref[curve], made[i].key, key[i]));
                lane[i] = (struct oct_ecdsa_sign_lane){key[i], made[i].digest, made[i].len, made[i].signature};
                from[i] = &made[i];
            }
            assert_int_equal(oct_ecdsa_sign_on(table[t], curve, lane, OCT_LANES, oct_ecdsa_nonces, &result), OCT_OK);
            compare(table[t], curve, from, OCT_LANES);
        }
}

static void test_arguments(void **state)
{
    const struct ecdsa_sample *s = &sample[0][GOOD];
    struct oct_lanes result = {0x55, 0x55};
    const struct oct_ecdsa_verify_lane lane = {s->key, s->digest, s->len, s->signature},
                                       broken[] = {{NULL, s->digest, 32, s->signature},
                                                   {s->key, NULL, 32, s->signature},
                                                   {s->key, s->digest, 32, NULL},
                                                   {s->key, s->digest, 0, s->signature},
                                                   {s->key, s->digest, 65, s->signature}};
    (void)state;
    assert_int_equal(oct_ecdsa_verify_op(OCT_EC_CURVES), -1);
    assert_int_equal(oct_ecdsa_verify_op(-1), -1);
    assert_int_equal(oct_ecdsa_verify_x8(OCT_EC_CURVES, &lane, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ecdsa_verify_x8(-1, &lane, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ecdsa_verify_x8(0, &lane, 0, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ecdsa_verify_x8(0, &lane, 9, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ecdsa_verify_x8(0, NULL, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ecdsa_verify_x8(0, &lane, 1, NULL), OCT_ERR_ARGUMENT);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(oct_ecdsa_verify_x8(0, &broken[i], 1, &result), i < 3 ? OCT_ERR_ARGUMENT : OCT_ERR_LENGTH);
    assert_int_equal(result.ok, 0x55);
    assert_int_equal(result.invalid, 0x55);
}

/* The public call, where there is a table; and the known answers hold on every table. */
static void test_switch(void **state)
{
    (void)state;
    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++) {
        const struct ecdsa_sample *s = &sample[curve][GOOD];
        const struct oct_ecdsa_verify_lane lane = {s->key, s->digest, s->len, s->signature};
        const int op = oct_ecdsa_verify_op(curve);
        struct oct_lanes result = {0, 0};
        for (unsigned t = 0; t < tables; t++)
            assert_int_equal(oct_ops_known_answer(table[t], op), 0);
        assert_int_equal(oct_ecdsa_verify_x8(curve, &lane, 1, &result),
                         oct_op_is_on(op) ? OCT_OK : OCT_ERR_UNSUPPORTED);
        assert_int_equal(result.ok, oct_op_is_on(op));
        assert_int_equal(result.invalid, 0);
    }
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_kinds, test_lanes, test_digest_lengths, test_own, test_arguments,
                     test_switch);
}
