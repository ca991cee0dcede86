/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What takes long on the portable table and need not be repeated on each table of vectors: the rounds take turns. */
#ifndef OCT_TESTS_SUPPORT_TABLES_H
#define OCT_TESTS_SUPPORT_TABLES_H

#include "depth.h"
#include "ops/ops.h"

#include <string.h>

/* The first of the tables that a test goes through where the portable one would take minutes. */
static inline unsigned tables_fast(unsigned tables)
{
    return tables == 1 ? 0 : 1;
}

/* Those that share the steps of avx2 and avx512: where rounds only repeat themselves, they have fewer. */
static inline bool tables_is_middle(const struct oct_ops *ops)
{
    return strcmp(ops->name, "avx512s") == 0 || strcmp(ops->name, "avx512f") == 0 || strcmp(ops->name, "ifma256") == 0;
}

/* A loop's step, which is four times as wide for those, but for a full run. */
static inline unsigned tables_stride(const struct oct_ops *ops)
{
    return tables_is_middle(ops) && !depth_is_exhaustive() ? 4 : 1;
}

/* Some tables one after the other: libcrypto's results, which take longer than theirs, are made once for them all. */
struct tables_range {
    const struct oct_ops *const *table;
    unsigned count;
};

/* All tables of vectors; none where there is the portable one alone. */
static inline struct tables_range tables_of_vectors(const struct oct_ops *const table[], unsigned tables)
{
    return (struct tables_range){table + 1, tables - 1};
}

static inline struct tables_range tables_portable(const struct oct_ops *const table[])
{
    return (struct tables_range){table, 1};
}

/* Tables of vectors by turns, all of them after so many rounds. */
static inline const struct oct_ops *tables_turn(const struct oct_ops *const table[], unsigned tables, unsigned round)
{
    return table[tables == 1 ? 0 : 1 + round % (tables - 1)];
}

#endif
