/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables */
/*
 * ML-KEM by the batch calls and by the queue, on the table that the environment chose. What the kernels compute is
 * tests/library/kat's and tests/library/diff's business: here it is which bytes go where, randomness, and what is
 * refused.
 */
#include "operation_on.h"

#include <octuple/mlkem.h>
#include <octuple/queue.h>

#define EK 1568
#define DK 3168
#define CT 1568

static uint8_t seed[OCT_LANES][OCT_MLKEM_KEYGEN_BYTES], message[OCT_LANES][OCT_MLKEM_MESSAGE_BYTES];
static uint8_t ek[OCT_LANES][EK], dk[OCT_LANES][DK], ct[OCT_LANES][CT];
static uint8_t secret[OCT_LANES][OCT_MLKEM_SECRET_BYTES], back[OCT_LANES][OCT_MLKEM_SECRET_BYTES];
static struct oct_mlkem_keygen_lane keygen[OCT_LANES];
static struct oct_mlkem_encaps_lane encaps[OCT_LANES];
static struct oct_mlkem_decaps_lane decaps[OCT_LANES];
static struct oct_lanes result;

static int setup(void **state)
{
    (void)state;
    for (int i = 0; i < OCT_LANES; i++) {
        memset(seed[i], 16 + i, sizeof seed[i]);
        memset(message[i], 32 + i, sizeof message[i]);
        keygen[i] = (struct oct_mlkem_keygen_lane){seed[i], ek[i], dk[i]};
        encaps[i] = (struct oct_mlkem_encaps_lane){ek[i], message[i], ct[i], secret[i]};
        decaps[i] = (struct oct_mlkem_decaps_lane){dk[i], ct[i], back[i]};
    }
    return 0;
}

static void run(int set, unsigned lanes)
{
    const unsigned all = (1u << lanes) - 1;
    assert_int_equal(oct_mlkem_keygen_x8(set, keygen, lanes, &result), OCT_OK);
    assert_true(result.ok == all && result.invalid == 0);
    assert_int_equal(oct_mlkem_encaps_x8(set, encaps, lanes, &result), OCT_OK);
    assert_true(result.ok == all && result.invalid == 0);
    assert_int_equal(oct_mlkem_decaps_x8(set, decaps, lanes, &result), OCT_OK);
    assert_true(result.ok == all && result.invalid == 0);
    for (unsigned i = 0; i < lanes; i++) {
        assert_memory_equal(secret[i], back[i], sizeof secret[i]);
        assert_int_equal(oct_mlkem_dk_check(set, dk[i]), OCT_OK);
        for (unsigned j = 0; j < i; j++)
            assert_memory_not_equal(secret[i], secret[j], sizeof secret[i]);
    }
}

static void test_all_lanes(void **state)
{
    (void)state;
    need_operations(OCT_OP_MLKEM768_KEYGEN, OCT_OP_MLKEM1024_DECAPS);
    for (int set = 0; set < OCT_MLKEM_SETS; set++)
        for (unsigned lanes = 1; lanes <= OCT_LANES; lanes++)
            run(set, lanes);
}

/* Where the caller brings none, each lane draws its own, and given ones keep their place. */
static void test_randomness(void **state)
{
    uint8_t before[OCT_MLKEM_SECRET_BYTES], key[EK];
    (void)state;
    need_operations(OCT_OP_MLKEM768_KEYGEN, OCT_OP_MLKEM1024_DECAPS);
    for (int set = 0; set < OCT_MLKEM_SETS; set++) {
        setup(NULL);
        run(set, OCT_LANES);
        memcpy(before, secret[5], sizeof before);
        memcpy(key, ek[5], oct_mlkem_ek_bytes(set));
        for (int i = 0; i < OCT_LANES; i++) {
            keygen[i].seed = i == 5 ? seed[i] : NULL;
            encaps[i].message = i == 5 ? message[i] : NULL;
        }
        run(set, OCT_LANES);
        assert_memory_equal(key, ek[5], oct_mlkem_ek_bytes(set));
        assert_memory_equal(before, secret[5], sizeof before);
        memcpy(before, secret[0], sizeof before);
        run(set, OCT_LANES);
        assert_memory_not_equal(before, secret[0], sizeof before);
    }
}

/* A key that is none fails its own lane; a ciphertext never does, and nor does the check of a good key. */
static void test_invalid(void **state)
{
    static const uint8_t zeros[CT];
    (void)state;
    need_operations(OCT_OP_MLKEM768_KEYGEN, OCT_OP_MLKEM1024_DECAPS);
    for (int set = 0; set < OCT_MLKEM_SETS; set++) {
        run(set, OCT_LANES);
        memset(ek[3], 0xff, 3);
        assert_int_equal(oct_mlkem_encaps_x8(set, encaps, OCT_LANES, &result), OCT_OK);
        assert_true(result.ok == 0xf7 && result.invalid == 0x08);
        assert_memory_equal(secret[3], zeros, sizeof secret[3]);
        assert_memory_equal(ct[3], zeros, oct_mlkem_ct_bytes(set));
        ct[2][7] ^= 1;
        assert_int_equal(oct_mlkem_decaps_x8(set, decaps, OCT_LANES, &result), OCT_OK);
        assert_true(result.ok == 0xff && result.invalid == 0);
        assert_memory_not_equal(secret[2], back[2], sizeof secret[2]);
        assert_memory_equal(secret[4], back[4], sizeof secret[4]);
        dk[1][oct_mlkem_dk_bytes(set) - 40] ^= 1;
        assert_int_equal(oct_mlkem_dk_check(set, dk[1]), OCT_ERR_RANGE);
    }
}

