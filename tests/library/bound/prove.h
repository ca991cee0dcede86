/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How the bound proof runs a kernel: with a workspace of its own, `workspace_`, and `lanes` lanes. */
#ifndef OCT_TESTS_BOUND_PROVE_H
#define OCT_TESTS_BOUND_PROVE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern uint64_t oct_bound_checked;

#define PROVE(kernel, workspace_bytes, ...)                                                                            \
    do {                                                                                                               \
        void *workspace_ = aligned_alloc(64, (workspace_bytes + 63) / 64 * 64);                                        \
        if (!workspace_)                                                                                               \
            abort();                                                                                                   \
        oct_bound_checked = 0;                                                                                         \
        (void)oct_bound_##kernel(&__VA_ARGS__);                                                                        \
        printf("kernel " #kernel ", %u lanes: %lu bounds hold\n", lanes, oct_bound_checked);                           \
        free(workspace_);                                                                                              \
    } while (0)
#define EIGHT(p)                                                                                                       \
    {                                                                                                                  \
        p, p, p, p, p, p, p, p                                                                                         \
    }

#endif
