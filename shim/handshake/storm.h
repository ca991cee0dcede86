/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Hellos that have waited, and whether their clients are still there (storm.c). */
#ifndef OCT_SHIM_STORM_H
#define OCT_SHIM_STORM_H

#include "handshake/conn.h"

/* Reads the setting. */
void oct_storm_start(const char *setting);

/* A call of conn is about to run, which may begin its handshake: throws the hello away if its client has left, so that
 * libssl finds the end of the stream. */
void oct_storm_look(struct oct_conn *conn, struct oct_thread *t);
/* conn's handshake is over. completed: else it has failed, or its connection is left. */
void oct_storm_ended(struct oct_conn *conn, bool completed);
/* That call has run: counts the hello if it has begun the handshake. */
void oct_storm_after(struct oct_conn *conn, struct oct_thread *t);

#endif
