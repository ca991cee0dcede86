/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: RUNS tables LINKS oct_test_references */
/*
 * The queue with the real operations for P-256, P-384 and SM2, on the table that the environment chose: every result is
 * libcrypto's, or a signature that libcrypto accepts, and a key, peer or signature that is refused fails its own job
 * alone.
 */
#include "operation_on.h"

#include "ec_ref.h"

#include <octuple/queue.h>

#define JOBS       13
#define BAD_KEY    2 /* jobs in the first vector, which is full, and in the second */
#define BAD_PEER   9
#define GOOD_PEERS 3 /* of the kinds that ec_ref_peer() knows, the first ones */

static struct ec_ref ref;
static uint8_t key[JOBS][OCT_EC_MAX_BYTES], peer[JOBS][2 * OCT_EC_MAX_BYTES], out[JOBS][2 * OCT_EC_MAX_BYTES];
static uint8_t digest[JOBS][OCT_EC_MAX_DIGEST], signature[JOBS][2 * OCT_EC_MAX_BYTES];
static struct oct_job job[JOBS];
static unsigned reported;

static void done(struct oct_job *which)
{
    assert_int_equal(which - job, reported);
    reported++;
}

static size_t digest_len(int i)
{
    if (ref.curve == OCT_EC_SM2)
        return ref.bytes;
    return i == 0 ? 1 : i == 1 ? OCT_EC_MAX_DIGEST : ref.bytes;
}

static void open_curve(int curve)
{
    ec_ref_open(&ref, curve);
    for (int i = 0; i < JOBS; i++) {
        do
            ec_ref_scalar(&ref, key[i], EC_REF_SCALARS - 1); /* random */
        while (!ec_ref_scalar_ok(&ref, key[i]));
        ec_ref_peer(&ref, peer[i], (unsigned)i % GOOD_PEERS);
        for (size_t j = 0; j < OCT_EC_MAX_DIGEST; j++)
            digest[i][j] = (uint8_t)(29 * (size_t)i + 7 * j + 1);
    }
}

static void set_lane(struct oct_job *which, int i)
{
    const int curve = ref.curve;
    if (which->op == oct_ecdsa_sign_op(curve))
        which->ecdsa_sign = (struct oct_ecdsa_sign_lane){key[i], digest[i], digest_len(i), out[i]};
    else if (which->op == oct_ecdsa_verify_op(curve))
        which->ecdsa_verify = (struct oct_ecdsa_verify_lane){peer[i], digest[i], digest_len(i), signature[i]};
    else if (which->op == oct_ec_keygen_op(curve))
        which->ec_public = (struct oct_ec_public_lane){key[i], out[i]};
    else
        which->ec_derive = (struct oct_ec_derive_lane){key[i], peer[i], out[i]};
}

/* Eight run at once, five when asked to. */
static void run_all(int op)
{
    reported = 0;
    memset(out, 0xee, sizeof out);
    for (int i = 0; i < JOBS; i++) {
        job[i] = (struct oct_job){.op = op, .done = done};
        set_lane(&job[i], i);
        assert_int_equal(oct_queue_submit(oct_queue_thread(), &job[i]), OCT_OK);
    }
    assert_int_equal(reported, 8);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 5);
    assert_int_equal(reported, JOBS);
}

static void assert_zeros(const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        assert_int_equal(bytes[i], 0);
}

/* Nothing is written behind an output. */
static void assert_untouched(int i, size_t len)
{
    for (size_t j = len; j < sizeof out[i]; j++)
        assert_int_equal(out[i][j], 0xee);
}

static int is_on(int curve)
{
    const int ops[] = {oct_ecdsa_sign_op(curve), oct_ec_keygen_op(curve), oct_ec_derive_op(curve),
                       oct_ecdsa_verify_op(curve)};
    for (int i = 0; i < 4; i++)
        if (!operation_is_on(ops[i]))
            return 0;
    return 1;
}

