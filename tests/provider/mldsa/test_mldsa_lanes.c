/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA in fibres: batches of every size, bad signatures among good ones, keys that go while their jobs wait,
 * connections that are given up, and a fork. */
#include "mldsa_keys.h"

#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEYS   16
#define LENGTH 150

struct work {
    int set;
    EVP_PKEY *key[KEYS], *public_key[KEYS];
    uint8_t message[KEYS][LENGTH], expected[KEYS][MAX_SIGNATURE];
    uint32_t bad; /* bit i: fibre i is to find its signature bad */
};

static const struct how deterministic = {.deterministic = 1};

static struct work *open_work(int set)
{
    struct work *w = calloc(1, sizeof *w);

    assert_non_null(w);
    w->set = set;
    for (int i = 0; i < KEYS; i++) {
        w->key[i] = mldsa_generate(octuple_ctx, set);
        w->public_key[i] = mldsa_copy_public(octuple_ctx, w->key[i], set);
        EVP_PKEY *theirs = mldsa_copy(plain_ctx, w->key[i], set);
        fill(w->message[i], LENGTH, (unsigned)i);
        assert_true(mldsa_sign(plain_ctx, theirs, &deterministic, w->message[i], (size_t)(6 * i), w->expected[i]));
        EVP_PKEY_free(theirs);
    }
    return w;
}

static void close_work(struct work *w)
{
    for (int i = 0; i < KEYS; i++) {
        EVP_PKEY_free(w->key[i]);
        EVP_PKEY_free(w->public_key[i]);
    }
    free(w);
    ERR_clear_error();
}

static int sign_in_fibre(int i, void *arg)
{
    struct work *w = arg;
    uint8_t *signature = OPENSSL_zalloc(MAX_SIGNATURE);
    const int ok = mldsa_sign(octuple_ctx, w->key[i], &deterministic, w->message[i], (size_t)(6 * i), signature) &&
                   memcmp(signature, w->expected[i], oct_mldsa_signature_bytes(w->set)) == 0;

    OPENSSL_free(signature);
    return ok;
}

static int verify_in_fibre(int i, void *arg)
{
    struct work *w = arg;
    const size_t size = oct_mldsa_signature_bytes(w->set);
    uint8_t *signature = OPENSSL_memdup(w->expected[i], size);
    int ok;

    signature[i] ^= (uint8_t)(w->bad >> i & 1);
    ok = mldsa_verify(octuple_ctx, w->public_key[i], NULL, w->message[i], (size_t)(6 * i), signature, size);
    OPENSSL_free(signature);
    return ok == !(w->bad >> i & 1);
}

static uint64_t full_batches(int op)
{
    return mldsa_counters(op).flushes[7];
}

static void test_batches(void **state)
{
    static const int counts[] = {1, 2, 3, 7, 8, 9, KEYS};

    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct work *w = open_work(set);
        const int sign = oct_mldsa_sign_op(set), verify = oct_mldsa_verify_op(set);
        const struct oct_op_counters signed_before = mldsa_counters(sign), verified_before = mldsa_counters(verify);
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            mldsa_prefer_lanes(set);
            run_fibres(counts[i], sign_in_fibre, w);
            run_fibres(counts[i], verify_in_fibre, w);
        }
        assert_true(mldsa_counters(sign).done - signed_before.done >= 38); /* of 46 */
        assert_true(mldsa_counters(verify).done - verified_before.done >= 38);
        assert_true(full_batches(sign) > signed_before.flushes[7]);
        assert_true(full_batches(verify) > verified_before.flushes[7]);
        assert_int_equal(oct_queue_waiting(oct_queue_thread()), 0);
        close_work(w);
    }
}

/* A bad signature in each place of a batch, and in all others: nobody else's verification is touched by it. */
static void test_bad_among_good(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct work *w = open_work(set);
        const struct oct_op_counters before = mldsa_counters(oct_mldsa_verify_op(set));
        for (int i = 0; i < EIGHT; i++) {
            mldsa_prefer_lanes(set);
            w->bad = 1u << i;
            run_fibres(EIGHT, verify_in_fibre, w);
            w->bad = ~(1u << i);
            run_fibres(EIGHT, verify_in_fibre, w);
        }
        assert_true(mldsa_counters(oct_mldsa_verify_op(set)).failed - before.failed >= 32); /* of 64 */
        close_work(w);
    }
}

/* Key and message go while the job waits: both are the operation's own. */
static int sign_and_let_go(int i, void *arg)
{
    const struct work *w = arg;
    EVP_PKEY *key = EVP_PKEY_dup(w->key[i]);
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    uint8_t *signature = OPENSSL_zalloc(MAX_SIGNATURE);
    size_t len = MAX_SIGNATURE;
    int ok = EVP_DigestSignInit_ex(md, NULL, NULL, octuple_ctx, NULL, key, NULL) > 0;

    EVP_PKEY_free(key);
    ok = ok && EVP_DigestSign(md, signature, &len, w->message[i], LENGTH) > 0 &&
         mldsa_verify(octuple_ctx, w->public_key[i], NULL, w->message[i], LENGTH, signature, len);
    EVP_MD_CTX_free(md);
    OPENSSL_free(signature);
    return ok;
}

