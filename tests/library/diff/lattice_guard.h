/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the tests of ML-KEM and ML-DSA at the edge of memory share: buffers between pages that cannot be touched, every
 * table, set and number of lanes, and the depth of calls on the stack. */
#ifndef OCT_TESTS_DIFF_LATTICE_GUARD_H
#define OCT_TESTS_DIFF_LATTICE_GUARD_H

#include <stddef.h>
#include <stdint.h>

#define GUARD_WORKSPACE (256 * 1024)

/* The calls of one family. `place` puts all buffers to one end of their room; `run` makes the calls, and returns 0 if
 * all went well. */
struct lattice_guard {
    unsigned tables;
    int sets;
    const char *(*name)(unsigned table);
    void (*place)(unsigned table, int set, unsigned lanes, int at_end);
    int (*run)(unsigned table, int set);
};

/* Memory between two pages that cannot be touched. It stays. */
uint8_t *guarded(size_t len);

/* Where a workspace of so many bytes ends at the last of this room. */
void *guarded_workspace(uint8_t *room, size_t len);

/* 1 to 8 lanes, at either end. */
void lattice_guard_edges(const struct lattice_guard *guard);

/* 8 KB of stack at most, which is what fibres bear. */
void lattice_guard_stack(const struct lattice_guard *guard);

#endif
