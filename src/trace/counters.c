/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Counting and reading. Every field is added to on its own: a reader sees each count right, though not all at one
 * moment. */
#include "trace/counters.h"

#include "trace/probes.h"

#include <stddef.h>
#include <string.h>

#define WORDS(type) (sizeof(type) / sizeof(uint64_t))
_Static_assert(sizeof(struct oct_op_counters) % sizeof(uint64_t) == 0, "the counters of an operation are words");
_Static_assert(sizeof(struct oct_counters) == 64 + OCT_COUNTERS_OPS * sizeof(struct oct_op_counters),
               "the file's form is fixed");
_Static_assert(OCT_OP_COUNT <= OCT_COUNTERS_OPS, "the file has room for every operation");

static struct oct_op_counters *op_counters(int op)
{
    struct oct_counters *page = oct_counters_page();
    return page != NULL && (unsigned)op < OCT_OP_COUNT ? &page->op[op] : NULL;
}

static void add(uint64_t *counter, uint64_t n)
{
    __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

void oct_count_add(int op, const struct oct_op_counters *delta)
{
    struct oct_op_counters *to = op_counters(op);
    const uint64_t *from = (const uint64_t *)delta;

    for (size_t i = 0; to != NULL && i < WORDS(struct oct_op_counters); i++)
        if (from[i] != 0)
            add((uint64_t *)to + i, from[i]);
}

void oct_count_recomputed(int op, unsigned lanes)
{
    struct oct_op_counters *to = op_counters(op);
    if (to != NULL)
        add(&to->recomputed, lanes);
}

void oct_counters_note_plain(int op)
{
    struct oct_op_counters *to = op_counters(op);
    if (to == NULL)
        return;
    add(&to->plain, 1);
    OCT_PROBE_SINGLE(op);
}

void oct_counters_read(struct oct_counters *out)
{
    const uint64_t *from = (const uint64_t *)oct_counters_page();
    uint64_t *to = (uint64_t *)out;

    if (from == NULL)
        memset(out, 0, sizeof *out);
    else
        for (size_t i = 0; i < WORDS(struct oct_counters); i++)
            to[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
}
