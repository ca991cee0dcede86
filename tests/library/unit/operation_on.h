/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Tests that need operations: where the table, the CPU or the build leaves one out, they are skipped. */
#ifndef OCT_TESTS_OPERATION_ON_H
#define OCT_TESTS_OPERATION_ON_H

#include "unit.h"

#include <octuple/op.h>

#include <stdbool.h>

/* Whether an operation is on. One that failed its known-answer test is a fault of ours, and nothing to skip for. */
static inline bool operation_is_on(int op)
{
    if (oct_op_is_on(op))
        return true;
    print_message("%s is off: %s\n", oct_op_name(op), oct_op_reason(op));
    assert_false(oct_op_is_possible(op));
    return false;
}

/* Skips the test unless an operation is on. */
static inline void need_operation(int op)
{
    if (!operation_is_on(op))
        skip();
}

/* The same for all operations from the first to the last. */
static inline void need_operations(int first, int last)
{
    for (int op = first; op <= last; op++)
        need_operation(op);
}

#endif
