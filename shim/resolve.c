/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Looking functions up. The next object after the shim in the process's own search order comes first, so that other
 * preloaded libraries keep their place in the chain. A libssl that came as some plugin's dependency (Python's ssl
 * module) is not in that order: it is found by its name, without loading anything.
 */
#include "resolve.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define OPENSSL_SYMBOLS "OPENSSL_" OCT_OPENSSL_MAJOR ".0.0"
#define LIBSSL_NAME     "libssl.so." OCT_OPENSSL_MAJOR

static struct oct_ssl_functions ssl;
static struct oct_libc_functions libc;
static pthread_once_t ssl_once = PTHREAD_ONCE_INIT;
static int ssl_ready, libc_ready;

/* libssl itself, whose handle also leads to its libcrypto. Kept for good: the hooks point into it. */
static void *libssl_open(void)
{
    Dl_info where;
    void *function = dlvsym(RTLD_NEXT, "SSL_CTX_new", OPENSSL_SYMBOLS);
    if (function != NULL && dladdr(function, &where) != 0) {
        void *handle = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (handle != NULL)
            return handle;
    }
    return dlopen(LIBSSL_NAME, RTLD_LAZY | RTLD_NOLOAD);
}

static void *find(void *libssl, const char *name)
{
    void *function = dlvsym(RTLD_NEXT, name, OPENSSL_SYMBOLS);
    if (function == NULL && libssl != NULL)
        function = dlvsym(libssl, name, OPENSSL_SYMBOLS);
    if (function == NULL)
        function = dlsym(RTLD_NEXT, name);
    return function;
}

static void ssl_resolve(void)
{
    void *libssl = libssl_open();
    bool complete = true;
#define OCT_FIND(name)                                                                                                 \
    *(void **)&ssl.name = find(libssl, #name);                                                                         \
    complete = complete && ssl.name != NULL;
    OCT_SSL_HOOKS(OCT_FIND)
    OCT_SSL_HELPERS(OCT_FIND)
#undef OCT_FIND
#define OCT_FIND_YOUNGER(name) *(void **)&ssl.name = libssl != NULL ? dlsym(libssl, #name) : NULL;
    OCT_FIND_YOUNGER(SSL_is_quic)
    OCT_FIND_YOUNGER(ASYNC_set_mem_functions)
    OCT_FIND_YOUNGER(ASYNC_get_mem_functions)
#undef OCT_FIND_YOUNGER
    ssl.complete = complete;
    __atomic_store_n(&ssl_ready, 1, __ATOMIC_RELEASE);
}

const struct oct_ssl_functions *oct_ssl(void)
{
    if (!__atomic_load_n(&ssl_ready, __ATOMIC_ACQUIRE))
        pthread_once(&ssl_once, ssl_resolve);
    return &ssl;
}

_Noreturn void oct_ssl_missing(const char *name)
{
    fprintf(stderr, "liboctuple-async.so: symbol lookup error: undefined symbol: %s, version " OPENSSL_SYMBOLS "\n",
            name);
    abort();
}

bool oct_ssl_present(void)
{
    return dlvsym(RTLD_NEXT, "SSL_do_handshake", OPENSSL_SYMBOLS) != NULL;
}

/* No pthread_once here: a preloaded allocator may call close() from inside dlsym(). Every thread that comes early fills
 * in the same values; the one that comes back from inside its own dlsym() sees what there is so far. */
const struct oct_libc_functions *oct_libc(void)
{
    static __thread bool busy;
    if (__atomic_load_n(&libc_ready, __ATOMIC_ACQUIRE) || busy)
        return &libc;
    busy = true;
#define OCT_FIND(name) __atomic_store_n((void **)&libc.name, dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED);
    OCT_LIBC_HOOKS(OCT_FIND)
#undef OCT_FIND
    __atomic_store_n(&libc_ready, 1, __ATOMIC_RELEASE);
    busy = false;
    return &libc;
}
