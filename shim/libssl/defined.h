/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Functions as one object itself defines them. The linker is not called here, nor any library: so this may be asked
 * before anything works, and at any time. */
#ifndef OCT_SHIM_DEFINED_H
#define OCT_SHIM_DEFINED_H

#include <link.h>

/* A sanitizer looks its functions up by dlsym() before it is ready for code that it has an eye on. */
#define OCT_UNWATCHED __attribute__((no_sanitize("address", "thread")))

/* NULL: it has none of that name, or only in an older version. */
void *oct_defined_in(const struct link_map *map, const char *name);

#endif
