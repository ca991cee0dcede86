/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDH and key pairs on each curve in lanes against libcrypto, on every table that this CPU can run: edge and
 * random scalars, good and bad peers, 1 to 8 lanes, every lane position, hostile neighbours, buffers in place.
 */
#include "api/ec_internal.h"
#include "depth.h"
#include "ec_ref.h"
#include "tables.h"

#include <octuple/op.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#define MAX OCT_EC_MAX_BYTES

static struct ec_ref ref[OCT_EC_CURVES];
static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;

static int setup(void **state)
{
    (void)state;
    tables = oct_ops_runnable(table);
    for (int curve = 0; curve < OCT_EC_CURVES; curve++)
        ec_ref_open(&ref[curve], curve);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int curve = 0; curve < OCT_EC_CURVES; curve++)
        ec_ref_close(&ref[curve]);
    return 0;
}

/* One batch whose lane i has scalar kind first_scalar + i and peer kind first_peer + i, on some tables. */
static void compare_derive(struct tables_range on, int curve, unsigned lanes, unsigned first_scalar,
                           unsigned first_peer)
{
    static uint8_t scalar[OCT_LANES][MAX], peer[OCT_LANES][2 * MAX], out[OCT_LANES + 1][MAX], want[OCT_LANES][MAX];
    struct oct_ec_derive_lane lane[OCT_LANES];
    struct oct_lanes result;
    unsigned good = 0;
    for (unsigned i = 0; i < lanes; i++) {
        ec_ref_scalar(&ref[curve], scalar[i], (first_scalar + i) % EC_REF_SCALARS);
        ec_ref_peer(&ref[curve], peer[i], (first_peer + i) % EC_REF_PEERS);
        good |= (unsigned)ec_ref_derive(&ref[curve], want[i], scalar[i], peer[i]) << i;
        lane[i] = (struct oct_ec_derive_lane){scalar[i], peer[i], out[i]};
    }
    for (unsigned t = 0; t < on.count; t++) {
        memset(out, 0xaa, sizeof out);
        assert_int_equal(oct_ec_derive_on(on.table[t], curve, lane, lanes, &result), OCT_OK);
        for (unsigned i = 0; i < lanes; i++)
            assert_memory_equal(out[i], want[i], ref[curve].bytes);
        assert_int_equal(result.ok, good);
        assert_int_equal(result.invalid, ((1u << lanes) - 1) & ~good);
        assert_int_equal(out[lanes][0], 0xaa);
    }
}

/* On the portable table not every kind of scalar stands first: one in so many, in brief one in four times so many. */
static unsigned portable_step(unsigned step)
{
    return depth_is_quick() ? 4 * step + 1 : step;
}

/* All tables of vectors, and where `scalar` is one in so many the portable one too. */
static struct tables_range with_portable(unsigned scalar, unsigned step)
{
    return scalar % portable_step(step) == 0 ? (struct tables_range){table, tables} : tables_of_vectors(table, tables);
}

/* Counts and positions: kinds wander over the lanes. Then every pair of a scalar and a peer. */
static void test_derive(void **state)
{
    (void)state;
    for (int curve = 0; curve < OCT_EC_CURVES; curve++) {
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++)
            compare_derive((struct tables_range){table, tables}, curve, lanes, 15 + lanes, lanes);
        for (unsigned scalar = 0; scalar < EC_REF_SCALARS; scalar++)
            for (unsigned peer = 0; peer < EC_REF_PEERS; peer++)
                compare_derive(with_portable(scalar, 5), curve, OCT_LANES, scalar, peer);
    }
}

static void compare_public(struct tables_range on, int curve, unsigned lanes, unsigned first)
{
    static uint8_t scalar[OCT_LANES][MAX], out[OCT_LANES + 1][2 * MAX], want[OCT_LANES][2 * MAX];
    struct oct_ec_public_lane lane[OCT_LANES];
    struct oct_lanes result;
    unsigned good = 0;
    for (unsigned i = 0; i < lanes; i++) {
        ec_ref_scalar(&ref[curve], scalar[i], (first + i) % EC_REF_SCALARS);
        good |= (unsigned)ec_ref_public(&ref[curve], want[i], scalar[i]) << i;
        lane[i] = (struct oct_ec_public_lane){scalar[i], out[i]};
    }
    for (unsigned t = 0; t < on.count; t++) {
        memset(out, 0xaa, sizeof out);
        assert_int_equal(oct_ec_public_on(on.table[t], curve, lane, lanes, &result), OCT_OK);
        for (unsigned i = 0; i < lanes; i++)
            assert_memory_equal(out[i], want[i], 2 * ref[curve].bytes);
        assert_int_equal(result.ok, good);
        assert_int_equal(result.invalid, ((1u << lanes) - 1) & ~good);
        assert_int_equal(out[lanes][0], 0xaa);
    }
}

