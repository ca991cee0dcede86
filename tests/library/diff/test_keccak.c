/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SHA-3 and SHAKE in lanes against libcrypto's: every length of 0 to 300 and some long ones, eight different
 * messages, 1 to 8 lanes, outputs of every length of 1 to 400 for SHAKE, at any alignment; nothing is written behind
 * them.
 */
#include "ops/mlkem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/evp.h>
#include <openssl/rand.h>

#define LANES   8
#define MAX_IN  2000
#define MAX_OUT 1000

static const struct oct_mlkem_ops *table[OCT_LATTICE_BACKENDS];
static unsigned tables;
static uint8_t in[MAX_IN + LANES], out[LANES][MAX_OUT + 1], want[MAX_OUT];
static void *workspace;

static void reference(int function, const uint8_t *message, size_t len, size_t out_len)
{
    const EVP_MD *md[] = {EVP_sha3_256(), EVP_sha3_512(), EVP_shake128(), EVP_shake256()};
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    assert_true(ctx && EVP_DigestInit_ex(ctx, md[function], NULL) == 1 && EVP_DigestUpdate(ctx, message, len) == 1);
    if (function >= OCT_SHAKE128)
        assert_int_equal(EVP_DigestFinalXOF(ctx, want, out_len), 1);
    else
        assert_int_equal(EVP_DigestFinal_ex(ctx, want, NULL), 1);
    EVP_MD_CTX_free(ctx);
}

/* Message i begins at byte i. */
static void compare(const struct oct_mlkem_ops *ops, int function, size_t len, size_t out_len, unsigned lanes)
{
    struct oct_keccak_args args = {
        .workspace = workspace, .lanes = lanes, .in_len = len, .out_len = out_len, .function = function};
    memset(out, 0xa5, sizeof out);
    for (unsigned i = 0; i < lanes; i++) {
        args.in[i] = in + i;
        args.out[i] = out[i];
    }
    ops->keccak(&args);
    for (unsigned i = 0; i < lanes; i++) {
        reference(function, in + i, len, out_len);
        assert_memory_equal(out[i], want, out_len);
        assert_int_equal(out[i][out_len], 0xa5);
    }
}

static size_t digest_len(int function)
{
    return function == OCT_SHA3_256 ? 32 : function == OCT_SHA3_512 ? 64 : 168;
}

static void test_inputs(void **state)
{
    static const size_t longer[] = {504, 1088, 1184, 1568, 1999, 2000};
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int f = 0; f < OCT_KECCAK_FUNCTIONS; f++) {
            for (size_t len = 0; len <= 300; len++)
                compare(table[t], f, len, digest_len(f), 1 + (unsigned)len % LANES);
            for (size_t i = 0; i < OCT_ARRAY_LEN(longer); i++)
                compare(table[t], f, longer[i], digest_len(f), LANES);
        }
}

static void test_outputs(void **state)
{
    (void)state;
    for (unsigned t = 0; t < tables; t++)
        for (int f = OCT_SHAKE128; f <= OCT_SHAKE256; f++) {
            for (size_t len = 1; len <= 400; len++)
                compare(table[t], f, len % 40, len, 1 + (unsigned)len % LANES);
            compare(table[t], f, 34, MAX_OUT, LANES);
        }
}

static int setup(void **state)
{
    (void)state;
    tables = oct_mlkem_runnable(table);
    workspace = aligned_alloc(64, (*table[0]->keccak_workspace + 63) / 64 * 64);
    return workspace && RAND_bytes(in, sizeof in) == 1 ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    free(workspace);
    return 0;
}

int main(void)
{
    return RUN_TESTS(setup, teardown, test_inputs, test_outputs);
}
