/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Whether a hello that has waited so long is worth a handshake: by what became of others that had waited as long.
 *
 * Waits are in classes, four to each power of two. A class knows how many handshakes of its own have ended lately, and
 * how many of these well; both fade. A class is bad where fewer than seven eighths of handshakes end well, compared
 * with those that are younger still, and by more than chance. It is shut then, and all above it: hellos that have
 * waited so long are refused. So:
 *
 * - Where each client stays, no class is worse than another, and none is ever refused, however long it waits.
 * - Clients that leave on purpose leave at each age alike. They lower all classes, and none against the others. While
 *   no younger class is known, up to a third of all may leave so.
 * - Let all have the same patience P, and a handshake take D behind its hello. A class above P - D ends badly and is
 *   shut after some; its queue then shrinks by what is refused, until the oldest hello is of a class below, which ends
 *   well and is served. Nothing lowers a class that ends well: the wait stays there, and each handshake that is
 * computed is for a client that waits for it. The age has no part in how many are served, but for what refusing costs.
 * - One in some is served all the same, so that a class that is shut is known to have become better. Then it is opened,
 *   and it alone. D may be as long as the wait, where a client's last bytes queue behind hellos, as in HAProxy. By the
 *   time that the first of a class have ended, the server has begun a queue of others. If all that is unknown were
 *   open meanwhile, that whole queue would be served in vain, again and again.
 *
 * A handshake has ended well if its client is there still. A server that comes late to a client's last bytes completes
 * the handshake of one that has left behind them.
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
    unsigned shut;                            /* the first class that is; 0: none */
    uint64_t too_old;                         /* milliseconds; when a hello was last */
};

/* The class of a wait. */
unsigned oct_age_class(uint64_t milliseconds);

/* It is `now` (milliseconds on any clock that does not go back), and a hello has waited so long. False: it is to be
 * served, and oct_ages_ended() will be called for it. */
bool oct_ages_refuse(struct oct_ages *ages, uint64_t now, uint64_t waited);

/* A handshake whose hello had waited so long is over. */
void oct_ages_ended(struct oct_ages *ages, unsigned age_class, bool well);

/* The other end has come so many milliseconds ago, and its last bytes so many: it waits no longer. Who half-closes
 * sends the end together with the last bytes, and waits for an answer. */
bool oct_ages_left(uint32_t since_data, uint32_t since_end);

#endif
