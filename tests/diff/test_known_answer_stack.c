/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * How deep known-answer tests go on the stack: an operation's first use may be in a fibre. Those of OpenSSL have 32 KB, of which a server
 * uses 11. The portable table, on which no server runs, may be a little deeper: its vectors are arrays.
 */
#include "ops/ops.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STACK_BYTES (512 * 1024)
#define LIMIT       (18 * 1024)
#define LIMIT_C     (20 * 1024)

static uint8_t *stack;

struct call {
    const struct oct_ops *ops;
    int op, status;
    uint8_t *top; /* the stack pointer's neighbourhood before the call */
};

static OCT_NOINLINE void *body(void *p)
{
    struct call *c = p;
    c->top = __builtin_frame_address(0);
    c->status = oct_ops_known_answer(c->ops, c->op);
    return NULL;
}

static size_t measure(const struct oct_ops *ops, int op)
{
    static struct call c;
    pthread_attr_t attributes;
    pthread_t thread;
    memset(stack, 0xa5, STACK_BYTES);
    c = (struct call){.ops = ops, .op = op, .status = -1};
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, body, &c), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    assert_int_equal(c.status, 0);
    const uint8_t *low = stack;
    while (*low == 0xa5)
        low++;
    return (size_t)(c.top - low);
}

static void test_stack(void **state)
{
    const struct oct_ops *table[2];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    stack = aligned_alloc(4096, STACK_BYTES);
    assert_non_null(stack);
    for (unsigned t = 0; t < tables; t++)
        for (int op = 0; op < OCT_OP_COUNT; op++) {
            const size_t bytes = measure(table[t], op);
            print_message("table %s, %s: %zu bytes of stack\n", table[t]->name, oct_op_name(op), bytes);
            assert_true(bytes <= (table[t] == &oct_ops_c ? LIMIT_C : LIMIT));
        }
    free(stack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
