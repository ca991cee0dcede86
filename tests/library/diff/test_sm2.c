/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM2 in lanes against libcrypto: signatures with given nonces bit by bit, with its own by verification; verification
 * of what is good, bad, and at an edge; and the digests that are signed. The example of the recommended curve in GB/T
 * 32918.5 is among them. ECDH and key pairs on the curve are test_ec.c's.
 */
#include "api/ec_internal.h"
#include "api/sm2_internal.h"
#include "sm2_samples.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#define BYTES 32

static struct ec_ref ref;
static const struct oct_ops *table[OCT_OPS_TABLES];
static unsigned tables;

static int setup(void **state)
{
    (void)state;
    tables = oct_ops_runnable(table);
    ec_ref_open(&ref, OCT_EC_SM2);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ec_ref_close(&ref);
    return 0;
}

static uint8_t given[OCT_LANES][OCT_EC_NONCE_BYTES];

static int give(const struct oct_ops *ops, uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES], int curve,
                const struct oct_ecdsa_sign_lane lane[], unsigned lanes)
{
    (void)ops, (void)curve, (void)lane;
    memcpy(nonce, given, lanes * sizeof given[0]);
    return OCT_OK;
}

/* Keys and nonces at all edges (0, n-2, n-1, n, ...), digests of 0, all ones, n. */
static void choose(uint8_t key[BYTES], uint8_t nonce[64], uint8_t digest[BYTES], unsigned kind)
{
    ec_ref_scalar(&ref, key, kind % 7 == 0 ? kind / 7 % EC_REF_SCALARS : EC_REF_SCALARS - 1);
    memset(nonce, 0, 64);
    if (kind % 5 == 0)
        ec_ref_scalar(&ref, nonce + 32, kind / 5 % EC_REF_SCALARS);
    else if (kind % 5 == 1)
        memset(nonce, 0xff, 64);
    else
        assert_int_equal(RAND_bytes(nonce, 64), 1);
    assert_int_equal(RAND_bytes(digest, BYTES), 1);
    if (kind % 4 == 1)
        memset(digest, kind % 8 == 1 ? 0 : 0xff, BYTES);
    if (kind % 4 == 2)
        ec_ref_put(&ref, digest, ref.n);
}

static void compare_sign(struct tables_range on, unsigned lanes, unsigned first)
{
    uint8_t key[OCT_LANES][BYTES], digest[OCT_LANES][BYTES], out[OCT_LANES + 1][2 * BYTES], want[OCT_LANES][2 * BYTES];
    struct oct_ecdsa_sign_lane lane[OCT_LANES];
    struct oct_lanes result;
    unsigned good = 0;
    for (unsigned i = 0; i < lanes; i++) {
        choose(key[i], given[i], digest[i], 11 * first + i);
        lane[i] = (struct oct_ecdsa_sign_lane){key[i], digest[i], BYTES, out[i]};
    }
    for (unsigned i = 0; i < lanes; i++) {
        int ok = ec_ref_sign(&ref, want[i], key[i], given[i], digest[i], BYTES);
        if (!ok) /* the second try, alone, gets the nonce of lane 0 */
            ok = ec_ref_sign(&ref, want[i], key[i], given[0], digest[i], BYTES);
        good |= (unsigned)ok << i;
    }
    for (unsigned t = 0; t < on.count; t++) {
        memset(out, 0xaa, sizeof out);
        assert_int_equal(oct_ecdsa_sign_on(on.table[t], OCT_EC_SM2, lane, lanes, give, &result), OCT_OK);
        assert_int_equal(result.ok, good);
        assert_int_equal(result.ok ^ result.invalid, (1u << lanes) - 1);
        for (unsigned i = 0; i < lanes; i++)
            assert_memory_equal(out[i], want[i], sizeof want[i]);
        assert_int_equal(out[lanes][0], 0xaa);
    }
}

static void test_given_nonces(void **state)
{
    (void)state;
    for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++)
        for (unsigned first = 0; first < 70; first++)
            compare_sign(first % 9 == 0 ? (struct tables_range){table, tables} : tables_of_vectors(table, tables),
                         lanes, first);
}

