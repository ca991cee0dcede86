/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: LINKS oct_rows_c oct_table_cs */
/*
 * RSA in lanes against libcrypto, on every table that this CPU can run: random and edge inputs, 1 to 8 lanes, every
 * lane position, eight different keys, p < q and p > q, small and large exponents, hostile neighbours.
 */
#include "api/rsa_internal.h"
#include "depth.h"
#include "base/big.h"
#include "rsa_keys.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/rand.h>

#define KEYS      8
#define MAX_BYTES 512

static struct test_rsa keys[OCT_RSA_SIZES][KEYS];
static struct oct_rsa_key *made[OCT_RSA_SIZES][KEYS];
static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;

/* In brief the portable table has the smallest keys alone. */
static unsigned sizes(const struct oct_ops *ops)
{
    return ops == &oct_ops_c && depth_is_quick() ? 1 : OCT_RSA_SIZES;
}

static int make_keys(void **state)
{
    /* Exponents of every kind: the usual one, the smallest, a large one. */
    static const unsigned long exponent[KEYS] = {65537, 65537, 3, 65537, 4294967291, 65537, 17, 65537};
    (void)state;
    tables = oct_ops_runnable(table);
    for (unsigned size = 0; size < OCT_RSA_SIZES; size++) {
        test_rsa_make_eight(keys[size], oct_rsa_bits(size), exponent);
        for (unsigned i = 0; i < KEYS; i++)
            assert_int_equal(oct_rsa_key_new(&made[size][i], &keys[size][i].numbers), OCT_OK);
    }
    return 0;
}

static int free_keys(void **state)
{
    (void)state;
    for (unsigned size = 0; size < OCT_RSA_SIZES; size++)
        for (unsigned i = 0; i < KEYS; i++) {
            test_rsa_free(&keys[size][i]);
            oct_rsa_key_free(made[size][i]);
        }
    return 0;
}

/* Edge inputs: 0, 1, n-1, n-2, p, q, n-p, all kinds of carries; then random ones. */
static void make_input(uint8_t *in, size_t len, const struct test_rsa *key, unsigned kind)
{
    BIGNUM *x = BN_new();
    switch (kind) {
    case 0:
        BN_zero(x);
        break;
    case 1:
        assert_true(BN_one(x));
        break;
    case 2:
        assert_true(BN_sub(x, key->n, BN_value_one()));
        break;
    case 3:
        assert_true(BN_copy(x, key->p));
        break;
    case 4:
        assert_true(BN_copy(x, key->q));
        break;
    case 5:
        assert_true(BN_sub(x, key->n, key->p));
        break;
    case 6: /* 2^(bits-1) - 1: limbs of ones */
        assert_true(BN_one(x) && BN_lshift(x, x, (int)(8 * len) - 1) && BN_sub_word(x, 1));
        break;
    case 7: /* a single one at the top of the lower half */
        assert_true(BN_one(x) && BN_lshift(x, x, (int)(8 * len) / 2));
        break;
    default:
        assert_true(BN_rand_range(x, key->n));
    }
    assert_int_equal(BN_bn2binpad(x, in, (int)len), len);
    BN_free(x);
}

struct sample {
    uint8_t in[MAX_BYTES], out[MAX_BYTES], want[MAX_BYTES];
};

/* What libcrypto makes of the same. */
static void reference(uint8_t *want, const uint8_t *in, size_t len, const struct test_rsa *key, int private)
{
    if (private)
        test_rsa_private(want, in, len, key);
    else
        test_rsa_power(want, in, len, key->e, key->n);
}

static void run_batch(const struct oct_ops *ops, struct sample sample[], struct oct_rsa_lane lane[], unsigned lanes,
                      size_t len, int private)
{
    struct oct_lanes result = {0, 0};
    for (unsigned i = 0; i < lanes; i++)
        memset(sample[i].out, 0xaa, len);
    const int status =
        private ? oct_rsa_private_on(ops, lane, lanes, &result) : oct_rsa_public_on(ops, lane, lanes, &result);
    assert_int_equal(status, OCT_OK);
    assert_int_equal(result.ok, (1u << lanes) - 1);
    assert_int_equal(result.invalid, 0);
    for (unsigned i = 0; i < lanes; i++)
        assert_memory_equal(sample[i].out, sample[i].want, len);
}

