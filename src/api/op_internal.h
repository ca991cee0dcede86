/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How the calls of the API come to their table, and what they say at the end. */
#ifndef OCT_API_OP_INTERNAL_H
#define OCT_API_OP_INTERNAL_H

#include "ops/ops.h"

#include <stdbool.h>

/* The table that serves an operation (enum oct_op); NULL if that is off, or none. The calls that are given a table
 * answer NULL with OCT_ERR_UNSUPPORTED, once their arguments are found good. */
const struct oct_ops *oct_op_table(int op);

/* The process is served by the portable table. */
bool oct_op_table_is_portable(void);

/* For operations without faults: what is not good was refused. `good` may have bits of lanes that have no operation. */
OCT_INLINE void oct_lanes_report(struct oct_lanes *result, unsigned lanes, unsigned good)
{
    const unsigned all = (1u << lanes) - 1;
    result->ok = (uint8_t)(good & all);
    result->invalid = (uint8_t)(all & ~good);
}

#endif
