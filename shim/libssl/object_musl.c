/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The dynamic linker's objects and symbols, with musl. It never unloads an object, so what was once found stays right:
 * an address is looked up among the ranges that were met before, and only a new one costs a walk over all objects.
 */
#include "libssl/object.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__GLIBC__)

#define LIBRARY_SUFFIX ".so." OCT_OPENSSL_MAJOR

/* A segment of an object. */
struct range {
    struct range *next;
    uintptr_t first, last;
    struct link_map *map;
};

struct search {
    uintptr_t address;
    struct range found;
    const char *name; /* the linker's own string, which is in the object's link_map too */
};

static struct range *ranges; /* by their newest; never freed */

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *search = arg;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uintptr_t first = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || search->address - first >= segment->p_memsz)
            continue;
        search->found.first = first;
        search->found.last = first + segment->p_memsz - 1;
        search->name = info->dlpi_name;
        return 1;
    }
    return 0;
}

struct link_map *oct_object_of(const void *address)
{
    struct search search = {.address = (uintptr_t)address};
    struct range *range = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE);
    for (; range != NULL; range = range->next)
        if (search.address >= range->first && search.address <= range->last)
            return range->map;
    if (dl_iterate_phdr(visit, &search) == 0)
        return NULL;
    /* The handle of the program is the first link_map; its own are private to each object. */
    search.found.map = dlopen(NULL, RTLD_LAZY);
    while (search.found.map != NULL && search.found.map->l_name != search.name)
        search.found.map = search.found.map->l_next;
    range = search.found.map != NULL ? malloc(sizeof *range) : NULL;
    if (range != NULL) {
        *range = search.found;
        range->next = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE);
        while (!__atomic_compare_exchange_n(&ranges, &range->next, range, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        }
    }
    return search.found.map;
}

const void *oct_object_base(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

/* Its dynamic linker does not say where an object ends. */
bool oct_object_span(const void *address, uintptr_t *start, uintptr_t *size)
{
    (void)address, (void)start, (void)size;
    return false;
}

void *oct_object_function(void *handle, const char *name)
{
    void *function = dlsym(handle, name);
    const struct link_map *map = function != NULL ? oct_object_of(function) : NULL;
    const size_t length = map != NULL ? strlen(map->l_name) : 0, suffix = strlen(LIBRARY_SUFFIX);
    return length > suffix && strcmp(map->l_name + length - suffix, LIBRARY_SUFFIX) == 0 ? function : NULL;
}

#endif
