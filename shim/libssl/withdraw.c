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
#include <sys/mman.h>
#include <unistd.h>

const struct oct_ssl_functions *oct_ssl_instead;

/* The shim is linked with -Bsymbolic: these are its own addresses, not those of another preloaded library. */
static void *const hooks[] = {
#define OCT_HOOK(name) (void *)name,
    OCT_SSL_HOOKS(OCT_HOOK) OCT_SSL_YOUNGER_HOOKS(OCT_HOOK)
#undef OCT_HOOK
};

static void *const younger[] = {
#define OCT_HOOK(name) (void *)name,
    OCT_SSL_YOUNGER_HOOKS(OCT_HOOK)
#undef OCT_HOOK
};

/* The table is read-only memory of this library's own; nobody else runs while a program is loaded. */
static bool make_local(void *function)
{
    ElfW(Sym) *symbol = (ElfW(Sym) *)oct_object_symbol(function);
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)symbol & ~(page - 1);
    const size_t bytes = (((uintptr_t)(symbol + 1) + page - 1) & ~(page - 1)) - first;

    if (symbol == NULL || mprotect((void *)first, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    symbol->st_info = (unsigned char)ELF64_ST_INFO(STB_LOCAL, ELF64_ST_TYPE(symbol->st_info));
    return mprotect((void *)first, bytes, PROT_READ) == 0;
}

void oct_withdraw(void)
{
    static struct oct_ssl_functions real;
    bool done = true;

    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++)
        done = make_local(hooks[i]) && done;
    if (!done)
        return; /* each call then finds its libssl by its caller */
    (void)oct_ssl_fill(&real, NULL);
    oct_ssl_instead = &real;
}

void oct_withdraw_younger(void)
{
    for (size_t i = 0; i < sizeof younger / sizeof younger[0]; i++)
        (void)make_local(younger[i]);
}
