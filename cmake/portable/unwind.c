/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What gcc's unwinder takes from a young glibc, for objects that have to load without one: on an older glibc, or on
 * musl with a gcc that was built for glibc. Where the C library has the function, that one is called.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(DLFO_STRUCT_HAS_EH_DBASE)
/* As glibc 2.35 has it on x86-64. */
struct dl_find_object {
    unsigned long long dlfo_flags;
    void *dlfo_map_start, *dlfo_map_end;
    struct link_map *dlfo_link_map;
    void *dlfo_eh_frame;
    unsigned long long dlfo_reserved[7];
};
#endif

typedef int finder(void *address, struct dl_find_object *found);

int _dl_find_object(void *address, struct dl_find_object *found);
int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *));

static finder *theirs;

__attribute__((constructor)) static void look_for_theirs(void)
{
    *(void **)&theirs = dlsym(RTLD_NEXT, "_dl_find_object");
}

struct search {
    uintptr_t address;
    struct dl_find_object *found;
};

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct search *search = arg;
    uintptr_t frames = 0, start = 0, end = 0;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uintptr_t at = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_GNU_EH_FRAME)
            frames = at;
        if (segment->p_type == PT_LOAD && search->address - at < segment->p_memsz) {
            start = at;
            end = at + segment->p_memsz;
        }
    }
    if (end == 0)
        return 0;
    *search->found = (struct dl_find_object){
        .dlfo_map_start = (void *)start, .dlfo_map_end = (void *)end, .dlfo_eh_frame = (void *)frames};
    return frames != 0 ? 1 : 2;
}

/* Returns 0 if the object was found and has what an unwinder needs. */
int _dl_find_object(void *address, struct dl_find_object *found)
{
    struct search search = {.address = (uintptr_t)address, .found = found};
    if (theirs != NULL)
        return theirs(address, found);
    if (dl_iterate_phdr(visit, &search) != 1)
        return -1;
#if defined(__GLIBC__)
    Dl_info where;
    if (dladdr1(address, &where, (void **)&found->dlfo_link_map, RTLD_DL_LINKMAP) == 0)
        return -1;
#endif
    return 0;
}

/* By this name gcc's own code asks whether there are threads. */
int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    return pthread_key_create(key, destructor);
}
