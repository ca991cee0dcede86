/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Which operations are on: a table was chosen and the operation's known-answer test passed on it, once per process. */
#include "api/op_internal.h"
#include "api/operation.h"
#include "base/guarded.h"
#include "cpu/cpu.h"
#include "trace/counters.h"

#include <stdatomic.h>
#include <string.h>

enum { UNTESTED, ON, OFF };

static _Atomic int verdict[OCT_OP_COUNT];

void oct_start(void)
{
    oct_counters_start();
    oct_guarded_start();
    (void)oct_ops_selected();
}

const char *oct_op_name(int op)
{
    return op >= 0 && op < OCT_OP_COUNT ? oct_operations[op].name : NULL;
}

/* Two threads that ask at once both pay, and come to the same verdict: a lock would have to be unlocked in the child of a fork. */
static int test_once(const struct oct_ops *ops, int op)
{
    const int known = oct_ops_known_answer(ops, op) == 0 ? ON : OFF;
    atomic_store(&verdict[op], known);
    return known;
}

int oct_op_is_on(int op)
{
    const struct oct_ops *ops = oct_ops_selected();
    if (op < 0 || op >= OCT_OP_COUNT || !ops)
        return 0;
    const int known = atomic_load_explicit(&verdict[op], memory_order_relaxed);
    return (known == UNTESTED ? test_once(ops, op) : known) == ON;
}

int oct_op_is_possible(int op)
{
    return op >= 0 && op < OCT_OP_COUNT && oct_ops_selected() != NULL;
}

const struct oct_ops *oct_op_table(int op)
{
    return oct_op_is_on(op) ? oct_ops_selected() : NULL;
}

const char *oct_op_reason(int op)
{
    if (op < 0 || op >= OCT_OP_COUNT)
        return "no such operation";
    if (!oct_ops_selected())
        return oct_ops_selected_reason();
    return oct_op_is_on(op) ? "on" : "its known-answer test failed on this machine";
}

void oct_cpu_info_get(struct oct_cpu_info *info)
{
    struct oct_cpu cpu;
    memset(info, 0, sizeof *info);
    oct_cpu_detect(&cpu);
    oct_cpu_describe(info, &cpu);
    info->table = oct_ops_selected() ? oct_ops_selected()->name : "none";
    info->table_reason = oct_ops_selected_reason();
}

const char *oct_version(void)
{
    return OCT_VERSION_TEXT;
}
