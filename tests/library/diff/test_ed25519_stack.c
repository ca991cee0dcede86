/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: NOT_WITH any */
/*
 * How deep Ed25519 calls go on the stack, and whether they leave a seed, a scalar, a prefix or a nonce there or in the
 * workspace.
 */
#include "api/ed25519_internal.h"
#include "api/workspace.h"
#include "base/sha512.h"
#include "ed_ref.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/rand.h>

#include "own_stack.h"

#define LIMIT   (16 * 1024)
#define MESSAGE 200
#define FORMS   8
#define SECRETS 4 /* seed, scalar, prefix, nonce */

enum { NEW_KEY, SIGN, VERIFY, CALLS };

static uint8_t *stack;
static uint8_t seed[OCT_LANES][32], message[OCT_LANES][MESSAGE], signature[OCT_LANES][OCT_ED25519_SIGNATURE_BYTES];
static struct oct_ed25519_key *key[OCT_LANES];
static uint64_t secret[OCT_LANES * SECRETS * FORMS];
static size_t secrets;

struct call {
    const struct oct_ops *ops;
    int what;
    uint8_t *top;
};

/* A number as four words, and in limbs of 52 bits. */
static void add_forms(const uint8_t bytes[32])
{
    uint64_t word[5] = {0};
    memcpy(word, bytes, 32);
    for (int i = 0; i < 4; i++)
        secret[secrets++] = word[i];
    for (unsigned i = 0; i < 4; i++) {
        const unsigned at = 52 * i / 64, shift = 52 * i % 64;
        const uint64_t limb = word[at] >> shift | (shift ? word[at + 1] << (64 - shift) : 0);
        secret[secrets++] = limb & (((uint64_t)1 << 52) - 1);
    }
}

static void add_nonce(const struct oct_ed25519_key *k, const uint8_t *text)
{
    uint8_t input[32 + MESSAGE], digest[OCT_SHA512_BYTES], bytes[32];
    BIGNUM *n = BN_new();
    memcpy(input, k->prefix, 32);
    memcpy(input + 32, text, MESSAGE);
    oct_sha512(digest, input, sizeof input);
    assert_non_null(n);
    ed_ref_reduce(n, digest);
    assert_int_equal(BN_bn2lebinpad(n, bytes, 32), 32);
    add_forms(bytes);
    BN_free(n);
}

static int make(void **state)
{
    (void)state;
    ed_ref_open();
    assert_int_equal(RAND_bytes(seed[0], sizeof seed), 1);
    assert_int_equal(RAND_bytes(message[0], sizeof message), 1);
    for (unsigned i = 0; i < OCT_LANES; i++) {
        if (oct_ed25519_key_new_on(&oct_ops_c, &key[i], seed[i]) != OCT_OK)
            return -1;
        add_forms(seed[i]);
        add_forms((const uint8_t *)key[i]->scalar);
        add_forms(key[i]->prefix);
        add_nonce(key[i], message[i]);
    }
    stack = own_stack_new();
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    for (unsigned i = 0; i < OCT_LANES; i++)
        oct_ed25519_key_free(key[i]);
    free(stack);
    ed_ref_close();
    return 0;
}

static unsigned count_secrets(const uint8_t *from, const uint8_t *to)
{
    return own_stack_secrets(from, to, secret, secrets);
}

static OCT_NOINLINE void *body(void *p)
{
    struct call *c = p;
    struct oct_ed25519_key *made = NULL;
    struct oct_ed25519_sign_lane sign[OCT_LANES];
    struct oct_ed25519_verify_lane verify[OCT_LANES];
    struct oct_lanes result = {0xff, 0};
    int status = OCT_OK;
    for (unsigned i = 0; i < OCT_LANES; i++) {
        sign[i] = (struct oct_ed25519_sign_lane){key[i], message[i], MESSAGE, signature[i]};
        verify[i] = (struct oct_ed25519_verify_lane){key[i]->public_key, message[i], MESSAGE, signature[i]};
    }
    c->top = __builtin_frame_address(0);
    if (c->what == NEW_KEY)
        status = oct_ed25519_key_new_on(c->ops, &made, seed[3]);
    else if (c->what == SIGN)
        status = oct_ed25519_sign_on(c->ops, sign, OCT_LANES, &result);
    else
        status = oct_ed25519_verify_on(c->ops, verify, OCT_LANES, &result);
    if (status != OCT_OK || result.ok != 0xff)
        abort();
    oct_ed25519_key_free(made);
    return oct_workspace_open(1);
}

static void measure(const struct oct_ops *ops, int what)
{
    static const char *const name[CALLS] = {"key", "sign", "verify"};
    static struct call c;
    c = (struct call){.ops = ops, .what = what};
    /* The fixed-base table is made by the first call, in memory and with a depth of its own. */
    assert_non_null(oct_comb25519(ops));
    own_stack_run(stack, body, &c);
    const size_t depth = own_stack_depth(stack, c.top);
    print_message("table %s, %s: %zu bytes of stack\n", ops->name, name[what], depth);
    assert_true(depth <= LIMIT);
    assert_int_equal(count_secrets(stack, stack + STACK_BYTES), 0);
}

static void test_stack(void **state)
{
    const struct oct_ops *table[OCT_OPS_TABLES];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (int what = 0; what < CALLS; what++)
            measure(table[t], what);
}

/* The same on this thread, whose workspace can be looked at afterwards. */
static void test_workspace(void **state)
{
    const struct oct_ops *table[OCT_OPS_TABLES];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (int what = 0; what < CALLS; what++) {
            struct call c = {.ops = table[t], .what = what};
            const struct oct_workspace *w = body(&c);
            assert_true(w->size > 0);
            assert_int_equal(count_secrets(w->memory, w->memory + w->size), 0);
        }
}

/* The search itself finds what lies there. */
static void test_search(void **state)
{
    (void)state;
    assert_int_equal(secrets, OCT_ARRAY_LEN(secret));
    assert_true(count_secrets((uint8_t *)secret, (uint8_t *)(secret + secrets)) >= secrets);
    assert_true(count_secrets((const uint8_t *)key[2], (const uint8_t *)(key[2] + 1)) >= 8);
}

int main(void)
{
    return RUN_TESTS(make, unmake, test_search, test_stack, test_workspace);
}
