/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The provider is loaded where the program makes its first SSL_CTX, or first uses a key: there OpenSSL reads its
 * configuration and settles which providers it has. What comes before that is the program's, and stays:
 *
 *   - Where the provider "default" does not serve, as behind FIPS or a TPM alone, ours stays out. None is activated.
 *   - Fallbacks are retained, so a program that loads providers later finds what it would without us.
 *   - Default properties are joined. What they wish for counts as much as the wish for ours, and was there first.
 *   - Where others than OpenSSL's own providers are active, and one would lose a kind of key or cipher to ours, ours
 *     goes again. Where no handshakes are made it does not come at all. Nor does it where they were loaded in another
 *     order than that of their names: loading sorts libcrypto's list, and the first one there serves.
 *   - Nothing is left in the error queue.
 */
#include "libssl/load.h"

#include "libssl/library.h"
#include "libssl/object.h"

#include "base/fork.h"
#include "base/thread_mode.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <openssl/core_dispatch.h>
#include <openssl/kdf.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define NAME       "octuple"
#define FILE_NAME  "octuple.so"
#define VARIABLE   "OPENSSL_CONF"
#define PREFERENCE "?octuple.serves=yes"

/* In front of the groups that OpenSSL takes by itself. From 3.3 on a '?' bears one that is not there. */
#define GROUPS                                                                                                         \
    "X25519MLKEM768:X25519:prime256v1:X448:secp521r1:secp384r1:"                                                       \
    "ffdhe2048:ffdhe3072:ffdhe4096:ffdhe6144:ffdhe8192"
#define FIRST_WITH_OPTIONAL_GROUPS 0x30300000ul
/* Before 3.0.10 libssl could take a group of TLS 1.3 for TLS 1.2; from 3.5 on it has such groups itself. */
#define NEEDS_GROUPS(version) ((version) >= 0x300000a0ul && (version) < 0x30500000ul)

/* clang-format off */
#define CRYPTO_FUNCTIONS(X)                                                                                            \
    X(OPENSSL_init_crypto) X(OpenSSL_version_num) X(ERR_set_mark) X(ERR_pop_to_mark)                                   \
    X(OSSL_LIB_CTX_get0_global_default) X(OSSL_PROVIDER_do_all) X(OSSL_PROVIDER_get0_name)                             \
    X(OSSL_PROVIDER_add_builtin) X(OSSL_PROVIDER_try_load) X(OSSL_PROVIDER_unload) X(EVP_set_default_properties)       \
    X(EVP_KEYMGMT_fetch) X(EVP_KEYMGMT_get0_provider) X(EVP_KEYMGMT_free)                                              \
    X(EVP_SIGNATURE_fetch) X(EVP_SIGNATURE_get0_provider) X(EVP_SIGNATURE_free)                                        \
    X(EVP_KEYEXCH_fetch) X(EVP_KEYEXCH_get0_provider) X(EVP_KEYEXCH_free)                                              \
    X(EVP_ASYM_CIPHER_fetch) X(EVP_ASYM_CIPHER_get0_provider) X(EVP_ASYM_CIPHER_free)                                  \
    X(EVP_CIPHER_fetch) X(EVP_CIPHER_get0_provider) X(EVP_CIPHER_free)                                                 \
    X(EVP_KDF_fetch) X(EVP_KDF_get0_provider) X(EVP_KDF_free)
/* clang-format on */

struct crypto {
#define FUNCTION(name) __typeof__(name) *name;
    CRYPTO_FUNCTIONS(FUNCTION)
#undef FUNCTION
    OSSL_LIB_CTX *global; /* the default library context */
    void *handle;         /* leads to them; NULL: they are the program's */
};

/* What is active before ours comes. */
struct active {
    const struct crypto *crypto;
    bool normal, foreign, ours; /* "default"; one that is not OpenSSL's; "octuple" */
    const char *last;
    bool unsorted; /* by their names */
};

static bool wanted; /* false until the shim has started, which others' constructors may come before */
static bool keep_groups;
static bool (*has_lanes)(void);
static void (*has_come)(void *handle);
static OSSL_provider_init_fn *module_init; /* NULL: the module was not looked for yet, or cannot be loaded */
static pid_t process;                      /* of this generation */
static uint64_t generation;                /* 0: liboctuple is not here, and nobody notices forks */

