/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the shim knows of a thread. Only the thread itself looks at it, except for the orphans. */
#ifndef OCT_SHIM_THREAD_H
#define OCT_SHIM_THREAD_H

#include "handshake/conn.h"

#include "handshake/ages.h"

/* A socket of which the program need not hear that it is readable: the event's data, and what tells whether the socket
 * is still the same. Values only: they outlive the connection. */
#define OCT_SUPPRESSED_MAX 64
#define OCT_BIO_NAME       32
struct oct_suppressed {
    epoll_data_t data;
    int fd;
    uint32_t generation;
};

/* The socket of a call that is run to its end, or of a BIO that is to find nothing. */
struct oct_withheld {
    int fd_and_1; /* 0: there is none */
    bool refused; /* it would have found something there, or nobody asks */
};

/* A socket where the kernel keeps the last bytes of a handshake for those that follow (ride.c). */
#define OCT_RIDES_MAX 64
struct oct_ride {
    const SSL *ssl;
    int fd;
    uint32_t generation;
};

/* Hellos of a crowd (storm.c). */
struct oct_storm {
    unsigned calm;   /* so many in a row had not waited */
    unsigned passed; /* handshakes that have begun since a hello was looked at */
    unsigned came;   /* connections that have been accepted since one was looked at (gate.c) */
    unsigned turned; /* connections that accept() has closed since the loop last slept (gate.c) */
    unsigned held;   /* accept() has been told so often that none wait, since a hello was read (gate.c) */
    struct oct_ages ages;
};

struct oct_thread {
    uint64_t id;                 /* never used twice in a process */
    struct oct_conn *handshakes; /* in flight, paused or not */
    unsigned handshake_count;
    struct oct_conn *ready, **ready_end; /* those whose operation is done, in that order */
    struct oct_conn *orphans;            /* to be drained and freed here; guarded by the lock in thread.c */
    bool waits;                          /* it has waited for events with epoll */
    struct oct_conn *limbo;              /* freed in calls that may run still (conn.c) */
    struct oct_conn *innermost;          /* whose call of libssl was entered last: oct_thread_inside() */
    const SSL *innermost_ssl;            /* and its object */
    uintptr_t stack_low, stack_high;     /* its own stack (own_stack.c); 0: not asked yet */
    uintptr_t deepest;                   /* a call that resumes came from so deep (slice.c) */
    bool visited;                        /* a slice runs on this stack for a call from another one (slice.c) */
    unsigned out;                        /* connections whose event an edge-triggered server has not followed */
    struct oct_conn *away;               /* those whose call is paused, or kept for them */
    struct oct_withheld withheld;        /* whose reads find nothing */
    bool end_known;                      /* the end of the thread is told before its destructors run */
    bool wanted;                         /* another thread asks for some of them */
    unsigned finished;                   /* calls that were run to their end (finish.c) */
    unsigned unheard;                    /* connections in a row whose events the program has not followed */
    bool deaf;                           /* it does not follow made-up events: nothing pauses here any more */
    int round_events;                    /* how many the last epoll_wait() returned */
    unsigned empty_polls;                /* calls of epoll_wait() in a row that found nothing and would not sleep */
    int64_t still_since;           /* when epoll_wait() first saw jobs wait, since a handshake went on; 0: not yet */
    bool jobs_seen;                /* jobs waited when it last waited for events */
    struct oct_watch *watch;       /* operations of devices (watch.c), */
    struct oct_pausings *pausings; /* and of those that pause by themselves (pausing.c) */
    struct oct_stack *stacks;      /* of OpenSSL's jobs (job_stack.c) */
    struct oct_fetched *fetched;   /* what libssl would fetch anew (fetched.c) */
    struct oct_hellos *hellos;     /* sockets that its program reads itself (memory.h); NULL: none */
    bool makes_job;                /* libcrypto is called, and what job it makes is for the shim */
    bool moved; /* since it last waited for events some handshake went on: by a message, or to an operation */
    unsigned suppressed_count;                            /* of suppressed[] */
    struct oct_suppressed suppressed[OCT_SUPPRESSED_MAX]; /* sockets of paused handshakes (events.c) */
    struct oct_conn *reads;                               /* inside libssl: whose recv() is watched (socket.c) */
    char shows[OCT_BIO_NAME];                             /* the name of BIOs that show their socket (socket.c) */
    bool comes_back;  /* its program lets libssl read from memory first, and then from the socket (socket.c) */
    unsigned put_off; /* of how many connections the first look has found nothing in this round (socket.c) */
    struct oct_storm storm;
    const SSL *rides; /* whose last bytes of the handshake are being sent; NULL: nobody's (ride.c) */
    unsigned ride_count;
    struct oct_ride ride[OCT_RIDES_MAX];
    uint32_t round;  /* how many times it has waited for events; never 0 afterwards */
    bool real_first; /* made-up events were returned last: the kernel's are next */
    int made_epfd;   /* by which epoll instance */
    bool waked;      /* the kernel's last events had one in them that only wakes (handed.c) */
    bool ends;
};

