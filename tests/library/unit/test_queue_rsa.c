/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables LINKS oct_test_references */
/*
 * The queue with the real operations: RSA jobs with several keys through the thread's own queue, on the table that the
 * environment chose. A private result is right if libcrypto's public operation leads back from it to the input.
 */
#include "operation_on.h"

#include "rsa_keys.h"

#include <octuple/queue.h>

#define KEYS  3
#define JOBS  13
#define BYTES 256

static struct test_rsa made[KEYS];
static struct oct_rsa_key *key[KEYS];
static uint8_t in[JOBS][BYTES], out[JOBS][BYTES];
static struct oct_job job[JOBS];
static unsigned reported;

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < KEYS; i++) {
        test_rsa_make(&made[i], 8 * BYTES, 65537);
        assert_int_equal(oct_rsa_key_new(&key[i], &made[i].numbers), OCT_OK);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (int i = 0; i < KEYS; i++) {
        test_rsa_free(&made[i]);
        oct_rsa_key_free(key[i]);
    }
    return 0;
}

static void done(struct oct_job *which)
{
    assert_int_equal(which - job, reported);
    reported++;
}

static void submit_all(int op, unsigned flags)
{
    reported = 0;
    for (int i = 0; i < JOBS; i++) {
        test_rsa_below_n(in[i], BYTES, &made[i % KEYS]);
        memset(out[i], 0xee, BYTES);
        job[i] = (struct oct_job){.op = op, .flags = flags, .rsa = {key[i % KEYS], in[i], out[i]}, .done = done};
    }
    memset(in[2], 0xff, BYTES); /* above every modulus */
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(oct_queue_submit(oct_queue_thread(), &job[i]), OCT_OK);
}

static void check_range_job(void)
{
    static const uint8_t zero[BYTES];
    assert_int_equal(job[2].status, OCT_ERR_RANGE);
    assert_memory_equal(out[2], zero, BYTES);
}

static void test_private(void **state)
{
    uint8_t back[BYTES];
    (void)state;
    need_operation(OCT_OP_RSA2048_PRIVATE);
    submit_all(OCT_OP_RSA2048_PRIVATE, 0);
    assert_int_equal(reported, 8);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 5);
    assert_int_equal(reported, JOBS);
    check_range_job();
    for (int i = 0; i < JOBS; i++) {
        if (i == 2)
            continue;
        assert_int_equal(job[i].status, OCT_OK);
        test_rsa_power(back, out[i], BYTES, made[i % KEYS].e, made[i % KEYS].n);
        assert_memory_equal(back, in[i], BYTES);
    }
}

static void test_public(void **state)
{
    uint8_t expected[BYTES];
    (void)state;
    need_operation(OCT_OP_RSA2048_PUBLIC);
    submit_all(OCT_OP_RSA2048_PUBLIC, 0);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 5);
    check_range_job();
    for (int i = 0; i < JOBS; i++) {
        if (i == 2)
            continue;
        assert_int_equal(job[i].status, OCT_OK);
        test_rsa_power(expected, in[i], BYTES, made[i % KEYS].e, made[i % KEYS].n);
        assert_memory_equal(out[i], expected, BYTES);
    }
}

/* A job that is handed back has its output untouched. */
static void test_handed_back(void **state)
{
    uint8_t untouched[BYTES];
    (void)state;
    need_operation(OCT_OP_RSA2048_PRIVATE);
    memset(untouched, 0xee, BYTES);
    submit_all(OCT_OP_RSA2048_PRIVATE, OCT_JOB_MAY_FALL_BACK);
    for (int i = 9; i < JOBS; i++)
        assert_int_equal(oct_queue_cancel(oct_queue_thread(), &job[i]), OCT_OK);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 1);
    assert_int_equal(job[8].status, OCT_ERR_FALLBACK);
    assert_memory_equal(out[8], untouched, BYTES);
}

static void test_wrong_jobs(void **state)
{
    struct oct_job wrong = {.op = OCT_OP_RSA4096_PRIVATE, .rsa = {key[0], in[0], out[0]}};
    (void)state;
    need_operation(OCT_OP_RSA2048_PRIVATE);
    assert_int_equal(oct_queue_submit(oct_queue_thread(), &wrong), OCT_ERR_ARGUMENT);
    wrong.op = OCT_OP_RSA2048_PRIVATE;
    wrong.rsa.out = NULL;
    assert_int_equal(oct_queue_submit(oct_queue_thread(), &wrong), OCT_ERR_ARGUMENT);
}

/* With OCTUPLE_TABLE=off nothing can be submitted, and the error says why it is not the caller's fault. */
static void test_off(void **state)
{
    struct oct_job refused = {.op = OCT_OP_RSA2048_PRIVATE, .rsa = {key[0], in[0], out[0]}};
    (void)state;
    if (oct_op_is_on(OCT_OP_RSA2048_PRIVATE)) {
        print_message("skipped: only where operations are off\n");
        skip();
    }
    assert_int_equal(oct_queue_submit(oct_queue_thread(), &refused), OCT_ERR_UNSUPPORTED);
    assert_int_equal(refused.state, OCT_JOB_IDLE);
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_private, test_public, test_handed_back, test_wrong_jobs, test_off);
}
