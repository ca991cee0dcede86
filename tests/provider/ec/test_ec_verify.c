/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ECDSA verification: with others it runs in lanes, and the verdict is OpenSSL's, whatever the signature looks like. */
#include "ec_keys.h"

#include <openssl/err.h>
#include <pthread.h>
#include <string.h>

#define HASH 32

struct work {
    EVP_PKEY *key;
    uint8_t hash[EIGHT][HASH], signature[EIGHT][MAX_SIGNATURE];
    size_t len[EIGHT];
    int expected[EIGHT];
};

/* Of signatures that are good, and of others. */
static uint64_t judged(int op)
{
    struct oct_counters counters;
    oct_counters_read(&counters);
    return counters.op[op].done + counters.op[op].failed;
}

static int verify_one(int i, void *arg)
{
    struct work *w = arg;
    return ec_verify(octuple_ctx, w->key, w->hash[i], w->signature[i], w->len[i]) == w->expected[i];
}

/* Signatures by OpenSSL alone, every other one not of this digest. */
static void make_work(struct work *w, EVP_PKEY *theirs)
{
    for (int i = 0; i < EIGHT; i++) {
        fill(w->hash[i], HASH, (unsigned)i + 1);
        w->len[i] = MAX_SIGNATURE;
        assert_true(ec_sign(plain_ctx, theirs, w->hash[i], w->signature[i], &w->len[i]));
        w->expected[i] = i % 2;
        w->hash[i][i] ^= (uint8_t)!w->expected[i];
    }
}

static void test_with_others(void **state)
{
    (void)state;
    for (int c = 0; c < EC_LANE_CURVES; c++) {
        struct work w = {.key = NULL};
        EVP_PKEY *theirs = ec_generate(plain_ctx, ec_curves[c]);
        const uint64_t before = judged(oct_ecdsa_verify_op(c));

        w.key = ec_move(octuple_ctx, theirs, EVP_PKEY_PUBLIC_KEY);
        make_work(&w, theirs);
        run_fibres(EIGHT, verify_one, &w);
        assert_true(judged(oct_ecdsa_verify_op(c)) >= before + EIGHT);
        for (int i = 0; i < EIGHT; i++)
            assert_true(verify_one(i, &w));
        EVP_PKEY_free(theirs);
        EVP_PKEY_free(w.key);
    }
    ERR_clear_error();
}

/* Edits of a signature in DER: where, what is done to it, and whether a byte is put in or taken out. */
static size_t edit(uint8_t *der, size_t len, unsigned kind)
{
    const size_t s = 2 + 2 + (size_t)der[3]; /* where the second INTEGER begins */

    switch (kind) {
    case 0: /* trailing byte outside */
        der[len] = 0;
        return len + 1;
    case 1: /* trailing byte inside */
        der[len] = 0;
        der[1]++;
        return len + 1;
    case 2: /* a zero before r that need not be there */
    case 3: /* and before s */
        memmove(der + (kind == 2 ? 5 : s + 3), der + (kind == 2 ? 4 : s + 2), len - (kind == 2 ? 4 : s + 2));
        der[kind == 2 ? 4 : s + 2] = 0;
        der[kind == 2 ? 3 : s + 1]++;
        der[1]++;
        return len + 1;
    case 4: /* the length in two bytes */
        memmove(der + 2, der + 1, len - 1);
        der[1] = 0x81;
        return len + 1;
    case 5: /* another tag */
        der[0] = 0x31;
        return len;
    case 6:
        der[2] = 0x03;
        return len;
    case 7: /* r is negative */
        der[4] |= 0x80;
        return len;
    case 8: /* r = 0, s = 0 */
        memcpy(der, "\x30\x06\x02\x01\x00\x02\x01\x00", 8);
        return 8;
    case 9: /* an INTEGER of no bytes */
        memcpy(der, "\x30\x05\x02\x00\x02\x01\x01", 7);
        return 7;
    case 10: /* one INTEGER */
        der[1] = (uint8_t)(s - 2);
        return s;
    case 11: /* s longer than there is */
        der[s + 1]++;
        return len;
    default: /* cut */
        return kind - 12;
    }
}

