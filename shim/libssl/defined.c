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

OCT_UNWATCHED void *oct_defined_in(const struct link_map *map, const char *name)
{
    const ElfW(Sym) *symbols = NULL;
    const ElfW(Half) *versions = NULL;
    const char *names = NULL;
    const uint32_t *table = NULL;

    for (const ElfW(Dyn) *d = map->l_ld; d != NULL && d->d_tag != DT_NULL; d++) {
        const void *at = (const void *)(d->d_un.d_ptr < map->l_addr ? map->l_addr + d->d_un.d_ptr : d->d_un.d_ptr);
        if (d->d_tag == DT_SYMTAB)
            symbols = at;
        else if (d->d_tag == DT_STRTAB)
            names = at;
        else if (d->d_tag == DT_VERSYM)
            versions = at;
        else if (d->d_tag == DT_GNU_HASH)
            table = at;
    }
    if (symbols == NULL || names == NULL || table == NULL || table[0] == 0)
        return NULL;
    /* table: how many buckets, the first symbol in a chain, how many words the filter has, its shift, the filter. */
    const uint32_t hash = hash_of(name), *buckets = table + 4 + 2 * (size_t)table[2], *chains = buckets + table[0];
    uint32_t i = buckets[hash % table[0]];
    for (; i >= table[1]; i++) {
        const uint32_t link = chains[i - table[1]];
        if ((link | 1) == (hash | 1) && symbols[i].st_shndx != SHN_UNDEF && is_same(names + symbols[i].st_name, name) &&
            (versions == NULL || (versions[i] & 0x8000) == 0))
            return (void *)(map->l_addr + symbols[i].st_value);
        if ((link & 1) != 0)
            break;
    }
    return NULL;
}
