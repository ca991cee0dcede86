/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which keys live elsewhere: those of a provider or engine that is neither OpenSSL's nor Octuple's. What their
 * operations take is measured. Where that is less than two switches of threads cost, they run where they are called.
 */
#include "tally.h"
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
    char name[sizeof((struct oct_key_owner_counters *)0)->name];
    bool own;                 /* OpenSSL's or Octuple's */
    bool left;                /* as it is, */
    enum oct_keys_inside why; /* because of this */
    unsigned line;            /* its own among the counters */
    struct {
        _Atomic uint64_t cost; /* nanoseconds; 0: unknown */
        _Atomic int kind;
    } call[OCT_KEY_CALLS];
};

struct oct_keys_settings oct_keys_settings;
struct oct_keys_functions oct_keys_functions;

static struct oct_key_owner owners[OWNERS_MAX];
static atomic_uint owner_count;
static unsigned lines; /* owners that are shown; guarded by the lock */
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
    oct_keys_settings.nice = (int)number_of("OCTUPLE_KEYS_NICE", OCT_POLICY_KEYS_NICE, 19);
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

static enum oct_keys_state set_up(void)
{
    Dl_info where;
    void *handle;
    bool filled;

    if (dladdr((void *)oct_ssl()->ASYNC_get_current_job, &where) == 0)
        return OCT_KEYS_STATE_NO_CALLS;
    handle = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    filled = handle != NULL && fill(handle);
    if (handle != NULL)
        dlclose(handle);
    if (!filled)
        return OCT_KEYS_STATE_NO_CALLS;
    oct_stack_setup();
    on = true;
    return oct_remote_setup() ? OCT_KEYS_STATE_SERVED : OCT_KEYS_STATE_NO_CALLS;
}

void oct_keys_announce(void)
{
    if (oct_keys_settings.threads != 0)
        oct_keys_counters_set(oct_keys_settings.threads, (uint64_t)oct_keys_settings.timeout);
}

void oct_keys_setup(bool shim_works)
{
    if (oct_keys_settings.threads == 0)
        return;
    oct_keys_counters_state(!shim_works           ? OCT_KEYS_STATE_NO_SHIM
                            : oct_shim_own_fibres ? set_up()
                                                  : OCT_KEYS_STATE_NO_FIBRES);
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
    if (owner->own)
        return;
    judge_name(owner, name);
    if (!owner->left)
        (void)oct_keys_functions.OSSL_PROVIDER_get_params(provider, asked);
    owner->own = product != NULL && is_in(product, OWN_PRODUCT);
}

/* By the engine's identifier, or by its methods' name; those of elliptic curves have none. */
static void judge_engine(struct oct_key_owner *owner, const void *engine, const void *method, int kind)
{
    const struct oct_keys_functions *f = &oct_keys_functions;
    const char *own = kind == EVP_PKEY_RSA && engine == NULL ? f->RSA_meth_get0_name(method) : "EC_KEY_METHOD";
    const char *name = engine != NULL ? f->ENGINE_get_id(engine) : own;
    owner->own = name == NULL;
    if (name != NULL)
        judge_name(owner, name);
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

static struct oct_key_owner *owner_add(const struct oct_key_owner *judged)
{
    pthread_mutex_lock(&lock);
    struct oct_key_owner *found = owner_known(judged->owner);
    const unsigned count = atomic_load(&owner_count);
    if (found == NULL && count < OWNERS_MAX) {
        found = &owners[count];
        memcpy(found, judged, sizeof *found);
        found->line = judged->own ? OCT_KEYS_OWNERS : lines++;
        atomic_store_explicit(&owner_count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static struct oct_key_owner *owner_new(const void *owner, const OSSL_PROVIDER *provider, const void *engine,
                                       const EVP_PKEY *key)
{
    struct oct_key_owner judged = {.owner = owner};
    if (provider != NULL)
        judge_provider(&judged, provider);
    else
        judge_engine(&judged, engine, owner, oct_keys_functions.EVP_PKEY_get_base_id(key));
    return owner_add(&judged);
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
    if (found == NULL || found->own)
        return NULL;
    if (!found->left)
        atomic_store_explicit(&seen, true, memory_order_relaxed);
    return found;
}

bool oct_keys_left(const struct oct_key_owner *owner, enum oct_keys_inside *why)
{
    *why = owner->why;
    return owner->left;
}

/* What is not worth a thread may as well run in a job. So one that takes to pausing later is noticed. */
enum oct_key_way oct_keys_way(const struct oct_remote *op)
{
    const uint64_t cost = atomic_load_explicit(&op->owner->call[op->kind].cost, memory_order_relaxed);
    const int kind = atomic_load_explicit(&op->owner->call[op->kind].kind, memory_order_relaxed);
    return kind == BLOCKS && cost > OCT_POLICY_KEYS_WORTH ? OCT_KEY_AWAY : OCT_KEY_JOB;
}

enum oct_keys_inside oct_keys_why_inside(const struct oct_remote *op)
{
    const int kind = atomic_load_explicit(&op->owner->call[op->kind].kind, memory_order_relaxed);
    return kind == UNKNOWN ? OCT_KEYS_INSIDE_FIRST : OCT_KEYS_INSIDE_QUICK;
}

void oct_keys_note_pause(const struct oct_remote *op)
{
    atomic_store_explicit(&op->owner->call[op->kind].kind, PAUSES, memory_order_relaxed);
}

void oct_keys_note(const struct oct_remote *op, uint64_t nanoseconds, bool in_job)
{
    _Atomic uint64_t *known = &op->owner->call[op->kind].cost;
    int unknown = UNKNOWN;
    if (in_job)
        atomic_compare_exchange_strong(&op->owner->call[op->kind].kind, &unknown, BLOCKS);
    const uint64_t cost = atomic_load_explicit(known, memory_order_relaxed);
    const uint64_t next = cost == 0 ? nanoseconds : cost - cost / 8 + nanoseconds / 8;
    atomic_store_explicit(known, next != 0 ? next : 1, memory_order_relaxed);
}

void oct_keys_show(const struct oct_key_owner *owner, enum oct_keys_way way, uint64_t nanoseconds)
{
    struct oct_key_owner_counters *line = &oct_keys_counters()->owner[owner->line];

    if (owner->line >= OCT_KEYS_OWNERS)
        return;
    if (line->name[0] == 0)
        memcpy(line->name, owner->name, sizeof line->name); /* others that do so now write the same */
    if (way != OCT_KEYS_WAY_UNKNOWN) {
        __atomic_fetch_add(&line->operations, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&line->way, way, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&line->nanoseconds, nanoseconds, __ATOMIC_RELAXED);
}
