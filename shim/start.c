/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What happens when the library is loaded: the settings are read while the environment is there (nginx clears it in its
 * workers), and, where libssl is present, liboctuple is loaded and reads its own settings. A process without libssl
 * gets the first and nothing more, ever. Where the shim is off, it withdraws. In a program that has a process for each
 * connection nothing of Octuple remains: neither shim nor provider. Without lanes the provider may be loaded all the
 * same, for groups that OpenSSL does not have.
 */
#include "shim.h"

#include "base/settings.h"

#include "fds/fds.h"
#include "fds/wake.h"
#include "handshake/handed.h"
#include "handshake/storm.h"
#include "handshake/thread.h"
#include "keys/keys.h"
#include "libssl/awslc.h"
#include "libssl/library.h"
#include "libssl/load.h"
#include "libssl/object.h"
#include "memory/memory.h"
#include "quic/quic.h"
#include "savings/savings.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>

static bool says_something; /* the environment, of what is read here */
static bool may_be_wanted, wanted, one_each;
static pthread_once_t once = PTHREAD_ONCE_INIT, once_with_libssl = PTHREAD_ONCE_INIT;

/* A variable of ours or of OpenSSL's begins so. Where none does, as in most processes, no string and no function of
 * libc's is needed to know it: reading their pages in would cost more than all else that happens here. */
OCT_AT_START static bool environment_says_something(void)
{
    bool found = false;
    for (char *const *entry = environ; entry != NULL && *entry != NULL && !found; entry++)
        found = (*entry)[0] == 'O' && ((*entry)[1] == 'C' || (*entry)[1] == 'P');
    return found;
}

OCT_AT_START static const char *setting(enum oct_setting which)
{
    return says_something ? oct_setting(which) : NULL;
}

OCT_AT_START static void start(void)
{
    says_something = environment_says_something();
    const char *loops = setting(OCT_SETTING_LOOPS);
    const size_t length = loops != NULL ? strcspn(loops, ",") : 0; /* without the options behind it */

    oct_fd_start(length == strlen("stay") && strncmp(loops, "stay", length) == 0);
    oct_memory_start(loops);
    oct_quic_start(loops);
    oct_reach_start(loops);
    oct_awslc_start(loops);
    oct_keys_start(setting(OCT_SETTING_KEYS));
    oct_storm_start(setting(OCT_SETTING_HELLOS));
    if (oct_ssl_present()) { /* one that would lose, and does not need the provider's groups */
#define OCT_ONE_EACH(symbol, named, program)                                                                           \
    one_each |=                                                                                                        \
        dlsym(RTLD_DEFAULT, symbol) != NULL && (dlsym(RTLD_DEFAULT, named) == NULL || oct_ssl_present_younger());
#include "base/one_each.def"
#undef OCT_ONE_EACH
    }
    may_be_wanted = !one_each && getauxval(AT_SECURE) == 0;
    oct_fd_set_process();
#if !defined(__GLIBC__)
    oct_libc(); /* while nothing is going on: the linker is asked */
#endif
}

static void start_with_libssl(void)
{
    pthread_once(&once, start);
    if (!may_be_wanted || !oct_library_load())
        return;
    oct_handed_start();
    oct_wake_start();
    oct_keys_start_with_libssl();
    wanted = oct_thread_setup(oct_shim_decide_before_fork);
}

OCT_AT_START bool oct_shim_wanted(void)
{
    pthread_once(&once_with_libssl, start_with_libssl);
    return wanted;
}

/* Whether some table serves: each has this operation. No call here runs a known-answer test. */
bool oct_shim_library_start(void)
{
    if (!oct_shim_wanted())
        return false;
    oct_start();
    oct_keys_announce();
    return oct_op_is_possible(OCT_OP_X25519_DERIVE) != 0;
}

__attribute__((constructor)) static void loaded(void)
{
    oct_object_start();
    oct_shim_decide = oct_shim_decide_for;
    pthread_once(&once, start);
    const bool openssl = oct_ssl_present(), present = openssl || oct_awslc_present();
    const bool on = present || oct_crypto_present() ? oct_shim_wanted() : may_be_wanted;
    if (says_something)
        oct_load_forget_former_config();
    oct_load_start(on, setting(OCT_SETTING_GROUPS), oct_shim_library_start, oct_decoders_setup);
    if (!on || (present && !oct_shim_library_start()))
        oct_withdraw(on);
    else if (present) {
        if (openssl)
            oct_withdraw_younger();
        __atomic_store_n(&oct_watching, true, __ATOMIC_RELAXED);
    }
    (void)dlerror(); /* what was not found is no news for the program */
}
