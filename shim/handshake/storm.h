/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Hellos that have waited, and whether their clients are still there (storm.c). */
#ifndef OCT_SHIM_STORM_H
#define OCT_SHIM_STORM_H

#include "handshake/thread.h"

#include "base/clock.h"
#include "base/policy.h"

/* Reads the setting. */
void oct_storm_start(const char *setting);
/* It says that hellos may be refused. */
bool oct_storm_refuses(void);

/* Some hello has waited lately. */
static inline bool oct_storm_is_on(const struct oct_storm *storm)
{
    return storm->calm < OCT_POLICY_CROWD;
}
static inline uint64_t oct_storm_now(void)
{
    return oct_clock_nanoseconds() / 1000000;
}
static inline void oct_storm_count(uint64_t *counter)
{
    (void)__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

/* A call of conn is about to run, which may begin its handshake: throws the hello away if its client has left, so that
 * libssl finds the end of the stream. */
void oct_storm_look(struct oct_conn *conn, struct oct_thread *t);
/* conn's handshake is over. completed: else it has failed, or its connection is left. */
void oct_storm_ended(struct oct_conn *conn, bool completed);
/* That call has run: counts the hello if it has begun the handshake. */
void oct_storm_after(struct oct_conn *conn, struct oct_thread *t);

#endif
