/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ECDSA in lanes against libcrypto: with given nonces bit by bit, with its own nonces by verification; and the nonces
 * themselves, which must not repeat for two messages whatever the random source does, nor across a fork.
 */
#include "api/ec_internal.h"
#include "base/sha512.h"
#include "ec_ref.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/evp.h>
#include <openssl/rand.h>

#define MAX OCT_EC_MAX_BYTES

static struct ec_ref ref[OCT_ECDSA_CURVES];
static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;

static int setup(void **state)
{
    (void)state;
    tables = oct_ops_runnable(table);
    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++)
        ec_ref_open(&ref[curve], curve);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++)
        ec_ref_close(&ref[curve]);
    return 0;
}

static uint8_t given[OCT_LANES][OCT_EC_NONCE_BYTES];
static unsigned calls;

static int give(const struct oct_ops *ops, uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES], int curve,
                const struct oct_ecdsa_sign_lane lane[], unsigned lanes)
{
    (void)ops, (void)curve, (void)lane;
    memcpy(nonce, given, lanes * sizeof given[0]);
    calls++;
    return OCT_OK;
}

/* Nonces: multiples of n are zero; 1, n-1, the scalars of ec_ref_scalar(), all ones, random. */
static void make_nonce(int curve, uint8_t out[64], unsigned kind)
{
    memset(out, 0, 64);
    if (kind < EC_REF_SCALARS)
        ec_ref_scalar(&ref[curve], out + 64 - ref[curve].bytes, kind);
    else if (kind == EC_REF_SCALARS)
        memset(out, 0xff, 64);
    else
        assert_int_equal(RAND_bytes(out, 64), 1);
}

/* Digests of all lengths: zero, all ones, n itself, random. */
static size_t make_digest(int curve, uint8_t out[64], unsigned kind)
{
    const size_t bytes = ref[curve].bytes, len[] = {bytes, 32, 64, 1, 20, 48, 33, 47};
    assert_int_equal(RAND_bytes(out, 64), 1);
    if (kind % 8 == 1)
        memset(out, 0, 64);
    if (kind % 8 == 2)
        memset(out, 0xff, 64);
    if (kind % 8 == 3)
        ec_ref_put(&ref[curve], out, ref[curve].n);
    return len[kind / 8 % 8];
}

static void compare_sign(struct tables_range on, int curve, unsigned lanes, unsigned first)
{
    static uint8_t key[OCT_LANES][MAX], digest[OCT_LANES][64], out[OCT_LANES + 1][2 * MAX], want[OCT_LANES][2 * MAX];
    struct oct_ecdsa_sign_lane lane[OCT_LANES];
    struct oct_lanes result;
    unsigned good = 0, expected = 0;
    for (unsigned i = 0; i < lanes; i++) {
        ec_ref_scalar(&ref[curve], key[i], (first / 3 + 5 * i) % EC_REF_SCALARS);
        make_nonce(curve, given[i], (first + i) % (EC_REF_SCALARS + 4));
        const size_t len = make_digest(curve, digest[i], first + 3 * i);
        lane[i] = (struct oct_ecdsa_sign_lane){key[i], digest[i], len, out[i]};
    }
    for (unsigned i = 0; i < lanes; i++) {
        const struct ec_ref *r = &ref[curve];
        int ok = ec_ref_sign(r, want[i], key[i], given[i], digest[i], lane[i].digest_len);
        expected |= (unsigned)ok << i;
        if (!ok) /* the second try, alone, gets the nonce of lane 0 */
            ok = ec_ref_sign(r, want[i], key[i], given[0], digest[i], lane[i].digest_len);
        good |= (unsigned)ok << i;
    }
    for (unsigned t = 0; t < on.count; t++) {
        memset(out, 0xaa, sizeof out);
        calls = 0;
        assert_int_equal(oct_ecdsa_sign_on(on.table[t], curve, lane, lanes, give, &result), OCT_OK);
        for (unsigned i = 0; i < lanes; i++)
            assert_memory_equal(out[i], want[i], 2 * ref[curve].bytes);
        assert_int_equal(calls, 1 + __builtin_popcount(((1u << lanes) - 1) & ~expected));
        assert_int_equal(result.ok, good);
        assert_int_equal(result.invalid, ((1u << lanes) - 1) & ~good);
        assert_int_equal(out[lanes][0], 0xaa);
    }
}

static void test_given_nonces(void **state)
{
    (void)state;
    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++)
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++)
            for (unsigned first = 0; first < 64; first++)
                compare_sign(first % amount(9, 9, 45) == 0 ? (struct tables_range){table, tables}
                                                           : tables_of_vectors(table, tables),
                             curve, lanes, first);
}

