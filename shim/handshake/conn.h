/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* A connection in its first handshake, as all of the shim sees it. */
#ifndef OCT_SHIM_CONN_H
#define OCT_SHIM_CONN_H

#include "handshake/states.h"
#include "libssl/serves.h"

#include "base/slice.h"

#include <octuple/octuple.h>

#include <stdbool.h>
#include <stdint.h>

struct oct_thread;
struct oct_way;
typedef void oct_info_callback(const SSL *s, int where, int ret);

/* Its made-up event. */
enum oct_conn_event {
    OCT_EVENT_NONE,
    OCT_EVENT_DUE, /* it is in the list of those that are to be delivered */
    OCT_EVENT_OUT, /* an edge-triggered server has got it, and has not followed it yet */
};

/* What is known of a connection's socket. */
struct oct_conn_socket {
    int fd;                /* when last paused; -1: not known */
    uint32_t generation;   /* tells it from a later one of the same number */
    ino_t inode;           /* whatever its number is; 0: not known yet */
    int hidden_fd;         /* what a BIO of the program's own reads from; -1: not seen yet */
    uint64_t hidden_bytes; /* that it has read */
    int away_fd;           /* the socket, if it was seen to read from memory meanwhile; else -1 */
    bool hidden;           /* its BIO does not tell the socket */
    bool unsure;           /* the call runs in a slice, but whether it may be paused is known when it has read */
    bool was_empty;        /* its BIO was made to find nothing; the socket may hold something */
    bool nonblocking;      /* the socket has been seen to be so */
    uint32_t asked;        /* it was so in this call, when there were so many switches; 0: it was not asked */
};

/* What the shim knows of an SSL object that has not finished its first handshake. */
struct oct_conn {
    SSL *ssl;
    struct oct_thread *thread;                   /* whose handshakes it is counted among; NULL: of none */
    struct oct_conn *next, *prev;                /* that list */
    struct oct_conn *away_next, **away_link;     /* the list of those whose call is paused, or kept */
    struct oct_conn *ready_next, **ready_link;   /* the list of those whose event is to be delivered */
    struct oct_conn *orphan_next;                /* freed by another thread than its own (drain.c) */
    struct oct_conn *limbo_next;                 /* freed while a call of it was running (conn.c) */
    struct oct_conn *handed_next, **handed_link; /* the list of those that wait for another thread (handed.c) */
    struct oct_shim_slice *slice;                /* of its last call that could be paused (slice.c) */
    struct oct_remote *remote;                   /* what its paused slice waits for, at a device (remote.c) */
    struct oct_operation *operation;             /* with its private key, in a libssl that waits for it (method/) */
    oct_info_callback *info;                     /* the program's, while libssl has another (veil.c) */
    struct oct_early *early;                     /* early data on its way to the server, or NULL */
    const struct oct_way *way;                   /* by which its program comes back (above.h) */
    struct oct_quic *quic;                       /* of QUIC (quic/), else NULL; gone with the SSL object */
    struct oct_hello *hello;                     /* the socket whose bytes reach it through memory, or NULL */
    struct oct_conn_socket socket;
    uint32_t notified;               /* the thread's round when its event was delivered; 0: not yet */
    unsigned entered;                /* calls of libssl that run for it now, or were left by longjmp() */
    uintptr_t entered_at;            /* where on the stack the first of them stands */
    unsigned notices;                /* made-up events that its server has got and not followed */
    int ended_value;                 /* OCT_CONN_ENDED: what the call has returned, */
    struct oct_errors *ended_errors; /* and the errors that it has left */
    enum oct_conn_state state;       /* changed by oct_conn_on() alone; read by other threads too: oct_conn_state() */
    enum oct_conn_event event;
    unsigned flushes;   /* that libssl has asked for behind tickets (tickets.c) */
    bool called_inside; /* by a callback, while its call is run to its end */
    bool wanted;        /* another thread waits until its call has been run to its end */
    bool masked;        /* the server is to read WANT_READ from the last call */
    uint32_t told;      /* the thread's round when it was told so without libssl being asked; 0: not yet */
    BIO *retried;       /* the BIO that says so too, and what it said before */
    int retry_before;
    uint64_t waited_and_1;   /* milliseconds that its hello had waited when it was looked at; 0: it was not (storm.c) */
    bool looked;             /* its server has called it before */
    uint8_t age_class_and_1; /* of its hello, while it is not known how its handshake ends (ages.h) */
    bool unread;             /* libssl had read nothing from its socket when its call began */
    bool handed;             /* it has been in that list */
    bool missed;             /* and libssl reads its socket itself: the other thread may have called too early */
    bool veiled;             /* libssl has found the veil when its call in the slice began */
    uint8_t announced; /* by which instances around its own, edge-triggered ones: one bit for each depth (made.c) */
};

