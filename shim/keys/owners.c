/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which keys live elsewhere: those of a provider or engine that is neither OpenSSL's nor Octuple's. OpenSSL's default
 * provider may itself work by an engine, where one is the default for RSA or for elliptic curves.
 */
#include "keys/owners.h"

#include "libssl/object.h"

#include <dlfcn.h>
#include <openssl/core_names.h>
#include <pthread.h>
#include <string.h>

#define OWNERS_MAX 16

OCT_LATE struct oct_key_owner oct_key_owners[OWNERS_MAX];
static atomic_uint owner_count;
static unsigned lines; /* owners that are shown; guarded by the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool seen;

bool oct_keys_seen(void)
{
    return atomic_load_explicit(&seen, memory_order_relaxed);
}

static bool is_in(const char *name, const char *list)
{
    const size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
        if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

/* Those of OpenSSL and of Octuple, by what they say of themselves: a configuration may call them anything. Those of
 * which it is not known that other threads may call them: one context of the TPM's library serves a whole provider. */
#define OWN_NAMES    "default,base,fips,legacy,octuple"
#define LEFT_ALONE   "tpm2"
#define OWN_PRODUCT  "OpenSSL Default Provider,OpenSSL FIPS Provider,OpenSSL Legacy Provider,Octuple provider"
#define OVER_ENGINES "default,OpenSSL Default Provider"

static void judge_name(struct oct_key_owner *owner, const char *name)
{
    owner->left = is_in(name, LEFT_ALONE) || is_in(name, oct_keys_settings.except);
    owner->why = is_in(name, LEFT_ALONE) ? OCT_KEYS_INSIDE_ALONE : OCT_KEYS_INSIDE_EXCEPTED;
    strncpy(owner->name, name, sizeof owner->name - 1);
}

static void judge_provider(struct oct_key_owner *owner, const OSSL_PROVIDER *provider)
{
    const char *name = oct_keys_functions.OSSL_PROVIDER_get0_name(provider), *product = NULL;
    OSSL_PARAM asked[] = {{OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, &product, 0, OSSL_PARAM_UNMODIFIED},
                          {NULL, 0, NULL, 0, 0}};

    owner->own = name == NULL || is_in(name, OWN_NAMES);
    owner->over_engines = name != NULL && is_in(name, OVER_ENGINES);
    if (owner->own)
        return;
    judge_name(owner, name);
    if (!owner->left)
        (void)oct_keys_functions.OSSL_PROVIDER_get_params(provider, asked);
    owner->own = product != NULL && is_in(product, OWN_PRODUCT);
    owner->over_engines = product != NULL && is_in(product, OVER_ENGINES);
}

/* Whatever has a method of its own without an engine is code that knows the program's threads; so is what the program
 * was started with. */
static bool is_programs(const void *engine, const void *function)
{
    Dl_info where;

    if (function == NULL || oct_same_object(function, (const void *)oct_keys_functions.RSA_PKCS1_OpenSSL))
        return false;
    if (oct_object_is_programs(function))
        return true;
    if (engine != NULL)
        return false;
    void *handle = dladdr(function, &where) != 0 ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    /* An engine's module: OpenSSL has loaded it, for programs with threads too. */
    const bool module = handle != NULL && dlsym(handle, "bind_engine") != NULL;
    if (handle != NULL)
        dlclose(handle);
    return !module;
}

/* A program with one thread may have methods that bear only one, and one whose code holds locks may need its own
 * thread for them. */
static bool has_programs_methods(const void *engine, const void *method, int kind)
{
    const struct oct_keys_functions *f = &oct_keys_functions;
    const void *all[4] = {NULL};

    if (kind == EVP_PKEY_EC) {
        f->EC_KEY_METHOD_get_sign(method, &all[0], &all[1], &all[2]);
        f->EC_KEY_METHOD_get_compute_key(method, &all[3]);
    } else {
        all[0] = f->RSA_meth_get_priv_enc(method);
        all[1] = f->RSA_meth_get_priv_dec(method);
        all[2] = f->RSA_meth_get_sign(method);
        all[3] = f->RSA_meth_get_mod_exp(method);
    }
    return is_programs(engine, all[0]) || is_programs(engine, all[1]) || is_programs(engine, all[2]) ||
           is_programs(engine, all[3]);
}

/* A key that no provider knows: of an engine, or with methods of somebody's own. Only a legacy key has these, so that
 * asking for them makes no copy. */
static const void *method_of(const EVP_PKEY *key)
{
    const struct oct_keys_functions *f = &oct_keys_functions;
    const int kind = f->EVP_PKEY_get_base_id(key);
    const void *method = NULL, *inner;

    if (kind == EVP_PKEY_RSA && (inner = f->EVP_PKEY_get0_RSA(key)) != NULL)
        method = f->RSA_get_method(inner);
    if (kind == EVP_PKEY_EC && (inner = f->EVP_PKEY_get0_EC_KEY(key)) != NULL)
        method = f->EC_KEY_get_method(inner);
    return method == f->RSA_PKCS1_OpenSSL() || method == f->EC_KEY_OpenSSL() ? NULL : method;
}

