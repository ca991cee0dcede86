/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: NOT_WITH any */
/*
 * How deep X25519 batch calls go on the stack, and whether they leave a scalar or a shared secret there or in the
 * workspace.
 */
#include "api/workspace.h"
#include "api/x25519_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"
#include <openssl/rand.h>

#include "own_stack.h"

#define LIMIT (16 * 1024)
#define BYTES OCT_X25519_BYTES

static uint8_t *stack;

struct call {
    const struct oct_ops *ops;
    int derive;
    uint8_t *scalar, *peer, *out; /* [OCT_LANES][BYTES], not on the stack that is measured */
    struct oct_lanes result;
    uint8_t *top;
};

static int make(void **state)
{
    (void)state;
    stack = own_stack_new();
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    free(stack);
    return 0;
}

/* A number as four words, and in limbs of 51 and 52 bits. */
static size_t add_forms(uint64_t *secret, const uint8_t bytes[BYTES])
{
    uint64_t word[5] = {0};
    size_t count = 0;
    memcpy(word, bytes, BYTES);
    for (int i = 0; i < 4; i++)
        secret[count++] = word[i];
    for (unsigned bits = 51; bits <= 52; bits++)
        for (unsigned i = 0; i < 4; i++) {
            const unsigned at = bits * i / 64, shift = bits * i % 64;
            const uint64_t limb = word[at] >> shift | (shift ? word[at + 1] << (64 - shift) : 0);
            secret[count++] = limb & (((uint64_t)1 << bits) - 1);
        }
    return count;
}

/* How many words of a region are part of a scalar, clamped or not, or of a result. */
static unsigned count_secrets(const uint8_t *from, const uint8_t *to, const struct call *c)
{
    uint64_t secret[OCT_LANES * 3 * 12];
    size_t count = 0;
    for (unsigned lane = 0; lane < OCT_LANES; lane++) {
        uint8_t clamped[BYTES];
        memcpy(clamped, c->scalar + lane * BYTES, BYTES);
        count += add_forms(secret + count, clamped);
        clamped[0] &= 0xf8;
        clamped[31] = (uint8_t)((clamped[31] & 0x7f) | 0x40);
        count += add_forms(secret + count, clamped);
        if (c->derive)
            count += add_forms(secret + count, c->out + lane * BYTES);
    }
    return own_stack_secrets(from, to, secret, count);
}

static OCT_NOINLINE void *body(void *p)
{
    struct call *c = p;
    struct oct_x25519_lane lane[OCT_LANES];
    for (unsigned i = 0; i < OCT_LANES; i++)
        lane[i] = (struct oct_x25519_lane){c->scalar + i * BYTES, c->peer + i * BYTES, c->out + i * BYTES};
    c->top = __builtin_frame_address(0);
    const int status = c->derive ? oct_x25519_derive_on(c->ops, lane, OCT_LANES, &c->result)
                                 : oct_x25519_public_on(c->ops, lane, OCT_LANES, &c->result);
    if (status != OCT_OK)
        abort();
    return oct_workspace_open(1);
}

static void measure(const struct oct_ops *ops, int derive)
{
    static uint8_t bytes[3][OCT_LANES * BYTES];
    static struct call c;
    assert_int_equal(RAND_bytes(bytes[0], sizeof bytes[0]), 1);
    assert_int_equal(RAND_bytes(bytes[1], sizeof bytes[1]), 1);
    c = (struct call){.ops = ops, .derive = derive, .scalar = bytes[0], .peer = bytes[1], .out = bytes[2]};
    /* Once on this thread: the fixed-base table is made by the first call, in memory and with a depth of its own. */
    assert_non_null(oct_comb25519(ops));
    own_stack_run(stack, body, &c);
    assert_int_equal(c.result.ok, 0xff);
    const size_t depth = own_stack_depth(stack, c.top);
    print_message("table %s, %s: %zu bytes of stack\n", ops->name, derive ? "derive" : "public", depth);
    assert_true(depth <= LIMIT);
    assert_int_equal(count_secrets(stack, stack + STACK_BYTES, &c), 0);
}

static void test_stack(void **state)
{
    const struct oct_ops *table[OCT_OPS_TABLES];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (int derive = 0; derive < 2; derive++)
            measure(table[t], derive);
}

/* The same on this thread, whose workspace can be looked at afterwards. */
static void test_workspace(void **state)
{
    static uint8_t bytes[3][OCT_LANES * BYTES];
    const struct oct_ops *table[OCT_OPS_TABLES];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (int derive = 0; derive < 2; derive++) {
            struct call c = {.ops = table[t], .derive = derive, .scalar = bytes[0], .peer = bytes[1], .out = bytes[2]};
            assert_int_equal(RAND_bytes(bytes[0], sizeof bytes[0]), 1);
            assert_int_equal(RAND_bytes(bytes[1], sizeof bytes[1]), 1);
            const struct oct_workspace *w = body(&c);
            assert_true(w->size > 0);
            assert_int_equal(count_secrets(w->memory, w->memory + w->size, &c), 0);
        }
}

/* The search itself finds what lies there, in every form. */
static void test_search(void **state)
{
    static uint8_t bytes[3][OCT_LANES * BYTES];
    struct call c = {.derive = 1, .scalar = bytes[0], .peer = bytes[1], .out = bytes[2]};
    uint64_t forms[12];
    (void)state;
    assert_int_equal(RAND_bytes(bytes[0], sizeof bytes[0]), 1);
    assert_int_equal(RAND_bytes(bytes[2], sizeof bytes[2]), 1);
    const size_t count = add_forms(forms, bytes[2] + 5 * BYTES);
    assert_int_equal(count, 12);
    assert_true(count_secrets((uint8_t *)forms, (uint8_t *)(forms + count), &c) >= count);
}

int main(void)
{
    return RUN_TESTS(make, unmake, test_search, test_stack, test_workspace);
}
