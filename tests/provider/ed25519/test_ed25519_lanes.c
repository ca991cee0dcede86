/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Ed25519 in fibres, among RSA and X25519: batches of every size, bad signatures among good ones, keys that go while
 * their jobs wait, connections that are given up, and a fork.
 */
#include "ed25519_keys.h"

#include <openssl/err.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEYS   24
#define LENGTH 150

struct work {
    EVP_PKEY *key[KEYS], *public_key[KEYS], *rsa, *x, *x_peer;
    uint8_t message[KEYS][LENGTH], expected[KEYS][SIGNATURE];
    uint32_t bad; /* bit i: fibre i is to find its signature bad */
};

/* The second signature of a key is the first that may go to lanes. */
static void open_work(struct work *w)
{
    uint8_t again[SIGNATURE];

    memset(w, 0, sizeof *w);
    w->rsa = load_key(octuple_ctx, "2048a");
    w->x = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "X25519");
    w->x_peer = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "X25519");
    for (int i = 0; i < KEYS; i++) {
        w->key[i] = ed25519_generate(octuple_ctx);
        w->public_key[i] = ed25519_import(octuple_ctx, NULL, ed25519_pair(w->key[i]).point);
        EVP_PKEY *theirs = ed25519_copy(plain_ctx, w->key[i]);
        fill(w->message[i], LENGTH, (unsigned)i);
        assert_true(ed25519_sign(plain_ctx, theirs, w->message[i], (size_t)(6 * i), w->expected[i]));
        EVP_PKEY_free(theirs);
        for (int round = 0; round < 3; round++)
            assert_true(ed25519_sign(octuple_ctx, w->key[i], w->message[i], 3, again));
    }
}

static void close_work(struct work *w)
{
    for (int i = 0; i < KEYS; i++) {
        EVP_PKEY_free(w->key[i]);
        EVP_PKEY_free(w->public_key[i]);
    }
    EVP_PKEY_free(w->rsa);
    EVP_PKEY_free(w->x);
    EVP_PKEY_free(w->x_peer);
    ERR_clear_error();
}

static int sign_in_fibre(int i, void *arg)
{
    struct work *w = arg;
    uint8_t signature[SIGNATURE];

    return ed25519_sign(octuple_ctx, w->key[i], w->message[i], (size_t)(6 * i), signature) &&
           memcmp(signature, w->expected[i], SIGNATURE) == 0;
}

static int verify_in_fibre(int i, void *arg)
{
    struct work *w = arg;
    uint8_t signature[SIGNATURE];
    int ok;

    memcpy(signature, w->expected[i], SIGNATURE);
    signature[i] ^= (uint8_t)(w->bad >> i & 1);
    ok = ed25519_verify(octuple_ctx, w->public_key[i], w->message[i], (size_t)(6 * i), signature, SIGNATURE);
    return ok == !(w->bad >> i & 1);
}

static void test_batches(void **state)
{
    static const int counts[] = {1, 2, 3, 7, 8, 9, 16, KEYS};
    struct work *w = test_malloc(sizeof *w);
    struct oct_op_counters sign, verify;

    (void)state;
    open_work(w);
    sign = ed25519_counters(OCT_OP_ED25519_SIGN);
    verify = ed25519_counters(OCT_OP_ED25519_VERIFY);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        ed25519_prefer_lanes();
        run_fibres(counts[i], sign_in_fibre, w);
        run_fibres(counts[i], verify_in_fibre, w);
    }
    assert_true(ed25519_counters(OCT_OP_ED25519_SIGN).done - sign.done >= 56); /* of 70 */
    assert_true(ed25519_counters(OCT_OP_ED25519_VERIFY).done - verify.done >= 56);
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 0);
    close_work(w);
    test_free(w);
}

/* A bad signature in each place of a batch, and in several: nobody else's verification is touched by it. */
static void test_bad_among_good(void **state)
{
    struct work *w = test_malloc(sizeof *w);
    const struct oct_op_counters before = ed25519_counters(OCT_OP_ED25519_VERIFY);

    (void)state;
    open_work(w);
    for (int i = 0; i < EIGHT; i++) {
        ed25519_prefer_lanes();
        w->bad = 1u << i;
        run_fibres(EIGHT, verify_in_fibre, w);
        w->bad = ~(1u << i);
        run_fibres(EIGHT, verify_in_fibre, w);
    }
    assert_true(ed25519_counters(OCT_OP_ED25519_VERIFY).failed - before.failed >= 32); /* of 64 */
    close_work(w);
    test_free(w);
}

static int derives(struct work *w)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(octuple_ctx, w->x, NULL);
    uint8_t secret[32];
    size_t len = sizeof secret;
    const int ok = EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, w->x_peer) > 0 &&
                   EVP_PKEY_derive(ctx, secret, &len) > 0;

    EVP_PKEY_CTX_free(ctx);
    return ok;
}

static int signs_with_rsa(struct work *w)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    uint8_t signature[256];
    size_t len = sizeof signature;
    const int ok = EVP_DigestSignInit_ex(md, NULL, "SHA256", octuple_ctx, NULL, w->rsa, NULL) > 0 &&
                   EVP_DigestSign(md, signature, &len, w->message[0], LENGTH) > 0;

    EVP_MD_CTX_free(md);
    return ok;
}

