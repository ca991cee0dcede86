/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The dynamic linker's objects and symbols, with glibc. object_musl.c has the same for musl, which has fewer calls. And
 * which objects are the program's own.
 */
#include "libssl/object.h"

#include "libssl/layout.h"
#include "libssl/defined.h"

#include <dlfcn.h>
#include <stddef.h>

#if defined(__GLIBC__)

#define OPENSSL_SYMBOLS "OPENSSL_" OCT_OPENSSL_MAJOR ".0.0"

struct link_map *oct_object_of(const void *address)
{
#if defined(DLFO_STRUCT_HAS_EH_DBASE)
    struct dl_find_object found;
    return _dl_find_object((void *)address, &found) == 0 ? found.dlfo_link_map : NULL;
#else
    struct link_map *map = NULL;
    Dl_info info;
    return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 ? map : NULL;
#endif
}

/* dladdr() compares an address with those of all symbols that an object has. */
const void *oct_object_base(const void *address)
{
#if defined(DLFO_STRUCT_HAS_EH_DBASE)
    struct dl_find_object found;
    return _dl_find_object((void *)address, &found) == 0 ? found.dlfo_map_start : NULL;
#else
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
#endif
}

bool oct_object_span(const void *address, uintptr_t *start, uintptr_t *size)
{
#if defined(DLFO_STRUCT_HAS_EH_DBASE)
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0)
        return false;
    *start = (uintptr_t)found.dlfo_map_start;
    *size = (uintptr_t)found.dlfo_map_end - *start;
    return true;
#else
    (void)address, (void)start, (void)size;
    return false;
#endif
}

void *oct_object_function(void *handle, const char *name)
{
    return dlvsym(handle, name, OPENSSL_SYMBOLS);
}

OCT_UNWATCHED static const struct link_map *this_object(void)
{
    const struct link_map *map = _r_debug.r_map;
    while (map != NULL && map->l_ld != _DYNAMIC)
        map = map->l_next;
    return map;
}

#else

static const struct link_map *this_object(void)
{
    return oct_object_of((const void *)this_object);
}

#endif

/* The last of those that the program was started with, which are never unloaded. Others are put behind it. */
static struct link_map *last_at_start;

OCT_UNWATCHED void *oct_object_behind(const char *name)
{
    const struct link_map *const last = last_at_start, *map = this_object();
    void *function = NULL;
    while (map != NULL && map != last && function == NULL && (map = map->l_next) != NULL)
        function = oct_defined_in(map, name);
    return function;
}

OCT_AT_START void oct_object_start(void)
{
    struct link_map *last = oct_object_of((const void *)oct_object_start);
    while (last != NULL && last->l_next != NULL)
        last = last->l_next;
    last_at_start = last;
}

bool oct_object_is_programs(const void *address)
{
    const struct link_map *map = oct_object_of(address), *at = last_at_start;
    while (at != NULL && at != map)
        at = at->l_prev;
    return map == NULL || at != NULL;
}