/* What a nonce may not be: e = -x makes r zero, e = -x - k makes r + k zero, and then the lane is tried again. */
static void test_zeros(void **state)
{
    (void)state;
    for (unsigned n = 2 * tables_fast(tables); n < 2 * tables; n++) {
        const unsigned kind = n % 2;
        uint8_t key[2][BYTES], digest[2][BYTES], out[2][2 * BYTES], want[2 * BYTES], point[2 * BYTES];
        struct oct_lanes result;
        for (unsigned i = 0; i < 2; i++)
            choose(key[i], given[i], digest[i], 4 * i + 3);
        BIGNUM *k = BN_bin2bn(given[1], 64, NULL), *x = NULL;
        assert_true(k && BN_nnmod(k, k, ref.n, ref.ctx));
        ec_ref_put(&ref, want, k);
        assert_true(ec_ref_public(&ref, point, want));
        x = BN_bin2bn(point, BYTES, NULL);
        assert_true(x && (kind == 0 || BN_add(x, x, k)) && BN_nnmod(x, x, ref.n, ref.ctx) && BN_sub(x, ref.n, x));
        ec_ref_put(&ref, digest[1], x);
        BN_free(k);
        BN_free(x);
        assert_false(ec_ref_sign(&ref, want, key[1], given[1], digest[1], BYTES));
        const struct oct_ecdsa_sign_lane lane[2] = {{key[0], digest[0], BYTES, out[0]},
                                                    {key[1], digest[1], BYTES, out[1]}};
        assert_int_equal(oct_ecdsa_sign_on(table[n / 2], OCT_EC_SM2, lane, 2, give, &result), OCT_OK);
        assert_int_equal(result.ok, 3);
        for (unsigned i = 0; i < 2; i++) {
            assert_true(ec_ref_sign(&ref, want, key[i], given[0], digest[i], BYTES));
            assert_memory_equal(out[i], want, sizeof want);
        }
    }
}

/* With its own nonces: libcrypto verifies, and refuses another digest; and two signatures of one are not alike. */
static void test_own_nonces(void **state)
{
    uint8_t key[OCT_LANES][BYTES], digest[BYTES], out[OCT_LANES][2 * BYTES], public[2 * BYTES];
    (void)state;
    for (unsigned t = 0; t < tables; t++) {
        struct oct_ecdsa_sign_lane lane[OCT_LANES];
        struct oct_lanes result;
        assert_int_equal(RAND_bytes(digest, sizeof digest), 1);
        for (unsigned i = 0; i < OCT_LANES; i++) {
            ec_ref_scalar(&ref, key[i], i < 2 ? 16 : EC_REF_SCALARS - 1);
            lane[i] = (struct oct_ecdsa_sign_lane){key[i < 2 ? 0 : i], digest, BYTES, out[i]};
        }
        assert_int_equal(oct_ecdsa_sign_on(table[t], OCT_EC_SM2, lane, OCT_LANES, oct_ecdsa_nonces, &result), OCT_OK);
        assert_int_equal(result.ok, 0xff);
        assert_memory_not_equal(out[0], out[1], BYTES);
        for (unsigned i = 0; i < OCT_LANES; i++) {
            assert_true(ec_ref_public(&ref, public, lane[i].private_key));
            assert_true(ec_ref_verify(&ref, out[i], public, digest, BYTES));
            digest[0] ^= 1;
            assert_false(ec_ref_verify(&ref, out[i], public, digest, BYTES));
            digest[0] ^= 1;
        }
    }
}

/* What libcrypto says of a sample; it takes no bad keys. */
static int accepts(const struct ecdsa_sample *s)
{
    uint8_t one[BYTES] = {0}, x[BYTES];
    one[BYTES - 1] = 1;
    return ec_ref_derive(&ref, x, one, s->key) && ec_ref_verify(&ref, s->signature, s->key, s->digest, BYTES);
}

/* Every kind in every lane, and all of them as libcrypto says. */
static void test_verify(void **state)
{
    static struct ecdsa_sample sample[SM2_KINDS];
    (void)state;
    for (int kind = 0; kind < SM2_KINDS; kind++) {
        sm2_sample_make(&ref, &sample[kind], (enum sm2_kind)kind);
        assert_int_equal(accepts(&sample[kind]), sample[kind].good);
    }
    for (unsigned t = 0; t < tables; t++)
        for (unsigned first = 0; first < SM2_KINDS; first++) {
            struct oct_ecdsa_verify_lane lane[OCT_LANES];
            struct oct_lanes result;
            unsigned want = 0;
            const unsigned lanes = 1 + first % OCT_LANES;
            for (unsigned i = 0; i < lanes; i++) {
                const struct ecdsa_sample *s = &sample[(first + i) % SM2_KINDS];
                lane[i] = (struct oct_ecdsa_verify_lane){s->key, s->digest, BYTES, s->signature};
                want |= (unsigned)s->good << i;
            }
            assert_int_equal(oct_ecdsa_verify_on(table[t], OCT_EC_SM2, lane, lanes, &result), OCT_OK);
            assert_int_equal(result.ok, want);
            assert_int_equal(result.invalid, ((1u << lanes) - 1) & ~want);
        }
}

