/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Objects that a handshake makes and frees again and again: a few are kept for the next one. Whoever keeps one has
 * cleansed it. Any thread takes what any other has put there; nothing is locked, so a fork leaves nothing locked.
 *
 * They lie where a program's collector looks that has OpenSSL's memory too: it does not see what only variables of
 * threads refer to.
 */
#ifndef OCT_PROVIDER_SPARES_H
#define OCT_PROVIDER_SPARES_H

#include <stdatomic.h>
#include <stdbool.h>

#define OCT_SPARES 16

struct oct_spares {
    _Atomic(void *) of[OCT_SPARES];
};

/* NULL: there is none. */
void *oct_spares_take(struct oct_spares *spares);
/* False: enough are kept, and the caller frees it. */
bool oct_spares_put(struct oct_spares *spares, void *object);

#endif
