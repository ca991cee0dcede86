/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The hooks where a program that makes no handshakes begins to use a key: it makes one, or signs. The provider is
 * loaded before the first, and from then on each is a jump. Those who call libcrypto are many, libcrypto itself, libssl
 * and providers among them, and each gets the function of its own libcrypto. Functions that libcrypto calls as the last
 * thing that it does are no hooks: nobody could tell whose call it is.
 */
#include "libssl/hook.h"
#include "libssl/load.h"
#include "libssl/object.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#define KNOWN_BY "EVP_PKEY_CTX_new"

#define FUNCTIONS(X) OCT_KEY_HOOKS(X) X(OSSL_LIB_CTX_set0_default) X(OSSL_LIB_CTX_get0_global_default)

/* An object that calls libcrypto, and the functions for it. Another may be loaded at the place of its link_map when it
 * has gone. Nothing is ever freed: entries are few, and readers hold none. */
struct caller {
    struct caller *next;
    const struct link_map *map;
    ElfW(Addr) address;
    const ElfW(Dyn) *dynamic;
    void *handle;
    const void *known; /* in its libcrypto */
    bool served;
#define FUNCTION(name) __typeof__(name) *name;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
};

static struct caller *callers;
static const struct caller *program; /* all call one libcrypto: the program was started with it */

static long fails(void)
{
    return 0;
}

static struct caller *make(const struct link_map *map)
{
    bool global = false;
    const void *known = oct_in_scope(map, KNOWN_BY, OCT_LIBCRYPTO, &global);
    struct caller *caller = calloc(1, sizeof *caller);
    if (caller == NULL)
        return NULL;
    const struct link_map *library = oct_object_of(known);
    caller->map = map;
    caller->address = map != NULL ? map->l_addr : 0;
    caller->dynamic = map != NULL ? map->l_ld : NULL;
    caller->known = known;
    caller->served = known != NULL && oct_crypto_is_served(known);
    if (!global && library != NULL)
        caller->handle = dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD);
#define FIND(name)                                                                                                     \
    *(void **)&caller->name = known != NULL ? oct_symbol(caller->handle, #name) : NULL;                                \
    caller->served = caller->served && caller->name != NULL;                                                           \
    if (caller->name == NULL)                                                                                          \
        *(void **)&caller->name = (void *)fails;
    FUNCTIONS(FIND)
#undef FIND
    return caller;
}

static const struct caller *look_up(const struct link_map *map)
{
    static struct caller nobody = {
#define FAILS(name) .name = (void *)fails,
        FUNCTIONS(FAILS)
#undef FAILS
    };
    const int errno_before = errno;
    struct caller *caller = make(map);
    errno = errno_before;
    if (caller == NULL)
        return &nobody;
    if (oct_symbol_versioned(NULL, KNOWN_BY) != NULL)
        __atomic_store_n(&program, caller, __ATOMIC_RELEASE);
    caller->next = __atomic_load_n(&callers, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&callers, &caller->next, caller, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    return caller;
}

static const struct caller *caller_of(const void *address)
{
    const struct caller *caller = __atomic_load_n(&program, __ATOMIC_ACQUIRE);
    if (__builtin_expect(caller != NULL, 1))
        return caller;
    const struct link_map *map = oct_object_of(address);
    for (caller = __atomic_load_n(&callers, __ATOMIC_ACQUIRE); caller != NULL; caller = caller->next)
        if (caller->map == map && (map == NULL || (caller->address == map->l_addr && caller->dynamic == map->l_ld)))
            return caller;
    return look_up(map);
}

/* libcrypto itself may be in the midst of something. */
static const struct caller *begin(const void *address, const OSSL_LIB_CTX *ctx)
{
    const struct caller *caller = caller_of(address);
    if (__builtin_expect(!oct_load_for_keys_is_over(), 0) && caller->served &&
        !oct_same_object(address, caller->known) &&
        (ctx != NULL ? ctx : caller->OSSL_LIB_CTX_set0_default(NULL)) == caller->OSSL_LIB_CTX_get0_global_default())
        oct_load_for_keys(caller->handle);
    return caller;
}
#define OWN(ctx) begin(__builtin_return_address(0), ctx)

OCT_HOOK EVP_PKEY_CTX *EVP_PKEY_CTX_new(EVP_PKEY *key, ENGINE *engine)
{
    return OWN(NULL)->EVP_PKEY_CTX_new(key, engine);
}

OCT_HOOK EVP_PKEY_CTX *EVP_PKEY_CTX_new_id(int id, ENGINE *engine)
{
    return OWN(NULL)->EVP_PKEY_CTX_new_id(id, engine);
}

OCT_HOOK EVP_PKEY_CTX *EVP_PKEY_CTX_new_from_name(OSSL_LIB_CTX *ctx, const char *name, const char *query)
{
    return OWN(ctx)->EVP_PKEY_CTX_new_from_name(ctx, name, query);
}

OCT_HOOK EVP_PKEY_CTX *EVP_PKEY_CTX_new_from_pkey(OSSL_LIB_CTX *ctx, EVP_PKEY *key, const char *query)
{
    return OWN(ctx)->EVP_PKEY_CTX_new_from_pkey(ctx, key, query);
}

OCT_HOOK int EVP_DigestSignInit(EVP_MD_CTX *sign, EVP_PKEY_CTX **key_ctx, const EVP_MD *md, ENGINE *engine,
                                EVP_PKEY *key)
{
    return OWN(NULL)->EVP_DigestSignInit(sign, key_ctx, md, engine, key);
}

OCT_HOOK int EVP_DigestSignInit_ex(EVP_MD_CTX *sign, EVP_PKEY_CTX **key_ctx, const char *md, OSSL_LIB_CTX *ctx,
                                   const char *query, EVP_PKEY *key, const OSSL_PARAM params[])
{
    return OWN(ctx)->EVP_DigestSignInit_ex(sign, key_ctx, md, ctx, query, key, params);
}

OCT_HOOK int EVP_SignFinal(EVP_MD_CTX *sign, unsigned char *signature, unsigned int *size, EVP_PKEY *key)
{
    return OWN(NULL)->EVP_SignFinal(sign, signature, size, key);
}
