/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables */
/*
 * ML-DSA by the batch calls and by the queue, on the table that the environment chose. What the kernels compute is
 * tests/library/kat's and tests/library/diff's business: here it is which bytes go where, randomness, and what is
 * refused.
 */
#include "depth.h"
#include "operation_on.h"

#include "api/mldsa_internal.h"

#include <octuple/mldsa.h>
#include <octuple/queue.h>

#define PK        1952
#define SK        4032
#define SIGNATURE 3309
#define MESSAGE   400

static uint8_t seed[OCT_LANES][OCT_MLDSA_KEYGEN_BYTES], zeros[SK];
static uint8_t pk[OCT_LANES][PK], sk[OCT_LANES][SK], message[OCT_LANES][MESSAGE], context[OCT_MLDSA_CONTEXT_MAX + 1];
static uint8_t signature[OCT_LANES][SIGNATURE], before[OCT_LANES][SIGNATURE];
static struct oct_mldsa_key *key[OCT_LANES], *public_key[OCT_LANES];
static struct oct_mldsa_keygen_lane keygen[OCT_LANES];
static struct oct_mldsa_sign_lane sign[OCT_LANES];
static struct oct_mldsa_verify_lane verify[OCT_LANES];
static struct oct_lanes result;

/* Lanes have messages and contexts of different lengths; one has neither. */
static void fill(void)
{
    for (unsigned i = 0; i < OCT_LANES; i++) {
        memset(seed[i], (int)(16 + i), sizeof seed[i]);
        memset(message[i], (int)(32 + i), sizeof message[i]);
        const size_t len = i == 3 ? 0 : 57 * i, context_len = i == 3 ? 0 : i == 4 ? OCT_MLDSA_CONTEXT_MAX : i;
        keygen[i] = (struct oct_mldsa_keygen_lane){seed[i], pk[i], sk[i]};
        sign[i] = (struct oct_mldsa_sign_lane){
            key[i], len ? message[i] : NULL, len, context_len ? context : NULL, context_len, zeros, signature[i]};
        verify[i] = (struct oct_mldsa_verify_lane){.key = i % 2 ? public_key[i] : NULL,
                                                   .public_key = i % 2 ? NULL : pk[i],
                                                   .message = sign[i].message,
                                                   .message_len = len,
                                                   .context = sign[i].context,
                                                   .context_len = context_len,
                                                   .signature = signature[i]};
    }
}

static void forget_keys(void)
{
    for (int i = 0; i < OCT_LANES; i++) {
        oct_mldsa_key_free(key[i]);
        oct_mldsa_key_free(public_key[i]);
        key[i] = public_key[i] = NULL;
    }
}

/* Keys of a set, in all their forms. */
static void make_keys(int set)
{
    forget_keys();
    fill();
    assert_int_equal(oct_mldsa_keygen_x8(set, keygen, OCT_LANES, &result), OCT_OK);
    assert_true(result.ok == 0xff && result.invalid == 0);
    for (int i = 0; i < OCT_LANES; i++) {
        assert_int_equal(oct_mldsa_key_new_private(&key[i], set, sk[i]), OCT_OK);
        assert_int_equal(oct_mldsa_key_new_public(&public_key[i], set, pk[i]), OCT_OK);
        assert_memory_equal(oct_mldsa_key_public(key[i]), pk[i], oct_mldsa_pk_bytes(set));
        assert_memory_equal(oct_mldsa_key_public(public_key[i]), pk[i], oct_mldsa_pk_bytes(set));
    }
    fill();
}

static int teardown(void **state)
{
    (void)state;
    forget_keys();
    return 0;
}

static void test_all_lanes(void **state)
{
    (void)state;
    need_operations(OCT_OP_MLDSA44_KEYGEN, OCT_OP_MLDSA65_VERIFY);
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        make_keys(set);
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes += amount(1, 1, OCT_LANES - 1)) {
            const unsigned all = (1u << lanes) - 1;
            assert_int_equal(oct_mldsa_sign_x8(set, sign, lanes, &result), OCT_OK);
            assert_true(result.ok == all && result.invalid == 0);
            assert_int_equal(oct_mldsa_verify_x8(set, verify, lanes, &result), OCT_OK);
            assert_true(result.ok == all && result.invalid == 0);
        }
    }
}