/* What handshakes do: derive, sign; and with certificates of clients, verify. */
static int handshake(int i, void *arg)
{
    struct work *w = arg;

    if (i % 3 == 0)
        return signs_with_rsa(w) && verify_in_fibre(i, w) && derives(w);
    return derives(w) && sign_in_fibre(i, w) && (i % 3 == 1 || verify_in_fibre(i, w));
}

static void test_mixed(void **state)
{
    struct work *w = test_malloc(sizeof *w);

    (void)state;
    open_work(w);
    for (int round = 0; round < (is_slow() ? 1 : 5); round++) {
        w->bad = (uint32_t)round * 0x9e3779b9u;
        run_fibres(KEYS, handshake, w);
    }
    close_work(w);
    test_free(w);
}

/* A key that is let go while its job waits; it is new, so that lanes get it at its second signature. */
static int sign_and_let_go(int i, void *arg)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "ED25519");
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    uint8_t message[LENGTH], signature[SIGNATURE] = {0}, again[SIGNATURE] = {1};
    size_t len = SIGNATURE;
    int ok = 1;

    (void)arg;
    fill(message, LENGTH, (unsigned)i);
    for (int round = 0; round < 3; round++)
        ok = ok && ed25519_sign(octuple_ctx, key, message, LENGTH, again);
    ok = ok && EVP_DigestSignInit_ex(md, NULL, NULL, octuple_ctx, NULL, key, NULL) > 0;
    EVP_PKEY_free(key);
    ok = ok && EVP_DigestSign(md, signature, &len, message, LENGTH) > 0;
    EVP_MD_CTX_free(md);
    return ok && memcmp(signature, again, SIGNATURE) == 0;
}

static void test_short_lived(void **state)
{
    (void)state;
    run_fibres(KEYS, sign_and_let_go, NULL);
}

/* One operation in one fibre, step by step. */
struct stepper {
    struct work *work;
    int index, verifies;
    ASYNC_JOB *job;
    ASYNC_WAIT_CTX *wait;
    int result, ended;
};

static int enter(void *arg)
{
    struct stepper *s = *(struct stepper **)arg;
    return s->verifies ? verify_in_fibre(s->index, s->work) : sign_in_fibre(s->index, s->work);
}

static int step(struct stepper *s)
{
    const int status = ASYNC_start_job(&s->job, s->wait, &s->result, enter, &s, sizeof s);

    s->ended = status == ASYNC_FINISH;
    return status == ASYNC_FINISH || status == ASYNC_PAUSE;
}

static void open_steppers(struct stepper *s, int count, struct work *w)
{
    memset(s, 0, (size_t)count * sizeof *s);
    for (int i = 0; i < count; i++) {
        s[i].work = w;
        s[i].index = i;
        s[i].verifies = i % 2;
        s[i].wait = ASYNC_WAIT_CTX_new();
        assert_true(step(&s[i]));
        assert_false(s[i].ended);
    }
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

/* Connections that go while their fibres are paused: their jobs leave the queue, the others are served. OpenSSL cannot
 * end such a fibre, whose stack is lost; static memory still points to it, for LeakSanitizer. */
static void test_abandoned(void **state)
{
    static struct stepper s[12];
    static struct work w;

    (void)state;
    open_work(&w);
    oct_queue_set_deferred(oct_queue_thread(), 1);
    open_steppers(s, 12, &w);
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 12);
    for (int i = 0; i < 12; i += 3)
        ASYNC_WAIT_CTX_free(s[i].wait);
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 8);
    for (int i = 0; i < 12; i++)
        if (i % 3 != 0)
            assert_true(finish(&s[i]));
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 0);
    oct_queue_set_deferred(oct_queue_thread(), 0);
    close_work(&w);
}

/* Parent and child each finish all that was under way, and more. */
static void test_fork(void **state)
{
    static struct stepper s[10];
    struct work *w = test_malloc(sizeof *w);
    int status = -1, ok = 1;
    pid_t child;

    (void)state;
    open_work(w);
    open_steppers(s, 10, w);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ok = oct_queue_waiting(oct_queue_thread()) == 0;
        for (int i = 0; i < 10; i++)
            ok = finish(&s[i]) && ok;
        for (int i = 0; i < KEYS; i++)
            ok = sign_in_fibre(i, w) && ok;
        _exit(!ok);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(oct_queue_waiting(oct_queue_thread()), 10);
    for (int i = 0; i < 10; i++)
        assert_true(finish(&s[i]));
    close_work(w);
    test_free(w);
}

/* A message longer than lanes take is signed and verified all the same, and waits for nobody. */
static int long_message(int i, void *arg)
{
    struct work *w = arg;
    uint8_t signature[SIGNATURE];
    static uint8_t message[5000];

    message[0] = 1;
    return ed25519_sign(octuple_ctx, w->key[i], message, 5000, signature) &&
           ed25519_verify(octuple_ctx, w->public_key[i], message, 5000, signature, SIGNATURE) &&
           !ed25519_verify(octuple_ctx, w->public_key[i], message, 4999, signature, SIGNATURE);
}

static void test_long(void **state)
{
    struct work *w = test_malloc(sizeof *w);
    struct oct_op_counters before, after;

    (void)state;
    open_work(w);
    before = ed25519_counters(OCT_OP_ED25519_SIGN);
    run_fibres(EIGHT, long_message, w);
    after = ed25519_counters(OCT_OP_ED25519_SIGN);
    assert_int_equal(after.submitted, before.submitted);
    close_work(w);
    test_free(w);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_batches, test_bad_among_good, test_mixed, test_short_lived,
                     test_abandoned, test_fork, test_long);
}