static size_t from_hex(uint8_t *out, const char *hex)
{
    size_t len = 0;
    for (; hex[0]; hex += 2) {
        const char byte[3] = {hex[0], hex[1], 0};
        out[len++] = (uint8_t)strtoul(byte, NULL, 16);
    }
    return len;
}

/* GB/T 32918.5, annex A.2: "message digest" signed by an identifier of 16 digits. */
static void test_standard(void **state)
{
    uint8_t d[BYTES], k[BYTES], public[2 * BYTES], r[BYTES], s[BYTES], e[BYTES], digest[BYTES], out[2 * BYTES];
    struct oct_lanes result;
    (void)state;
    from_hex(d, "3945208F7B2144B13F36E38AC6D39F95889393692860B51A42FB81EF4DF7C5B8");
    from_hex(public, "09F9DF311E5421A150DD7D161E4BC5C672179FAD1833FC076BB08FF356F35020");
    from_hex(public + BYTES, "CCEA490CE26775A52DC6EA718CC1AA600AED05FBF35E084A6632F6072DA9AD13");
    from_hex(e, "F0B43E94BA45ACCAACE692ED534382EB17E6AB5A19CE7B31F4486FDFC0D28640");
    from_hex(k, "59276E27D506861A16680F3AD9C02DCCEF3CC1FA3CDBE4CE6D54B80DEAC1BC21");
    from_hex(r, "F5A03B0648D2C4630EEAC513E1BB81A15944DA3827D5B74143AC7EACEEE720B3");
    from_hex(s, "B1B6AA29DF212FD8763182BC0D421CA1BB9038FD1F7F42D4840B69C485BBC1AA");
    memset(given, 0, sizeof given);
    memcpy(given[0] + 32, k, sizeof k);
    for (unsigned t = 0; t < tables; t++) {
        const struct oct_ec_public_lane pair = {d, out};
        const struct oct_sm2_digest_lane message = {(const uint8_t *)OCT_SM2_DEFAULT_ID, 16, public,
                                                    (const uint8_t *)"message digest",   14, digest};
        const struct oct_ecdsa_sign_lane sign = {d, e, BYTES, out};
        const struct oct_ecdsa_verify_lane verify = {public, e, BYTES, out};
        assert_int_equal(oct_ec_public_on(table[t], OCT_EC_SM2, &pair, 1, &result), OCT_OK);
        assert_memory_equal(out, public, sizeof out);
        assert_int_equal(oct_sm2_digest_on(table[t], &message, 1), OCT_OK);
        assert_memory_equal(digest, e, sizeof e);
        assert_int_equal(oct_ecdsa_sign_on(table[t], OCT_EC_SM2, &sign, 1, give, &result), OCT_OK);
        assert_memory_equal(out, r, sizeof r);
        assert_memory_equal(out + BYTES, s, sizeof s);
        assert_int_equal(oct_ecdsa_verify_on(table[t], OCT_EC_SM2, &verify, 1, &result), OCT_OK);
        assert_int_equal(result.ok, 1);
    }
}