static void test_public(void **state)
{
    (void)state;
    for (int curve = 0; curve < OCT_EC_CURVES; curve++)
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++)
            for (unsigned first = 0; first < EC_REF_SCALARS; first++)
                compare_public(with_portable(first, 4), curve, lanes, first);
}

/* Random ones in numbers, on tables of vectors. */
static void test_random(void **state)
{
    const struct tables_range on = tables > 1 ? tables_of_vectors(table, tables) : tables_portable(table);
    (void)state;
    for (int curve = 0; curve < OCT_EC_CURVES; curve++)
        for (unsigned round = 0; round < (tables > 1 ? amount(100, 50, 20) : amount(100, 25, 5)); round++) {
            compare_derive(on, curve, 4, 16, 0);
            compare_public(on, curve, 4, 16);
        }
}

/* The pair is a pair, and none comes twice. */
static void test_keygen(void **state)
{
    static uint8_t private[OCT_LANES][MAX], public[OCT_LANES][2 * MAX], want[2 * MAX];
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int curve = 0; curve < OCT_EC_CURVES; curve++)
            for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++) {
                struct oct_ec_keygen_lane lane[OCT_LANES];
                struct oct_lanes result;
                for (unsigned i = 0; i < lanes; i++)
                    lane[i] = (struct oct_ec_keygen_lane){private[i], public[i]};
                assert_int_equal(oct_ec_keygen_on(table[t], curve, lane, lanes, &result), OCT_OK);
                assert_int_equal(result.ok, (1u << lanes) - 1);
                assert_int_equal(result.invalid, 0);
                for (unsigned i = 0; i < lanes; i++) {
                    assert_true(ec_ref_public(&ref[curve], want, private[i]));
                    assert_memory_equal(public[i], want, 2 * ref[curve].bytes);
                    for (unsigned j = 0; j < i; j++)
                        assert_memory_not_equal(private[i], private[j], ref[curve].bytes);
                }
            }
}

/* The secret in the private key's place, the public key in the scalar's. */
static void test_in_place(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int curve = 0; curve < OCT_EC_CURVES; curve++) {
            uint8_t buffer[OCT_LANES][2 * MAX], peer[OCT_LANES][2 * MAX], want[OCT_LANES][2 * MAX];
            struct oct_ec_derive_lane derive[OCT_LANES];
            struct oct_ec_public_lane public[OCT_LANES];
            struct oct_lanes result;
            for (unsigned i = 0; i < OCT_LANES; i++) {
                ec_ref_scalar(&ref[curve], buffer[i], 16);
                ec_ref_peer(&ref[curve], peer[i], 0);
                assert_true(ec_ref_derive(&ref[curve], want[i], buffer[i], peer[i]));
                derive[i] = (struct oct_ec_derive_lane){buffer[i], peer[i], buffer[i]};
                public[i] = (struct oct_ec_public_lane){buffer[i], buffer[i]};
            }
            assert_int_equal(oct_ec_derive_on(table[t], curve, derive, OCT_LANES, &result), OCT_OK);
            for (unsigned i = 0; i < OCT_LANES; i++) {
                assert_memory_equal(buffer[i], want[i], ref[curve].bytes);
                ec_ref_scalar(&ref[curve], buffer[i], 16);
                assert_true(ec_ref_public(&ref[curve], want[i], buffer[i]));
            }
            assert_int_equal(oct_ec_public_on(table[t], curve, public, OCT_LANES, &result), OCT_OK);
            for (unsigned i = 0; i < OCT_LANES; i++)
                assert_memory_equal(buffer[i], want[i], 2 * ref[curve].bytes);
        }
}

/* One lane's result stays, whatever its place and its neighbours. */
static void test_lane_independence(void **state)
{
    (void)state;
    for (int curve = 0; curve < OCT_EC_CURVES; curve++) {
        uint8_t scalar[OCT_LANES][MAX], peer[OCT_LANES][2 * MAX], out[OCT_LANES][MAX];
        uint8_t my_scalar[MAX], my_peer[2 * MAX], want[MAX];
        ec_ref_scalar(&ref[curve], my_scalar, 16);
        ec_ref_peer(&ref[curve], my_peer, 0);
        assert_true(ec_ref_derive(&ref[curve], want, my_scalar, my_peer));
        for (unsigned position = 0; position < OCT_LANES; position++)
            for (unsigned kind = 0; kind<EC_REF_SCALARS; kind += tables> 1 ? 1 : amount(1, 1, 5)) {
                struct oct_ec_derive_lane lane[OCT_LANES];
                struct oct_lanes result;
                for (unsigned i = 0; i < OCT_LANES; i++) {
                    ec_ref_scalar(&ref[curve], scalar[i], kind);
                    ec_ref_peer(&ref[curve], peer[i], (kind + i) % EC_REF_PEERS);
                    lane[i] = (struct oct_ec_derive_lane){scalar[i], peer[i], out[i]};
                }
                lane[position].private_key = my_scalar;
                lane[position].peer = my_peer;
                const struct oct_ops *ops = tables_turn(table, tables, kind);
                assert_int_equal(oct_ec_derive_on(ops, curve, lane, OCT_LANES, &result), OCT_OK);
                assert_true(result.ok >> position & 1);
                assert_memory_equal(out[position], want, ref[curve].bytes);
            }
    }
}