static void keygen_on(int curve)
{
    uint8_t expected[2 * OCT_EC_MAX_BYTES];
    open_curve(curve);
    memset(key[BAD_KEY], 0, sizeof key[BAD_KEY]);
    run_all(oct_ec_keygen_op(curve));
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(job[i].status, i == BAD_KEY ? OCT_ERR_RANGE : OCT_OK);
        assert_int_equal(ec_ref_public(&ref, expected, key[i]), i != BAD_KEY);
        assert_memory_equal(out[i], expected, 2 * ref.bytes);
        assert_untouched(i, 2 * ref.bytes);
    }
    ec_ref_close(&ref);
}

static void derive_on(int curve)
{
    uint8_t expected[OCT_EC_MAX_BYTES];
    open_curve(curve);
    memset(key[BAD_KEY], 0xff, sizeof key[BAD_KEY]);
    memset(peer[BAD_PEER], 0, sizeof peer[BAD_PEER]);
    run_all(oct_ec_derive_op(curve));
    for (int i = 0; i < JOBS; i++) {
        const int good = i != BAD_KEY && i != BAD_PEER;
        assert_int_equal(job[i].status, good ? OCT_OK : OCT_ERR_RANGE);
        assert_int_equal(ec_ref_derive(&ref, expected, key[i], peer[i]), good);
        assert_memory_equal(out[i], expected, ref.bytes);
        assert_untouched(i, ref.bytes);
    }
    ec_ref_close(&ref);
}

static void sign_on(int curve)
{
    uint8_t public_key[2 * OCT_EC_MAX_BYTES];
    open_curve(curve);
    memset(key[BAD_KEY], 0xff, sizeof key[BAD_KEY]);
    run_all(oct_ecdsa_sign_op(curve));
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(job[i].status, i == BAD_KEY ? OCT_ERR_RANGE : OCT_OK);
        assert_int_equal(ec_ref_public(&ref, public_key, key[i]), i != BAD_KEY);
        if (i == BAD_KEY)
            assert_zeros(out[i], 2 * ref.bytes);
        else
            assert_int_equal(ec_ref_verify(&ref, out[i], public_key, digest[i], digest_len(i)), 1);
        assert_untouched(i, 2 * ref.bytes);
    }
    /* Not the digest that was signed: what is asserted above can fail. */
    assert_int_equal(ec_ref_verify(&ref, out[JOBS - 1], public_key, digest[3], digest_len(3)), 0);
    ec_ref_close(&ref);
}

/* libcrypto signs; one signature becomes another's, one key is no point. */
static void verify_on(int curve)
{
    uint8_t nonce[64];
    open_curve(curve);
    for (int i = 0; i < JOBS; i++) {
        memset(nonce, 0x31 + i, sizeof nonce);
        assert_int_equal(ec_ref_public(&ref, peer[i], key[i]), 1);
        assert_int_equal(ec_ref_sign(&ref, signature[i], key[i], nonce, digest[i], digest_len(i)), 1);
    }
    memcpy(signature[BAD_KEY], signature[BAD_KEY + 1], sizeof signature[0]);
    memset(peer[BAD_PEER], 0, sizeof peer[BAD_PEER]);
    run_all(oct_ecdsa_verify_op(curve));
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(job[i].status, i == BAD_KEY || i == BAD_PEER ? OCT_ERR_RANGE : OCT_OK);
        assert_untouched(i, 0);
    }
    ec_ref_close(&ref);
}

static void on_all_curves(void (*test)(int curve))
{
    for (int curve = 0; curve < OCT_EC_CURVES; curve++) {
        if (!is_on(curve))
            skip();
        test(curve);
    }
}

static void test_keygen(void **state)
{
    (void)state;
    on_all_curves(keygen_on);
}

static void test_derive(void **state)
{
    (void)state;
    on_all_curves(derive_on);
}

static void test_sign(void **state)
{
    (void)state;
    on_all_curves(sign_on);
}

static void test_verify(void **state)
{
    (void)state;
    on_all_curves(verify_on);
}

