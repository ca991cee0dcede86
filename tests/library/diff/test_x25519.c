/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * X25519 in lanes against libcrypto, on every table that this CPU can run: random and edge scalars, peers on the curve
 * and on its twist, of small order, not canonical; 1 to 8 lanes, every lane position, hostile neighbours, buffers in
 * place.
 */
#include "api/x25519_internal.h"
#include "depth.h"
#include "tables.h"

#include <octuple/op.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/evp.h>
#include <openssl/rand.h>

#define BYTES OCT_X25519_BYTES

/* The order of the base point, minus 1: little-endian. */
static const uint8_t order_minus_1[BYTES] = {0xec, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,       0xd6,
                                             0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10};
/* The two u of points of order 8. */
static const uint8_t order_8[2][BYTES] = {
    {0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4, 0x6a,
     0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00},
    {0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef, 0x5b,
     0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57}};

enum { SCALAR_KINDS = 10, PEER_KINDS = 48 };

static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;

static int setup(void **state)
{
    (void)state;
    tables = oct_ops_runnable(table);
    return 0;
}

static void random_bytes(uint8_t *out)
{
    assert_int_equal(RAND_bytes(out, BYTES), 1);
}

/* 0, 1, n-1, n, n+1, all ones, the highest and the lowest clamped one, one bit; then random ones. */
static void make_scalar(uint8_t out[BYTES], unsigned kind)
{
    memset(out, 0, BYTES);
    switch (kind % SCALAR_KINDS) {
    case 0:
        return;
    case 1:
        out[0] = 1;
        return;
    case 2:
    case 3:
    case 4:
        memcpy(out, order_minus_1, BYTES);
        out[0] = (uint8_t)(out[0] + kind % SCALAR_KINDS - 2);
        return;
    case 5:
        memset(out, 0xff, BYTES);
        return;
    case 6:
        memset(out, 0xff, BYTES);
        out[0] = 0xf8;
        out[31] = 0x7f;
        return;
    case 7:
        out[31] = 0x40;
        return;
    default:
        random_bytes(out);
    }
}

/* All u of small order with and without the top bit, all that are not canonical, 2, the base point; then random ones,
 * of which half are on the twist. */
static void make_peer(uint8_t out[BYTES], unsigned kind)
{
    kind %= PEER_KINDS;
    memset(out, 0, BYTES);
    if (kind < 19) { /* p .. 2^255-1 */
        memset(out, 0xff, BYTES);
        out[0] = (uint8_t)(0xed + kind);
        out[31] = 0x7f;
    } else if (kind < 22) { /* 0, 1, p-1: of order 4, 4, 2 or on the twist */
        if (kind == 20)
            out[0] = 1;
        if (kind == 21) {
            memset(out, 0xff, BYTES);
            out[0] = 0xec;
            out[31] = 0x7f;
        }
    } else if (kind < 24) {
        memcpy(out, order_8[kind - 22], BYTES);
    } else if (kind < 26) {
        memcpy(out, order_8[kind - 24], BYTES);
        out[31] |= 0x80;
    } else if (kind < 29) {
        out[0] = (uint8_t)(kind - 26 == 0 ? 0 : kind - 26 == 1 ? 2 : 9);
        out[31] = 0x80;
    } else {
        random_bytes(out);
    }
}

/* Small order, told from the numbers alone: what the lane has to call invalid. */
static int is_small_order(const uint8_t peer[BYTES])
{
    uint8_t u[BYTES], other[BYTES];
    memcpy(u, peer, BYTES);
    u[31] &= 0x7f;
    for (unsigned kind = 0; kind < 24; kind++) {
        if (kind >= 2 && kind < 19)
            continue;
        make_peer(other, kind);
        if (memcmp(u, other, BYTES) == 0)
            return 1;
    }
    return 0;
}

/* What libcrypto says; 0 if it refuses, since the result is zero. */
static int reference_derive(uint8_t out[BYTES], const uint8_t scalar[BYTES], const uint8_t peer[BYTES])
{
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, scalar, BYTES);
    EVP_PKEY *other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, peer, BYTES);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key, NULL);
    size_t len = BYTES;
    assert_true(key && other && ctx && EVP_PKEY_derive_init(ctx) == 1);
    assert_int_equal(EVP_PKEY_derive_set_peer(ctx, other), 1);
    const int good = EVP_PKEY_derive(ctx, out, &len) == 1;
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(other);
    EVP_PKEY_free(key);
    return good;
}