/* One batch of `lanes` operations, keys and inputs rotating from `start`, against libcrypto, on some tables. libcrypto
 * takes longer than they do together. */
static void compare_batch(struct tables_range on, unsigned size, unsigned lanes, unsigned start, int private)
{
    static struct sample sample[OCT_LANES];
    struct oct_rsa_lane lane[OCT_LANES];
    const size_t len = oct_rsa_bits(size) / 8;
    for (unsigned i = 0; i < lanes; i++) {
        const unsigned k = (start + i) % KEYS;
        const struct test_rsa *key = &keys[size][k];
        make_input(sample[i].in, len, key, (start + 3 * i) % 12);
        reference(sample[i].want, sample[i].in, len, key, private);
        lane[i] = (struct oct_rsa_lane){made[size][k], sample[i].in, sample[i].out};
    }
    for (unsigned t = 0; t < on.count; t++)
        run_batch(on.table[t], sample, lane, lanes, len, private);
}

static void test_private(void **state)
{
    const struct tables_range portable = tables_portable(table), vectors = tables_of_vectors(table, tables);
    (void)state;
    for (unsigned size = 0; size < OCT_RSA_SIZES && vectors.count; size++)
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++)
            for (unsigned start = 0; start < amount(12, 6, 2); start++)
                compare_batch(vectors, size, lanes, start, 1);
    static const struct oct_ops *const rows = &oct_ops_cs;
    compare_batch((struct tables_range){&rows, 1}, 0, 8, 0, 1);
    compare_batch((struct tables_range){&rows, 1}, 1, 5, 1, 1);
    compare_batch(portable, 0, 3, 0, 1);
    compare_batch(portable, 0, 8, 0, 1);
    compare_batch(portable, 1, 5, 1, 1); /* in brief too: it has the steps for eight blocks */
    if (!depth_is_quick())
        compare_batch(portable, 2, 2, 2, 1);
}

static void test_public(void **state)
{
    (void)state;
    for (unsigned size = 0; size < OCT_RSA_SIZES; size++)
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++)
            for (unsigned start = 0; start < (tables > 1 ? amount(24, 24, 8) : 1); start++) {
                const int all = start == 0 && size < sizes(&oct_ops_c);
                compare_batch(all ? (struct tables_range){table, tables} : tables_of_vectors(table, tables), size,
                              lanes, start, 0);
            }
}

/* All exponents 65537: the fast path, which mixed exponents never take. */
static void test_public_f4(void **state)
{
    static uint8_t in[OCT_LANES][MAX_BYTES], out[OCT_LANES][MAX_BYTES], want[MAX_BYTES];
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned size = 0; size < sizes(table[t]); size++)
            for (unsigned kind = 0; kind < 12; kind++) {
                static const unsigned f4[4] = {0, 1, 3, 4};
                const size_t len = oct_rsa_bits(size) / 8;
                struct oct_rsa_lane lane[OCT_LANES];
                struct oct_lanes result;
                for (unsigned i = 0; i < OCT_LANES; i++) {
                    make_input(in[i], len, &keys[size][f4[i % 4]], (kind + i) % 12);
                    lane[i] = (struct oct_rsa_lane){made[size][f4[i % 4]], in[i], out[i]};
                }
                assert_int_equal(oct_rsa_public_on(table[t], lane, OCT_LANES, &result), OCT_OK);
                assert_int_equal(result.ok, 0xff);
                for (unsigned i = 0; i < OCT_LANES; i++) {
                    test_rsa_power(want, in[i], len, keys[size][f4[i % 4]].e, keys[size][f4[i % 4]].n);
                    assert_memory_equal(out[i], want, len);
                }
            }
}

