/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the programs on small groups share: points and scalars into lanes, results out of them, and the choice of a
 * backend. */
#ifndef OCT_TESTS_EXHAUSTIVE_POINTS_H
#define OCT_TESTS_EXHAUSTIVE_POINTS_H

#include "base/base.h"
#include "small.h"

void points_set_number(oct_limb8 *to, unsigned lane, const uint64_t *limb, unsigned limbs);
void points_set(struct group_points *to, unsigned lane, const struct small *s, unsigned index, unsigned form);

/* A lane has to be `index` times the generator. */
void points_expect(const struct group_result *r, unsigned lane, const struct small *s, unsigned index);

/* An odd scalar that is k modulo the order: as small as can be, or random. An even order takes odd k only. */
void points_scalar(const struct group_ops *o, const struct small *s, uint64_t limb[GROUP_MAX_LIMBS], unsigned k,
                   int is_random);

/* The groups' operations for P-256's and P-384's field on the backend that the program's argument names; or NULL, and
 * the status that the program ends with: 77 where this CPU has it not, 2 where there is none of that name. */
const struct group_ops *const *points_backend(int argc, char **argv, int *status);

#endif
