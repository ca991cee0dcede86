/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whether a hello that has waited so long is worth a handshake: by what became of others that had waited as long.
 *
 * Waits are in classes, four to each power of two. A class knows how many handshakes of its own have ended lately, and
 * how many of these well; both fade. A hello is refused if, in its class or one below, fewer than three quarters of
 * handshakes end well, compared with those that are younger still. So:
 *
 * - Where each client stays, no class is worse than another, and none is ever refused, however long it waits.
 * - Clients that leave on purpose leave at each age alike. They lower all classes, and none against the others. While
 *   no younger class is known, up to a third of all may leave so.
 * - Let all have the same patience P, and a handshake take D behind its hello. A class above P - D ends badly and is
 *   refused after some; its queue then shrinks by what is refused, which costs next to nothing, until the oldest hello
 *   is of a class below, which ends well and is served. Nothing lowers a class that ends well: the wait stays there,
 *   and each handshake that is computed is for a client that waits for it. The age has no part in how many are
 *   served.
 * - One in some is served all the same, so that a class that is refused is known to have become better.
 *
 * One thread's, and a function of what it is told alone: tests/shim/ages.c runs it with queues and clients of its own.
 */
#ifndef OCT_SHIM_AGES_H
#define OCT_SHIM_AGES_H

#include <stdbool.h>
#include <stdint.h>

#define OCT_AGES 48

struct oct_ages {
    uint32_t ended[OCT_AGES], well[OCT_AGES]; /* by class, in parts of a handshake */
    uint64_t faded;                           /* milliseconds; when that was done last */
    unsigned begun;                           /* since one was served all the same */
};

/* The class of a wait. */
unsigned oct_age_class(uint64_t milliseconds);

/* It is `now` (milliseconds on any clock that does not go back), and a hello has waited so long. False: it is to be
 * served, and oct_ages_ended() will be called for it. */
bool oct_ages_refuse(struct oct_ages *ages, uint64_t now, uint64_t waited);

/* A handshake whose hello had waited so long is over. */
void oct_ages_ended(struct oct_ages *ages, unsigned age_class, bool well);

#endif