/* A digest that no lane takes is refused before it could spoil the vector of others. */
static void refuse_digest(int curve)
{
    static const size_t lengths[] = {0, OCT_EC_MAX_DIGEST + 1, SIZE_MAX};
    open_curve(curve);
    for (int i = 0; i < 3; i++) {
        struct oct_job bad[2] = {
            {.op = oct_ecdsa_sign_op(curve), .ecdsa_sign = {key[0], digest[0], lengths[i], out[0]}},
            {.op = oct_ecdsa_verify_op(curve), .ecdsa_verify = {peer[0], digest[0], lengths[i], signature[0]}}};
        for (int j = 0; j < 2; j++) {
            struct oct_job *const list[1] = {&bad[j]};
            assert_int_equal(oct_queue_submit(oct_queue_thread(), &bad[j]), OCT_ERR_LENGTH);
            assert_int_equal(oct_queue_run_now(oct_queue_thread(), list, 1), OCT_ERR_LENGTH);
            assert_int_equal(bad[j].state, OCT_JOB_IDLE);
        }
    }
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 0);
    ec_ref_close(&ref);
}

static void test_digest_length(void **state)
{
    (void)state;
    on_all_curves(refuse_digest);
}

/* Both curves wait at once; neither gets into the other's vector. */
static void test_curves_do_not_mix(void **state)
{
    uint8_t small[64], large[96], expected[96];
    uint8_t one[OCT_EC_MAX_BYTES] = {0};
    (void)state;
    if (!is_on(OCT_EC_P256) || !is_on(OCT_EC_P384))
        skip();
    one[31] = 1; /* to P-384, which reads all 48 bytes, 2^128 */
    struct oct_job a = {.op = OCT_OP_P256_KEYGEN, .ec_public = {one, small}};
    struct oct_job b = {.op = OCT_OP_P384_KEYGEN, .ec_public = {one, large}};
    assert_int_equal(oct_queue_submit(oct_queue_thread(), &a), OCT_OK);
    assert_int_equal(oct_queue_submit(oct_queue_thread(), &b), OCT_OK);
    assert_int_equal(oct_queue_poll(oct_queue_thread()), 2);
    assert_true(a.status == OCT_OK && b.status == OCT_OK);
    for (int curve = 0; curve < OCT_ECDSA_CURVES; curve++) {
        ec_ref_open(&ref, curve);
        assert_int_equal(ec_ref_public(&ref, expected, one), 1);
        assert_memory_equal(curve == OCT_EC_P256 ? small : large, expected, 2 * ref.bytes);
        ec_ref_close(&ref);
    }
}

/* With OCTUPLE_TABLE=off nothing can be submitted or run. */
static void test_off(void **state)
{
    (void)state;
    if (oct_op_is_on(OCT_OP_P256_SIGN)) {
        print_message("skipped: only where operations are off\n");
        skip();
    }
    for (int curve = 0; curve < OCT_EC_CURVES; curve++) {
        const int ops[] = {oct_ecdsa_sign_op(curve), oct_ec_keygen_op(curve), oct_ec_derive_op(curve),
                           oct_ecdsa_verify_op(curve)};
        ref.curve = curve;
        ref.bytes = oct_ec_bytes(curve);
        for (int i = 0; i < 4; i++) {
            struct oct_job refused = {.op = ops[i]};
            struct oct_job *const list[1] = {&refused};
            set_lane(&refused, 5);
            assert_int_equal(oct_queue_submit(oct_queue_thread(), &refused), OCT_ERR_UNSUPPORTED);
            assert_int_equal(oct_queue_run_now(oct_queue_thread(), list, 1), OCT_ERR_UNSUPPORTED);
            assert_int_equal(refused.state, OCT_JOB_IDLE);
        }
    }
}

int main(void)
{
    return RUN_TESTS(NULL, NULL, test_keygen, test_derive, test_sign, test_verify, test_digest_length,
                     test_curves_do_not_mix, test_off);
}
