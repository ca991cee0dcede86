/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * How the calls of one library are met, libssl's above all: in its own table of addresses. A function in front of
 * libcrypto's would be reached by the program and by every other library too, and with other copies of libcrypto.
 */
#include "libssl/slots.h"

#include "libssl/object.h"
#include "libssl/resolve.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct tables {
    const ElfW(Sym) *symbols;
    const char *strings;
    const ElfW(Rela) *list[2]; /* of functions, and of data */
    size_t count[2];
    size_t unnamed; /* so many of data come first that are of no symbol: nine in ten */
};

/* glibc writes addresses there as it loads the object; musl leaves them as they are in the file. */
static const void *address_in(const struct link_map *map, const ElfW(Dyn) *d)
{
    return (const void *)(d->d_un.d_ptr < map->l_addr ? map->l_addr + d->d_un.d_ptr : d->d_un.d_ptr);
}

static void read_tables(const struct link_map *map, struct tables *tables)
{
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_SYMTAB)
            tables->symbols = address_in(map, d);
        else if (d->d_tag == DT_STRTAB)
            tables->strings = address_in(map, d);
        else if (d->d_tag == DT_JMPREL)
            tables->list[0] = address_in(map, d);
        else if (d->d_tag == DT_PLTRELSZ)
            tables->count[0] = d->d_un.d_val / sizeof(ElfW(Rela));
        else if (d->d_tag == DT_RELA)
            tables->list[1] = address_in(map, d);
        else if (d->d_tag == DT_RELASZ)
            tables->count[1] = d->d_un.d_val / sizeof(ElfW(Rela));
        else if (d->d_tag == DT_RELACOUNT)
            tables->unnamed = d->d_un.d_val;
}

static bool write_slot(const struct link_map *map, uintptr_t slot, void *function, const void *base)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = slot & ~(page - 1);
    const ElfW(Ehdr) *header = base;
    const ElfW(Phdr) *p = (const void *)((const char *)base + header->e_phoff);
    bool sealed = false; /* the part of the object that the linker has made read-only again holds the slot */

    for (unsigned i = 0; i < header->e_phnum; i++)
        sealed |= p[i].p_type == PT_GNU_RELRO && slot >= map->l_addr + p[i].p_vaddr &&
                  slot < map->l_addr + p[i].p_vaddr + p[i].p_memsz;
    if (sealed && mprotect((void *)start, page, PROT_READ | PROT_WRITE) != 0)
        return false;
    __atomic_store_n((void **)slot, function, __ATOMIC_RELEASE);
    return !sealed || mprotect((void *)start, page, PROT_READ) == 0;
}

const void *oct_slot_libssl(void)
{
    return (const void *)oct_ssl()->SSL_in_init;
}

bool oct_slot_set(const void *inside, const char *name, void *function)
{
    struct tables t = {.symbols = NULL};
    bool set = false;
    const struct link_map *map = oct_object_of(inside);
    const void *base = oct_object_base(inside);

    if (map == NULL || base == NULL)
        return false;
    read_tables(map, &t);
    for (int k = 0; k < 2 && t.symbols != NULL && t.strings != NULL; k++)
        for (size_t i = k == 0 ? 0 : t.unnamed; t.list[k] != NULL && i < t.count[k]; i++) {
            const ElfW(Rela) *r = &t.list[k][i];
            const unsigned type = ELF64_R_TYPE(r->r_info);
            const bool is_call = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
            if (is_call && strcmp(t.strings + t.symbols[ELF64_R_SYM(r->r_info)].st_name, name) == 0)
                set |= write_slot(map, map->l_addr + r->r_offset, function, base);
        }
    return set;
}
