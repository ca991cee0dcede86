/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The memory that kernels work in: one region per thread, because the stack of an OpenSSL fibre is too small and
 * because secrets that lie in one place can be cleared at one stroke. The child of a fork finds it empty, core dumps
 * leave it out.
 */
#ifndef OCT_API_WORKSPACE_H
#define OCT_API_WORKSPACE_H

#include "base/base.h"

struct oct_workspace {
    uint8_t *memory; /* 64-byte aligned */
    size_t size, used;
};

/* The calling thread's region, empty, with at least `size` bytes; NULL without memory. It stays until the thread ends.
 */
struct oct_workspace *oct_workspace_open(size_t size);

/* `size` bytes of it, 64-byte aligned, contents undefined. Asking for more than was opened is a defect. */
void *oct_workspace_take(struct oct_workspace *workspace, size_t size);

/* Clears all that was taken. */
void oct_workspace_close(struct oct_workspace *workspace);

#endif
