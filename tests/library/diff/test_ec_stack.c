/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: NOT_WITH any */
/*
 * How deep the batch calls of P-256 and P-384 go on the stack, and whether they leave a private key, a shared secret, a
 * nonce, or what the nonce was made of, there or in the workspace.
 */
#include "api/ec_internal.h"
#include "api/workspace.h"
#include "ec_ref.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/rand.h>

#include "own_stack.h"

#define LIMIT (18 * 1024)
#define MAX   OCT_EC_MAX_BYTES
#define FORMS 32

enum kind { DERIVE, PUBLIC, KEYGEN, SIGN, VERIFY, KINDS };
static const char *const kind_name[] = {"derive", "public", "keygen", "sign", "verify"};

/* What a call reads and writes: not on the stack that is measured. */
struct call {
    const struct oct_ops *ops;
    int curve;
    enum kind kind;
    uint8_t key[OCT_LANES][MAX], peer[OCT_LANES][2 * MAX], out[OCT_LANES][2 * MAX];
    uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES], reduced[OCT_LANES][MAX];
    struct oct_lanes result;
    uint8_t *top;
};

static uint8_t *stack;
static struct ec_ref ref[OCT_EC_CURVES];
static struct call call;

static int make(void **state)
{
    (void)state;
    for (int curve = 0; curve < OCT_EC_CURVES; curve++)
        ec_ref_open(&ref[curve], curve);
    stack = own_stack_new();
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    for (int curve = 0; curve < OCT_EC_CURVES; curve++)
        ec_ref_close(&ref[curve]);
    free(stack);
    return 0;
}

/* A big-endian number as bytes in words of either order, and in limbs of 52 bits. */
static size_t add_forms(uint64_t *secret, const uint8_t *bytes, size_t len)
{
    unsigned __int128 window = 0;
    unsigned held = 0;
    size_t count = 0;
    for (size_t i = 0; i + 8 <= len; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        secret[count++] = word;
        secret[count++] = __builtin_bswap64(word);
    }
    for (size_t i = len; i-- > 0;) {
        window |= (unsigned __int128)bytes[i] << held;
        held += 8;
        if (held >= 52) {
            secret[count++] = (uint64_t)window & (((uint64_t)1 << 52) - 1);
            window >>= 52;
            held -= 52;
        }
    }
    return count;
}

static size_t secrets_of(uint64_t *secret, const struct call *c)
{
    const size_t bytes = oct_ec_bytes(c->curve);
    size_t count = 0;
    for (unsigned lane = 0; lane < OCT_LANES; lane++) {
        count += add_forms(secret + count, c->key[lane], bytes);
        if (c->kind == DERIVE)
            count += add_forms(secret + count, c->out[lane], bytes);
        if (c->kind == SIGN) {
            count += add_forms(secret + count, c->nonce[lane], OCT_EC_NONCE_BYTES);
            count += add_forms(secret + count, c->reduced[lane], bytes);
        }
    }
    return count;
}

/* How many words of a region are part of a secret. */
static unsigned count_secrets(const uint8_t *from, const uint8_t *to, const struct call *c)
{
    static uint64_t secret[OCT_LANES * 3 * FORMS];
    return own_stack_secrets(from, to, secret, secrets_of(secret, c));
}

/* The nonces as they are made, and kept for the search: by the test's own memory, not its stack. */
static int nonces(const struct oct_ops *ops, uint8_t nonce[OCT_LANES][OCT_EC_NONCE_BYTES], int curve,
                  const struct oct_ecdsa_sign_lane lane[], unsigned lanes)
{
    const int status = oct_ecdsa_nonces(ops, nonce, curve, lane, lanes);
    memcpy(call.nonce, nonce, sizeof call.nonce);
    return status;
}

static const uint8_t digest[32] = {1, 2, 3};

static int run_sign(struct call *c)
{
    struct oct_ecdsa_sign_lane lane[OCT_LANES];
    for (unsigned i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_ecdsa_sign_lane){c->key[i], digest, sizeof digest, c->out[i]};
    return oct_ecdsa_sign_on(c->ops, c->curve, lane, OCT_LANES, nonces, &c->result);
}

/* It has no secrets: only its depth is of interest. */
static int run_verify(struct call *c)
{
    struct oct_ecdsa_verify_lane lane[OCT_LANES];
    for (unsigned i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_ecdsa_verify_lane){c->peer[i], digest, sizeof digest, c->out[i]};
    return oct_ecdsa_verify_on(c->ops, c->curve, lane, OCT_LANES, &c->result);
}