/* e of messages and identifiers of many lengths, against SM3 of libcrypto. */
static void want_digest(uint8_t want[BYTES], const struct oct_sm2_digest_lane *lane)
{
    const uint8_t bits[2] = {(uint8_t)(lane->id_len >> 5), (uint8_t)(lane->id_len << 3)};
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t number[4][BYTES], z[BYTES];
    BIGNUM *a = BN_new(), *b = BN_new(), *x = BN_new(), *y = BN_new();
    assert_true(EC_GROUP_get_curve(ref.group, NULL, a, b, ref.ctx));
    assert_true(EC_POINT_get_affine_coordinates(ref.group, EC_GROUP_get0_generator(ref.group), x, y, ref.ctx));
    BIGNUM *const all[4] = {a, b, x, y};
    for (unsigned i = 0; i < 4; i++) {
        ec_ref_put(&ref, number[i], all[i]);
        BN_free(all[i]);
    }
    assert_true(EVP_DigestInit(ctx, EVP_sm3()) && EVP_DigestUpdate(ctx, bits, 2));
    assert_true(EVP_DigestUpdate(ctx, lane->id, lane->id_len) && EVP_DigestUpdate(ctx, number, sizeof number));
    assert_true(EVP_DigestUpdate(ctx, lane->public_key, 2 * BYTES) && EVP_DigestFinal_ex(ctx, z, NULL));
    assert_true(EVP_DigestInit(ctx, EVP_sm3()) && EVP_DigestUpdate(ctx, z, sizeof z));
    assert_true(EVP_DigestUpdate(ctx, lane->message, lane->len) && EVP_DigestFinal_ex(ctx, want, NULL));
    EVP_MD_CTX_free(ctx);
}

static void test_digest(void **state)
{
    static const size_t id_lens[] = {0, 1, 16, 53, 54, 117, 118, 200, 4096, OCT_SM2_MAX_ID};
    static uint8_t id[OCT_SM2_MAX_ID], message[400];
    uint8_t public[OCT_LANES][2 * BYTES], digest[OCT_LANES][BYTES], want[BYTES];
    (void)state;
    assert_int_equal(RAND_bytes(id, sizeof id), 1);
    assert_int_equal(RAND_bytes(message, sizeof message), 1);
    assert_int_equal(RAND_bytes(public[0], sizeof public), 1);
    for (unsigned t = 0; t < tables; t++)
        for (unsigned round = 0; round < 40; round++) {
            struct oct_sm2_digest_lane lane[OCT_LANES];
            const unsigned lanes = 1 + round % OCT_LANES;
            for (unsigned i = 0; i < lanes; i++) {
                const size_t id_len = id_lens[(round + 3 * i) % 10], len = (7 * round + 19 * i) % sizeof message;
                lane[i] = (struct oct_sm2_digest_lane){id_len ? id : NULL,   id_len, public[i],
                                                       len ? message : NULL, len,    digest[i]};
            }
            assert_int_equal(oct_sm2_digest_on(table[t], lane, lanes), OCT_OK);
            for (unsigned i = 0; i < lanes; i++) {
                want_digest(want, &lane[i]);
                assert_memory_equal(digest[i], want, sizeof want);
            }
        }
}

static void test_arguments(void **state)
{
    uint8_t key[2 * BYTES] = {1}, digest[64] = {0}, out[2 * BYTES];
    struct oct_lanes result = {0x55, 0x55};
    (void)state;
    memset(out, 0xaa, sizeof out);
    for (size_t len = 0; len <= sizeof digest; len++) {
        const struct oct_ecdsa_sign_lane sign = {key, digest, len, out};
        const struct oct_ecdsa_verify_lane verify = {key, digest, len, out};
        if (len == BYTES)
            continue;
        assert_int_equal(oct_ecdsa_sign_x8(OCT_EC_SM2, &sign, 1, &result), OCT_ERR_LENGTH);
        assert_int_equal(oct_ecdsa_verify_x8(OCT_EC_SM2, &verify, 1, &result), OCT_ERR_LENGTH);
    }
    const struct oct_sm2_digest_lane broken[] = {{NULL, 1, key, key, 1, out},
                                                 {key, 1, NULL, key, 1, out},
                                                 {key, 1, key, NULL, 1, out},
                                                 {key, 1, key, key, 1, NULL},
                                                 {key, OCT_SM2_MAX_ID + 1, key, key, 1, out}};
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(oct_sm2_digest_x8(&broken[i], 1), i < 4 ? OCT_ERR_ARGUMENT : OCT_ERR_LENGTH);
    assert_int_equal(oct_sm2_digest_x8(NULL, 1), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm2_digest_x8(broken, 0), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_sm2_digest_x8(broken, OCT_LANES + 1), OCT_ERR_ARGUMENT);
    assert_int_equal(result.ok, 0x55);
    for (size_t i = 0; i < sizeof out; i++)
        assert_int_equal(out[i], 0xaa);
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_given_nonces, test_zeros, test_own_nonces, test_verify, test_standard,
                     test_digest, test_arguments);
}