static void test_odd_signatures(void **state)
{
    (void)state;
    for (int c = 0; c < EC_LANE_CURVES; c++) {
        EVP_PKEY *theirs = ec_generate(plain_ctx, ec_curves[c]), *ours = ec_move(octuple_ctx, theirs, EVP_PKEY_KEYPAIR);
        uint8_t hash[HASH] = {9};

        for (unsigned kind = 0; kind < 12 + 20; kind++) {
            uint8_t der[MAX_SIGNATURE + 4];
            size_t len = MAX_SIGNATURE;
            assert_true(ec_sign(plain_ctx, theirs, hash, der, &len));
            assert_true(ec_verify(octuple_ctx, ours, hash, der, len));
            len = edit(der, len, kind);
            if (ec_verify(octuple_ctx, ours, hash, der, len) != ec_verify(plain_ctx, theirs, hash, der, len))
                fail_msg("edit %u: the verdict is not OpenSSL's", kind);
            assert_false(ec_verify(octuple_ctx, ours, hash, der, len));
        }
        EVP_PKEY_free(theirs);
        EVP_PKEY_free(ours);
    }
    ERR_clear_error();
}

/* A key whose point is set anew, in both forms of keys, judges by the new one. */
static void check_other_point(EVP_PKEY *key, EVP_PKEY *const theirs[2])
{
    uint8_t hash[HASH] = {7}, der[2][MAX_SIGNATURE];
    size_t len[2];

    for (int i = 0; i < 2; i++) {
        len[i] = MAX_SIGNATURE;
        assert_true(ec_sign(plain_ctx, theirs[i], hash, der[i], &len[i]));
    }
    for (int turn = 0; turn < 4; turn++) {
        uint8_t *share = NULL;
        const size_t size = EVP_PKEY_get1_encoded_public_key(theirs[turn % 2], &share);
        assert_true(EVP_PKEY_set1_encoded_public_key(key, share, size) > 0);
        OPENSSL_free(share);
        for (int again = 0; again < 2; again++)
            for (int i = 0; i < 2; i++)
                assert_int_equal(ec_verify(octuple_ctx, key, hash, der[i], len[i]), i == turn % 2);
    }
}

static EVP_PKEY *only_group(const char *curve)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(octuple_ctx, "EC", NULL);
    EVP_PKEY *key = NULL;

    assert_true(EVP_PKEY_paramgen_init(ctx) > 0 && EVP_PKEY_CTX_set_group_name(ctx, curve) > 0 &&
                EVP_PKEY_paramgen(ctx, &key) > 0);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static void test_other_point(void **state)
{
    (void)state;
    for (int c = 0; c < EC_LANE_CURVES; c++) {
        EVP_PKEY *theirs[2] = {ec_generate(plain_ctx, ec_curves[c]), ec_generate(plain_ctx, ec_curves[c])};
        EVP_PKEY *moved = ec_move(octuple_ctx, theirs[1], EVP_PKEY_PUBLIC_KEY), *numbers = only_group(ec_curves[c]);
        check_other_point(moved, theirs);
        check_other_point(numbers, theirs);
        EVP_PKEY_free(moved);
        EVP_PKEY_free(numbers);
        EVP_PKEY_free(theirs[0]);
        EVP_PKEY_free(theirs[1]);
    }
    ERR_clear_error();
}

static void *verify_often(void *arg)
{
    uintptr_t wrong = 0;
    for (int i = 0; i < 100; i++)
        wrong += !verify_one(i % EIGHT, arg);
    return (void *)wrong;
}

/* One key in several threads. */
static void test_by_threads(void **state)
{
    (void)state;
    for (int c = 0; c < EC_LANE_CURVES; c++) {
        struct work w = {.key = NULL};
        EVP_PKEY *theirs = ec_generate(plain_ctx, ec_curves[c]);
        pthread_t thread[4];

        w.key = ec_move(octuple_ctx, theirs, EVP_PKEY_PUBLIC_KEY);
        make_work(&w, theirs);
        for (int i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, verify_often, &w), 0);
        for (int i = 0; i < 4; i++) {
            void *wrong;
            assert_int_equal(pthread_join(thread[i], &wrong), 0);
            assert_null(wrong);
        }
        EVP_PKEY_free(theirs);
        EVP_PKEY_free(w.key);
    }
    ERR_clear_error();
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_with_others, test_odd_signatures, test_other_point,
                     test_by_threads);
}
