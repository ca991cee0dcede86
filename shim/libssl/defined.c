/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See defined.h. */
#include "libssl/defined.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

OCT_UNWATCHED static bool is_same(const char *a, const char *b)
{
    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    return *a == *b;
}

OCT_UNWATCHED static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* By its table of the older form, of objects that have no other one. */
OCT_UNWATCHED static uint32_t old_hash_of(const char *name)
{
    uint32_t hash = 0;
    for (; *name != '\0'; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    return hash;
}

struct tables {
    const ElfW(Sym) *symbols;
    const ElfW(Half) *versions;
    const char *names;
    const uint32_t *table, *old;
};

OCT_UNWATCHED static struct tables tables_of(const struct link_map *map)
{
    struct tables t = {.symbols = NULL};
    for (const ElfW(Dyn) *d = map->l_ld; d != NULL && d->d_tag != DT_NULL; d++) {
        const void *at = (const void *)(d->d_un.d_ptr < map->l_addr ? map->l_addr + d->d_un.d_ptr : d->d_un.d_ptr);
        if (d->d_tag == DT_SYMTAB)
            t.symbols = at;
        else if (d->d_tag == DT_STRTAB)
            t.names = at;
        else if (d->d_tag == DT_VERSYM)
            t.versions = at;
        else if (d->d_tag == DT_GNU_HASH)
            t.table = at;
        else if (d->d_tag == DT_HASH)
            t.old = at;
    }
    return t;
}

OCT_UNWATCHED static bool is_it(const struct tables *t, uint32_t i, const char *name)
{
    const ElfW(Sym) *symbol = &t->symbols[i];
    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
           is_same(t->names + symbol->st_name, name) && (t->versions == NULL || (t->versions[i] & 0x8000) == 0);
}

/* 0: it has none of that name. */
OCT_UNWATCHED static uint32_t look_up(const struct tables *t, const char *name)
{
    if (t->table != NULL && t->table[0] != 0) {
        /* How many buckets, the first symbol in a chain, how many words the filter has, its shift, the filter. */
        const uint32_t *buckets = t->table + 4 + 2 * (size_t)t->table[2], *chains = buckets + t->table[0];
        const uint32_t hash = hash_of(name), first = t->table[1];
        for (uint32_t i = buckets[hash % t->table[0]]; i >= first; i++) {
            if ((chains[i - first] | 1) == (hash | 1) && is_it(t, i, name))
                return i;
            if ((chains[i - first] & 1) != 0)
                break;
        }
    } else if (t->table == NULL && t->old != NULL && t->old[0] != 0) {
        const uint32_t *buckets = t->old + 2, *next = buckets + t->old[0];
        for (uint32_t i = buckets[old_hash_of(name) % t->old[0]]; i != 0; i = next[i])
            if (is_it(t, i, name))
                return i;
    }
    return 0;
}

OCT_UNWATCHED void *oct_defined_in(const struct link_map *map, const char *name)
{
    const struct tables t = tables_of(map);
    const uint32_t i = t.symbols != NULL && t.names != NULL ? look_up(&t, name) : 0;
    void *at = i != 0 ? (void *)(map->l_addr + t.symbols[i].st_value) : NULL;
    /* One that chooses among several functions. */
    return i != 0 && ELF64_ST_TYPE(t.symbols[i].st_info) == STT_GNU_IFUNC ? ((void *(*)(void))at)() : at;
}