static void reference_public(uint8_t out[BYTES], const uint8_t scalar[BYTES])
{
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, scalar, BYTES);
    size_t len = BYTES;
    assert_true(key && EVP_PKEY_get_raw_public_key(key, out, &len) == 1 && len == BYTES);
    EVP_PKEY_free(key);
}

struct sample {
    uint8_t scalar[BYTES], peer[BYTES], out[BYTES], want[BYTES];
};

static void compare_derive(struct tables_range on, unsigned lanes, unsigned start)
{
    static const uint8_t zero[BYTES];
    struct sample s[OCT_LANES];
    struct oct_x25519_lane lane[OCT_LANES];
    struct oct_lanes result = {0, 0};
    unsigned good = 0;
    for (unsigned i = 0; i < lanes; i++) {
        make_scalar(s[i].scalar, start * 7 + i * 3);
        make_peer(s[i].peer, start + 5 * i);
        const unsigned valid = (unsigned)reference_derive(s[i].want, s[i].scalar, s[i].peer);
        assert_int_equal(valid, !is_small_order(s[i].peer));
        good |= valid << i;
        lane[i] = (struct oct_x25519_lane){s[i].scalar, s[i].peer, s[i].out};
    }
    for (unsigned t = 0; t < on.count; t++) {
        for (unsigned i = 0; i < lanes; i++)
            memset(s[i].out, 0xaa, BYTES);
        assert_int_equal(oct_x25519_derive_on(on.table[t], lane, lanes, &result), OCT_OK);
        assert_int_equal(result.ok, good);
        assert_int_equal(result.invalid, ((1u << lanes) - 1) & ~good);
        for (unsigned i = 0; i < lanes; i++)
            assert_memory_equal(s[i].out, good >> i & 1 ? s[i].want : zero, BYTES);
    }
}

/* In brief the portable table has a sixth of it. */
static unsigned rounds(const struct oct_ops *ops, unsigned portable, unsigned vector)
{
    return ops == &oct_ops_c ? amount(portable, portable, portable / 6) : vector / tables_stride(ops);
}

static void test_derive(void **state)
{
    (void)state;
    const struct tables_range portable = tables_portable(table), vectors = tables_of_vectors(table, tables);
    for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++) {
        for (unsigned start = 0; start < amount(10, 5, 1) * PEER_KINDS && vectors.count; start++)
            compare_derive(vectors, lanes, start);
        for (unsigned start = 0; start < rounds(&oct_ops_c, 12, 0); start++)
            compare_derive(portable, lanes, start);
    }
    for (unsigned start = 0; start < PEER_KINDS; start++)
        compare_derive(portable, OCT_LANES, start);
}

static void test_public(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++)
            for (unsigned start = 0; start < rounds(table[t], 20, amount(200, 100, 20)); start++) {
                struct sample s[OCT_LANES];
                struct oct_x25519_lane lane[OCT_LANES];
                struct oct_lanes result = {0, 0xff};
                for (unsigned i = 0; i < lanes; i++) {
                    make_scalar(s[i].scalar, start + 3 * i);
                    reference_public(s[i].want, s[i].scalar);
                    lane[i] = (struct oct_x25519_lane){s[i].scalar, NULL, s[i].out};
                }
                assert_int_equal(oct_x25519_public_on(table[t], lane, lanes, &result), OCT_OK);
                assert_int_equal(result.ok, (1u << lanes) - 1);
                assert_int_equal(result.invalid, 0);
                for (unsigned i = 0; i < lanes; i++)
                    assert_memory_equal(s[i].out, s[i].want, BYTES);
            }
}

/* A lane's result depends neither on its place nor on what runs beside it. */
static void test_lane_independence(void **state)
{
    uint8_t scalar[BYTES], peer[BYTES], want[2][BYTES];
    (void)state;
    random_bytes(scalar);
    random_bytes(peer);
    assert_true(reference_derive(want[0], scalar, peer));
    reference_public(want[1], scalar);
    for (unsigned t = 0; t < tables; t++)
        for (unsigned place = 0; place < OCT_LANES; place++)
            for (unsigned neighbours = 0; neighbours < rounds(table[t], 6, PEER_KINDS); neighbours++) {
                struct sample s[OCT_LANES];
                struct oct_x25519_lane lane[OCT_LANES];
                struct oct_lanes result;
                for (unsigned i = 0; i < OCT_LANES; i++) {
                    make_scalar(s[i].scalar, neighbours + i);
                    make_peer(s[i].peer, neighbours + 3 * i);
                    lane[i] = (struct oct_x25519_lane){s[i].scalar, s[i].peer, s[i].out};
                }
                lane[place].scalar = scalar;
                lane[place].peer = peer;
                assert_int_equal(oct_x25519_derive_on(table[t], lane, OCT_LANES, &result), OCT_OK);
                assert_true(result.ok >> place & 1);
                assert_memory_equal(s[place].out, want[0], BYTES);
                assert_int_equal(oct_x25519_public_on(table[t], lane, OCT_LANES, &result), OCT_OK);
                assert_memory_equal(s[place].out, want[1], BYTES);
            }
}

