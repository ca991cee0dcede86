/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Hellos of a crowd, before their server hears of them: OCTUPLE_HELLOS=refuse (gate.c). */
#ifndef OCT_SHIM_GATE_H
#define OCT_SHIM_GATE_H

#include <stdbool.h>

/* The limit is in force, and hellos of this listening socket may be refused. */
bool oct_gate_is_shut(int listener);
/* accept() has given fd. True: its hello is refused, and fd closed; only where the gate is shut. */
bool oct_gate_refuses(int listener, int fd, bool shut);
/* Enough hellos wait inside the server, which serves them, or enough were refused since its loop last slept. */
bool oct_gate_is_full(int listener);

#endif
