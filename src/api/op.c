/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Which operations are on: a table was chosen and the operation's known-answer test passed on it, once per process. */
#include "api/op_internal.h"
#include "api/operation.h"
#include "api/verdict.h"
#include "base/guarded.h"
#include "base/thread_mode.h"
#include "cpu/cpu.h"
#include "trace/counters.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static _Atomic(enum oct_verdict) verdict[OCT_OP_COUNT];

void oct_start(void)
{
    oct_counters_start();
    oct_guarded_start();
    (void)oct_thread_is_only_one(); /* later the dynamic linker may be busy on another thread */
    (void)oct_ops_selected();
}

const char *oct_op_name(int op)
{
    return op >= 0 && op < OCT_OP_COUNT ? oct_operations[op].name : NULL;
}

int oct_op_find(const char *name)
{
    for (int op = 0; name && op < OCT_OP_COUNT; op++)
        if (strcmp(oct_operations[op].name, name) == 0)
            return op;
    return -1;
}

/* The table, and where a family needs more than that, the CPU for it. */
static bool is_possible(int op, const char **reason)
{
    const struct oct_family *family = oct_operations[op].family;
    *reason = oct_ops_selected_reason();
    return oct_ops_selected() && (!family->is_possible || family->is_possible(reason));
}

/* Two threads that ask at once both pay, and come to the same verdict: a lock would have to be unlocked in the child of
 * a fork. */
static enum oct_verdict test_once(const struct oct_ops *ops, int op)
{
    const struct oct_operation *operation = &oct_operations[op];
    const int failed =
        operation->family->known_answer ? operation->family->known_answer(operation) : oct_ops_known_answer(ops, op);
    const enum oct_verdict known = failed ? OCT_VERDICT_OFF : OCT_VERDICT_ON;
    atomic_store(&verdict[op], known);
    return known;
}

enum oct_verdict oct_op_verdict(int op)
{
    const char *reason;
    if (op < 0 || op >= OCT_OP_COUNT)
        return OCT_VERDICT_OFF;
    const enum oct_verdict known = atomic_load_explicit(&verdict[op], memory_order_relaxed);
    return known != OCT_VERDICT_UNTESTED || is_possible(op, &reason) ? known : OCT_VERDICT_OFF;
}

int oct_op_is_on(int op)
{
    enum oct_verdict known = oct_op_verdict(op);
    if (known == OCT_VERDICT_UNTESTED)
        known = test_once(oct_ops_selected(), op);
    return known == OCT_VERDICT_ON;
}

int oct_op_is_possible(int op)
{
    const char *reason;
    return op >= 0 && op < OCT_OP_COUNT && is_possible(op, &reason);
}

const struct oct_ops *oct_op_table(int op)
{
    return oct_op_is_on(op) ? oct_ops_selected() : NULL;
}

bool oct_op_table_is_portable(void)
{
    return oct_ops_selected() && strcmp(oct_ops_selected()->name, "c") == 0;
}

const char *oct_op_reason(int op)
{
    const char *reason;
    if (op < 0 || op >= OCT_OP_COUNT)
        return "no such operation";
    if (!is_possible(op, &reason))
        return reason;
    return oct_op_is_on(op) ? "on" : "its known-answer test failed on this machine";
}

void oct_cpu_info_get(struct oct_cpu_info *info)
{
    struct oct_cpu cpu;
    memset(info, 0, sizeof *info);
    oct_cpu_detect_named(&cpu);
    oct_cpu_describe(info, &cpu);
    info->table = oct_ops_selected() ? oct_ops_selected()->name : "none";
    info->table_reason = oct_ops_selected_reason();
}

const char *oct_version(void)
{
    return OCT_VERSION_TEXT;
}

int oct_version_fits(const char *version, const char *who)
{
    const int fits = strcmp(version, OCT_VERSION_TEXT) == 0;
    if (!fits)
        fprintf(stderr, "octuple: the %s is of version %s, liboctuple of %s: it leaves all to OpenSSL\n", who, version,
                OCT_VERSION_TEXT);
    return fits;
}
