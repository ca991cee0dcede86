/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What happens when the library is loaded: the settings are read while the environment is there (nginx clears it in its
 * workers), the hooks of the C library are looked up while nothing is going on, and, where libssl is present,
 * liboctuple reads its own settings. A process without libssl gets the first two and nothing more, ever. Where the shim
 * is off, it withdraws.
 */
#include "start.h"

#include "base/settings.h"

#include "libssl/config.h"
#include "events/fds.h"
#include "libssl/object.h"
#include "keys/keys.h"
#include "handshake/thread.h"
#include "events/handover.h"
#include "handshake/handed.h"
#include "memory/memory.h"

#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>

bool oct_watching;

static bool wanted, loops_stay;
static const char *quic_said = "";
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is(const char *setting, const char *value)
{
    return setting != NULL && strcmp(setting, value) == 0;
}

/* Without the options behind it. */
static bool is_before_options(const char *setting, const char *value)
{
    const size_t n = setting != NULL ? strcspn(setting, ",") : 0;
    return n == strlen(value) && strncmp(setting, value, n) == 0;
}

static void start_loops(const char *loops)
{
    static const char *const ways[] = {"off", "wait", "socket"};
    size_t n;
    const char *quic = oct_setting_option(loops, "quic", &n);

    loops_stay = is_before_options(loops, "stay");
    for (size_t i = 0; quic != NULL && i < sizeof ways / sizeof ways[0]; i++)
        if (n == strlen(ways[i]) && strncmp(quic, ways[i], n) == 0)
            quic_said = ways[i];
}

static void start(void)
{
    const char *loops = oct_setting(OCT_SETTING_LOOPS);
    start_loops(loops);
    oct_memory_start(loops);
    oct_handed_start();
    oct_handover_start();
    oct_keys_start();
    wanted = getauxval(AT_SECURE) == 0 && !is(oct_setting_former(OCT_SETTING_FORMER_SHIM), "off") &&
             oct_version_fits(OCT_VERSION_TEXT, "shim") && oct_thread_setup();
    oct_fd_set_process();
    oct_libc();
}

bool oct_shim_wanted(void)
{
    pthread_once(&once, start);
    return wanted;
}

bool oct_shim_loops_stay(void)
{
    pthread_once(&once, start);
    return loops_stay;
}

const char *oct_shim_quic_said(void)
{
    pthread_once(&once, start);
    return quic_said;
}

/* Neither of the two calls runs a known-answer test. */
bool oct_shim_library_start(void)
{
    struct oct_cpu_info cpu;

    oct_start();
    oct_keys_announce();
    oct_cpu_info_get(&cpu);
    return strcmp(cpu.table, "none") != 0;
}

__attribute__((constructor)) static void loaded(void)
{
    const bool present = oct_ssl_present();
    oct_object_start();
    oct_config_start();
    if (!oct_shim_wanted() || (present && !oct_shim_library_start()))
        oct_withdraw();
    else if (present) {
        if (!oct_ssl_present_younger())
            oct_withdraw_younger();
        __atomic_store_n(&oct_watching, true, __ATOMIC_RELAXED);
    }
}
