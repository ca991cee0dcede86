/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
#ifndef OCT_SHIM_LEAD_H
#define OCT_SHIM_LEAD_H

#include <link.h>
#include <stdbool.h>

/* Leads an object's own calls of a function to another one, and nobody else's: what the dynamic linker has written, or
 * would write at the first call, for this name in the object's table of functions is replaced. Only while the program
 * is loaded, when nobody else runs. False, and nothing has changed: the object does not call that function. */
bool oct_lead(const struct link_map *map, const char *name, void *to);

#endif
