/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* EC in fibres, among RSA and X25519; and the pool of key pairs, also across a fork. */
#include "ec_keys.h"

#include "base/policy.h"

#include <openssl/crypto.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KINDS  6
#define FIBRES (KINDS * EIGHT)
#define PAIRS  (2 * (OCT_POLICY_ASIDE + EIGHT)) /* the first of each curve are OpenSSL's own */

struct work {
    EVP_PKEY *key[EC_LANE_CURVES], *peer[EC_LANE_CURVES], *rsa, *x, *x_peer;
    uint8_t hash[FIBRES][32], out[FIBRES][512];
    size_t len[FIBRES];
};

static int do_one(int i, void *arg)
{
    struct work *w = arg;

    w->len[i] = sizeof w->out[i];
    switch (i % KINDS) {
    case 0:
    case 1:
        return ec_sign(octuple_ctx, w->key[i % KINDS], w->hash[i], w->out[i], &w->len[i]);
    case 2:
    case 3:
        return ec_derive(octuple_ctx, w->key[i % KINDS - 2], w->peer[i % KINDS - 2], w->out[i], &w->len[i]);
    case 4:
        return ec_sign(octuple_ctx, w->rsa, w->hash[i], w->out[i], &w->len[i]);
    default:
        return ec_derive(octuple_ctx, w->x, w->x_peer, w->out[i], &w->len[i]);
    }
}

/* By OpenSSL alone, from the other side. */
static int is_right(const struct work *w, int i, EVP_PKEY *key[], EVP_PKEY *peer[])
{
    uint8_t secret[MAX_SECRET];
    size_t len = sizeof secret;

    if (i % KINDS < 2)
        return ec_verify(plain_ctx, key[i % KINDS], w->hash[i], w->out[i], w->len[i]);
    if (i % KINDS > 3)
        return w->len[i] == (i % KINDS == 4 ? 256 : 32);
    return ec_derive(plain_ctx, peer[i % KINDS - 2], key[i % KINDS - 2], secret, &len) && len == w->len[i] &&
           memcmp(secret, w->out[i], len) == 0;
}

static uint64_t done(int op)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[op].done;
}

static void test_mixed(void **state)
{
    static struct work w;
    EVP_PKEY *key[EC_LANE_CURVES], *peer[EC_LANE_CURVES];
    uint64_t before[OCT_OP_COUNT];

    (void)state;
    for (int c = 0; c < EC_LANE_CURVES; c++) {
        w.key[c] = ec_generate(octuple_ctx, ec_curves[c]);
        w.peer[c] = ec_generate(octuple_ctx, ec_curves[c]);
        key[c] = ec_move(plain_ctx, w.key[c], EVP_PKEY_KEYPAIR);
        peer[c] = ec_move(plain_ctx, w.peer[c], EVP_PKEY_KEYPAIR);
    }
    w.rsa = load_key(octuple_ctx, "2048a");
    w.x = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "X25519");
    w.x_peer = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "X25519");
    for (int i = 0; i < FIBRES; i++)
        fill(w.hash[i], sizeof w.hash[i], (unsigned)i);
    for (int op = 0; op < OCT_OP_COUNT; op++)
        before[op] = done(op);
    run_fibres(FIBRES, do_one, &w);
    for (int i = 0; i < FIBRES; i++)
        if (!is_right(&w, i, key, peer))
            fail_msg("fibre %d is wrong", i);
    for (int c = 0; c < EC_LANE_CURVES; c++) {
        assert_true(done(oct_ecdsa_sign_op(c)) >= before[oct_ecdsa_sign_op(c)] + EIGHT);
        assert_true(done(oct_ec_derive_op(c)) >= before[oct_ec_derive_op(c)] + EIGHT);
        EVP_PKEY_free(w.key[c]);
        EVP_PKEY_free(w.peer[c]);
        EVP_PKEY_free(key[c]);
        EVP_PKEY_free(peer[c]);
    }
    EVP_PKEY_free(w.rsa);
    EVP_PKEY_free(w.x);
    EVP_PKEY_free(w.x_peer);
}

/* Keys may go while their jobs wait. */
static int sign_and_let_go(int i, void *arg)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "EC", ec_curves[i % EC_LANE_CURVES]);
    uint8_t hash[32] = {(uint8_t)i}, signature[MAX_SIGNATURE];
    size_t len = sizeof signature;
    int ok = key != NULL && ec_sign(octuple_ctx, key, hash, signature, &len) &&
             ec_verify(octuple_ctx, key, hash, signature, len);

    (void)arg;
    EVP_PKEY_free(key);
    return ok;
}

static void test_short_lived(void **state)
{
    (void)state;
    run_fibres(24, sign_and_let_go, NULL);
}

/* Plain checks and no assertions: the child runs it too. */
static int make_keys(uint8_t share[PAIRS][97])
{
    for (int i = 0; i < PAIRS; i++) {
        EVP_PKEY *key = EVP_PKEY_Q_keygen(octuple_ctx, NULL, "EC", ec_curves[i % EC_LANE_CURVES]);
        uint8_t *bytes = NULL;
        const size_t len = key == NULL ? 0 : EVP_PKEY_get1_encoded_public_key(key, &bytes);

        if (len != (i % EC_LANE_CURVES == 0 ? 65u : 97u))
            return 0;
        memset(share[i], 0, 97);
        memcpy(share[i], bytes, len);
        OPENSSL_free(bytes);
        EVP_PKEY_free(key);
    }
    return 1;
}

static void test_pool_and_fork(void **state)
{
    static uint8_t share[3][PAIRS][97]; /* before the fork; the parent's after it; the child's */
    int pipes[2], status = -1;
    const uint64_t before = done(OCT_OP_P256_KEYGEN);
    pid_t child;

    (void)state;
    assert_true(make_keys(share[0]));
    assert_true(done(OCT_OP_P256_KEYGEN) >= before + EIGHT);
    assert_int_equal(pipe(pipes), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int ok = make_keys(share[2]);
        ok = ok && write(pipes[1], share[2], sizeof share[2]) == (ssize_t)sizeof share[2];
        _exit(!ok);
    }
    assert_true(make_keys(share[1]));
    assert_int_equal(read(pipes[0], share[2], sizeof share[2]), sizeof share[2]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    for (int i = 0; i < 3 * PAIRS; i++)
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(share[i / PAIRS][i % PAIRS], share[j / PAIRS][j % PAIRS], 97);
    close(pipes[0]);
    close(pipes[1]);
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_mixed, test_short_lived, test_pool_and_fork);
}
