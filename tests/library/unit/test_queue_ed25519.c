/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables */
/*
 * The queue with the real Ed25519 operations, on the table that the environment chose: what it signs it verifies, a
 * spoilt signature fails its own job alone, and jobs that cannot be run are refused with nothing touched.
 */
#include "operation_on.h"

#include <octuple/queue.h>

#define JOBS        13
#define KEYS        3
#define MAX_MESSAGE 400
#define SIGNATURE   OCT_ED25519_SIGNATURE_BYTES

static struct oct_ed25519_key *key[KEYS];
static uint8_t message[JOBS][MAX_MESSAGE], signature[JOBS][SIGNATURE];
static struct oct_job job[JOBS];
static unsigned reported;

static int setup(void **state)
{
    uint8_t seed[OCT_ED25519_SEED_BYTES];
    (void)state;
    for (int i = 0; i < JOBS; i++)
        memset(message[i], 17 * i + 1, MAX_MESSAGE);
    for (int i = 0; i < KEYS && oct_op_is_on(OCT_OP_ED25519_SIGN); i++) {
        memset(seed, i + 1, sizeof seed);
        assert_int_equal(oct_ed25519_key_new(&key[i], seed), OCT_OK);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < KEYS; i++)
        oct_ed25519_key_free(key[i]);
    return 0;
}

static void done(struct oct_job *which)
{
    assert_int_equal(which - job, reported);
    reported++;
}

static size_t length(int i)
{
    return (size_t)(i * 31) % MAX_MESSAGE;
}

/* Eight run at once, five when asked to. */
static void run_all(int op)
{
    reported = 0;
    for (int i = 0; i < JOBS; i++) {
        const struct oct_ed25519_key *k = key[i % KEYS];
        job[i] = (struct oct_job){.op = op, .done = done};
        if (op == OCT_OP_ED25519_SIGN)
            job[i].ed25519_sign = (struct oct_ed25519_sign_lane){k, message[i], length(i), signature[i]};
        else
            job[i].ed25519_verify =
                (struct oct_ed25519_verify_lane){oct_ed25519_key_public(k), message[i], length(i), signature[i]};
        assert_int_equal(oct_queue_submit(oct_queue_thread(), &job[i]), OCT_OK);
    }
    assert_int_equal(reported, 8);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 5);
    assert_int_equal(reported, JOBS);
}

static void test_sign_and_verify(void **state)
{
    (void)state;
    need_operations(OCT_OP_ED25519_SIGN, OCT_OP_ED25519_VERIFY);
    run_all(OCT_OP_ED25519_SIGN);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(job[i].status, OCT_OK);
    run_all(OCT_OP_ED25519_VERIFY);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(job[i].status, OCT_OK);
    assert_memory_not_equal(signature[0], signature[3], SIGNATURE);
}

static void test_spoilt(void **state)
{
    (void)state;
    need_operations(OCT_OP_ED25519_SIGN, OCT_OP_ED25519_VERIFY);
    run_all(OCT_OP_ED25519_SIGN);
    signature[2][40] ^= 1;
    signature[11][0] ^= 1;
    run_all(OCT_OP_ED25519_VERIFY);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(job[i].status, i == 2 || i == 11 ? OCT_ERR_RANGE : OCT_OK);
}

static int submitted(int op, struct oct_job *one)
{
    one->op = op;
    return oct_queue_submit(oct_queue_thread(), one);
}

static void test_refused(void **state)
{
    struct oct_job one = {.ed25519_sign = {NULL, message[0], 1, signature[0]}};
    (void)state;
    need_operations(OCT_OP_ED25519_SIGN, OCT_OP_ED25519_VERIFY);
    assert_int_equal(submitted(OCT_OP_ED25519_SIGN, &one), OCT_ERR_ARGUMENT);
    one.ed25519_sign = (struct oct_ed25519_sign_lane){key[0], NULL, 1, signature[0]};
    assert_int_equal(submitted(OCT_OP_ED25519_SIGN, &one), OCT_ERR_ARGUMENT);
    one.ed25519_sign = (struct oct_ed25519_sign_lane){key[0], message[0], 1, NULL};
    assert_int_equal(submitted(OCT_OP_ED25519_SIGN, &one), OCT_ERR_ARGUMENT);
    one.ed25519_sign = (struct oct_ed25519_sign_lane){key[0], message[0], OCT_ED25519_MESSAGE_LIMIT, signature[0]};
    assert_int_equal(submitted(OCT_OP_ED25519_SIGN, &one), OCT_ERR_LENGTH);
    one.ed25519_verify = (struct oct_ed25519_verify_lane){NULL, message[0], 1, signature[0]};
    assert_int_equal(submitted(OCT_OP_ED25519_VERIFY, &one), OCT_ERR_ARGUMENT);
    one.ed25519_verify = (struct oct_ed25519_verify_lane){signature[1], NULL, 1, signature[0]};
    assert_int_equal(submitted(OCT_OP_ED25519_VERIFY, &one), OCT_ERR_ARGUMENT);
    one.ed25519_verify = (struct oct_ed25519_verify_lane){signature[1], message[0], 1, NULL};
    assert_int_equal(submitted(OCT_OP_ED25519_VERIFY, &one), OCT_ERR_ARGUMENT);
    one.ed25519_verify =
        (struct oct_ed25519_verify_lane){signature[1], message[0], OCT_ED25519_MESSAGE_LIMIT, signature[0]};
    assert_int_equal(submitted(OCT_OP_ED25519_VERIFY, &one), OCT_ERR_LENGTH);
    assert_int_equal(one.state, OCT_JOB_IDLE);
}

/* With OCTUPLE_TABLE=off there are no keys, and nothing can be submitted. */
static void test_off(void **state)
{
    struct oct_job one = {.ed25519_verify = {signature[1], message[0], 1, signature[0]}};
    struct oct_ed25519_key *made = NULL;
    struct oct_lanes result;
    (void)state;
    if (oct_op_is_on(OCT_OP_ED25519_VERIFY)) {
        print_message("skipped: only where operations are off\n");
        skip();
    }
    assert_int_equal(submitted(OCT_OP_ED25519_VERIFY, &one), OCT_ERR_UNSUPPORTED);
    assert_int_equal(oct_ed25519_key_new(&made, message[0]), OCT_ERR_UNSUPPORTED);
    assert_null(made);
    assert_int_equal(oct_ed25519_verify_x8(&one.ed25519_verify, 1, &result), OCT_ERR_UNSUPPORTED);
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_sign_and_verify, test_spoilt, test_refused, test_off);
}
