/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The list of operations, and the batch call that all of them share. See operation.h. */
#include "api/operation.h"

#include "api/op_internal.h"

#include <octuple/octuple.h>

/* ops.def has a row for every number of enum oct_op, in its order. */
enum {
#define OCT_OPERATION(enumerator, name, family, size, kernel, answer) ROW_##enumerator,
#define OCT_OWN_OPERATION(enumerator, name, family, variant)          ROW_##enumerator,
#include "ops/ops.def"
#undef OCT_OWN_OPERATION
#undef OCT_OPERATION
    ROWS
};
#define OCT_OPERATION(enumerator, name, family, size, kernel, answer)                                                  \
    _Static_assert((int)ROW_##enumerator == (int)OCT_OP_##enumerator, #enumerator " has another place in enum "        \
                                                                                  "oct_op");
#define OCT_OWN_OPERATION(enumerator, name, family, variant) OCT_OPERATION(enumerator, name, family, variant, , )
#include "ops/ops.def"
#undef OCT_OWN_OPERATION
#undef OCT_OPERATION
_Static_assert((int)ROWS == (int)OCT_OP_COUNT, "enum oct_op has an operation that ops.def has not");

const struct oct_operation oct_operations[OCT_OP_COUNT] = {
#define OCT_OPERATION(enumerator, name, family, size, kernel, answer)                                                  \
    [OCT_OP_##enumerator] = {name, &oct_family_##family, size},
#define OCT_OWN_OPERATION(enumerator, name, family, variant) OCT_OPERATION(enumerator, name, family, variant, , )
#include "ops/ops.def"
#undef OCT_OWN_OPERATION
#undef OCT_OPERATION
};

int oct_operation_find(const struct oct_family *family, int variant)
{
    for (int op = 0; op < OCT_OP_COUNT; op++)
        if (oct_operations[op].family == family && (int)oct_operations[op].variant == variant)
            return op;
    return -1;
}

int oct_operation_check(int op, const void *lane, unsigned lanes, const struct oct_lanes *result)
{
    if (op < 0 || op >= OCT_OP_COUNT || !lane || !result || lanes < 1 || lanes > OCT_LANES)
        return OCT_ERR_ARGUMENT;
    const struct oct_operation *operation = &oct_operations[op];
    const struct oct_family *family = operation->family;
    int status = OCT_OK;
    for (unsigned i = 0; status == OCT_OK && i < lanes; i++)
        status = family->check(operation, (const uint8_t *)lane + i * family->lane_bytes);
    return status;
}

int oct_operation_on(int op, const struct oct_ops *ops, const void *lane, unsigned lanes, struct oct_lanes *result)
{
    const int status = oct_operation_check(op, lane, lanes, result);
    if (status != OCT_OK)
        return status;
    const struct oct_operation *operation = &oct_operations[op];
    return ops ? operation->family->run_x8(operation, ops, lane, lanes, result) : OCT_ERR_UNSUPPORTED;
}

int oct_operation_x8(int op, const void *lane, unsigned lanes, struct oct_lanes *result)
{
    return oct_operation_on(op, oct_op_table(op), lane, lanes, result);
}