static inline enum oct_conn_state oct_conn_state(const struct oct_conn *conn)
{
    return __atomic_load_n(&conn->state, __ATOMIC_ACQUIRE);
}
/* The thread that has it, which alone says so; others may ask. */
static inline struct oct_thread *oct_conn_thread(const struct oct_conn *conn)
{
    return __atomic_load_n(&conn->thread, __ATOMIC_ACQUIRE);
}
/* No call of it is paused or kept. */
static inline bool oct_conn_is_free(enum oct_conn_state state)
{
    return state == OCT_CONN_RUNNING || state == OCT_CONN_LEFT;
}
/* The shim itself has run its call to its end. */
static inline bool oct_conn_is_ended(enum oct_conn_state state)
{
    return state == OCT_CONN_ENDED || state == OCT_CONN_ENDED_AMID;
}
/* Its operation is done, and nothing has gone on behind it. */
static inline bool oct_conn_is_due(enum oct_conn_state state)
{
    return state == OCT_CONN_READY || state == OCT_CONN_INHERITED;
}
/* It stays synchronous from now on. One whose call is paused goes on as it is. */
static inline void oct_conn_leave(struct oct_conn *conn)
{
    (void)oct_conn_on(conn, OCT_ON_STAYS);
}

/* conn.c */
/* The connection of s: NULL if it has none, or if its first handshake is over. */
struct oct_conn *oct_conn_find(const SSL *s);
/* The same, but made if there is none; NULL if its first handshake is over or there is no memory. */
struct oct_conn *oct_conn_get(SSL *s);
/* The first handshake is over, or the SSL object starts anew: frees conn. */
void oct_conn_let_go(struct oct_conn *conn);
/* The same as the SSL object itself goes. */
void oct_conn_gone(struct oct_conn *conn);
/* The end of conn's memory, on its own thread; its SSL object is gone or has let go of it. */
void oct_conn_dispose(struct oct_conn *conn);
/* Those that were freed in a call that has been left since. all: the thread ends. */
void oct_conn_empty_limbo(struct oct_thread *t, bool all);

/* handshake.c */
/* A function of libssl that runs the handshake, with its arguments. */
typedef int oct_handshake_call(SSL *s, void *arg);
/* Calls it, asynchronously if that can be. Returns what the server is to see: a pause looks like a failure
 * (pause_value) that wants to read. */
int oct_handshake_run(SSL *s, oct_handshake_call *call, void *arg, int pause_value);
/* Around a call of libssl for conn; `conn` may be NULL. What libssl calls itself meanwhile, for the same object, passes
 * the hooks untouched. A callback may leave by an exception or a jump. Then conn stays entered, and all that is called
 * for it passes: so it goes on as without the shim, until its object is freed. */
struct oct_inside {
    struct oct_conn *conn;
};
struct oct_inside oct_handshake_enter(struct oct_conn *conn);
void oct_handshake_leave(const struct oct_inside *inside);
#define OCT_INSIDE(conn)                                                                                               \
    __attribute__((cleanup(oct_handshake_leave), unused)) const struct oct_inside inside = oct_handshake_enter(conn)