/* out the same buffer as scalar, or as peer. The last lanes of a batch must not be fed from outputs of the first. */
static void test_in_place(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++)
            for (int on_peer = 0; on_peer < 2; on_peer++) {
                struct sample s[OCT_LANES];
                struct oct_x25519_lane lane[OCT_LANES];
                struct oct_lanes result;
                for (unsigned i = 0; i < lanes; i++) {
                    random_bytes(s[i].scalar);
                    random_bytes(s[i].peer);
                    assert_true(reference_derive(s[i].want, s[i].scalar, s[i].peer));
                    lane[i] = (struct oct_x25519_lane){s[i].scalar, s[i].peer, on_peer ? s[i].peer : s[i].scalar};
                }
                assert_int_equal(oct_x25519_derive_on(table[t], lane, lanes, &result), OCT_OK);
                for (unsigned i = 0; i < lanes; i++)
                    assert_memory_equal(lane[i].out, s[i].want, BYTES);
            }
}

/* RFC 7748, 5.2: the iterated test, eight times side by side. */
static void test_iterated(void **state)
{
    static const uint8_t after_1000[BYTES] = {0x68, 0x4c, 0xf5, 0x9b, 0xa8, 0x33, 0x09, 0x55, 0x28, 0x00, 0xef,
                                              0x56, 0x6f, 0x2f, 0x4d, 0x3c, 0x1c, 0x38, 0x87, 0xc4, 0x93, 0x60,
                                              0xe3, 0x87, 0x5f, 0x2e, 0xb9, 0x4d, 0x99, 0x53, 0x2c, 0x51};
    (void)state;
    for (unsigned t = tables_fast(tables); t < tables; t++) {
        struct sample s[OCT_LANES];
        struct oct_x25519_lane lane[OCT_LANES];
        struct oct_lanes result;
        memset(s, 0, sizeof s);
        for (unsigned i = 0; i < OCT_LANES; i++) {
            s[i].scalar[0] = s[i].peer[0] = 9;
            lane[i] = (struct oct_x25519_lane){s[i].scalar, s[i].peer, s[i].out};
        }
        for (unsigned round = 0; round < 1000; round++) {
            assert_int_equal(oct_x25519_derive_on(table[t], lane, OCT_LANES, &result), OCT_OK);
            for (unsigned i = 0; i < OCT_LANES; i++) {
                memcpy(s[i].peer, s[i].scalar, BYTES);
                memcpy(s[i].scalar, s[i].out, BYTES);
            }
        }
        for (unsigned i = 0; i < OCT_LANES; i++)
            assert_memory_equal(s[i].out, after_1000, BYTES);
    }
}

/* Bad arguments write nothing. */
static void test_arguments(void **state)
{
    uint8_t bytes[BYTES] = {9}, out[BYTES], before[BYTES];
    struct oct_lanes result = {0x55, 0x55};
    struct oct_x25519_lane lane[2] = {{bytes, bytes, out}, {bytes, NULL, out}};
    (void)state;
    memset(out, 0xaa, BYTES);
    memcpy(before, out, BYTES);
    assert_int_equal(oct_x25519_derive_x8(NULL, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_x25519_derive_x8(lane, 1, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_x25519_derive_x8(lane, 0, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_x25519_derive_x8(lane, 9, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_x25519_derive_x8(lane, 2, &result), OCT_ERR_ARGUMENT);
    lane[1].scalar = NULL;
    assert_int_equal(oct_x25519_public_x8(lane, 2, &result), OCT_ERR_ARGUMENT);
    assert_memory_equal(out, before, BYTES);
    assert_int_equal(result.ok, 0x55);
    if (!oct_op_is_on(OCT_OP_X25519_KEYGEN) || !oct_op_is_on(OCT_OP_X25519_DERIVE))
        return;
    lane[1].scalar = bytes;
    assert_int_equal(oct_x25519_public_x8(lane + 1, 1, &result), OCT_OK);
    assert_int_equal(oct_x25519_derive_x8(lane, 1, &result), OCT_OK);
    assert_int_equal(result.ok, 1);
}

int main(void)
{
    return RUN_TESTS(setup, NULL, test_derive, test_public, test_lane_independence, test_in_place, test_iterated,
                     test_arguments);
}
