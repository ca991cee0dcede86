/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: NOT_WITH any */
/*
 * How deep batch calls go on the stack, and what they leave there. The fibres of OpenSSL have 32 KB, of which a server
 * uses 11; and a number of the key that lay in a dead frame, or in the workspace, would be found by the next bug that
 * reads memory.
 */
#include "api/rsa_internal.h"
#include "api/workspace.h"
#include "rsa_keys.h"
#include "tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "own_stack.h"

#define LIMIT (16 * 1024)

static struct test_rsa keys[OCT_RSA_SIZES];
static struct oct_rsa_key *made[OCT_RSA_SIZES];
static uint8_t *stack;

struct call {
    const struct oct_ops *ops;
    unsigned size, lanes;
    uint8_t in[OCT_LANES][512], out[OCT_LANES][512];
    struct oct_lanes result;
    uint8_t *top;     /* the stack pointer's neighbourhood before the call */
    unsigned secrets; /* limbs of the key found afterwards in the workspace */
};

static int make(void **state)
{
    (void)state;
    for (unsigned size = 0; size < OCT_RSA_SIZES; size++) {
        test_rsa_make(&keys[size], oct_rsa_bits(size), 65537);
        assert_int_equal(oct_rsa_key_new(&made[size], &keys[size].numbers), OCT_OK);
    }
    stack = own_stack_new();
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    for (unsigned size = 0; size < OCT_RSA_SIZES; size++) {
        test_rsa_free(&keys[size]);
        oct_rsa_key_free(made[size]);
    }
    free(stack);
    return 0;
}

/* How many words of a region are a limb of p, q, dp, dq, their Montgomery constants, or of the result. */
static unsigned count_secrets(const uint8_t *from, const uint8_t *to, const struct oct_rsa_key *key)
{
    const unsigned limbs = oct_rsa_prime_limbs(key->size);
    unsigned found = 0;
    for (; from + 8 <= to; from += 8) {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        if (word < 1u << 20)
            continue;
        for (unsigned i = 0; i < limbs; i++)
            for (int side = 0; side < 2; side++)
                found += word == key->prime[side].n[i] || word == key->prime[side].exp[i] ||
                         word == key->prime[side].rr[i] || word == key->qinv[i];
    }
    return found;
}

static OCT_NOINLINE void *body(void *p)
{
    struct call *c = p;
    struct oct_rsa_lane lane[OCT_LANES];
    for (unsigned i = 0; i < c->lanes; i++)
        lane[i] = (struct oct_rsa_lane){made[c->size], c->in[i], c->out[i]};
    c->top = __builtin_frame_address(0);
    if (oct_rsa_private_on(c->ops, lane, c->lanes, &c->result) != OCT_OK)
        abort();
    struct oct_workspace *w = oct_workspace_open(1);
    c->secrets = count_secrets(w->memory, w->memory + w->size, made[c->size]);
    return NULL;
}

static void measure(const struct oct_ops *ops, unsigned size, unsigned lanes)
{
    static struct call c;
    memset(&c, 0, sizeof c);
    c = (struct call){.ops = ops, .size = size, .lanes = lanes};
    for (unsigned i = 0; i < lanes; i++)
        test_rsa_below_n(c.in[i], oct_rsa_bits(size) / 8, &keys[size]);
    own_stack_run(stack, body, &c);
    assert_int_equal(c.result.ok, (1u << lanes) - 1);
    const size_t depth = own_stack_depth(stack, c.top);
    print_message("table %s, %u bits, %u lanes: %zu bytes of stack\n", ops->name, oct_rsa_bits(size), lanes, depth);
    assert_true(depth <= LIMIT);
    assert_int_equal(count_secrets(stack, stack + STACK_BYTES, made[size]), 0);
    assert_int_equal(c.secrets, 0);
}

static void test_stack(void **state)
{
    const struct oct_ops *table[OCT_OPS_TABLES];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (unsigned size = 0; size < OCT_RSA_SIZES; size++)
            for (unsigned lanes = 4; lanes <= 8; lanes += 4)
                measure(table[t], size, lanes);
}

/* A key that is made, its numbers outside of the stack, and a lane key of them to look for. */
struct making {
    const struct oct_ops *ops;
    unsigned bits;
    uint8_t n[512], d[512], p[256], q[256], dp[256], dq[256], qinv[256];
    struct oct_rsa_key *key;
    uint8_t *top;
    unsigned secrets;
};

/* How many aligned words of the stack are words of a number. */
static unsigned count_words(const uint8_t *bytes, size_t len)
{
    unsigned found = 0;
    for (size_t i = 0; i < len; i += 8) {
        uint64_t word, here;
        memcpy(&word, bytes + i, 8);
        word = __builtin_bswap64(word);
        for (size_t at = 0; at + 8 <= STACK_BYTES; at += 8) {
            memcpy(&here, stack + at, 8);
            found += here == word;
        }
    }
    return found;
}

static OCT_NOINLINE void *make_body(void *arg)
{
    struct making *m = arg;
    const struct oct_rsa_generated out = {m->n, m->d, m->p, m->q, m->dp, m->dq, m->qinv};
    m->top = __builtin_frame_address(0);
    if (oct_rsa_generate_on(m->ops, &out, m->bits, NULL) != OCT_OK)
        abort();
    return NULL;
}

static void test_generation(void **state)
{
    static struct making m;
    static const uint8_t e[] = {1, 0, 1};
    const struct oct_ops *table[OCT_OPS_TABLES];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (unsigned size = 0; size < (table[t] == &oct_ops_c || tables_stride(table[t]) > 1 ? 1 : OCT_RSA_SIZES);
             size++) {
            memset(&m, 0, sizeof m);
            m.ops = table[t];
            m.bits = oct_rsa_bits(size);
            own_stack_run(stack, make_body, &m);
            const size_t half = m.bits / 16, depth = own_stack_depth(stack, m.top);
            const struct oct_rsa_numbers numbers = {{m.n, 2 * half}, {e, sizeof e}, {m.p, half},   {m.q, half},
                                                    {m.dp, half},    {m.dq, half},  {m.qinv, half}};
            print_message("table %s, %u bits made: %zu bytes of stack\n", m.ops->name, m.bits, depth);
            assert_true(depth <= LIMIT);
            assert_int_equal(oct_rsa_key_new(&m.key, &numbers), OCT_OK);
            const struct oct_workspace *w = oct_workspace_open(1);
            assert_int_equal(count_secrets(stack, stack + STACK_BYTES, m.key), 0);
            assert_int_equal(count_secrets(w->memory, w->memory + w->size, m.key), 0);
            oct_rsa_key_free(m.key);
            assert_int_equal(count_words(m.d, 2 * half) + count_words(m.p, half) + count_words(m.q, half), 0);
            assert_int_equal(count_words(m.dp, half) + count_words(m.dq, half) + count_words(m.qinv, half), 0);
        }
}

/* The search itself finds what lies there. */
static void test_search(void **state)
{
    uint8_t region[64] = {0};
    (void)state;
    memcpy(region + 24, &made[0]->prime[1].exp[7], 8);
    assert_int_equal(count_secrets(region, region + sizeof region, made[0]), 1);
}

int main(void)
{
    return RUN_TESTS(make, unmake, test_search, test_stack, test_generation);
}
