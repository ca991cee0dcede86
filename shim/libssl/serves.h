/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Whether the shim is at work in this process, and for which copy of libssl. */
#ifndef OCT_SHIM_SERVES_H
#define OCT_SHIM_SERVES_H

#include "libssl/resolve.h"

/* It is decided at the first call to a libssl that can be served. */
enum oct_shim_mode { OCT_SHIM_UNKNOWN = 0, OCT_SHIM_OFF = 1, OCT_SHIM_ON = 2 };
extern int oct_shim_mode_now;
/* Decides; NULL: it is too early (start.c). */
extern bool (*oct_shim_decide)(const struct oct_ssl_functions *ssl);
/* True where the shim is at work for this copy of libssl. What every hook of libssl asks. */
static inline bool oct_shim_serves(const struct oct_ssl_functions *ssl)
{
    int mode = __atomic_load_n(&oct_shim_mode_now, __ATOMIC_ACQUIRE);
    if (__builtin_expect(mode == OCT_SHIM_UNKNOWN, 0))
        return oct_shim_decide != NULL && oct_shim_decide(ssl);
    return mode == OCT_SHIM_ON && ssl == oct_ssl();
}

/* True while file descriptors are to be remembered: libssl is here and the shim is not off. The first thing that the
 * other hooks ask: a process without libssl pays this load and nothing else. */
extern bool oct_watching;
static inline bool oct_shim_watching(void)
{
    return __builtin_expect(__atomic_load_n(&oct_watching, __ATOMIC_RELAXED), 0);
}

#endif
