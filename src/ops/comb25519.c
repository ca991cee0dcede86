/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The process's fixed-base table of 2^255-19: made once, by whichever table of operations asks first (all make the same
 * numbers), in pages that are then made read-only. The numbers are the same in every process and not secret. There is
 * no lock that a fork could leave taken: whoever comes second gives its own table back.
 */
#include "ops/ops.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SIZE (OCT_COMB25519_WORDS * sizeof(uint64_t))

static const uint64_t *_Atomic shared;

/* From vectors of rows into rows. */
static void arrange(uint64_t *comb, const oct_comb25519_made *made)
{
    for (unsigned row = 0; row < OCT_COMB25519_ROWS; row++)
        for (unsigned limb = 0; limb < OCT_COMB25519_LIMBS; limb++)
            for (unsigned point = 0; point < OCT_COMB25519_POINTS; point++)
                *comb++ = made[row / 8][point][limb][row % 8];
}

int oct_comb25519_make(const struct oct_ops *ops, uint64_t *comb)
{
    void *workspace = aligned_alloc(64, (*ops->comb25519_make.workspace + 63) / 64 * 64);
    oct_comb25519_made *made = aligned_alloc(64, OCT_COMB25519_VECTORS * sizeof *made);
    const int got = workspace && made;
    if (got) {
        const struct oct_comb25519_args args = {.workspace = workspace, .made = made};
        ops->comb25519_make.run(&args);
        arrange(comb, made);
    }
    free(workspace);
    free(made);
    return got ? 0 : -1;
}

static uint64_t *make_shared(const struct oct_ops *ops)
{
    void *comb = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (comb == MAP_FAILED)
        return NULL;
    if (oct_comb25519_make(ops, comb) != 0) {
        munmap(comb, SIZE);
        return NULL;
    }
    (void)mprotect(comb, SIZE, PROT_READ);
    return comb;
}

const uint64_t *oct_comb25519(const struct oct_ops *ops)
{
    const uint64_t *known = atomic_load_explicit(&shared, memory_order_acquire);
    if (known)
        return known;
    uint64_t *made = make_shared(ops);
    if (made && !atomic_compare_exchange_strong(&shared, &known, made)) {
        munmap(made, SIZE);
        return known;
    }
    return made;
}
