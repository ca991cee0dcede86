/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ctest: NOT_WITH any */
/*
 * How deep known-answer tests go on the stack: an operation's first use may be in a fibre. Those of OpenSSL have 32 KB,
 * of which a server uses 11. gcc needs 18 at most; clang keeps more of a vector without products of 52 bits.
 */
#include "ops/mldsa.h"
#include "ops/mlkem.h"
#include "ops/ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include "run_tests.h"

#include "own_stack.h"

#define LIMIT (21 * 1024)

static uint8_t *stack;

struct call {
    const struct oct_ops *ops;
    const struct oct_mlkem_ops *mlkem; /* not NULL: op is a set of ML-KEM's */
    const struct oct_mldsa_ops *mldsa; /* the same for ML-DSA */
    int op, status;
    uint8_t *top; /* the stack pointer's neighbourhood before the call */
};

static OCT_NOINLINE void *body(void *p)
{
    struct call *c = p;
    c->top = __builtin_frame_address(0);
    c->status = c->mlkem   ? oct_mlkem_known_answer(c->mlkem, (enum oct_mlkem_set)c->op)
                : c->mldsa ? oct_mldsa_known_answer(c->mldsa, (enum oct_mldsa_set)c->op)
                           : oct_ops_known_answer(c->ops, c->op);
    return NULL;
}

static size_t measure(const struct call *call)
{
    static struct call c;
    c = *call;
    c.status = -1;
    own_stack_run(stack, body, &c);
    assert_int_equal(c.status, 0);
    return own_stack_depth(stack, c.top);
}

static void hold(const char *table, const char *name, const struct call *call)
{
    const size_t bytes = measure(call);
    print_message("table %s, %s: %zu bytes of stack\n", table, name, bytes);
    assert_true(bytes <= LIMIT);
}

static void test_stack(void **state)
{
    const struct oct_ops *table[OCT_OPS_TABLES];
    (void)state;
    const unsigned tables = oct_ops_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (int op = 0; op < OCT_OP_MLKEM768_KEYGEN; op++)
            hold(table[t]->name, oct_op_name(op), &(struct call){.ops = table[t], .op = op});
}

static void test_mlkem_stack(void **state)
{
    const struct oct_mlkem_ops *table[OCT_LATTICE_BACKENDS];
    (void)state;
    const unsigned tables = oct_mlkem_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLKEM_SETS; set++)
            hold(table[t]->name, oct_op_name(oct_mlkem_keygen_op(set)), &(struct call){.mlkem = table[t], .op = set});
}

static void test_mldsa_stack(void **state)
{
    const struct oct_mldsa_ops *table[OCT_LATTICE_BACKENDS];
    (void)state;
    const unsigned tables = oct_mldsa_runnable(table);
    for (unsigned t = 0; t < tables; t++)
        for (int set = 0; set < OCT_MLDSA_SETS; set++)
            hold(table[t]->name, oct_op_name(oct_mldsa_keygen_op(set)), &(struct call){.mldsa = table[t], .op = set});
}

int main(void)
{
    stack = own_stack_new();
    const int failed = stack ? RUN_TESTS(NULL, NULL, test_stack, test_mlkem_stack, test_mldsa_stack) : 1;
    free(stack);
    return failed;
}
