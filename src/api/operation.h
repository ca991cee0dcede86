/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Operations as objects: what the batch calls of the API, the queue and the tools know of each. A family (RSA private,
 * ECDH, ...) says once how a lane is checked and how eight of them run. An operation is a family at one size or curve.
 */
#ifndef OCT_API_OPERATION_H
#define OCT_API_OPERATION_H

#include "ops/ops.h"

#include <stdbool.h>

struct oct_operation;
struct oct_flat;

struct oct_family {
    size_t lane_bytes; /* of the family's struct in the public header */
    bool whole;        /* one to eight lanes are one vector, and cost the same */
    /* OCT_OK, or why this lane's arguments are no such operation. Looks at no secret. */
    int (*check)(const struct oct_operation *operation, const void *lane);
    /* Runs 1 to 8 lanes whose arguments are good, on a table that has the operation. OCT_OK, or the batch was refused
     * as a whole and nothing was written. */
    int (*run_x8)(const struct oct_operation *operation, const struct oct_ops *ops, const void *lane, unsigned lanes,
                  struct oct_lanes *result);
    /* Where the process's table is not enough: whether the family can run, or why not (static); and the test that an
     * operation passes before it is on: 0 if it does. NULL: the table is enough (ops.h). */
    bool (*is_possible)(const char **reason);
    int (*known_answer)(const struct oct_operation *operation);
    const struct oct_flat *flat; /* how lanes lie in flat bytes (flat_internal.h); NULL: they do not */
};

struct oct_operation {
    const char *name;
    const struct oct_family *family;
    unsigned variant; /* index of the size or the curve */
};

/* By enum oct_op; generated from ops/ops.def. */
extern const struct oct_operation oct_operations[OCT_OP_COUNT];

/* One family for each word in the third column of ops.def. */
#define OCT_OPERATION(enumerator, name, family, size, kernel, answer)                                                  \
    extern const struct oct_family oct_family_##family;
#define OCT_OWN_OPERATION(enumerator, name, family, variant) OCT_OPERATION(, , family, , , )
#include "ops/ops.def"
#undef OCT_OWN_OPERATION
#undef OCT_OPERATION

/* The operation (enum oct_op) of a family at a size or on a curve; -1 if there is none. */
int oct_operation_find(const struct oct_family *family, int variant);

/* OCT_OK, or why a batch call cannot be: null pointers, the number of lanes, a lane that the family refuses. `op` may
 * be -1: there is no such operation. */
int oct_operation_check(int op, const void *lane, unsigned lanes, const struct oct_lanes *result);

/* The batch call, on a table of the caller's choice (tests), which may be NULL: OCT_ERR_UNSUPPORTED; and on the table
 * that serves the operation in this process. */
int oct_operation_on(int op, const struct oct_ops *ops, const void *lane, unsigned lanes, struct oct_lanes *result);
int oct_operation_x8(int op, const void *lane, unsigned lanes, struct oct_lanes *result);

#endif
