/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Looking functions up. The next object after the shim in the process's own search order comes first, so that other
 * preloaded libraries keep their place in the chain.
 */
#include "libssl/resolve.h"

#include "libssl/defined.h"
#include "libssl/object.h"

#include <dlfcn.h>

static struct oct_libc_functions libc;
static int libc_ready;

void *oct_symbol_versioned(void *handle, const char *name)
{
    return oct_object_function(handle != NULL ? handle : RTLD_NEXT, name);
}

void *oct_symbol(void *handle, const char *name)
{
    void *function = oct_symbol_versioned(handle, name);
    return function != NULL ? function : dlsym(handle != NULL ? handle : RTLD_NEXT, name);
}

/* What stands for a function that is nowhere to be found: it fails, as any function of libssl may. */
static long fails(void)
{
    return 0;
}

const struct oct_ssl_functions oct_ssl_nobody = {
#define OCT_FAILS(name) .name = (void *)fails,
    OCT_SSL_HOOKS(OCT_FAILS) OCT_SSL_YOUNGER_HOOKS(OCT_FAILS)
#undef OCT_FAILS
};

bool oct_ssl_fill(struct oct_ssl_functions *ssl, void *handle)
{
    bool complete = true;
#define OCT_FIND(name)                                                                                                 \
    *(void **)&ssl->name = oct_symbol(handle, #name);                                                                  \
    complete = complete && ssl->name != NULL;
    OCT_SSL_HELPERS(OCT_FIND)
#define OCT_FIND_HOOK(name)                                                                                            \
    OCT_FIND(name)                                                                                                     \
    if (ssl->name == NULL)                                                                                             \
        ssl->name = oct_ssl_nobody.name;
    OCT_SSL_HOOKS(OCT_FIND_HOOK)
#undef OCT_FIND_HOOK
#undef OCT_FIND
#define OCT_FIND_YOUNGER(name) *(void **)&ssl->name = oct_symbol(handle, #name);
#define OCT_FIND_YOUNGER_HOOK(name)                                                                                    \
    OCT_FIND_YOUNGER(name)                                                                                             \
    if (ssl->name == NULL)                                                                                             \
        ssl->name = oct_ssl_nobody.name;
    OCT_SSL_YOUNGER_HOOKS(OCT_FIND_YOUNGER_HOOK)
#undef OCT_FIND_YOUNGER_HOOK
    OCT_FIND_YOUNGER(SSL_is_quic)
    OCT_FIND_YOUNGER(ASYNC_set_mem_functions)
    OCT_FIND_YOUNGER(ASYNC_get_mem_functions)
#undef OCT_FIND_YOUNGER
    return complete;
}

/* A reference that the linker leaves open where there is no libssl at all: a look-up by name that finds nothing takes
 * memory for its message, in each process. */
extern __typeof__(SSL_is_server) SSL_is_server __attribute__((weak));

extern __typeof__(OPENSSL_init_crypto) OPENSSL_init_crypto __attribute__((weak));

OCT_AT_START bool oct_crypto_present(void)
{
    return OPENSSL_init_crypto != NULL;
}

OCT_AT_START bool oct_ssl_present(void)
{
    return SSL_is_server != NULL && oct_symbol_versioned(NULL, "SSL_do_handshake") != NULL;
}

bool oct_ssl_present_younger(void)
{
    bool present = true;
#define OCT_IS_THERE(name) present = present && oct_symbol(NULL, #name) != NULL;
    OCT_SSL_YOUNGER_HOOKS(OCT_IS_THERE)
#undef OCT_IS_THERE
    return present;
}

/* As ld.so would find them behind this object, but without it: a hook may come at any time, from an allocator inside of
 * dlsym() too, or in the child of vfork(). Every thread that comes early fills in the same values. With musl the calls
 * of oct_object_of() may come back here, and see what there is so far. */
OCT_UNWATCHED const struct oct_libc_functions *oct_libc(void)
{
    static __thread bool busy;
    if (__atomic_load_n(&libc_ready, __ATOMIC_ACQUIRE) || busy)
        return &libc;
    busy = true;
#define OCT_FIND(name) __atomic_store_n((void **)&libc.name, oct_object_behind(#name), __ATOMIC_RELAXED);
    OCT_LIBC_HOOKS(OCT_FIND)
#undef OCT_FIND
    __atomic_store_n(&libc_ready, 1, __ATOMIC_RELEASE);
    busy = false;
    return &libc;
}
