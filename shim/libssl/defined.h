/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Functions as one object itself defines them. Nothing is called here, so that it may be asked before anything works,
 * and no other library has a say in it. */
#ifndef OCT_SHIM_DEFINED_H
#define OCT_SHIM_DEFINED_H

#include <link.h>

/* A sanitizer looks its functions up by dlsym() before it is ready for code that it has an eye on. */
#define OCT_UNWATCHED __attribute__((no_sanitize("address", "thread")))

/* By its table of the newer form (DT_GNU_HASH); NULL: it has none of that name, or only in an older version. */
void *oct_defined_in(const struct link_map *map, const char *name);

#endif
