/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A shim that is off is still the first place where the dynamic linker looks for SSL_read() and the others. Their
 * entries in the shim's own symbol table are therefore made local, which the linker passes over: what is loaded later,
 * and dlsym(), find the real ones. What was bound before, while the program was loaded, has one libssl among all: that
 * of the program.
 */
#include "libssl/resolve.h"

#include "libssl/object.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than OpenSSL has of one major release. */
#define NODES_MAX 32
/* The second of them has what AWS-LC alone has (shim.map.in). */
#define NODE_AWSLC 3

const struct oct_ssl_functions *oct_ssl_instead;

struct table {
    ElfW(Sym) *symbols;
    const char *names;
    const ElfW(Half) *nodes; /* the version of each symbol, by a number; NULL: none has one */
    size_t count;
};

/* Of this library's own. It is linked with a table of hashes of the older form, which says how many symbols it has. */
static bool find_table(struct table *table)
{
    const struct link_map *map = oct_object_of((const void *)find_table);

    for (const ElfW(Dyn) *d = map != NULL ? map->l_ld : NULL; d != NULL && d->d_tag != DT_NULL; d++) {
        const void *at = (const void *)(d->d_un.d_ptr < map->l_addr ? map->l_addr + d->d_un.d_ptr : d->d_un.d_ptr);
        if (d->d_tag == DT_SYMTAB)
            table->symbols = (ElfW(Sym) *)at;
        else if (d->d_tag == DT_STRTAB)
            table->names = at;
        else if (d->d_tag == DT_VERSYM)
            table->nodes = at;
        else if (d->d_tag == DT_HASH)
            table->count = ((const uint32_t *)at)[1];
    }
    return table->symbols != NULL && table->names != NULL && table->count != 0;
}

/* An entry in front of a hook (reach.c): nobody finds it by its name. */
static bool is_entry(const struct table *table, size_t i)
{
    return table->nodes != NULL && (table->nodes[i] & 0x8000) != 0;
}

static bool is_hook(const struct table *table, size_t i)
{
    const ElfW(Sym) *symbol = &table->symbols[i];
    const char *name = table->names + symbol->st_name;
    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
           (strncmp(name, "SSL_", 4) == 0 || strncmp(name, "BIO_", 4) == 0 || strncmp(name, "DTLS", 4) == 0 ||
            strncmp(name, "SRP_", 4) == 0 || strncmp(name, "EVP_", 4) == 0);
}

/* One that loads the provider. */
static bool is_loader(const struct table *table, size_t i)
{
    return strncmp(table->names + table->symbols[i].st_name, "SSL_CTX_new", strlen("SSL_CTX_new")) == 0;
}

/* The program's libssl, an OpenSSL, has no such function. All of a node are there, or none; without nodes each is asked
 * for. */
static bool is_younger(const struct table *table, size_t i)
{
    static unsigned char known[NODES_MAX] = {[NODE_AWSLC] = 2}; /* 1: there, 2: not */
    const unsigned node = table->nodes != NULL ? table->nodes[i] & 0x7fff : 0;
    unsigned char verdict = node < NODES_MAX ? known[node] : 0;
    const char *name = table->names + table->symbols[i].st_name;

    if (verdict == 0) {
        verdict = oct_symbol(NULL, name) != NULL ? 1 : 2;
        if (node > 1 && node < NODES_MAX)
            known[node] = verdict;
    }
    return verdict == 2;
}

/* The table is read-only memory of this library's own; nobody else runs while a program is loaded. */
static bool protect(const struct table *table, int how)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)table->symbols & ~(page - 1);
    return mprotect((void *)first, (uintptr_t)(table->symbols + table->count) - first, how) == 0;
}

static bool withdraw(bool all, bool but_loaders)
{
    struct table table = {.symbols = NULL};

    if (!find_table(&table) || !protect(&table, PROT_READ | PROT_WRITE))
        return false;
    for (size_t i = 1; i < table.count; i++)
        if (is_hook(&table, i) && !is_entry(&table, i) && (all || is_younger(&table, i)) &&
            !(but_loaders && is_loader(&table, i)))
            table.symbols[i].st_info = (unsigned char)ELF64_ST_INFO(STB_LOCAL, ELF64_ST_TYPE(table.symbols[i].st_info));
    return protect(&table, PROT_READ);
}

void *oct_hook_named(const char *name, bool entry)
{
    const struct link_map *map = oct_object_of((const void *)find_table);
    struct table table = {.symbols = NULL};

    if (map == NULL || !find_table(&table))
        return NULL;
    for (size_t i = 1; i < table.count; i++)
        if (is_entry(&table, i) == entry && is_hook(&table, i) &&
            ELF64_ST_BIND(table.symbols[i].st_info) == STB_GLOBAL &&
            strcmp(table.names + table.symbols[i].st_name, name) == 0)
            return (void *)(map->l_addr + table.symbols[i].st_value);
    return NULL;
}

OCT_LATE struct oct_ssl_functions oct_withdrawn;
OCT_LATE void *oct_withdrawn_doors[OCT_DOORS_MAX];

void oct_withdraw(bool loads)
{
    if (!withdraw(true, loads))
        return; /* each call then finds its libssl by its caller */
    (void)oct_ssl_fill(&oct_withdrawn, NULL);
    oct_withdrawn.doors = oct_withdrawn_doors;
    oct_ssl_instead = &oct_withdrawn;
}

void oct_withdraw_younger(void)
{
    (void)withdraw(false, false);
}
