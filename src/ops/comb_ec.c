/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The combs of the curves, made when first needed and kept for the life of the process, read-only, shared by threads
 * and by the children of a fork. There is no lock that a fork could leave taken: whoever comes second gives its own
 * comb back.
 */
#include "ops/ops.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

static _Atomic(const uint64_t *) kept[OCT_OPS_TABLES][OCT_EC_TABLES];

static void *pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static uint64_t *make(const struct oct_ops *ops, unsigned curve)
{
    const size_t size = *ops->ec_comb[curve].bytes, scratch = *ops->ec_comb[curve].workspace;
    const struct oct_ec_comb_args args = {.workspace = pages(scratch), .comb = pages(size)};
    if (args.workspace && args.comb) {
        ops->ec_comb[curve].run(&args);
        (void)mprotect(args.comb, size, PROT_READ);
    } else if (args.comb) {
        munmap(args.comb, size);
    }
    uint64_t *made = args.workspace ? args.comb : NULL;
    if (args.workspace)
        munmap(args.workspace, scratch);
    return made;
}

/* A place for each table, the first for all that are none of these, as avx512s has it from there: all make the same
 * numbers, but tests hold them against one another. */
static unsigned place(const struct oct_ops *ops)
{
    static const char *const name[] = {"avx512", "c", "avx512f", "ifma256", "avx2"};
    for (unsigned i = 0; i < OCT_ARRAY_LEN(name); i++)
        if (strcmp(ops->name, name[i]) == 0)
            return i;
    return 0;
}

const uint64_t *oct_ops_ec_comb(const struct oct_ops *ops, unsigned curve)
{
    _Atomic(const uint64_t *) *slot = &kept[place(ops)][curve];
    const uint64_t *known = atomic_load_explicit(slot, memory_order_acquire);
    if (known)
        return known;
    uint64_t *made = make(ops, curve);
    if (made && !atomic_compare_exchange_strong(slot, &known, made)) {
        munmap(made, *ops->ec_comb[curve].bytes);
        return known;
    }
    return made;
}
