/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* src/api/operation.c: what the families ask of a lane. Keys are never looked into but those of RSA, for their size. */
#include "unit.h"

#include "api/operation.h"
#include "api/rsa_internal.h"

#include <octuple/ec.h>
#include <octuple/ed25519.h>
#include <octuple/queue.h>

static uint8_t in[8], out[8];
static struct oct_lanes result;

#define CHECK(op, lane) oct_operation_check(op, &(lane), 1, &result)

static void test_rows(void **state)
{
    (void)state;
    for (int op = 0; op < OCT_OP_COUNT; op++) {
        const struct oct_operation *operation = &oct_operations[op];
        assert_non_null(operation->name);
        assert_non_null(operation->family);
        assert_true(operation->family->lane_bytes <= offsetof(struct oct_job, done) - offsetof(struct oct_job, rsa));
    }
}

/* Family and size name an operation, and no other. */
static void test_find(void **state)
{
    (void)state;
    for (int op = 0; op < OCT_OP_COUNT; op++) {
        const struct oct_operation *operation = &oct_operations[op];
        assert_int_equal(oct_operation_find(operation->family, (int)operation->variant), op);
        assert_int_equal(oct_operation_find(operation->family, -1), -1);
        assert_int_equal(oct_operation_find(operation->family, OCT_OP_COUNT), -1);
    }
}

/* Whatever the family: no lanes, too many, no place for the result, no such operation; no table. */
static void test_call(void **state)
{
    const struct oct_x25519_lane lane[9] = {{in, in, out}};
    const int op = OCT_OP_X25519_DERIVE;
    (void)state;
    assert_int_equal(oct_operation_check(op, lane, 1, &result), OCT_OK);
    assert_int_equal(oct_operation_check(op, lane, 2, &result), OCT_ERR_ARGUMENT); /* the second is empty */
    assert_int_equal(oct_operation_check(op, NULL, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_operation_check(op, lane, 0, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_operation_check(op, lane, 9, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_operation_check(op, lane, 1, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_operation_check(-1, lane, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_operation_check(OCT_OP_COUNT, lane, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_operation_on(op, NULL, lane, 1, &result), OCT_ERR_UNSUPPORTED);
    assert_int_equal(oct_operation_on(op, NULL, lane, 2, &result), OCT_ERR_ARGUMENT);
}

static void test_rsa(void **state)
{
    struct oct_rsa_key private = {.size = 1, .is_private = 1}, public = {.size = 1, .is_private = 0};
    (void)state;
    for (int op = OCT_OP_RSA2048_PRIVATE; op <= OCT_OP_RSA4096_PUBLIC; op++) {
        const struct oct_rsa_lane full = {&private, in, out}, without = {&public, in, out};
        const struct oct_rsa_lane bad[] = {{NULL, in, out}, {&private, NULL, out}, {&private, in, NULL}};
        const int fits = op % 3 == 1, is_private = op <= OCT_OP_RSA4096_PRIVATE;
        assert_int_equal(CHECK(op, full), fits ? OCT_OK : OCT_ERR_ARGUMENT);
        assert_int_equal(CHECK(op, without), fits && !is_private ? OCT_OK : OCT_ERR_ARGUMENT);
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(CHECK(op, bad[i]), OCT_ERR_ARGUMENT);
    }
}

/* A key pair needs no peer. */
static void test_x25519(void **state)
{
    const struct oct_x25519_lane full = {in, in, out}, no_peer = {in, NULL, out};
    const struct oct_x25519_lane bad[] = {{NULL, in, out}, {in, in, NULL}};
    (void)state;
    for (int op = OCT_OP_X25519_DERIVE; op <= OCT_OP_X25519_KEYGEN; op++) {
        assert_int_equal(CHECK(op, full), OCT_OK);
        assert_int_equal(CHECK(op, no_peer), op == OCT_OP_X25519_KEYGEN ? OCT_OK : OCT_ERR_ARGUMENT);
        for (size_t i = 0; i < 2; i++)
            assert_int_equal(CHECK(op, bad[i]), OCT_ERR_ARGUMENT);
    }
}

static void test_ecdsa(void **state)
{
    static const int sign[] = {OCT_OP_P256_SIGN, OCT_OP_P384_SIGN}, verify[] = {OCT_OP_P256_VERIFY, OCT_OP_P384_VERIFY};
    static const struct {
        const uint8_t *key, *digest;
        size_t len;
        uint8_t *signature;
        int status;
    } row[] = {{in, in, 1, out, OCT_OK},
               {in, in, OCT_EC_MAX_DIGEST, out, OCT_OK},
               {NULL, in, 32, out, OCT_ERR_ARGUMENT},
               {in, NULL, 32, out, OCT_ERR_ARGUMENT},
               {in, in, 32, NULL, OCT_ERR_ARGUMENT},
               {in, in, 0, out, OCT_ERR_LENGTH},
               {in, in, OCT_EC_MAX_DIGEST + 1, out, OCT_ERR_LENGTH}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        for (int curve = 0; curve < 2; curve++) {
            const struct oct_ecdsa_sign_lane s = {row[i].key, row[i].digest, row[i].len, row[i].signature};
            const struct oct_ecdsa_verify_lane v = {row[i].key, row[i].digest, row[i].len, row[i].signature};
            assert_int_equal(CHECK(sign[curve], s), row[i].status);
            assert_int_equal(CHECK(verify[curve], v), row[i].status);
        }
    }
}

static void test_ecdh(void **state)
{
    static const int keygen[] = {OCT_OP_P256_KEYGEN, OCT_OP_P384_KEYGEN},
                     derive[] = {OCT_OP_P256_DERIVE, OCT_OP_P384_DERIVE};
    const struct oct_ec_public_lane pair[] = {{in, out}, {NULL, out}, {in, NULL}};
    const struct oct_ec_derive_lane secret[] = {{in, in, out}, {NULL, in, out}, {in, NULL, out}, {in, in, NULL}};
    (void)state;
    for (int curve = 0; curve < 2; curve++) {
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(CHECK(keygen[curve], pair[i]), i == 0 ? OCT_OK : OCT_ERR_ARGUMENT);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(CHECK(derive[curve], secret[i]), i == 0 ? OCT_OK : OCT_ERR_ARGUMENT);
    }
}

/* An empty message may be NULL. */
static void test_ed25519(void **state)
{
    static const struct {
        const void *key;
        const uint8_t *message;
        size_t len;
        uint8_t *signature;
        int status;
    } row[] = {{in, in, 1, out, OCT_OK},
               {in, NULL, 0, out, OCT_OK},
               {in, in, OCT_ED25519_MESSAGE_LIMIT - 1, out, OCT_OK},
               {NULL, in, 1, out, OCT_ERR_ARGUMENT},
               {in, NULL, 1, out, OCT_ERR_ARGUMENT},
               {in, in, 1, NULL, OCT_ERR_ARGUMENT},
               {in, in, OCT_ED25519_MESSAGE_LIMIT, out, OCT_ERR_LENGTH}};
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const struct oct_ed25519_sign_lane s = {row[i].key, row[i].message, row[i].len, row[i].signature};
        const struct oct_ed25519_verify_lane v = {row[i].key, row[i].message, row[i].len, row[i].signature};
        assert_int_equal(CHECK(OCT_OP_ED25519_SIGN, s), row[i].status);
        assert_int_equal(CHECK(OCT_OP_ED25519_VERIFY, v), row[i].status);
    }
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_rows, test_find, test_call, test_rsa, test_x25519, test_ecdsa, test_ecdh,
                     test_ed25519);
}