/* in and out the same buffer. */
static void test_in_place(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++) {
        static uint8_t buffer[OCT_LANES][MAX_BYTES], want[OCT_LANES][MAX_BYTES];
        struct oct_rsa_lane lane[OCT_LANES];
        struct oct_lanes result;
        for (unsigned i = 0; i < OCT_LANES; i++) {
            test_rsa_below_n(buffer[i], 256, &keys[0][i]);
            test_rsa_private(want[i], buffer[i], 256, &keys[0][i]);
            lane[i] = (struct oct_rsa_lane){made[0][i], buffer[i], buffer[i]};
        }
        assert_int_equal(oct_rsa_private_on(table[t], lane, OCT_LANES, &result), OCT_OK);
        assert_int_equal(result.ok, 0xff);
        for (unsigned i = 0; i < OCT_LANES; i++)
            assert_memory_equal(buffer[i], want[i], 256);
    }
}

/* An input of n or more makes its own lane invalid and zero, wherever it stands, and no other. */
static void test_out_of_range(void **state)
{
    (void)state;
    for (unsigned t = tables_fast(tables); t < tables; t++)
        for (unsigned size = 0; size < sizes(table[t]); size++)
            for (unsigned bad = 0; bad < OCT_LANES; bad++)
                for (int private = 0; private < 2; private ++) {
                    static uint8_t in[OCT_LANES][MAX_BYTES], out[OCT_LANES][MAX_BYTES], want[MAX_BYTES];
                    static const uint8_t zero[MAX_BYTES];
                    const size_t len = oct_rsa_bits(size) / 8;
                    struct oct_rsa_lane lane[OCT_LANES];
                    struct oct_lanes result;
                    for (unsigned i = 0; i < OCT_LANES; i++) {
                        test_rsa_below_n(in[i], len, &keys[size][i]);
                        memset(out[i], 0xaa, len);
                        lane[i] = (struct oct_rsa_lane){made[size][i], in[i], out[i]};
                    }
                    if (bad % 2)
                        memset(in[bad], 0xff, len);
                    else
                        assert_int_equal(BN_bn2binpad(keys[size][bad].n, in[bad], (int)len), len);
                    const int status = private ? oct_rsa_private_on(table[t], lane, OCT_LANES, &result)
                                               : oct_rsa_public_on(table[t], lane, OCT_LANES, &result);
                    assert_int_equal(status, OCT_OK);
                    assert_int_equal(result.invalid, 1u << bad);
                    assert_int_equal(result.ok, 0xff & ~(1u << bad));
                    for (unsigned i = 0; i < OCT_LANES; i++) {
                        const struct test_rsa *key = &keys[size][i];
                        if (i == bad) {
                            assert_memory_equal(out[i], zero, len);
                            continue;
                        }
                        reference(want, in[i], len, key, private);
                        assert_memory_equal(out[i], want, len);
                    }
                }
}

/* A lane's result does not depend on what runs beside it. */
static void test_lane_independence(void **state)
{
    static uint8_t in[OCT_LANES][MAX_BYTES], out[OCT_LANES][MAX_BYTES], want[MAX_BYTES];
    (void)state;
    test_rsa_below_n(in[0], 256, &keys[0][2]);
    test_rsa_private(want, in[0], 256, &keys[0][2]);
    for (unsigned position = 0; position < OCT_LANES; position++)
        for (unsigned neighbours = 0; neighbours < 8; neighbours++) {
            struct oct_rsa_lane lane[OCT_LANES];
            struct oct_lanes result;
            for (unsigned i = 0; i < OCT_LANES; i++) {
                if (i != position)
                    make_input(in[i == 0 ? position : i], 256, &keys[0][(i + neighbours) % KEYS], neighbours);
                lane[i] = i == position ? (struct oct_rsa_lane){made[0][2], in[0], out[i]}
                                        : (struct oct_rsa_lane){made[0][(i + neighbours) % KEYS],
                                                                in[i == 0 ? position : i], out[i]};
            }
            const struct oct_ops *ops = tables_turn(table, tables, neighbours);
            assert_int_equal(oct_rsa_private_on(ops, lane, OCT_LANES, &result), OCT_OK);
            assert_int_equal(result.ok, 0xff);
            assert_memory_equal(out[position], want, 256);
        }
}

int main(void)
{
    return RUN_TESTS(make_keys, free_keys, test_private, test_public, test_public_f4, test_in_place, test_out_of_range,
                     test_lane_independence);
}