static void test_arguments(void **state)
{
    (void)state;
    need_operations(OCT_OP_MLKEM768_KEYGEN, OCT_OP_MLKEM1024_DECAPS);
    assert_int_equal(oct_mlkem_keygen_x8(2, keygen, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_mlkem_keygen_x8(-1, keygen, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_mlkem_encaps_x8(0, encaps, 9, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_mlkem_decaps_x8(0, NULL, 1, &result), OCT_ERR_ARGUMENT);
    keygen[0].dk = NULL;
    assert_int_equal(oct_mlkem_keygen_x8(0, keygen, 1, &result), OCT_ERR_ARGUMENT);
    encaps[1].secret = NULL;
    assert_int_equal(oct_mlkem_encaps_x8(0, encaps, 2, &result), OCT_ERR_ARGUMENT);
    decaps[0].ct = NULL;
    assert_int_equal(oct_mlkem_decaps_x8(1, decaps, 1, &result), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_mlkem_dk_check(0, NULL), OCT_ERR_ARGUMENT);
    assert_int_equal(oct_mlkem_dk_check(2, dk[0]), OCT_ERR_ARGUMENT);
    assert_true(oct_mlkem_ek_bytes(2) == 0 && oct_mlkem_dk_bytes(-1) == 0 && oct_mlkem_ct_bytes(7) == 0);
    assert_int_equal(oct_mlkem_encaps_op(2), -1);
}

/* Sizes as FIPS 203, table 3, has them. */
static void test_sizes(void **state)
{
    (void)state;
    assert_true(oct_mlkem_ek_bytes(0) == 1184 && oct_mlkem_dk_bytes(0) == 2400 && oct_mlkem_ct_bytes(0) == 1088);
    assert_true(oct_mlkem_ek_bytes(1) == 1568 && oct_mlkem_dk_bytes(1) == 3168 && oct_mlkem_ct_bytes(1) == 1568);
}

static void submit(int op, int i)
{
    static struct oct_job job[3 * OCT_LANES];
    struct oct_job *j = &job[i];
    memset(j, 0, sizeof *j);
    j->op = op;
    if (op == OCT_OP_MLKEM768_KEYGEN)
        j->mlkem_keygen = keygen[i];
    else if (op == OCT_OP_MLKEM768_ENCAPS)
        j->mlkem_encaps = encaps[i];
    else
        j->mlkem_decaps = decaps[i];
    assert_int_equal(oct_queue_submit(oct_queue_thread(), j), OCT_OK);
    if (i == 4) {
        assert_int_equal(oct_queue_poll(oct_queue_thread()), 5);
        for (int k = 0; k < 5; k++)
            assert_int_equal(job[k].status, op == OCT_OP_MLKEM768_ENCAPS && k == 2 ? OCT_ERR_RANGE : OCT_OK);
    }
}

/* Five jobs of each kind, one with a key that is none. */
static void test_queue(void **state)
{
    (void)state;
    need_operations(OCT_OP_MLKEM768_KEYGEN, OCT_OP_MLKEM1024_DECAPS);
    for (int i = 0; i < 5; i++)
        submit(OCT_OP_MLKEM768_KEYGEN, i);
    memset(ek[2], 0xff, 3);
    for (int i = 0; i < 5; i++)
        submit(OCT_OP_MLKEM768_ENCAPS, i);
    for (int i = 0; i < 5; i++)
        submit(OCT_OP_MLKEM768_DECAPS, i);
    for (int i = 0; i < 5; i++)
        if (i != 2)
            assert_memory_equal(secret[i], back[i], sizeof secret[i]);
}

static void test_off(void **state)
{
    (void)state;
    if (oct_op_is_on(OCT_OP_MLKEM768_ENCAPS))
        skip();
    assert_int_equal(oct_mlkem_encaps_x8(0, encaps, 1, &result), OCT_ERR_UNSUPPORTED);
    assert_int_equal(oct_mlkem_dk_check(0, dk[0]), OCT_ERR_UNSUPPORTED);
    assert_string_not_equal(oct_op_reason(OCT_OP_MLKEM768_ENCAPS), "on");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_all_lanes, setup),
        cmocka_unit_test_setup(test_randomness, setup),
        cmocka_unit_test_setup(test_invalid, setup),
        cmocka_unit_test_setup(test_arguments, setup),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test_setup(test_queue, setup),
        cmocka_unit_test_setup(test_off, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
