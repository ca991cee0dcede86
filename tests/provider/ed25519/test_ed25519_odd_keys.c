/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Public keys of small order, under which any message has this signature, in all their encodings: those that are not
 * canonical too, which OpenSSL takes and RFC 8032 does not. Whatever it says, we say, with others as alone.
 */
#include "ed25519_keys.h"

#include <openssl/err.h>

static const uint8_t odd_points[][ED25519] = {
    {0x01},
    {0x01, [31] = 0x80},
    {0xee, [1 ... 30] = 0xff, [31] = 0x7f},
    {0xee, [1 ... 30] = 0xff, [31] = 0xff},
    {0xec, [1 ... 30] = 0xff, [31] = 0x7f},
    {0xec, [1 ... 30] = 0xff, [31] = 0xff},
    {0xed, [1 ... 30] = 0xff, [31] = 0x7f},
    {0xff, [1 ... 30] = 0xff, [31] = 0x7f},
    {0x00},
    {0x00, [31] = 0x80},
    {0x02},
};
#define ODD_POINTS (int)(sizeof odd_points / sizeof odd_points[0])

static int odd_verdict(OSSL_LIB_CTX *ctx, int i, int message)
{
    static const uint8_t signature[SIGNATURE] = {1};
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key_ex(ctx, "ED25519", NULL, odd_points[i], ED25519);
    const uint8_t byte = (uint8_t)message;
    const int good = key != NULL && ed25519_verify(ctx, key, &byte, 1, signature, SIGNATURE);

    EVP_PKEY_free(key);
    return good;
}

struct verdicts {
    int want[ODD_POINTS][EIGHT];
};

static int odd_in_fibre(int i, void *arg)
{
    const struct verdicts *v = arg;
    int ok = 1;

    for (int point = 0; point < ODD_POINTS; point++)
        ok = odd_verdict(octuple_ctx, point, i) == v->want[point][i] && ok;
    return ok;
}

static void test_odd_keys(void **state)
{
    struct oct_op_counters before, after;
    struct verdicts v;
    int good = 0;

    (void)state;
    for (int point = 0; point < ODD_POINTS; point++) {
        for (int i = 0; i < EIGHT; i++) {
            v.want[point][i] = odd_verdict(plain_ctx, point, i);
            assert_int_equal(odd_verdict(octuple_ctx, point, i), v.want[point][i]);
            good += v.want[point][i];
        }
    }
    assert_true(good >= EIGHT);
    ed25519_prefer_lanes();
    before = ed25519_counters(OCT_OP_ED25519_VERIFY);
    run_fibres(EIGHT, odd_in_fibre, &v);
    after = ed25519_counters(OCT_OP_ED25519_VERIFY);
    assert_true(after.done > before.done && after.failed > before.failed); /* the canonical ones, in lanes */
    ERR_clear_error();
}

int main(void)
{
    return RUN_TESTS(open_contexts, close_contexts, test_odd_keys);
}
