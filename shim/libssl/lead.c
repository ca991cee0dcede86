/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See lead.h. */
#include "libssl/lead.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct table {
    const ElfW(Rela) *start;
    size_t size;
};

struct tables {
    struct table of[2]; /* calls, and addresses that are taken */
    const ElfW(Sym) *symbols;
    const char *names;
};

static struct tables tables_of(const struct link_map *map)
{
    struct tables t = {.symbols = NULL};
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        const void *at = (const void *)(d->d_un.d_ptr < map->l_addr ? map->l_addr + d->d_un.d_ptr : d->d_un.d_ptr);
        if (d->d_tag == DT_JMPREL)
            t.of[0].start = at;
        else if (d->d_tag == DT_PLTRELSZ)
            t.of[0].size = d->d_un.d_val;
        else if (d->d_tag == DT_RELA)
            t.of[1].start = at;
        else if (d->d_tag == DT_RELASZ)
            t.of[1].size = d->d_un.d_val;
        else if (d->d_tag == DT_SYMTAB)
            t.symbols = at;
        else if (d->d_tag == DT_STRTAB)
            t.names = at;
    }
    return t;
}

static void **entry_of(const struct link_map *map, const char *name)
{
    const struct tables t = tables_of(map);
    for (const struct table *table = t.of; table < t.of + 2; table++)
        for (size_t i = 0; i < table->size / sizeof *table->start; i++) {
            const ElfW(Rela) *r = &table->start[i];
            const bool leads =
                ELF64_R_TYPE(r->r_info) == R_X86_64_JUMP_SLOT || ELF64_R_TYPE(r->r_info) == R_X86_64_GLOB_DAT;
            if (leads && strcmp(t.names + t.symbols[ELF64_R_SYM(r->r_info)].st_name, name) == 0)
                return (void **)(map->l_addr + r->r_offset);
        }
    return NULL;
}

/* What the linker has made read-only again when it was done with it. */
struct sealed {
    const struct link_map *map;
    uintptr_t start, end;
};

static int see_object(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct sealed *sealed = arg;
    const uintptr_t pages = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    (void)size;
    if (info->dlpi_addr != sealed->map->l_addr || strcmp(info->dlpi_name, sealed->map->l_name) != 0)
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO) {
            const uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            sealed->start = start & pages;
            sealed->end = (start + info->dlpi_phdr[i].p_memsz) & pages;
        }
    return 1;
}

bool oct_lead(const struct link_map *map, const char *name, void *to)
{
    void **entry = map != NULL ? entry_of(map, name) : NULL;
    struct sealed sealed = {.map = map};
    if (entry == NULL || dl_iterate_phdr(see_object, &sealed) != 1)
        return false;
    const bool is_sealed = (uintptr_t)entry >= sealed.start && (uintptr_t)entry < sealed.end;
    void *const start = (void *)sealed.start;
    if (is_sealed && mprotect(start, sealed.end - sealed.start, PROT_READ | PROT_WRITE) != 0)
        return false;
    *entry = to;
    if (is_sealed)
        (void)mprotect(start, sealed.end - sealed.start, PROT_READ);
    return true;
}