static bool for_keys_is_over, for_tls_is_over; /* it is decided whether it comes, or has come */
static const char *groups;                     /* to be named; NULL: none */

static pthread_once_t once_for_keys = PTHREAD_ONCE_INIT, once_for_tls = PTHREAD_ONCE_INIT;
static __thread const struct crypto *asking; /* in the midst of one of these */

static char *properties; /* the default ones, as the core has told them; NULL: not yet */

/* Beside the shim, where a build and a bundle have it, in the folder of modules there, or where it was installed. A
 * shim that was preloaded by a relative name may have been anywhere. */
static void find_module(char module[PATH_MAX])
{
    static const char *const places[] = {"%s/" FILE_NAME, "%s/ossl-modules/" FILE_NAME,
                                         OCT_INSTALL_MODULES "/" FILE_NAME};
    char here[PATH_MAX] = "";
    Dl_info self;
    if (dladdr((const void *)find_module, &self) == 0 || self.dli_fname[0] != '/' ||
        realpath(self.dli_fname, here) == NULL)
        return;
    *strrchr(here, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (snprintf(module, PATH_MAX, places[i], here) < PATH_MAX && access(module, R_OK) == 0)
            return;
    module[0] = '\0';
}

/* It stays loaded. False if it cannot be. */
static bool have_module(void)
{
    char module[PATH_MAX] = "";
    OSSL_provider_init_fn *init = __atomic_load_n(&module_init, __ATOMIC_ACQUIRE);
    if (init != NULL || oct_library_is_confined())
        return init != NULL;
    find_module(module);
    void *loaded = module[0] != '\0' ? dlopen(module, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (loaded != NULL)
        *(void **)&init = dlsym(loaded, "OSSL_provider_init");
    (void)dlerror();
    __atomic_store_n(&module_init, init, __ATOMIC_RELEASE);
    return init != NULL;
}

/* The release before has named a configuration of its own. Where that is gone, or out of reach in a jail, OpenSSL would
 * read none at all, and say nothing: so it is the earlier one again. This goes with the next release. */
OCT_AT_START void oct_load_forget_former_config(void)
{
    char *instead;
    const char *name = getenv(VARIABLE), *before = getenv(VARIABLE "_BEFORE_OCTUPLE");
    const char *file = name != NULL ? strrchr(name, '/') : NULL;
    char **entry = environ;
    if (file == NULL || strstr(name, "/octuple") == NULL || strncmp(file, "/openssl", strlen("/openssl")) != 0 ||
        access(name, R_OK) == 0 || asprintf(&instead, VARIABLE "=%s", before != NULL ? before : "") < 0)
        return;
    while (strncmp(*entry, instead, sizeof VARIABLE) != 0)
        entry++;
    if (instead[sizeof VARIABLE] != '\0')
        *entry = instead;
    else
        for (; *entry != NULL; entry++)
            *entry = entry[1];
}

/* A child after vfork() has its parent's memory. */
OCT_AT_START static bool is_own_memory(void)
{
    if (process == 0 || generation != oct_fork_generation()) {
        generation = oct_fork_generation();
        process = getpid();
    }
    return process == getpid();
}

OCT_AT_START void oct_load_start(bool is_wanted, const char *said, bool (*lanes)(void), void (*come)(void *handle))
{
    has_lanes = lanes;
    has_come = come;
    wanted = is_wanted;
    (void)is_own_memory();
    keep_groups = said != NULL && strcmp(said, "keep") == 0;
    for_keys_is_over = !wanted;
}

static bool crypto_fill(struct crypto *crypto, void *handle)
{
    bool complete = true;
#define FIND(name)                                                                                                     \
    *(void **)&crypto->name = oct_symbol(handle, #name);                                                               \
    complete = complete && crypto->name != NULL;
    CRYPTO_FUNCTIONS(FIND)
#undef FIND
    crypto->global = complete ? crypto->OSSL_LIB_CTX_get0_global_default() : NULL;
    crypto->handle = handle;
    return complete;
}

static int see_provider(OSSL_PROVIDER *provider, void *arg)
{
    static const char *const own[] = {"legacy", "base", "null"};
    struct active *active = arg;
    const char *name = active->crypto->OSSL_PROVIDER_get0_name(provider);
    bool known = strcmp(name, "default") == 0 || strcmp(name, NAME) == 0;
    active->normal |= strcmp(name, "default") == 0;
    active->ours |= strcmp(name, NAME) == 0;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        known |= strcmp(name, own[i]) == 0;
    active->foreign |= !known;
    active->unsorted |= active->last != NULL && strcmp(active->last, name) > 0;
    active->last = name;
    return 1;
}

/* The core tells a provider that asks what the default properties are, and nobody else. So one asks, and then does not
 * start. */
static int see_properties(const char *now, void *arg)
{
    (void)arg;
    free(properties);
    properties = strdup(now);
    return properties != NULL;
}

static int see_nothing(const OSSL_CORE_HANDLE *provider, void *arg)
{
    (void)provider, (void)arg;
    return 1;
}

static int ask(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out, void **provctx)
{
    OSSL_FUNC_provider_register_child_cb_fn *enroll = NULL;
    OSSL_FUNC_provider_deregister_child_cb_fn *leave = NULL;
    (void)out, (void)provctx;
    for (; in->function_id != 0; in++)
        if (in->function_id == OSSL_FUNC_PROVIDER_REGISTER_CHILD_CB)
            enroll = OSSL_FUNC_provider_register_child_cb(in);
        else if (in->function_id == OSSL_FUNC_PROVIDER_DEREGISTER_CHILD_CB)
            leave = OSSL_FUNC_provider_deregister_child_cb(in);
    if (enroll != NULL && leave != NULL && enroll(handle, see_nothing, see_nothing, see_properties, NULL))
        leave(handle);
    return 0;
}

/* Whose a kind of key or cipher is, if it is asked for in this way: 0 nobody's, 1 OpenSSL's own, 2 ours, 3 another's.
 */
static int owner(const struct crypto *crypto, const OSSL_PROVIDER *provider)
{
    struct active one = {.crypto = crypto};
    if (provider == NULL)
        return 0;
    (void)see_provider((OSSL_PROVIDER *)provider, &one);
    return one.foreign ? 3 : one.ours ? 2 : 1;
}

/* clang-format off */
#define KINDS(X)                                                                                                       \
    X(KEYMGMT, "RSA") X(KEYMGMT, "RSA-PSS") X(KEYMGMT, "EC") X(KEYMGMT, "X25519") X(KEYMGMT, "ED25519")                \
    X(KEYMGMT, "ML-DSA-44") X(KEYMGMT, "ML-DSA-65") X(KEYMGMT, "SM2")                                                  \
    X(SIGNATURE, "RSA") X(SIGNATURE, "ECDSA") X(SIGNATURE, "ED25519") X(SIGNATURE, "ML-DSA-65") X(SIGNATURE, "SM2")    \
    X(KEYEXCH, "ECDH") X(KEYEXCH, "X25519") X(ASYM_CIPHER, "RSA")                                                      \
    X(CIPHER, "AES-128-GCM") X(CIPHER, "AES-256-GCM") X(CIPHER, "ChaCha20-Poly1305") X(CIPHER, "SM4-GCM")              \
    X(KDF, "HKDF") X(KDF, "TLS13-KDF")
/* clang-format on */
enum {
#define COUNT(kind, name) +1
    KINDS_COUNT = 0 KINDS(COUNT)
#undef COUNT
};

static void see_owners(const struct crypto *crypto, const char *query, int owners[KINDS_COUNT])
{
    int i = 0;
#define SEE(kind, name)                                                                                                \
    {                                                                                                                  \
        EVP_##kind *found = crypto->EVP_##kind##_fetch(crypto->global, name, query);                                   \
        owners[i++] = found != NULL ? owner(crypto, crypto->EVP_##kind##_get0_provider(found)) : 0;                    \
        crypto->EVP_##kind##_free(found);                                                                              \
    }
    KINDS(SEE)
#undef SEE
}

static bool takes_away(const struct crypto *crypto, const int before[KINDS_COUNT])
{
    int now[KINDS_COUNT];
    see_owners(crypto, PREFERENCE, now);
    for (int i = 0; i < KINDS_COUNT; i++)
        if (before[i] == 3 && now[i] != 3)
            return true;
    return false;
}

/* The C library only knows whether there ever was a second thread. A folder has a link from each folder in it. */
static bool is_only_thread(void)
{
    struct stat tasks;
    return oct_thread_is_only_one() ||
           (!oct_library_is_confined() && stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3);
}

/* Who reads default properties takes no lock. Where there were none before, that finds none or ours. */
static bool prefer(const struct crypto *crypto)
{
    char *joined = NULL;
    if (properties[0] == '\0')
        return crypto->EVP_set_default_properties(crypto->global, PREFERENCE) == 1;
    if (strstr(properties, "octuple.serves") != NULL)
        return true;
    const bool done = is_only_thread() && asprintf(&joined, "%s," PREFERENCE, properties) > 0 &&
                      crypto->EVP_set_default_properties(crypto->global, joined) == 1;
    free(joined);
    return done;
}

/* Without lanes only handshakes have a use for it: for groups that OpenSSL does not have. */
static bool is_of_use(const struct crypto *crypto, bool tls)
{
    return (has_lanes() || (tls && NEEDS_GROUPS(crypto->OpenSSL_version_num()))) && have_module();
}

/* A section of the configuration that does not activate it has its switches, and names its module. */
static OSSL_PROVIDER *load(const struct crypto *crypto)
{
    if (!crypto->OSSL_PROVIDER_add_builtin(crypto->global, NAME "-asks", ask))
        return NULL;
    (void)crypto->OSSL_PROVIDER_try_load(crypto->global, NAME "-asks", 1);
    return properties != NULL && crypto->OSSL_PROVIDER_add_builtin(crypto->global, NAME, module_init)
               ? crypto->OSSL_PROVIDER_try_load(crypto->global, NAME, 1)
               : NULL;
}

static bool comes(const struct crypto *crypto, bool tls)
{
    struct active active = {.crypto = crypto};
    int owners[KINDS_COUNT];

    (void)crypto->OSSL_PROVIDER_do_all(crypto->global, see_provider, &active);
    if (active.ours) /* a configuration has it, as it wants it */
        return true;
    if (!active.normal || (active.foreign && (!tls || active.unsorted)) || !is_of_use(crypto, tls))
        return false;
    if (active.foreign)
        see_owners(crypto, NULL, owners);
    OSSL_PROVIDER *ours = load(crypto);
    if (ours == NULL)
        return false;
    if ((!active.foreign || !takes_away(crypto, owners)) && prefer(crypto))
        return true;
    (void)crypto->OSSL_PROVIDER_unload(ours);
    return false;
}

/* True if it is there afterwards. */
static bool bring(const struct crypto *crypto, bool tls)
{
    const bool is_there = comes(crypto, tls);
    if (is_there)
        has_come(crypto->handle);
    return is_there;
}

/* Nobody asks when it is over. */
static void pass_keys(void)
{
    __atomic_store_n(&for_keys_is_over, true, __ATOMIC_RELEASE);
}

static void attempt_for_keys(void)
{
    (void)bring(asking, false);
    pass_keys();
}

static void attempt_for_tls(void)
{
    const unsigned long version = asking->OpenSSL_version_num();
    if (bring(asking, true) && NEEDS_GROUPS(version) && !keep_groups && has_lanes())
        groups = version >= FIRST_WITH_OPTIONAL_GROUPS ? "?" GROUPS : GROUPS;
    __atomic_store_n(&for_tls_is_over, true, __ATOMIC_RELEASE);
}

/* The provider's own calls arrive at the hooks too. */
static void attempt(const struct crypto *crypto, pthread_once_t *once, void (*function)(void))
{
    const int errno_before = errno;
    asking = crypto;
    (void)crypto->ERR_set_mark();
    pthread_once(once, function);
    (void)crypto->ERR_pop_to_mark();
    asking = NULL;
    errno = errno_before;
}

bool oct_load_is_over(void)
{
    return __atomic_load_n(&for_tls_is_over, __ATOMIC_ACQUIRE);
}

bool oct_load_for_keys_is_over(void)
{
    return __atomic_load_n(&for_keys_is_over, __ATOMIC_ACQUIRE);
}

void oct_load_for_keys(void *handle)
{
    struct crypto crypto;
    if (wanted && asking == NULL && crypto_fill(&crypto, handle) &&
        crypto.OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL))
        attempt(&crypto, &once_for_keys, attempt_for_keys);
}

static bool is_default(const struct oct_ssl_functions *own, const OSSL_LIB_CTX *ctx)
{
    return (ctx != NULL ? ctx : own->OSSL_LIB_CTX_set0_default(NULL)) == own->OSSL_LIB_CTX_get0_global_default();
}

bool oct_load_for_tls(const struct oct_ssl_functions *own, const OSSL_LIB_CTX *ctx)
{
    struct crypto crypto;
    if (oct_load_is_over() || !wanted || !own->servable || own->awslc != NULL || asking != NULL ||
        !is_default(own, ctx))
        return true;
    /* As libssl does first of all, and what it then fails by: it would not fail a second time. */
    if (!own->OPENSSL_init_ssl(OPENSSL_INIT_LOAD_SSL_STRINGS, NULL))
        return false;
    if (crypto_fill(&crypto, own->handle)) {
        attempt(&crypto, &once_for_keys, pass_keys); /* another thread may be at it */
        attempt(&crypto, &once_for_tls, attempt_for_tls);
    }
    return true;
}

/* libssl asks libcrypto so, which keeps the section system_default of the configuration, for all programs. These three
 * are in no header, and the same in all versions that need groups. */
typedef int find_settings(const char *name, size_t *section);
typedef const void *get_settings(size_t section, const char **name, size_t *count);
typedef void get_setting(const void *settings, size_t i, char **command, char **value);

/* It has several names and spellings: see SSL_CONF_cmd(3). */
static bool is_groups(const char *command)
{
    return strcasecmp(command, "Groups") == 0 || strcasecmp(command, "Curves") == 0;
}

static bool settings_have_groups(const struct oct_ssl_functions *own)
{
    find_settings *find = oct_symbol(own->handle, "conf_ssl_name_find");
    get_settings *get = oct_symbol(own->handle, "conf_ssl_get");
    get_setting *get_one = oct_symbol(own->handle, "conf_ssl_get_cmd");
    const char *name = "system_default";
    size_t section, count = 0;
    bool have = false;

    if (find == NULL || get == NULL || get_one == NULL)
        return true; /* for all we know */
    const void *settings = find(name, &section) ? get(section, &name, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        char *command, *value;
        get_one(settings, i, &command, &value);
        have |= is_groups(command);
    }
    return have;
}

void oct_load_name_groups(const struct oct_ssl_functions *own, const OSSL_LIB_CTX *ctx, SSL_CTX *made)
{
    if (made == NULL || !oct_load_is_over() || groups == NULL || !own->servable || !is_default(own, ctx) ||
        settings_have_groups(own))
        return;
    (void)own->ERR_set_mark();
    (void)own->SSL_CTX_ctrl(made, SSL_CTRL_SET_GROUPS_LIST, 0, (void *)groups);
    (void)own->ERR_pop_to_mark();
}

/* The child of vfork(), which has its parent's memory: the C library does not notice such a child, and takes its thread
 * for the parent's. */
static bool is_parents_memory(void)
{
    clockid_t clock; /* made of the thread's number, as the C library has it */
    return pthread_getcpuclockid(pthread_self(), &clock) == 0 && (pid_t) ~(clock >> 3) != gettid();
}

/* A program that has brought OpenSSL before a jail or a sandbox may use it there. Among threads, or in the child of a
 * fork among some, nothing is loaded here. True: it is to be noted that the process is confined. */
static bool prepare_confinement(void)
{
    if (!wanted || oct_library_is_confined())
        return false;
    const int errno_before = errno;
    const bool alone = generation != 0 ? oct_thread_is_only_one() : is_only_thread();
    void *crypto =
        is_own_memory() && alone && !oct_load_is_over() ? dlopen(OCT_LIBCRYPTO, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (crypto != NULL && has_lanes())
        (void)have_module();
    if (crypto != NULL)
        dlclose(crypto);
    errno = errno_before;
    return !is_parents_memory();
}

static int confine(bool noted, int result)
{
    if (noted && result == 0)
        oct_library_confine();
    return result;
}

__attribute__((visibility("default"))) int chroot(const char *path)
{
    const bool noted = prepare_confinement();
    __typeof__(chroot) *real = oct_libc()->chroot;
    return confine(noted, real != NULL ? real(path) : (int)syscall(SYS_chroot, path));
}

/* A process without privileges says the first before it may say the second. */
__attribute__((visibility("default"))) int prctl(int option, ...)
{
    unsigned long given[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        given[i] = va_arg(list, unsigned long);
    va_end(list);
    const bool noted = (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP) && prepare_confinement();
    __typeof__(prctl) *real = oct_libc()->prctl;
    return confine(noted, real != NULL ? real(option, given[0], given[1], given[2], given[3])
                                       : (int)syscall(SYS_prctl, option, given[0], given[1], given[2], given[3]));
}
