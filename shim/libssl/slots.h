/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How the calls of one library are met, and nobody else's. */
#ifndef OCT_SHIM_SLOTS_H
#define OCT_SHIM_SLOTS_H

#include <stdbool.h>

/* Leads the calls to `name` that are made by the library that `inside` lies in to `function`. False if it makes none.
 */
bool oct_slot_set(const void *inside, const char *name, void *function);

/* An address in the served libssl. */
const void *oct_slot_libssl(void);

#endif