/* s = 0: the digest that r*d cancels. The lane is tried again, and its neighbours stay. */
static void test_zero_s(void **state)
{
    (void)state;
    for (unsigned n = tables_fast(tables) * OCT_ECDSA_CURVES; n < tables * OCT_ECDSA_CURVES; n++) {
        const int curve = (int)n % OCT_ECDSA_CURVES;
        const struct ec_ref *f = &ref[curve];
        uint8_t key[2][MAX], digest[2][MAX], out[2][2 * MAX], want[2 * MAX], r[2 * MAX];
        struct oct_lanes result;
        for (unsigned i = 0; i < 2; i++) {
            ec_ref_scalar(f, key[i], 16);
            make_nonce(curve, given[i], 30);
            assert_int_equal(RAND_bytes(digest[i], MAX), 1);
        }
        assert_true(ec_ref_sign(f, r, key[1], given[1], digest[1], f->bytes));
        BIGNUM *x = BN_bin2bn(r, (int)f->bytes, NULL), *d = BN_bin2bn(key[1], (int)f->bytes, NULL);
        assert_true(BN_mod_mul(x, x, d, f->n, f->ctx) && BN_sub(x, f->n, x));
        ec_ref_put(f, digest[1], x);
        BN_free(x);
        BN_free(d);
        assert_false(ec_ref_sign(f, want, key[1], given[1], digest[1], f->bytes));
        const struct oct_ecdsa_sign_lane lane[2] = {{key[0], digest[0], f->bytes, out[0]},
                                                    {key[1], digest[1], f->bytes, out[1]}};
        calls = 0;
        assert_int_equal(oct_ecdsa_sign_on(table[n / OCT_ECDSA_CURVES], curve, lane, 2, give, &result), OCT_OK);
        assert_int_equal(calls, 2);
        assert_int_equal(result.ok, 3);
        assert_true(ec_ref_sign(f, want, key[0], given[0], digest[0], f->bytes));
        assert_memory_equal(out[0], want, 2 * f->bytes);
        assert_true(ec_ref_sign(f, want, key[1], given[0], digest[1], f->bytes));
        assert_memory_equal(out[1], want, 2 * f->bytes);
    }
}

/* With its own nonces: libcrypto verifies, and refuses when a bit of the digest is another. */
static void test_verify(void **state)
{
    static uint8_t key[OCT_LANES][MAX], public[2 * MAX], digest[OCT_LANES][64], out[OCT_LANES][2 * MAX];
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++)
            for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++) {
                struct oct_ecdsa_sign_lane lane[OCT_LANES];
                struct oct_lanes result;
                for (unsigned i = 0; i < lanes; i++) {
                    ec_ref_scalar(&ref[curve], key[i], 16);
                    const size_t len = make_digest(curve, digest[i], 8 * i + 4);
                    lane[i] = (struct oct_ecdsa_sign_lane){key[i], digest[i], len, out[i]};
                }
                assert_int_equal(oct_ecdsa_sign_on(table[t], curve, lane, lanes, oct_ecdsa_nonces, &result), OCT_OK);
                assert_int_equal(result.ok, (1u << lanes) - 1);
                assert_int_equal(result.invalid, 0);
                for (unsigned i = 0; i < lanes; i++) {
                    assert_true(ec_ref_public(&ref[curve], public, key[i]));
                    assert_true(ec_ref_verify(&ref[curve], out[i], public, digest[i], lane[i].digest_len));
                    digest[i][0] ^= 1;
                    assert_false(ec_ref_verify(&ref[curve], out[i], public, digest[i], lane[i].digest_len));
                }
            }
}

/* The nonce of one lane, which moves from call to call, among others with other lengths. */
static void hedge(const struct oct_ops *ops, uint8_t nonce[64], int curve, const struct oct_ecdsa_sign_lane *one,
                  const uint8_t random[32])
{
    static unsigned place;
    uint8_t drawn[OCT_LANES][32] = {{0}}, all[OCT_LANES][OCT_EC_NONCE_BYTES];
    struct oct_ecdsa_sign_lane lane[OCT_LANES];
    place = (place + 1) % OCT_LANES;
    for (unsigned i = 0; i < OCT_LANES; i++) {
        lane[i] = *one;
        if (i != place)
            lane[i].digest_len = 1 + 9 * i;
    }
    memcpy(drawn[place], random, 32);
    assert_int_equal(oct_ecdsa_hedge(ops, all, curve, lane, drawn, OCT_LANES), OCT_OK);
    memcpy(nonce, all[place], sizeof all[place]);
}

