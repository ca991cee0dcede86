/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which libssl a caller would have reached without the shim. The dynamic linker binds a reference to the first
 * definition among what the program was started with (and what was loaded RTLD_GLOBAL since), else to one in the tree
 * of the object that brought the caller. The same order is followed here, once for each calling object.
 *
 * The answer is found by the return address of each call, at once where the program was started with the calling
 * object; else that object is found first, without a lock. libssl calls some of its own functions by their names and as
 * the last thing that it does: such a call returns to the hook that it came through. Nothing is ever freed: entries are
 * few, and readers hold none.
 */
#include "libssl/serves.h"

#include "libssl/awslc.h"
#include "libssl/object.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>

#define LIBSSL   "libssl.so." OCT_OPENSSL_MAJOR
#define KNOWN_BY "SSL_CTX_new"
#define SLOTS    64 /* lists of calling objects, by a hash */

/* An object that calls libssl. Another may be loaded at the place of its link_map when it has gone. */
struct caller {
    struct caller *next;
    const struct link_map *map;
    ElfW(Addr) address;
    const ElfW(Dyn) *dynamic;
    const struct oct_ssl_functions *ssl;
    uintptr_t start, size; /* its addresses, if it is to be settled */
};

const struct oct_ssl_functions *oct_ssl_served;
int oct_shim_mode_now;
bool (*oct_shim_decide)(const struct oct_ssl_functions *ssl);
bool oct_watching;
__thread const struct oct_ssl_functions *oct_ssl_inside, *oct_ssl_reached;

static struct caller *callers[SLOTS]; /* by their newest */
static const struct caller *settled;  /* one that the program was started with: it stays, so an address is enough */
static struct oct_ssl_functions *copies;

bool oct_same_object(const void *a, const void *b)
{
    const struct link_map *map = oct_object_of(a);
    return map != NULL && map == oct_object_of(b);
}

typedef void *finder(void *handle, const char *name);

/* A hook is not what is looked for. */
static void *find_in(const char *object, finder *find, const char *name)
{
    void *handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
    void *function = handle != NULL ? find(handle, name) : NULL;
    if (handle != NULL)
        dlclose(handle);
    return function != NULL && oct_same_object(function, (const void *)find_in) ? NULL : function;
}

/* In the tree of the caller, or of an object that was loaded before it: that may have brought the caller. */
static void *in_tree(const struct link_map *map, finder *find, const char *name)
{
    void *function = NULL;
    for (; map != NULL && function == NULL; map = map->l_prev)
        function = map->l_name[0] != '\0' ? find_in(map->l_name, find, name) : NULL;
    return function;
}

static const struct link_map *newest_object(void)
{
    const struct link_map *map = oct_object_of((const void *)newest_object);
    while (map != NULL && map->l_next != NULL)
        map = map->l_next;
    return map;
}

void *oct_in_scope(const struct link_map *map, const char *name, const char *file, bool *global)
{
    void *function = oct_symbol_versioned(NULL, name);
    if (function == NULL && map != NULL && oct_object_is_programs(map->l_ld)) /* it finds what the program does */
        function = oct_symbol(NULL, name);
    *global = function != NULL;
    if (function == NULL && map != NULL)
        function = in_tree(map, oct_symbol_versioned, name);
    if (function == NULL) {
        function = oct_symbol(NULL, name);
        *global = function != NULL;
    }
    if (function == NULL && map != NULL)
        function = in_tree(map, oct_symbol, name);
    if (function == NULL)
        function = find_in(file, oct_symbol, name);
    return function != NULL ? function : in_tree(newest_object(), oct_symbol, name);
}

/* A provider module is linked to the libcrypto of this name. Any other copy would run its operations on a libcrypto
 * that knows nothing of the fibres of this libssl. */
bool oct_crypto_is_served(const void *function)
{
    const void *crypto = find_in(OCT_LIBCRYPTO, oct_symbol, "OSSL_PROVIDER_do_all");
    return crypto != NULL && oct_same_object(crypto, function);
}

/* The handle stays open: the functions point into the library. (OpenSSL keeps itself loaded for good anyhow.) */
static struct oct_ssl_functions *copy_make(void *function, bool global)
{
    struct oct_ssl_functions *ssl = calloc(1, sizeof *ssl);
    const struct link_map *map = oct_object_of(function);

