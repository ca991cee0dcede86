/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The operations that `octuple speed` knows: every family's table, in the order of the output.
 */
#include <stdbool.h>
#include <string.h>
#include "speed.h"

#define TABLE_OF(family) speed_##family##_ops,
static const struct speed_op *const families[] = {SPEED_FAMILIES(TABLE_OF)};

const struct speed_op *speed_op_at(unsigned i)
{
    for (size_t family = 0; family < sizeof families / sizeof families[0]; family++) {
        for (const struct speed_op *op = families[family]; op->name != NULL; op++)
            if (i-- == 0)
                return op;
    }
    return NULL;
}

const struct speed_op *speed_op_find(const char *name)
{
    const struct speed_op *op;
    for (unsigned i = 0; (op = speed_op_at(i)) != NULL; i++)
        if (!strcmp(op->name, name))
            return op;
    return NULL;
}

bool speed_op_is_on(const struct speed_op *op)
{
    return op->oct_op < 0 ? oct_aead_is_on(SPEED_AEAD(op->oct_op)) : oct_op_is_on(op->oct_op);
}

const char *speed_op_reason(const struct speed_op *op)
{
    return op->oct_op < 0 ? oct_aead_reason(SPEED_AEAD(op->oct_op)) : oct_op_reason(op->oct_op);
}

int speed_op_has_openssl(const struct speed_op *op, void *state)
{
    return op->openssl(state) != SPEED_NONE;
}

bool speed_op_is_bytes(const struct speed_op *op)
{
    return strcmp(op->unit, "GB/s") == 0;
}