/* What the nonce depends on: all of its inputs; and that it is the hash that it says. */
static void test_hedge_on(const struct oct_ops *ops)
{
    uint8_t key[2][MAX] = {{1}, {2}}, digest[2][64] = {{3}, {4}}, random[2][32] = {{5}, {6}}, nonce[64], other[64];
    uint8_t message[15 + MAX + 32 + 64] = "octuple-ecdsa-", signature[2 * MAX];
    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++) {
        const size_t bytes = ref[curve].bytes;
        struct oct_ecdsa_sign_lane lane = {key[0], digest[0], 32, signature};
        hedge(ops, nonce, curve, &lane, random[0]);
        message[14] = (uint8_t)curve;
        memcpy(message + 15, key[0], bytes);
        memcpy(message + 15 + bytes, random[0], 32);
        memcpy(message + 15 + bytes + 32, digest[0], 32);
        assert_int_equal(EVP_Digest(message, 15 + bytes + 64, other, NULL, EVP_sha512(), NULL), 1);
        assert_memory_equal(nonce, other, 64);
        lane.digest = digest[1]; /* two messages, a random source that repeats */
        hedge(ops, other, curve, &lane, random[0]);
        assert_memory_not_equal(nonce, other, 64);
        lane.digest = digest[0];
        lane.digest_len = 33;
        hedge(ops, other, curve, &lane, random[0]);
        assert_memory_not_equal(nonce, other, 64);
        lane.digest_len = 32;
        lane.private_key = key[1];
        hedge(ops, other, curve, &lane, random[0]);
        assert_memory_not_equal(nonce, other, 64);
        lane.private_key = key[0];
        hedge(ops, other, curve, &lane, random[1]);
        assert_memory_not_equal(nonce, other, 64);
        hedge(ops, other, 1 - curve, &lane, random[0]);
        assert_memory_not_equal(nonce, other, 64);
    }
}

static void test_hedge(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        test_hedge_on(table[t]);
}

/* Parent and child sign one message with one key; lanes of one call do too: r is never the same. */
static void test_fork(void **state)
{
    uint8_t key[MAX], digest[32] = {7}, mine[OCT_LANES][2 * MAX], theirs[OCT_LANES][2 * MAX];
    struct oct_ecdsa_sign_lane lane[OCT_LANES];
    struct oct_lanes result;
    int channel[2], status;
    (void)state;
    const struct oct_ops *ops = table[tables - 1];
    ec_ref_scalar(&ref[0], key, 16);
    for (unsigned i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_ecdsa_sign_lane){key, digest, sizeof digest, mine[i]};
    assert_int_equal(oct_ecdsa_sign_on(ops, 0, lane, OCT_LANES, oct_ecdsa_nonces, &result), OCT_OK);
    assert_int_equal(pipe(channel), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    const int signed_ok = oct_ecdsa_sign_on(ops, 0, lane, OCT_LANES, oct_ecdsa_nonces, &result);
    if (child == 0)
        _exit(signed_ok == OCT_OK && write(channel[1], mine, sizeof mine) == sizeof mine ? 0 : 1);
    assert_int_equal(signed_ok, OCT_OK);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(channel[0], theirs, sizeof theirs), sizeof theirs);
    close(channel[0]);
    close(channel[1]);
    for (unsigned i = 0; i < OCT_LANES; i++)
        for (unsigned j = 0; j < OCT_LANES; j++) {
            assert_memory_not_equal(mine[i], theirs[j], 32);
            if (i != j)
                assert_memory_not_equal(mine[i], mine[j], 32);
        }
}

static void test_sha512(void **state)
{
    uint8_t message[300], digest[64], want[64];
    (void)state;
    assert_int_equal(RAND_bytes(message, sizeof message), 1);
    for (size_t len = 0; len <= sizeof message; len++) {
        oct_sha512(digest, message, len);
        assert_int_equal(EVP_Digest(message, len, want, NULL, EVP_sha512(), NULL), 1);
        assert_memory_equal(digest, want, 64);
    }
}

static void test_arguments(void **state)
{
    uint8_t key[MAX] = {0}, digest[64] = {0}, out[2 * MAX];
    struct oct_lanes result = {0x55, 0x55};
    const struct oct_ecdsa_sign_lane lane = {key, digest, 32, out}, broken[] = {{NULL, digest, 32, out},
                                                                                {key, NULL, 32, out},
                                                                                {key, digest, 32, NULL},
                                                                                {key, digest, 0, out},
                                                                                {key, digest, 65, out}};
    (void)state;
    memset(out, 0xaa, sizeof out);
    assert_int_equal(oct_ecdsa_sign_op(OCT_EC_CURVES), -1);
    assert_int_equal(oct_ecdsa_sign_x8(OCT_EC_CURVES, &lane, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ecdsa_sign_x8(-1, &lane, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ecdsa_sign_x8(0, &lane, 0, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ecdsa_sign_x8(0, &lane, 9, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ecdsa_sign_x8(0, NULL, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_ecdsa_sign_x8(0, &lane, 1, NULL), OCT_ERR_ARGUMENT);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(oct_ecdsa_sign_x8(0, &broken[i], 1, &result), i < 3 ? OCT_ERR_ARGUMENT : OCT_ERR_LENGTH);
    assert_int_equal(result.ok, 0x55);
    for (size_t i = 0; i < sizeof out; i++)
        assert_int_equal(out[i], 0xaa);
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_sha512, test_given_nonces, test_zero_s, test_verify, test_hedge, test_fork,
                     test_arguments);
}