static void test_arguments(void **state)
{
    uint8_t key[MAX] = {0}, peer[2 * MAX] = {0}, out[2 * MAX];
    struct oct_lanes result = {0x55, 0x55};
    const struct oct_ec_derive_lane derive = {key, peer, out},
                                    derive_null[] = {{NULL, peer, out}, {key, NULL, out}, {key, peer, NULL}};
    const struct oct_ec_public_lane public = {key, out}, public_null[] = {{NULL, out}, {key, NULL}};
    const struct oct_ec_keygen_lane pair = {key, out}, pair_null[] = {{NULL, out}, {key, NULL}};
    (void)state;
    memset(out, 0xaa, sizeof out);
    for (int curve = -1; curve <= OCT_EC_CURVES; curve += OCT_EC_CURVES + 1) {
        assert_int_equal(oct_ec_bytes(curve), 0);
        assert_int_equal(oct_ec_derive_op(curve), -1);
        assert_int_equal(oct_ec_keygen_op(curve), -1);
        assert_int_equal(oct_ec_derive_x8(curve, &derive, 1, &result), OCT_ERR_ARGUMENT);
        assert_int_equal(oct_ec_public_x8(curve, &public, 1, &result), OCT_ERR_ARGUMENT);
        assert_int_equal(oct_ec_keygen_x8(curve, &pair, 1, &result), OCT_ERR_ARGUMENT);
    }
    for (unsigned lanes = 0; lanes <= 9; lanes += 9) {
        assert_int_equal(oct_ec_derive_x8(0, &derive, lanes, &result), OCT_ERR_ARGUMENT);
        assert_int_equal(oct_ec_public_x8(0, &public, lanes, &result), OCT_ERR_ARGUMENT);
        assert_int_equal(oct_ec_keygen_x8(0, &pair, lanes, &result), OCT_ERR_ARGUMENT);
    }
    assert_int_equal(oct_ec_derive_x8(0, NULL, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ec_public_x8(0, NULL, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ec_keygen_x8(0, NULL, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ec_derive_x8(0, &derive, 1, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ec_public_x8(0, &public, 1, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ec_keygen_x8(0, &pair, 1, NULL), OCT_ERR_ARGUMENT);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(oct_ec_derive_x8(0, &derive_null[i], 1, &result), OCT_ERR_ARGUMENT);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(oct_ec_public_x8(0, &public_null[i], 1, &result), OCT_ERR_ARGUMENT);
        assert_int_equal(oct_ec_keygen_x8(0, &pair_null[i], 1, &result), OCT_ERR_ARGUMENT);
    }
    assert_int_equal(result.ok, 0x55);
    assert_int_equal(result.invalid, 0x55);
    for (size_t i = 0; i < sizeof out; i++)
        assert_int_equal(out[i], 0xaa);
}

/* The public call: off where there is no table, else as the internal one; and the known answers hold on every table. */
static void test_switch(void **state)
{
    uint8_t key[MAX] = {0}, out[2 * MAX], want[2 * MAX];
    (void)state;
    for (int curve = 0; curve < OCT_EC_CURVES; curve++) {
        const int ops[] = {oct_ec_derive_op(curve), oct_ec_keygen_op(curve), oct_ecdsa_sign_op(curve),
                           oct_ecdsa_verify_op(curve)};
        const struct oct_ec_public_lane lane = {key, out};
        struct oct_lanes result;
        for (unsigned n = 0; n < tables * OCT_ARRAY_LEN(ops); n++)
            assert_int_equal(oct_ops_known_answer(table[n / OCT_ARRAY_LEN(ops)], ops[n % OCT_ARRAY_LEN(ops)]), 0);
        key[ref[curve].bytes - 1] = 5;
        const int status = oct_ec_public_x8(curve, &lane, 1, &result);
        assert_int_equal(status, oct_op_is_on(oct_ec_keygen_op(curve)) ? OCT_OK : OCT_ERR_UNSUPPORTED);
        assert_true(ec_ref_public(&ref[curve], want, key));
        if (status == OCT_OK)
            assert_memory_equal(out, want, 2 * ref[curve].bytes);
        key[ref[curve].bytes - 1] = 0;
    }
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_derive, test_public, test_random, test_keygen, test_in_place,
                     test_lane_independence, test_arguments, test_switch);
}