/* Without randomness of the caller's, signatures differ each time and are valid; zeros give the same one. */
static void test_randomness(void **state)
{
    (void)state;
    need_operations(OCT_OP_MLDSA44_KEYGEN, OCT_OP_MLDSA65_VERIFY);
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        make_keys(set);
        for (int i = 0; i < OCT_LANES; i++)
            sign[i].random = i == 5 ? zeros : NULL;
        assert_int_equal(oct_mldsa_sign_x8(set, sign, OCT_LANES, &result), OCT_OK);
        memcpy(before, signature, sizeof before);
        assert_int_equal(oct_mldsa_sign_x8(set, sign, OCT_LANES, &result), OCT_OK);
        for (int i = 0; i < OCT_LANES; i++)
            assert_int_equal(memcmp(before[i], signature[i], oct_mldsa_signature_bytes(set)) == 0, i == 5);
        assert_int_equal(oct_mldsa_verify_x8(set, verify, OCT_LANES, &result), OCT_OK);
        assert_int_equal(result.ok, 0xff);
        for (int i = 0; i < OCT_LANES; i++)
            keygen[i].seed = NULL;
        assert_int_equal(oct_mldsa_keygen_x8(set, keygen, OCT_LANES, &result), OCT_OK);
        for (int i = 1; i < OCT_LANES; i++)
            assert_memory_not_equal(pk[i], pk[0], 32);
    }
}

/* Each part of what is signed: another message, context, key, signature fails its own lane. */
static void test_invalid(void **state)
{
    (void)state;
    need_operations(OCT_OP_MLDSA44_KEYGEN, OCT_OP_MLDSA65_VERIFY);
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        make_keys(set);
        assert_int_equal(oct_mldsa_sign_x8(set, sign, OCT_LANES, &result), OCT_OK);
        message[1][3] ^= 1;
        verify[2].context_len++;
        verify[5].key = public_key[6];
        verify[6].public_key = pk[5];
        signature[7][oct_mldsa_signature_bytes(set) - 1] ^= 1;
        assert_int_equal(oct_mldsa_verify_x8(set, verify, OCT_LANES, &result), OCT_OK);
        assert_true(result.ok == 0x19 && result.invalid == 0xe6);
        message[1][3] ^= 1;
    }
}

/* A private key with a number out of range, or that does not fit the rest, is none. */
static void test_bad_keys(void **state)
{
    struct oct_mldsa_key *none = NULL;
    (void)state;
    need_operations(OCT_OP_MLDSA44_KEYGEN, OCT_OP_MLDSA65_VERIFY);
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        const size_t len = oct_mldsa_sk_bytes(set), places[] = {0, 64, 127, 130, 600, len - 1};
        make_keys(set);
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            sk[0][places[i]] ^= 0x10;
            assert_int_equal(oct_mldsa_key_new_private(&none, set, sk[0]), OCT_ERR_RANGE);
            assert_null(none);
            sk[0][places[i]] ^= 0x10;
        }
        memset(sk[0] + 128, 0xff, 1);
        assert_int_equal(oct_mldsa_key_new_private(&none, set, sk[0]), OCT_ERR_RANGE);
    }
}

static int sign_says(int set)
{
    const int status = oct_mldsa_sign_x8(set, sign, 2, &result);
    fill();
    return status;
}
static int verify_says(int set)
{
    const int status = oct_mldsa_verify_x8(set, verify, 2, &result);
    fill();
    return status;
}

