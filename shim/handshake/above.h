/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What a handshake asks of the rooms that use it, and works without: how its program comes back to a paused call
 * (struct oct_way), what devices are at work for it (struct oct_keys_part), and what has been saved for its thread.
 */
#ifndef OCT_SHIM_ABOVE_H
#define OCT_SHIM_ABOVE_H

#include "handshake/conn.h"

struct oct_wait;

/* A way by which programs come back. */
struct oct_way {
    bool fed;       /* the program reads the socket itself, and calls only when it has bytes */
    bool by_itself; /* no call of the program's goes on with a paused one: oct_finish_part() does */
    /* Such handshakes may pause in this program. */
    bool (*is_on)(void);
    /* A connection whose socket is not known may turn out to be of this way, when its call comes to an operation. */
    bool (*will_show)(struct oct_conn *conn, const struct oct_thread *t);
    /* A call of conn begins: whether it may come to a pause. *wakeable: the way back is open already. */
    bool (*may_begin)(struct oct_conn *conn, struct oct_thread *t, bool *wakeable);
    /* It has come to an operation. One that has shown itself only now is of this way from here on. */
    bool (*may_pause)(struct oct_conn *conn);
    /* The program calls while conn is paused. False: told to wait, it would not call again by itself. NULL: it would.
     */
    bool (*may_wait)(const struct oct_conn *conn);
    /* The program calls, and conn would go on. False: it has to come with something more.
     * NULL: it need not. */
    bool (*takes)(struct oct_conn *conn);
    /* A call has been run to its end, and the program is to be led to it. True if it calls anyway. */
    bool (*calls)(struct oct_conn *conn);
    /* The socket has another number. NULL: what is known of it elsewhere says enough. */
    void (*moved)(struct oct_conn *conn, int fd);
    /* conn is counted among its thread's no more. */
    void (*left)(struct oct_conn *conn);
    /* From now on none of the program's callbacks is called; or they are again. */
    void (*cut)(struct oct_conn *conn, bool cut);
};

/* libssl reads the socket (way.c). What every connection begins with. */
extern const struct oct_way oct_way_socket;
bool oct_way_may_begin(struct oct_conn *conn, struct oct_thread *t, bool *wakeable);
/* At an operation: the call began in a slice before its socket was known, and by now the way back is open. */
bool oct_way_is_open(struct oct_conn *conn);

/* True if conn can be woken by events of fd: a made-up one finds its way to t. */
bool oct_way_wakes(struct oct_conn *conn, const struct oct_thread *t, int fd);
/* conn's handshake has come to its end: counts it among those that have waited for others, or by why it has not. */
void oct_way_count(struct oct_conn *conn);

/* Through memory (memory/): set before the first handshake. */
extern const struct oct_way *oct_way_memory;
/* QUIC (quic/). NULL where its handshakes stay synchronous. */
extern const struct oct_way *oct_way_quic;

/* Keys in devices (keys/). */
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
/* NULL where there are none. */
extern const struct oct_keys_part *oct_keys_part;

/* Calls that libssl itself ends when they come to an operation, and takes up again (method/): without slices. */
struct oct_method_part {
    /* Whether the handshake of s may come to an operation that is served. */
    bool (*serves)(const SSL *s);
    /* As oct_slice_run(). */
    bool (*run)(struct oct_conn *conn, oct_handshake_call *call, void *arg, int *value);
    bool (*is_away)(const struct oct_conn *conn);
    /* The key that the program has given the object, while libssl has a method instead; else NULL. */
    EVP_PKEY *(*key)(const struct oct_conn *conn);
    /* libssl has gone on to another state. */
    void (*step)(struct oct_conn *conn);
    /* The operation is left to libssl, should it go on. */
    void (*cancel)(struct oct_conn *conn);
    /* The end of conn, whose object may be gone. */
    void (*free)(struct oct_conn *conn);
};
/* NULL where calls pause in slices. */
extern const struct oct_method_part *oct_method_part;

/* Savings (savings/): the thread ends, and lets go of what has been fetched for it. NULL where nothing is. */
extern void (*oct_fetched_drop)(struct oct_thread *t);

#endif
