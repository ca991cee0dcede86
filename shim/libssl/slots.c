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
    const uint32_t *hash, *old_hash; /* DT_GNU_HASH, DT_HASH: objects have one of them, or both */
    const ElfW(Rela) *list[2];       /* of functions, and of data */
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
        else if (d->d_tag == DT_GNU_HASH)
            tables->hash = address_in(map, d);
        else if (d->d_tag == DT_HASH)
            tables->old_hash = address_in(map, d);
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

static bool is_named(const struct tables *t, size_t symbol, const char *name)
{
    return strcmp(t->strings + t->symbols[symbol].st_name, name) == 0;
}

/* One of the first `count` symbols, or 0. */
static size_t find_among(const struct tables *t, size_t count, const char *name)
{
    for (size_t i = 1; i < count; i++)
        if (is_named(t, i, name))
            return i;
    return 0;
}

/* By the hash table: its head, a filter of words, buckets, and a hash for each symbol, whose lowest bit ends a bucket.
 */
static size_t find_hashed(const struct tables *t, const char *name)
{
    const uint32_t buckets = t->hash[0], first = t->hash[1];
    const uint32_t *bucket = t->hash + 4 + t->hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *hashes = bucket + buckets;
    uint32_t hash = 5381;

    for (const char *c = name; *c != '\0'; c++)
        hash = hash * 33 + (unsigned char)*c;
    for (size_t i = buckets > 0 ? bucket[hash % buckets] : 0; i != 0; i = hashes[i - first] & 1 ? 0 : i + 1)
        if ((hashes[i - first] | 1) == (hash | 1) && is_named(t, i, name))
            return i;
    return 0;
}

/* The symbol of this name, or 0. Those of other objects come first, hundreds at most. An object's own are thousands. */
static size_t find_symbol(const struct tables *t, const char *name)
{
    if (t->symbols == NULL || t->strings == NULL)
        return 0;
    if (t->hash == NULL)
        return t->old_hash != NULL ? find_among(t, t->old_hash[1], name) : 0;
    const size_t other = find_among(t, t->hash[1], name);
    return other != 0 ? other : find_hashed(t, name);
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
    const size_t symbol = find_symbol(&t, name);
    for (int k = 0; k < 2 && symbol != 0; k++)
        for (size_t i = k == 0 ? 0 : t.unnamed; t.list[k] != NULL && i < t.count[k]; i++) {
            const ElfW(Rela) *r = &t.list[k][i];
            const unsigned type = ELF64_R_TYPE(r->r_info);
            if (ELF64_R_SYM(r->r_info) == symbol && (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT))
                set |= write_slot(map, map->l_addr + r->r_offset, function, base);
        }
    return set;
}
