/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whether the shim is at work in this process: decided once, at the first hooked call with an SSL object of a libssl
 * that can be served (OpenSSL has read its configuration by then). A fork inherits the decision.
 */
#include "shim.h"

#include "libssl/load.h"
#include "keys/keys.h"
#include "method/method.h"
#include "handshake/known.h"
#include "handshake/slice.h"
#include "handshake/storm.h"
#include "handshake/thread.h"
#include "quic/quic.h"
#include "savings/savings.h"

#include "base/thread_mode.h"

#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>

/* OSSL_PROVIDER_available() would sort libcrypto's list of providers, and the first one there serves. */
static int see_ours(OSSL_PROVIDER *provider, void *found)
{
    *(bool *)found |= strcmp(oct_ssl()->OSSL_PROVIDER_get0_name(provider), "octuple") == 0;
    return 1;
}

static bool is_ours_there(void)
{
    bool found = false;
    return oct_ssl()->OSSL_PROVIDER_do_all(NULL, see_ours, &found) && found;
}

static void decide(void)
{
    const bool method = oct_ssl()->awslc != NULL;
    bool on = oct_shim_wanted() && oct_shim_library_start() &&
              (method ? oct_method_setup() : is_ours_there() && oct_slice_possible());
    int op = 0;

    while (on && op < OCT_OP_COUNT && !oct_op_is_possible(op))
        op++;
    on = on && op < OCT_OP_COUNT && oct_known_setup(); /* some operation may be served */
    if (method)
        oct_storm_start("off");
    else
        oct_keys_setup(on);
    if (on && method)
        oct_method_lead_pairs();
    if (on && !method) {
        oct_savings_setup();
        oct_quic_decide();
        if (oct_quic_way != OCT_QUIC_STAYS)
            oct_quic_savings_setup();
    }
    __atomic_store_n(&oct_watching, on, __ATOMIC_RELAXED);
    __atomic_store_n(&oct_shim_mode_now, on ? OCT_SHIM_ON : OCT_SHIM_OFF, __ATOMIC_RELEASE);
}

/* Servers that fork a process for each connection decide here, once for all of them: it takes a fifth of a millisecond
 * to find libssl's functions. It is too early where OpenSSL has not read its configuration. Old versions of glibc hold
 * a lock that helpers would need. */
void oct_shim_decide_before_fork(void)
{
    if (__atomic_load_n(&oct_shim_mode_now, __ATOMIC_ACQUIRE) == OCT_SHIM_UNKNOWN && oct_shim_watching() &&
        oct_provider_was_loaded() && !oct_keys_wanted())
        (void)oct_shim_serves(oct_ssl_of((const void *)getauxval(AT_ENTRY)));
}

/* There is one libssl whose libcrypto the provider is bound to. Beside AWS-LC there may be one; the first is served.
 * An object of another library context may come first, where nothing is served: then nothing is decided yet. */
bool oct_shim_decide_for(const struct oct_ssl_functions *ssl)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct oct_ssl_functions *none = NULL;
    if (!ssl->servable || (ssl->awslc == NULL && !oct_load_is_over()))
        return false;
    if (!__atomic_compare_exchange_n(&oct_ssl_served, &none, ssl, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) &&
        none != ssl)
        return false;
    pthread_once(&once, decide);
    return __atomic_load_n(&oct_shim_mode_now, __ATOMIC_ACQUIRE) == OCT_SHIM_ON;
}