    if (ssl == NULL)
        return NULL;
    ssl->doors = calloc(OCT_DOORS_MAX, sizeof *ssl->doors);
    if (map != NULL)
        ssl->place = oct_object_base(function);
    if (map != NULL && !global) /* HAProxy looks at what is opened, and would warn */
        ssl->handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    /* Another library may have some functions of the same names, in front of OpenSSL's. */
    if (oct_ssl_fill(ssl, ssl->handle))
        ssl->servable = oct_same_object((const void *)ssl->SSL_CTX_new, (const void *)ssl->SSL_CTX_ctrl) &&
                        oct_crypto_is_served((const void *)ssl->OSSL_PROVIDER_do_all);
    else
        ssl->servable = find_in(OCT_LIBCRYPTO, oct_symbol, "OSSL_PROVIDER_do_all") == NULL && oct_awslc_fill(ssl);
    return ssl;
}

/* Two threads may make the same copy at once; the second one finds the first's. */
static const struct oct_ssl_functions *copy_of(void *function, bool global)
{
    const void *place = oct_object_base(function);
    struct oct_ssl_functions *made = NULL, *first = __atomic_load_n(&copies, __ATOMIC_ACQUIRE);

    for (;;) {
        for (const struct oct_ssl_functions *ssl = first; ssl != NULL; ssl = ssl->next)
            if (ssl->place == place) {
                if (made != NULL)
                    free(made->doors);
                free(made);
                return ssl;
            }
        if (made == NULL)
            made = copy_make(function, global);
        if (made == NULL)
            return NULL;
        made->next = first;
        if (__atomic_compare_exchange_n(&copies, &first, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return made;
    }
}

const struct oct_ssl_functions *oct_ssl_at(void *function)
{
    const void *first = oct_symbol_versioned(NULL, "SSL_CTX_new");
    return copy_of(function, first != NULL && oct_same_object(first, function));
}

static void settle(struct caller *caller, const void *address)
{
    if (oct_object_is_programs(address) && !oct_same_object(address, (const void *)settle) &&
        oct_object_span(address, &caller->start, &caller->size))
        __atomic_store_n(&settled, caller, __ATOMIC_RELEASE);
}

static const struct oct_ssl_functions *look_up(struct caller **list, const struct link_map *map, const void *address)
{
    const int errno_before = errno;
    bool global;
    void *function = oct_in_scope(map, KNOWN_BY, LIBSSL, &global);
    const struct oct_ssl_functions *ssl = function != NULL ? copy_of(function, global) : NULL;
    struct caller *caller = map != NULL && ssl != NULL ? malloc(sizeof *caller) : NULL;

    if (caller != NULL) { /* it is remembered */
        *caller = (struct caller){.map = map, .address = map->l_addr, .dynamic = map->l_ld, .ssl = ssl};
        caller->next = __atomic_load_n(list, __ATOMIC_ACQUIRE);
        while (!__atomic_compare_exchange_n(list, &caller->next, caller, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            ;
        settle(caller, address);
    }
    errno = errno_before;
    return ssl != NULL ? ssl : &oct_ssl_nobody;
}

const struct oct_ssl_functions *oct_ssl_of(const void *address)
{
    const struct caller *known = __atomic_load_n(&settled, __ATOMIC_ACQUIRE);
    const struct oct_ssl_functions *reached = oct_ssl_reached;
    if (__builtin_expect(reached != NULL, 0)) {
        oct_ssl_reached = NULL;
        return reached;
    }
    if (known != NULL && (uintptr_t)address - known->start < known->size)
        return known->ssl;
    const struct link_map *map = oct_object_of(address);
    if (__builtin_expect(oct_ssl_inside != NULL, 0) && oct_same_object(address, (const void *)oct_ssl_of))
        return oct_ssl_inside;
    struct caller **list = &callers[((uintptr_t)map >> 5) % SLOTS];
    const struct caller *caller = map != NULL ? __atomic_load_n(list, __ATOMIC_ACQUIRE) : NULL;

    for (; caller != NULL; caller = caller->next)
        if (caller->map == map && caller->address == map->l_addr && caller->dynamic == map->l_ld)
            return caller->ssl;
    return look_up(list, map, address);
}

const struct oct_ssl_functions *oct_ssl_of_method(const SSL_METHOD *method, const void *caller)
{
    const struct oct_ssl_functions *own = oct_ssl_of(caller);
    const struct link_map *map = oct_object_of(method);
    if (map == NULL || map->l_name[0] == '\0' || own->place == oct_object_base(method))
        return own;
    const int errno_before = errno;
    void *function = find_in(map->l_name, oct_symbol, KNOWN_BY);
    if (function != NULL && oct_same_object(function, method)) {
        const struct oct_ssl_functions *copy = copy_of(function, false);
        own = copy != NULL ? copy : own;
    }
    errno = errno_before;
    return own;
}
