/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the dynamic linker knows of the objects that it has loaded, as glibc and as musl tell it. */
#ifndef OCT_SHIM_OBJECT_H
#define OCT_SHIM_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The object of an address; NULL for code that no file has brought. Quick, and without a lock where it is asked again:
 * every call of a hook asks. */
struct link_map *oct_object_of(const void *address);

/* Where the object of an address begins, which tells it from others; NULL as above. */
const void *oct_object_base(const void *address);

/* The addresses from *start on, *size of them, are all of that object, which holds for as long as it is loaded; false
 * if that cannot be told. */
bool oct_object_span(const void *address, uintptr_t *start, uintptr_t *size);

/* A function by its name, of OpenSSL's major version that this library was built for, behind a handle of dlopen() or
 * RTLD_NEXT. glibc goes by the version of the symbol. musl keeps none; there the name of the object's file says it. */
void *oct_object_function(void *handle, const char *name);

/* As dlsym(RTLD_NEXT) finds a function in what the program was started with, but in this way (defined.h), where the C
 * library is glibc. NULL: it is not there. */
void *oct_object_behind(const char *name);

/* Once, before the program's own code runs: the objects that are there are those that it was started with. */
void oct_object_start(void);

/* The address belongs to the program: it was started with its object, or no file has brought it. */
bool oct_object_is_programs(const void *address);

#endif
