/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Hellos that have waited, and whether their clients are still there (storm.c). */
#ifndef OCT_SHIM_STORM_H
#define OCT_SHIM_STORM_H

#include "shim.h"

/* Reads the setting. */
void oct_storm_start(const char *setting);

/* A call of conn is about to run, which may begin its handshake: throws the hello away if its client has left, so that
 * libssl finds the end of the stream. fd: its socket; -1: not known. */
void oct_storm_look(struct oct_conn *conn, struct oct_thread *t, int fd);
/* conn's handshake is over. fd: its socket, if it has been completed and its age is known; else -1. */
void oct_storm_ended(struct oct_conn *conn, int fd);
/* That call has run: counts the hello if it has begun the handshake. */
void oct_storm_after(struct oct_conn *conn, struct oct_thread *t);

#endif