static int run_keys(struct call *c)
{
    struct oct_ec_derive_lane derive[OCT_LANES];
    struct oct_ec_public_lane public[OCT_LANES];
    struct oct_ec_keygen_lane keygen[OCT_LANES];
    for (unsigned i = 0; i < OCT_LANES; i++) {
        derive[i] = (struct oct_ec_derive_lane){c->key[i], c->peer[i], c->out[i]};
        public[i] = (struct oct_ec_public_lane){c->key[i], c->out[i]};
        keygen[i] = (struct oct_ec_keygen_lane){c->key[i], c->out[i]};
    }
    if (c->kind == DERIVE)
        return oct_ec_derive_on(c->ops, c->curve, derive, OCT_LANES, &c->result);
    if (c->kind == PUBLIC)
        return oct_ec_public_on(c->ops, c->curve, public, OCT_LANES, &c->result);
    return oct_ec_keygen_on(c->ops, c->curve, keygen, OCT_LANES, &c->result);
}

/* Returns the thread's workspace. */
static OCT_NOINLINE void *body(void *p)
{
    struct call *c = p;
    c->top = __builtin_frame_address(0);
    if ((c->kind == SIGN ? run_sign(c) : c->kind == VERIFY ? run_verify(c) : run_keys(c)) != OCT_OK)
        abort();
    return oct_workspace_open(1);
}

static void fill(const struct oct_ops *ops, int curve, enum kind kind)
{
    memset(&call, 0, sizeof call);
    call.ops = ops;
    call.curve = curve;
    call.kind = kind;
    for (unsigned i = 0; i < OCT_LANES; i++) {
        ec_ref_scalar(&ref[curve], call.key[i], EC_REF_SCALARS - 1);
        ec_ref_peer(&ref[curve], call.peer[i], 0);
        if (kind == VERIFY) {
            assert_int_equal(RAND_bytes(call.nonce[i], sizeof call.nonce[i]), 1);
            assert_true(ec_ref_public(&ref[curve], call.peer[i], call.key[i]));
            assert_true(ec_ref_sign(&ref[curve], call.out[i], call.key[i], call.nonce[i], digest, sizeof digest));
        }
    }
    /* In memory and with a depth of its own, once in a process. */
    assert_non_null(oct_ops_ec_comb(ops, (unsigned)curve));
}

/* The nonces modulo n, as the kernel has them. */
static void reduce_nonces(void)
{
    const struct ec_ref *r = &ref[call.curve];
    for (unsigned i = 0; call.kind == SIGN && i < OCT_LANES; i++) {
        BIGNUM *k = BN_bin2bn(call.nonce[i], sizeof call.nonce[i], NULL);
        assert_true(k && BN_nnmod(k, k, r->n, r->ctx));
        ec_ref_put(r, call.reduced[i], k);
        BN_free(k);
    }
}

static void measure(const struct oct_ops *ops, int curve, enum kind kind)
{
    fill(ops, curve, kind);
    own_stack_run(stack, body, &call);
    assert_int_equal(call.result.ok, 0xff);
    reduce_nonces();
    const size_t depth = own_stack_depth(stack, call.top);
    print_message("table %s, P-%zu, %s: %zu bytes of stack\n", ops->name, 8 * oct_ec_bytes(curve), kind_name[kind],
                  depth);
    assert_true(depth <= LIMIT);
    assert_int_equal(count_secrets(stack, stack + STACK_BYTES, &call), 0);
}

static void test_stack(void **state)
{
    const struct oct_ops *table[OCT_OPS_TABLES];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (int curve = 0; curve < OCT_EC_CURVES; curve++)
            for (int kind = 0; kind < KINDS; kind++)
                measure(table[t], curve, (enum kind)kind);
}

/* The same on this thread, whose workspace can be looked at afterwards. */
static void test_workspace(void **state)
{
    const struct oct_ops *table[OCT_OPS_TABLES];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (int curve = 0; curve < OCT_EC_CURVES; curve++)
            for (int kind = 0; kind < KINDS; kind++) {
                fill(table[t], curve, (enum kind)kind);
                const struct oct_workspace *w = body(&call);
                reduce_nonces();
                assert_true(w->size > 0);
                assert_int_equal(count_secrets(w->memory, w->memory + w->size, &call), 0);
            }
}

/* The search itself finds what lies there, in every form. */
static void test_search(void **state)
{
    uint64_t forms[FORMS];
    (void)state;
    fill(&oct_ops_c, OCT_EC_P384, SIGN);
    assert_int_equal(RAND_bytes(call.nonce[0], sizeof call.nonce), 1);
    size_t count = add_forms(forms, call.nonce[3], OCT_EC_NONCE_BYTES);
    assert_int_equal(count, 16 + 9);
    assert_true(count_secrets((uint8_t *)forms, (uint8_t *)(forms + count), &call) >= count);
    count = add_forms(forms, call.key[7], MAX);
    assert_int_equal(count, 12 + 7);
    assert_true(count_secrets((uint8_t *)forms, (uint8_t *)(forms + count), &call) >= count);
    assert_int_equal(count_secrets((uint8_t *)forms, (uint8_t *)forms, &call), 0);
}

int main(void)
{
    return RUN_TESTS(make, unmake, test_search, test_stack, test_workspace);
}
