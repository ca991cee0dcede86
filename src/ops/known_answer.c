/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Known-answer tests, one for each operation, run before the operation is offered: a miscompiled kernel, a faulty CPU
 * or a hypervisor that garbles vector state shall cost speed, never a wrong signature.
 *
 * The inputs are a stream of splitmix64 from a stated seed, and no key is kept. The answers are FNV-1a digests of the
 * results; tools/check-known-answers computes them anew with Python's integers and compares.
 */
#include "ops/known_answer.h"

#include <stdlib.h>

/* By enum oct_op; operations that have their kernels elsewhere have no test here. */
static const struct {
    oct_known_fn *run;
    int size;
    uint64_t answer;
} test[OCT_OP_COUNT] = {
#define OCT_OPERATION(enumerator, name, family, size, kernel, answer)                                                  \
    [OCT_OP_##enumerator] = {oct_known_##family, size, answer},
#include "ops/ops.def"
#undef OCT_OPERATION
};

static size_t workspace_bytes(const struct oct_ops *ops, int op)
{
    const size_t *const bytes[OCT_OP_COUNT] = {
#define OCT_OPERATION(enumerator, name, family, size, kernel, answer)                                                  \
    [OCT_OP_##enumerator] = ops->family[size].workspace,
#include "ops/ops.def"
#undef OCT_OPERATION
    };
    return *bytes[op];
}

int oct_ops_known_answer(const struct oct_ops *ops, int op)
{
    void *workspace = aligned_alloc(64, (workspace_bytes(ops, op) + 63) / 64 * 64);
    uint64_t digest = 0xcbf29ce484222325;
    if (workspace)
        digest = test[op].run(ops, test[op].size, workspace, digest);
    free(workspace);
    return digest == test[op].answer ? 0 : -1;
}

bool oct_known_passes(const struct oct_ops *ops, oct_known_fn *family, int size)
{
    for (int op = 0; op < OCT_OP_COUNT; op++)
        if (test[op].run == family && test[op].size == size)
            return oct_ops_known_answer(ops, op) == 0;
    return false;
}
