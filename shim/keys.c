/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which keys live elsewhere: those of a provider or engine that is neither OpenSSL's nor Octuple's. What their
 * operations take is measured. Where that is less than two switches of threads cost, they run where they are called.
 */
#include "remote.h"

#include "thread.h"

#include "base/policy.h"

#include <dlfcn.h>
#include <openssl/core_names.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define OWNERS_MAX 16

/* BLOCKS: it did not pause where it might have. */
enum { UNKNOWN, BLOCKS, PAUSES };

struct oct_key_owner {
    const void *owner; /* a provider, an engine, or a table of methods */
    bool remote;
    _Atomic uint64_t cost; /* nanoseconds; 0: unknown */
    _Atomic int kind;
};

struct oct_keys_settings oct_keys_settings;
struct oct_keys_functions oct_keys_functions;

static struct oct_key_owner owners[OWNERS_MAX];
static atomic_uint owner_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool seen;
static bool on; /* decided before the first handshake */

static unsigned long number_of(const char *name, unsigned long otherwise, unsigned long most)
{
    const char *text = getenv(name);
    char *end;
    unsigned long value = text != NULL ? strtoul(text, &end, 10) : 0;
    if (text == NULL || end == text || *end != '\0' || *text == '-')
        return otherwise;
    return value < most ? value : most;
}

void oct_keys_read_settings(void)
{
    const char *except = getenv("OCTUPLE_KEYS_EXCEPT");
    oct_keys_settings.threads = (unsigned)number_of("OCTUPLE_KEYS", 0, OCT_POLICY_KEYS_THREADS);
    oct_keys_settings.timeout = (int64_t)number_of("OCTUPLE_KEYS_TIMEOUT", OCT_POLICY_KEYS_TIMEOUT, 3600000) * 1000000;
    strncpy(oct_keys_settings.except, except != NULL ? except : "", sizeof oct_keys_settings.except - 1);
}

static bool fill(void *handle)
{
    struct oct_keys_functions *f = &oct_keys_functions;
    bool complete = true;
#define OCT_FIND(name)                                                                                                 \
    *(void **)&f->name = oct_symbol(handle, #name);                                                                    \
    complete = complete && f->name != NULL;
    OCT_KEYS_FUNCTIONS(OCT_FIND)
#undef OCT_FIND
    f->old = true;
#define OCT_FIND_OLD(name)                                                                                             \
    *(void **)&f->name = oct_symbol(handle, #name);                                                                    \
    f->old = f->old && f->name != NULL;
    OCT_KEYS_OLD_FUNCTIONS(OCT_FIND_OLD)
#undef OCT_FIND_OLD
    return complete;
}

void oct_keys_setup(void)
{
    Dl_info where;
    void *handle;

    if (oct_keys_settings.threads == 0 || dladdr((void *)oct_ssl()->ASYNC_get_current_job, &where) == 0)
        return;
    handle = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != NULL && fill(handle)) {
        oct_stack_setup();
        oct_remote_setup();
        on = true;
    }
    if (handle != NULL)
        dlclose(handle);
}

bool oct_keys_on(void)
{
    return on;
}

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
#define OWN_NAMES   "default,base,fips,legacy,octuple"
#define LEFT_ALONE  "tpm2"
#define OWN_PRODUCT "OpenSSL Default Provider,OpenSSL FIPS Provider,OpenSSL Legacy Provider,Octuple provider"

static bool provider_is_remote(const OSSL_PROVIDER *provider)
{
    const char *name = oct_keys_functions.OSSL_PROVIDER_get0_name(provider), *product = NULL;
    OSSL_PARAM asked[] = {{OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, &product, 0, OSSL_PARAM_UNMODIFIED},
                          {NULL, 0, NULL, 0, 0}};

    if (name == NULL || is_in(name, OWN_NAMES) || is_in(name, LEFT_ALONE) || is_in(name, oct_keys_settings.except))
        return false;
    (void)oct_keys_functions.OSSL_PROVIDER_get_params(provider, asked);
    return product == NULL || !is_in(product, OWN_PRODUCT);
}

/* By the engine's identifier, or by its methods' name; those of elliptic curves have none. */
static bool engine_is_remote(const void *engine, const void *method, int kind)
{
    const struct oct_keys_functions *f = &oct_keys_functions;
    const char *own = kind == EVP_PKEY_RSA && engine == NULL ? f->RSA_meth_get0_name(method) : "EC_KEY_METHOD";
    const char *name = engine != NULL ? f->ENGINE_get_id(engine) : own;
    return name != NULL && !is_in(name, LEFT_ALONE) && !is_in(name, oct_keys_settings.except);
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

static struct oct_key_owner *owner_known(const void *owner)
{
    const unsigned count = atomic_load_explicit(&owner_count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++)
        if (owners[i].owner == owner)
            return &owners[i];
    return NULL;
}

static struct oct_key_owner *owner_add(const void *owner, bool remote)
{
    pthread_mutex_lock(&lock);
    struct oct_key_owner *found = owner_known(owner);
    const unsigned count = atomic_load(&owner_count);
    if (found == NULL && count < OWNERS_MAX) {
        found = &owners[count];
        found->owner = owner;
        found->remote = remote;
        atomic_store_explicit(&owner_count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return found;
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
        found = owner_add(owner, provider != NULL ? provider_is_remote(provider)
                                                  : engine_is_remote(engine, owner, f->EVP_PKEY_get_base_id(key)));
    if (found == NULL || !found->remote)
        return NULL;
    atomic_store_explicit(&seen, true, memory_order_relaxed);
    return found;
}

/* What is not worth a thread may as well run in a job. So one that takes to pausing later is noticed. */
enum oct_key_way oct_keys_way(struct oct_key_owner *owner)
{
    const uint64_t cost = atomic_load_explicit(&owner->cost, memory_order_relaxed);
    const int kind = atomic_load_explicit(&owner->kind, memory_order_relaxed);
    return kind == BLOCKS && cost > OCT_POLICY_KEYS_WORTH ? OCT_KEY_AWAY : OCT_KEY_JOB;
}

void oct_keys_note_pause(struct oct_key_owner *owner)
{
    atomic_store_explicit(&owner->kind, PAUSES, memory_order_relaxed);
}

void oct_keys_note(struct oct_key_owner *owner, uint64_t nanoseconds, bool in_job)
{
    int unknown = UNKNOWN;
    if (in_job)
        atomic_compare_exchange_strong(&owner->kind, &unknown, BLOCKS);
    const uint64_t cost = atomic_load_explicit(&owner->cost, memory_order_relaxed);
    const uint64_t next = cost == 0 ? nanoseconds : cost - cost / 8 + nanoseconds / 8;
    atomic_store_explicit(&owner->cost, next != 0 ? next : 1, memory_order_relaxed);
}
