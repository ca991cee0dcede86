/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What owners.c and keys.c share: who has keys, and what is known of the operations with them. */
#ifndef OCT_SHIM_OWNERS_H
#define OCT_SHIM_OWNERS_H

#include "keys/remote.h"

/* BLOCKS: it did not pause where it might have. */
enum { UNKNOWN, BLOCKS, PAUSES };

struct oct_key_owner {
    const void *owner; /* a provider, an engine, or a table of methods */
    char name[sizeof((struct oct_key_owner_counters *)0)->name];
    bool own;                 /* OpenSSL's or Octuple's */
    bool over_engines;        /* OpenSSL's default provider: an engine may do its work */
    bool left;                /* as it is, */
    enum oct_keys_inside why; /* because of this */
    unsigned line;            /* its own among the counters */
    struct {
        _Atomic uint64_t cost; /* nanoseconds; 0: unknown */
        _Atomic int kind;
    } call[OCT_KEY_CALLS];
};

#endif