static void test_short_lived(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct work *w = open_work(set);
        run_fibres(KEYS, sign_and_let_go, w);
        close_work(w);
    }
}

/* One operation in one fibre, step by step. */
struct stepper {
    struct work *work;
    int index;
    ASYNC_JOB *job;
    ASYNC_WAIT_CTX *wait;
    int result, ended;
};

static int enter(void *arg)
{
    struct stepper *s = *(struct stepper **)arg;
    return s->index % 2 ? verify_in_fibre(s->index, s->work) : sign_in_fibre(s->index, s->work);
}

static int step(struct stepper *s)
{
    const int status = ASYNC_start_job(&s->job, s->wait, &s->result, enter, &s, sizeof s);

    s->ended = status == ASYNC_FINISH;
    return status == ASYNC_FINISH || status == ASYNC_PAUSE;
}

/* Plain checks: the child of a fork runs it too. */
static int finish(struct stepper *s)
{
    for (int i = 0; i < 100 && !s->ended; i++)
        if (!step(s))
            return 0;
    ASYNC_WAIT_CTX_free(s->wait);
    return s->ended && s->result;
}

static void open_steppers(struct stepper *s, int count, struct work *w)
{
    memset(s, 0, (size_t)count * sizeof *s);
    for (int i = 0; i < count; i++) {
        s[i].work = w;
        s[i].index = i;
        s[i].wait = ASYNC_WAIT_CTX_new();
        assert_true(step(&s[i]));
        assert_false(s[i].ended);
    }
}

/* Connections that go while their fibres are paused: their jobs leave the queue, the others are served. OpenSSL cannot
 * end such a fibre, whose stack is lost; static memory still points to it, for LeakSanitizer. */
static void test_abandoned(void **state)
{
    static struct stepper s[OCT_MLDSA_SETS][12];

    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        static struct work *w[OCT_MLDSA_SETS];
        w[set] = open_work(set);
        oct_queue_set_deferred(oct_queue_thread(), 1);
        open_steppers(s[set], 12, w[set]);
        assert_int_equal(oct_queue_waiting(oct_queue_thread()), 12);
        for (int i = 0; i < 12; i += 3)
            ASYNC_WAIT_CTX_free(s[set][i].wait);
        assert_int_equal(oct_queue_waiting(oct_queue_thread()), 8);
        for (int i = 0; i < 12; i++)
            if (i % 3 != 0)
                assert_true(finish(&s[set][i]));
        assert_int_equal(oct_queue_waiting(oct_queue_thread()), 0);
        oct_queue_set_deferred(oct_queue_thread(), 0);
        close_work(w[set]);
    }
}

/* Parent and child each finish all that was under way, and more. */
static void test_fork(void **state)
{
    static struct stepper s[6];
    struct work *w = open_work(OCT_MLDSA_65);
    int status = -1, ok = 1;
    pid_t child;

    (void)state;
    open_steppers(s, 6, w);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ok = oct_queue_waiting(oct_queue_thread()) == 0;
        for (int i = 0; i < 6; i++)
            ok = finish(&s[i]) && ok;
        for (int i = 0; i < KEYS; i++)
            ok = sign_in_fibre(i, w) && ok;
        _exit(!ok);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 6);
    for (int i = 0; i < 6; i++)
        assert_true(finish(&s[i]));
    close_work(w);
}

/* A message longer than lanes take is signed and verified all the same, and waits for nobody. */
static int long_message(int i, void *arg)
{
    static uint8_t message[5000];
    const struct work *w = arg;
    const size_t size = oct_mldsa_signature_bytes(w->set);
    uint8_t *signature = OPENSSL_zalloc(size);
    const int ok = mldsa_sign(octuple_ctx, w->key[i], NULL, message, sizeof message, signature) &&
                   mldsa_verify(octuple_ctx, w->public_key[i], NULL, message, sizeof message, signature, size) &&
                   !mldsa_verify(octuple_ctx, w->public_key[i], NULL, message, 4999, signature, size);

    OPENSSL_free(signature);
    return ok;
}

static void test_long(void **state)
{
    (void)state;
    for (int set = 0; set < OCT_MLDSA_SETS; set++) {
        struct work *w = open_work(set);
        const uint64_t before = mldsa_counters(oct_mldsa_sign_op(set)).submitted;
        run_fibres(EIGHT, long_message, w);
        assert_int_equal(mldsa_counters(oct_mldsa_sign_op(set)).submitted, before);
        close_work(w);
    }
}

int main(void)
{
    return RUN_TESTS(mldsa_open, close_contexts, test_batches, test_bad_among_good, test_short_lived, test_abandoned,
                     test_fork, test_long);
}
