/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A process's first operations, which come alone, wait for no known answers: these run when lanes are first to give out
 * a result. */
#include "api/verdict.h"
#include "common.h"

#include <octuple/queue.h>
#include <semaphore.h>
#include <string.h>

#define PAIRS 64 /* more than the pool leaves to OpenSSL's own code at first */

static sem_t end;

static void *idle(void *arg)
{
    while (sem_wait(&end) != 0)
        ;
    return arg;
}

static void expect(int op, enum oct_verdict verdict)
{
    if (oct_op_verdict(op) != verdict)
        fail_msg("%s: %d", oct_op_name(op), (int)oct_op_verdict(op));
}

static EVP_PKEY *x25519(void)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "X25519");
    assert_non_null(key);
    return key;
}

static void derive(void)
{
    EVP_PKEY *own = x25519(), *peer = x25519();
    EVP_PKEY_CTX *pctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, own, NULL);
    uint8_t secret[OCT_X25519_BYTES];
    size_t len = sizeof secret;
    assert_int_equal(EVP_PKEY_derive_init(pctx), 1);
    assert_int_equal(EVP_PKEY_derive_set_peer(pctx, peer), 1);
    assert_int_equal(EVP_PKEY_derive(pctx, secret, &len), 1);
    EVP_PKEY_CTX_free(pctx);
    EVP_PKEY_free(own);
    EVP_PKEY_free(peer);
}

static void sign(EVP_PKEY *key)
{
    static const uint8_t message[] = "first";
    EVP_MD_CTX *mctx = EVP_MD_CTX_new();
    uint8_t signature[512];
    size_t len = sizeof signature;
    assert_non_null(key);
    assert_int_equal(EVP_DigestSignInit_ex(mctx, NULL, "SHA256", octuple_ctx, NULL, key, NULL), 1);
    assert_int_equal(EVP_DigestSign(mctx, signature, &len, message, sizeof message), 1);
    EVP_MD_CTX_free(mctx);
    EVP_PKEY_free(key);
}

/* OpenSSL has the curve of the group, or is of a version that has none of it here. */
static void encapsulate(void)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "X25519MLKEM768");
    EVP_PKEY_CTX *pctx = key == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(octuple_ctx, key, NULL);
    uint8_t share[2048], secret[64];
    size_t share_len = sizeof share, secret_len = sizeof secret;
    if (pctx != NULL) {
        assert_int_equal(EVP_PKEY_encapsulate_init(pctx, NULL), 1);
        assert_int_equal(EVP_PKEY_encapsulate(pctx, share, &share_len, secret, &secret_len), 1);
    }
    EVP_PKEY_CTX_free(pctx);
    EVP_PKEY_free(key);
}

/* With a second thread: then RSA's lane key is made, for those who may come. */
static void test_alone(void **state)
{
    pthread_t other;
    (void)state;
    assert_int_equal(sem_init(&end, 0, 0), 0);
    assert_int_equal(pthread_create(&other, NULL, idle, NULL), 0);
    derive();
    encapsulate();
    sign(load_key(octuple_ctx, "2048a"));
    sign(EVP_PKEY_Q_keygen(octuple_ctx, NULL, "EC", "P-256"));
    sem_post(&end);
    assert_int_equal(pthread_join(other, NULL), 0);
    expect(OCT_OP_X25519_KEYGEN, OCT_VERDICT_UNTESTED);
    expect(OCT_OP_X25519_DERIVE, OCT_VERDICT_UNTESTED);
    expect(OCT_OP_X25519MLKEM768_SERVER, OCT_VERDICT_UNTESTED);
    expect(OCT_OP_RSA2048_PRIVATE, OCT_VERDICT_UNTESTED);
    expect(OCT_OP_P256_SIGN, OCT_VERDICT_UNTESTED);
}

static void test_pool(void **state)
{
    (void)state;
    expect(OCT_OP_X25519_KEYGEN, OCT_VERDICT_UNTESTED);
    for (int i = 0; i < PAIRS; i++)
        EVP_PKEY_free(x25519());
    expect(OCT_OP_X25519_KEYGEN, OCT_VERDICT_ON);
}

/* Jobs that may run elsewhere are taken without the test, which comes before the vector. */
static void test_batch(void **state)
{
    static const uint8_t peer[OCT_X25519_BYTES] = {9};
    uint8_t scalar[OCT_LANES][OCT_X25519_BYTES], out[OCT_LANES][OCT_X25519_BYTES];
    struct oct_job job[OCT_LANES] = {{0}};
    struct oct_queue *queue;
    (void)state;
    memset(scalar, 0x51, sizeof scalar);
    assert_int_equal(oct_queue_new(&queue, NULL), OCT_OK);
    oct_queue_set_deferred(queue, 1);
    for (int i = 0; i < OCT_LANES; i++) {
        job[i] = (struct oct_job){.op = OCT_OP_X25519_DERIVE, .flags = OCT_JOB_MAY_FALL_BACK};
        job[i].x25519 = (struct oct_x25519_lane){scalar[i], peer, out[i]};
        assert_int_equal(oct_queue_submit(queue, &job[i]), OCT_OK);
    }
    expect(OCT_OP_X25519_DERIVE, OCT_VERDICT_UNTESTED);
    assert_int_equal(oct_queue_poll(queue), OCT_LANES);
    expect(OCT_OP_X25519_DERIVE, OCT_VERDICT_ON);
    for (int i = 0; i < OCT_LANES; i++)
        assert_int_equal(job[i].status, OCT_OK);
    oct_queue_free(queue);
}

/* Who has no other code is told at once. */
static void test_must(void **state)
{
    static const uint8_t scalar[OCT_EC_MAX_BYTES] = {0, 1};
    uint8_t out[2 * OCT_EC_MAX_BYTES];
    struct oct_job job = {.op = OCT_OP_P384_KEYGEN, .ec_public = {scalar, out}};
    struct oct_queue *queue;
    (void)state;
    assert_int_equal(oct_queue_new(&queue, NULL), OCT_OK);
    expect(OCT_OP_P384_KEYGEN, OCT_VERDICT_UNTESTED);
    assert_int_equal(oct_queue_submit(queue, &job), OCT_OK);
    expect(OCT_OP_P384_KEYGEN, OCT_VERDICT_ON);
    oct_queue_free(queue);
}

int main(void)
{
    int failed;
    if (!oct_op_is_possible(OCT_OP_X25519_DERIVE)) {
        printf("skipped: no table\n");
        return 77;
    }
    octuple_ctx = new_octuple_ctx(NULL); /* open_contexts() would test an operation */
    failed = RUN_TESTS(NULL, NULL, test_alone, test_pool, test_batch, test_must);
    OSSL_LIB_CTX_free(octuple_ctx);
    return failed;
}
