/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What may happen to a handshake call, and what follows: one table (states.c). A paused call is a promise, and it is
 * kept or forced by what these rows say. Nothing else changes a connection's state. Who asks says what has happened,
 * and does what the table answers.
 */
#ifndef OCT_SHIM_STATES_H
#define OCT_SHIM_STATES_H

struct oct_conn;

/* Where a connection is on its way through its first handshake. */
enum oct_conn_state {
    OCT_CONN_RUNNING,    /* in handshake, or not begun */
    OCT_CONN_LEFT,       /* the same, and it stays synchronous */
    OCT_CONN_PAUSED,     /* its operation waits in the queue */
    OCT_CONN_READY,      /* its operation is done: its server is led to call */
    OCT_CONN_INHERITED,  /* paused before a fork, and this is the child: its call is the parent's too */
    OCT_CONN_LOST,       /* its device does not answer: the next call fails */
    OCT_CONN_LINGERING,  /* freed by its program while a device is at work for it */
    OCT_CONN_STRANDED,   /* its thread has ended, and nobody can go on with it */
    OCT_CONN_ENDING,     /* the shim runs the paused call to its end */
    OCT_CONN_ENDED,      /* it has: the result is kept for the server's next call */
    OCT_CONN_ENDED_AMID, /* the same, but that call goes on behind it and has a result of its own */
    OCT_CONN_STATES
};

/* What happens. */
enum oct_on {
    /* The program calls: */
    OCT_ON_CALL,           /* the same call, behind a wait if it was told to wait */
    OCT_ON_CALL_SOON,      /* the same, where it may not be told to wait: once more without one, or its socket blocks */
    OCT_ON_CALL_EARLY,     /* the same, before it has got the record that leads there (memory/) */
    OCT_ON_CALL_AWRY,      /* the same, from where the slice cannot be put back as it was */
    OCT_ON_CALL_ELSEWHERE, /* the same, on another thread */
    OCT_ON_LOOK,           /* another function for the same object, or one that looks at its socket */
    OCT_ON_LOOK_ELSEWHERE, /* the same, on another thread */
    OCT_ON_LOOK_CLOSED,    /* OCT_ON_LOOK or OCT_ON_ASKED, and its socket has been closed */
    OCT_ON_FREE,           /* SSL_free(), by the last reference, */
    OCT_ON_FREE_ELSEWHERE, /* or the same where its call cannot be run: on another thread, in a callback of it */
    OCT_ON_CLEAR,          /* SSL_clear(), */
    OCT_ON_CLEAR_ELSEWHERE, /* or the same where its call cannot be run */
    /* Its own thread: */
    OCT_ON_ASKED,   /* is asked by another one to run it to its end */
    OCT_ON_UNHEARD, /* is about to sleep, and its program does not follow its event */
    OCT_ON_CUT_OFF, /* is about to sleep, and no event leads the program there */
    OCT_ON_MOVED,   /* waits for events, and the program waits for this socket elsewhere */
    OCT_ON_GO_ON,   /* waits for events, and goes on with it without the program (quic/) */
    OCT_ON_ABANDON, /* has ended, and could not run it to its end */
    OCT_ON_FORKED,  /* is the child of a fork */
    /* Its operation: */
    OCT_ON_TOLD,   /* is done */
    OCT_ON_SILENT, /* has a device that does not answer in time, */
    OCT_ON_LINGER, /* or one that is at work for it as the object is freed */
    /* Its call: */
    OCT_ON_STAYS,    /* is not to pause */
    OCT_ON_PAUSE,    /* has come to a point and pauses */
    OCT_ON_END_READ, /* that went on without the program has ended: it wants to read, as the program has heard; */
    OCT_ON_END,      /* it has said something else, */
    OCT_ON_END_AMID, /* it wants something else, and goes on when called */
    OCT_ON_STUCK,    /* there was no memory to go on with it */
    OCT_ON_CANCELLED,
    OCT_ON_NUMBER
};

/* What who has asked does then. */
enum oct_do {
    OCT_DO_NEVER = 0, /* this cannot happen; nothing is done */
    OCT_DO_NOTHING,
    OCT_DO_CALL,     /* call libssl, in a slice where one is worth while */
    OCT_DO_RESUME,   /* go on with the slice */
    OCT_DO_SAY_WAIT, /* say "want read" */
    OCT_DO_RUN,      /* run the queue, and ask again */
    OCT_DO_FORCE,    /* run the call to its end, and ask again */
    OCT_DO_GIVE,     /* give the result that was kept */
    OCT_DO_BEHIND,   /* call libssl behind what was kept */
    OCT_DO_ASK,      /* wait until its thread has forced it, and ask again */
    OCT_DO_FAIL,     /* fail, without libssl */
    OCT_DO_CANCEL,   /* let its operation fail, and libssl unwind */
    OCT_DO_ORPHAN,   /* leave it to its thread */
    OCT_DO_LEAD,     /* make up an event for it */
    OCT_DO_HAND,     /* give it to whatever thread waits for its socket */
    OCT_DO_FORGET    /* its thread counts it no more */
};

struct oct_step {
    unsigned char does, to;
};

/* For tests, which check the table and plant faults in it. */
#ifdef OCT_MODEL
extern struct oct_step oct_steps[OCT_CONN_STATES][OCT_ON_NUMBER];
#else
extern const struct oct_step oct_steps[OCT_CONN_STATES][OCT_ON_NUMBER];
#endif

/* That has happened to conn: it is in its next state. On any thread. Returns what is to be done. */
enum oct_do oct_conn_on(struct oct_conn *conn, enum oct_on on);

#endif