/* A call of conn is around this one: libssl calls, or a callback. Where another thread runs it to its end it is not. */
bool oct_handshake_is_inside(const struct oct_conn *conn, const struct oct_thread *t);
/* Its call cannot go on: says so in the error queue, and returns `value`. */
int oct_handshake_fail(struct oct_conn *conn, int value);
/* s stays synchronous from now on. */
void oct_handshake_stays(SSL *s);
/* SSL_do_handshake() and the two others, by their real function. */
int oct_handshake_full(SSL *s, int (*real)(SSL *));
/* Before SSL_read() and its like: true if the real function may be called now, else *value is what the handshake said.
 */
bool oct_handshake_first(SSL *s, int *value);
/* After them: they may have ended the handshake themselves. */
void oct_handshake_settle(SSL *s);
/* In a slice, where such work is due: whether conn may be paused. */
bool oct_handshake_may_pause(struct oct_conn *conn, enum oct_slice_work work);
/* The operation that conn is paused for is done. */
void oct_handshake_told(struct oct_conn *conn);

/* finish.c */
/* Runs the call that conn was paused in to its end, here and now, on conn's own thread: conn is OCT_CONN_ENDING. False
 * if there was no memory. */
bool oct_finish(struct oct_conn *conn);
/* Goes on with it until it pauses again, if it does. To be called where nothing of it is on the stack. False if it has
 * come to an end that its program does not expect. */
bool oct_finish_part(struct oct_conn *conn);
/* What a call that has been run to its end has come to, for the server's next one. */
int oct_finish_result(struct oct_conn *conn);
/* The program is about to look at s by another function than that of a paused call, or at any of its thread's: what is
 * paused is run to its end first. gives_socket: it gives s another socket or BIO. */
void oct_finish_before(SSL *s, bool gives_socket);
void oct_finish_here(void);
/* The thread ends: what is paused is run to its end, and what is kept goes to whoever waits for its socket. */
void oct_finish_end(struct oct_thread *t);
/* True if s is run to its end just now, and a callback of the program calls it, not libssl itself: the program knows of
 * no call that it would be inside of. It is told that nothing can be read. */
bool oct_finish_is_inside(const struct oct_ssl_functions *own, const SSL *s, const void *caller);
/* Asks the thread that has s to run it to its end, or waits until it has. A moment and no longer: it may wait for a
 * lock that the caller holds. What is known of s may be gone then. */
void oct_finish_ask(SSL *s);
void oct_finish_wait(const struct oct_conn *conn);
/* What other threads have asked for; conn has gone on, and may be one of these. */
void oct_finish_wanted(struct oct_thread *t);
void oct_finish_settle(struct oct_conn *conn);
/* It is about to wait on epfd: those that their program has given to another thread meanwhile. */
void oct_finish_moved(struct oct_thread *t, int epfd);
/* It is about to sleep: those that cannot be woken any more, and those whose event their server does not follow. */
void oct_finish_left(struct oct_thread *t);
/* conn's socket is as it was when it was paused, or its program has given it another one. */
bool oct_finish_has_socket(struct oct_conn *conn);

/* drain.c */
/* Before SSL_free(): false if the object cannot be freed here and now; then it will be. */
bool oct_drain_for_free(struct oct_conn *conn);
/* Before SSL_clear(): false if the object cannot be used again, as libssl's call in it can run nowhere. */
bool oct_drain_for_clear(struct oct_conn *conn);
/* Its call unwinds, and none of the program's callbacks is called. The program goes on with the object. */
void oct_drain_in_place(struct oct_conn *conn);
/* What was left to this thread. */
void oct_drain_orphans(struct oct_thread *t);

/* early.c */
void oct_early_free(struct oct_early *early);

#endif