/* The calling thread's; NULL if it has none yet. */
extern __thread struct oct_thread *oct_thread_own;
static inline struct oct_thread *oct_thread_peek(void)
{
    return oct_thread_own;
}

/* The same, made at the first call; NULL if there is no memory. */
struct oct_thread *oct_thread_get(void);
/* Once. before_fork: what else is to be done then. */
bool oct_thread_setup(void (*before_fork)(void));

/* A handshake begins and ends. */
void oct_thread_join(struct oct_thread *t, struct oct_conn *conn);
void oct_thread_leave(struct oct_conn *conn);

/* conn's call is paused, and its socket leads to it. It is not paused any more, nor kept. */
void oct_thread_away_add(struct oct_thread *t, struct oct_conn *conn);
void oct_thread_away_drop(struct oct_conn *conn);
/* Asks conn's own thread to run its call to its end. False if that thread is gone. */
bool oct_thread_ask(struct oct_conn *conn);

/* An event of conn is to be delivered, behind those that are due. */
void oct_thread_ready_add(struct oct_thread *t, struct oct_conn *conn);
/* It has been delivered to an edge-triggered server, which hears of it once. */
void oct_thread_event_out(struct oct_thread *t, struct oct_conn *conn);
/* There is none any more. */
void oct_thread_event_drop(struct oct_thread *t, struct oct_conn *conn);

/* Hands a connection to its own thread, to be freed there. False if that thread is gone. */
bool oct_thread_orphan(struct oct_conn *conn);
struct oct_conn *oct_thread_take_orphans(struct oct_thread *t);

/* How many handshakes of this thread, the caller's included, may come to an operation soon. Those in flight are known.
 * Behind each event of this round may be another one: nginx takes one connection from its backlog in a round, and a
 * crowd that waits there would for ever be served one by one if only what has begun counted. */
static inline unsigned oct_thread_in_flight(const struct oct_thread *t)
{
    return t->handshake_count > 1 || t->round_events <= 1 ? t->handshake_count : 2;
}

/* Whose call of libssl runs. One that was left by a jump says nothing when its object goes, on whatever thread. */
static inline struct oct_conn *oct_thread_inside(const struct oct_thread *t)
{
    return t->innermost != NULL && oct_conn_find(t->innermost_ssl) == t->innermost ? t->innermost : NULL;
}

/* It waits for events. */
static inline void oct_thread_next_round(struct oct_thread *t)
{
    if (++t->round == 0)
        t->round = 1;
    t->put_off = 0;
    t->storm.turned = 0;
}

/* job_stack.c: for the process, before the first job; a stack is at hand, should a job be made; the thread's end. */
void oct_job_stack_setup(void);
bool oct_job_stack_prepare(struct oct_thread *t);
void oct_job_stack_end(struct oct_thread *t);

/* How many jobs wait in this thread's queue. */
static inline unsigned oct_thread_waiting(void)
{
    const struct oct_queue *queue = oct_queue_thread_peek();
    return queue != NULL ? oct_queue_waiting(queue) : 0;
}

#endif