static void test_arguments(void **state)
{
    struct oct_mldsa_key *none = NULL;
    (void)state;
    need_operations(OCT_OP_MLDSA44_KEYGEN, OCT_OP_MLDSA65_VERIFY);
    make_keys(OCT_MLDSA_44);
    assert_int_equal(sign_says(OCT_MLDSA_65), OCT_ERR_ARGUMENT);
    assert_int_equal(sign_says(2), OCT_ERR_ARGUMENT);
    assert_int_equal(verify_says(-1), OCT_ERR_ARGUMENT);
    verify[0].key = public_key[0];
    assert_int_equal(verify_says(OCT_MLDSA_65), OCT_ERR_ARGUMENT);
    sign[1].key = public_key[1];
    assert_int_equal(sign_says(0), OCT_ERR_ARGUMENT);
    sign[0].key = NULL;
    assert_int_equal(sign_says(0), OCT_ERR_ARGUMENT);
    sign[1].message = NULL;
    assert_int_equal(sign_says(0), OCT_ERR_ARGUMENT);
    sign[1].context_len = OCT_MLDSA_CONTEXT_MAX + 1;
    assert_int_equal(sign_says(0), OCT_ERR_LENGTH);
    verify[1].message_len = (size_t)OCT_MLDSA_MESSAGE_LIMIT;
    assert_int_equal(verify_says(0), OCT_ERR_LENGTH);
    verify[0].public_key = NULL;
    assert_int_equal(verify_says(0), OCT_ERR_ARGUMENT);
    verify[1].signature = NULL;
    assert_int_equal(verify_says(0), OCT_ERR_ARGUMENT);
    keygen[0].pk = NULL;
    assert_int_equal(oct_mldsa_keygen_x8(0, keygen, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_mldsa_key_new_private(&none, 2, sk[0]), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_mldsa_key_new_public(&none, 0, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_mldsa_key_new_private(NULL, 0, sk[0]), OCT_ERR_ARGUMENT);
    assert_null(none);
    assert_null(oct_mldsa_key_public(NULL));
    oct_mldsa_key_free(NULL);
    assert_true(oct_mldsa_pk_bytes(2) == 0 && oct_mldsa_sk_bytes(-1) == 0 && oct_mldsa_signature_bytes(7) == 0);
    assert_int_equal(oct_mldsa_sign_op(2), -1);
}

/* Sizes as FIPS 204, table 2, has them. */
static void test_sizes(void **state)
{
    (void)state;
    assert_true(oct_mldsa_pk_bytes(0) == 1312 && oct_mldsa_sk_bytes(0) == 2560);
    assert_true(oct_mldsa_pk_bytes(1) == 1952 && oct_mldsa_sk_bytes(1) == 4032);
    assert_true(oct_mldsa_signature_bytes(0) == 2420 && oct_mldsa_signature_bytes(1) == 3309);
}

/* Five jobs of each kind, one with a signature that is not valid. */
static void test_queue(void **state)
{
    static struct oct_job job[15];
    (void)state;
    need_operations(OCT_OP_MLDSA44_KEYGEN, OCT_OP_MLDSA65_VERIFY);
    make_keys(OCT_MLDSA_65);
    memset(job, 0, sizeof job);
    for (int i = 0; i < 15; i++) {
        job[i].op = i < 5 ? OCT_OP_MLDSA65_KEYGEN : i < 10 ? OCT_OP_MLDSA65_SIGN : OCT_OP_MLDSA65_VERIFY;
        if (i < 5)
            job[i].mldsa_keygen = keygen[i];
        else if (i < 10)
            job[i].mldsa_sign = sign[i - 5];
        else
            job[i].mldsa_verify = verify[i - 10];
        assert_int_equal(oct_queue_submit(oct_queue_thread(), &job[i]), OCT_OK);
        if (i % 5 == 4)
            assert_int_equal(oct_queue_poll(oct_queue_thread()), 5);
        signature[2][100] ^= i == 9;
    }
    for (int i = 0; i < 15; i++)
        assert_int_equal(job[i].status, i == 12 ? OCT_ERR_RANGE : OCT_OK);
}

static void test_off(void **state)
{
    struct oct_mldsa_key *none = NULL;
    (void)state;
    if (oct_op_is_on(OCT_OP_MLDSA44_SIGN))
        skip();
    fill();
    assert_int_equal(oct_mldsa_keygen_x8(0, keygen, 1, &result), OCT_ERR_UNSUPPORTED);
    assert_int_equal(oct_mldsa_key_new_private(&none, 0, sk[0]), OCT_ERR_UNSUPPORTED);
    assert_int_equal(oct_mldsa_key_new_public(&none, 0, pk[0]), OCT_ERR_UNSUPPORTED);
    assert_string_not_equal(oct_op_reason(OCT_OP_MLDSA44_SIGN), "on");
}

static oct_mldsa_sign_fn *good_sign;
static size_t fault_at;

/* A bit of lane 2 is wrong, and lane 5 says that it failed. */
static unsigned faulty_sign(const struct oct_mldsa_sign_args *args)
{
    const unsigned failed = good_sign(args);
    args->signature[2][fault_at] ^= 0x10;
    return failed | 1u << 5;
}

/* In the challenge, in the response and in the hints. What was wrong is zero, and no lane suffers for another. */
static void test_faults(void **state)
{
    static const size_t places[] = {0, 47, 48, 1700, 48 + 5 * 640, SIGNATURE - 1};
    (void)state;
    need_operations(OCT_OP_MLDSA44_KEYGEN, OCT_OP_MLDSA65_VERIFY);
    make_keys(OCT_MLDSA_65);
    struct oct_mldsa_ops ops = *oct_mldsa_selected(NULL);
    const struct oct_operation *operation = &oct_operations[OCT_OP_MLDSA65_SIGN];
    good_sign = ops.set[OCT_MLDSA_65].sign;
    ops.set[OCT_MLDSA_65].sign = faulty_sign;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        fault_at = places[i];
        assert_int_equal(oct_mldsa_sign_on(&ops, operation, sign, OCT_LANES, &result), OCT_OK);
        assert_true(result.ok == (0xff & ~(1 << 2 | 1 << 5)) && result.invalid == 0);
        assert_memory_equal(signature[2], zeros, SIGNATURE);
        assert_int_equal(oct_mldsa_verify_x8(OCT_MLDSA_65, verify, OCT_LANES, &result), OCT_OK);
        assert_true((result.ok & ~(1 << 5)) == (0xff & ~(1 << 2 | 1 << 5)));
    }
}

int main(void)
{
    return RUN_TESTS(NULL, teardown, test_all_lanes, test_randomness, test_invalid, test_bad_keys, test_arguments,
                     test_sizes, test_queue, test_off, test_faults);
}
