/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Keys that live elsewhere, as the rest of the shim sees them: remote.h is for this folder alone. The shim works
 * without them; where OCTUPLE_KEYS asks for them, oct_keys_part is set before the first handshake.
 */
#ifndef OCT_SHIM_KEYS_H
#define OCT_SHIM_KEYS_H

#include "shim.h"

struct oct_thread;
struct oct_wait;

struct oct_keys_part {
    /* True once such a key has been seen: then a handshake that is alone may be paused too. */
    bool (*seen)(void);
    /* What helpers have finished since, and whose time is over. */
    void (*collect)(struct oct_thread *t);
    /* The server would sleep: until an event of its own, its timeout, or an operation that is done. */
    int (*sleep)(struct oct_thread *t, const struct oct_wait *w);
    /* The program waits by poll() or select(), which cannot be told: it waits for the device, as without the shim. */
    void (*finish)(struct oct_thread *t);
    /* True if a helper is at work for conn, which cannot be drained before it is done; then it will be. */
    bool (*lingers)(struct oct_conn *conn);
    /* The same where the program goes on with the object: waits. */
    void (*settle)(struct oct_conn *conn);
    /* The end of conn, whatever its operation does. */
    void (*forget)(struct oct_conn *conn);
    /* The end of a thread: its operations, and then its stacks, when it is the shim's no more. */
    void (*end)(struct oct_thread *t);
    void (*end_stacks)(struct oct_thread *t);
};

/* NULL where there are none. In handshake/thread.c, so that nothing here is needed then. */
extern const struct oct_keys_part *oct_keys_part;

/* For start.c and decide.c. Once, while the environment is there: reads the settings. */
void oct_keys_start(const char *keys);
/* When liboctuple is there, in front of oct_thread_setup(): makes ready for helpers. */
void oct_keys_start_with_libssl(void);
/* The environment asks for them. */
bool oct_keys_wanted(void);
/* The setting is there, for who looks at the counters. */
void oct_keys_announce(void);
/* Once, when it is decided whether the shim goes to work. */
void oct_keys_setup(bool shim_works);

#endif