/* By the engine's identifier, or by its methods' name; those of elliptic curves have none. */
static void judge_engine(struct oct_key_owner *owner, const void *engine, const EVP_PKEY *key)
{
    const struct oct_keys_functions *f = &oct_keys_functions;
    const int kind = f->EVP_PKEY_get_base_id(key);
    /* The key's own, or those that its engine has for all. */
    const void *method = f->EVP_PKEY_get0_engine(key) == engine ? method_of(key) : NULL;
    if (method == NULL && engine != NULL)
        method = kind == EVP_PKEY_EC ? f->ENGINE_get_EC(engine) : f->ENGINE_get_RSA(engine);
    const char *own = kind == EVP_PKEY_RSA && engine == NULL ? f->RSA_meth_get0_name(method) : "EC_KEY_METHOD";
    const char *name = engine != NULL ? f->ENGINE_get_id(engine) : own;
    owner->own = name == NULL;
    if (name == NULL)
        return;
    judge_name(owner, name);
    if (!owner->left && method != NULL && has_programs_methods(engine, method, kind)) {
        owner->left = true;
        owner->why = OCT_KEYS_INSIDE_ALONE;
    }
}

static struct oct_key_owner *owner_known(const void *owner)
{
    const unsigned count = atomic_load_explicit(&owner_count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++)
        if (oct_key_owners[i].owner == owner)
            return &oct_key_owners[i];
    return NULL;
}

static struct oct_key_owner *owner_new(const void *owner, const OSSL_PROVIDER *provider, const void *engine,
                                       const EVP_PKEY *key)
{
    struct oct_key_owner judged = {.owner = owner};
    if (provider != NULL)
        judge_provider(&judged, provider);
    else
        judge_engine(&judged, engine, key);
    pthread_mutex_lock(&lock);
    struct oct_key_owner *found = owner_known(owner); /* another thread may have been faster */
    const unsigned count = atomic_load(&owner_count);
    if (found == NULL && count < OWNERS_MAX) {
        found = &oct_key_owners[count];
        memcpy(found, &judged, sizeof *found);
        found->line = judged.own ? OCT_KEYS_OWNERS : lines++;
        atomic_store_explicit(&owner_count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* The engine that does the work of OpenSSL's own keys of this kind, by methods of its own. */
static const void *engine_beneath(int kind)
{
    const struct oct_keys_functions *f = &oct_keys_functions;
    const bool rsa = kind != EVP_PKEY_EC;
    void *engine = rsa ? f->ENGINE_get_default_RSA() : f->ENGINE_get_default_EC();
    const void *methods, *own = rsa ? f->RSA_PKCS1_OpenSSL() : f->EC_KEY_OpenSSL();

    if (engine == NULL)
        return NULL;
    methods = rsa ? f->ENGINE_get_RSA(engine) : f->ENGINE_get_EC(engine);
    (void)f->ENGINE_finish(engine); /* the keys have it too */
    return methods != NULL && methods != own ? engine : NULL;
}

/* Looked for once: engines become the default where programs start. */
static struct oct_key_owner *owner_beneath(const EVP_PKEY *key)
{
    static const int kinds[] = {EVP_PKEY_RSA, EVP_PKEY_RSA_PSS, EVP_PKEY_EC};
    static struct oct_key_owner nobody;
    static _Atomic(struct oct_key_owner *) known[sizeof kinds / sizeof kinds[0]];
    const int kind = oct_keys_functions.EVP_PKEY_get_base_id(key);
    unsigned i = 0;

    while (i < sizeof kinds / sizeof kinds[0] && kinds[i] != kind)
        i++;
    if (i == sizeof kinds / sizeof kinds[0] || !oct_keys_functions.old)
        return NULL;
    struct oct_key_owner *found = atomic_load_explicit(&known[i], memory_order_acquire);
    if (found == NULL) {
        const void *engine = engine_beneath(kind);
        found = engine != NULL ? owner_known(engine) : &nobody;
        found = found != NULL ? found : owner_new(engine, NULL, engine, key);
        atomic_store_explicit(&known[i], found, memory_order_release);
    }
    return found != &nobody ? found : NULL;
}

struct oct_key_owner *oct_keys_owner(EVP_PKEY_CTX *context)
{
    const struct oct_keys_functions *f = &oct_keys_functions;
    const EVP_PKEY *key = context != NULL ? f->EVP_PKEY_CTX_get0_pkey(context) : NULL;
    const OSSL_PROVIDER *provider = key != NULL ? f->EVP_PKEY_CTX_get0_provider(context) : NULL;
    const void *engine = NULL, *owner = provider;

    if (key == NULL)
        return NULL;
    if (provider == NULL && f->old) {
        engine = f->EVP_PKEY_get0_engine(key);
        owner = engine != NULL ? engine : method_of(key);
    }
    struct oct_key_owner *found = owner != NULL ? owner_known(owner) : NULL;
    if (owner != NULL && found == NULL)
        found = owner_new(owner, provider, engine, key);
    if (found != NULL && found->over_engines)
        found = owner_beneath(key);
    if (found == NULL || found->own)
        return NULL;
    if (!found->left)
        atomic_store_explicit(&seen, true, memory_order_relaxed);
    return found;
}
