/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The shim's own sources for a handshake (handshake/, events/, ssl.c), around a libssl that is not one: all that a
 * program may do with two connections and two threads, in every order, up to a depth.
 *
 *   libssl.c   a libssl whose handshakes are short lists of steps, and what it must never see
 *   beneath.c  slices, queue and threads: the program's two threads are one
 *   kernel.c   sockets and epoll
 *   program.c  the program: what it may do, and what it must never see
 *   walk.c     walks the ways through all that, and plants faults in the table of states
 *
 * A way is a list of acts from a fresh world on. After each, the program behaves: it follows its events, and each
 * connection has to come to its end. What is met there and ought not to be ends the way, with its acts printed.
 */
#ifndef OCT_TESTS_MODEL_H
#define OCT_TESTS_MODEL_H

#include "handshake/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THREADS 2
#define CONNS   2

/* --- libssl.c */

/* What a handshake does, a letter each: r reads a message, e, s and d are operations at points where it may pause, o is
 * one where it may not, c calls the program's callback, w finds once that nothing can be written, x fails. */
extern const char *const fake_kinds[];
#define FAKE_KINDS 5

struct ssl_st {
    int refs, number;
    const char *steps;
    unsigned at;
    bool inside, in_callback; /* a call is in it, perhaps paused; the program's callback runs */
    bool gone, failed, waits_to_write;
    int shutdown, fd;
    void (*info)(const SSL *, int, int);
    BIO *in, *out;
};
struct bio_st {
    int refs, flags;
    bool null;
    uint64_t read;
};

void fake_libssl_begin(void);
SSL *fake_ssl_new(int number, int kind, int fd);
/* The call that was paused goes on, behind its operation; what it returns. */
int fake_goes_on(SSL *s);
bool fake_is_done(const SSL *s);
/* It waits for a message of its client. */
bool fake_reads(const SSL *s);
/* Objects of libssl and memory of the shim that are left. */
int fake_objects(void);
long fake_blocks(void);
/* The next allocation fails. */
extern bool fake_no_memory;
extern int fake_real_waits; /* how often libssl itself has said that it wants something */

/* --- beneath.c */

/* The call that runs has come to an operation: true if it pauses. */
bool beneath_pauses(SSL *s, enum oct_slice_work work);
/* The paused call goes on; false: its operation fails, as its connection is given up. */
bool beneath_goes_on(SSL *s);
extern bool beneath_paused;      /* the call has just paused */
extern bool beneath_awry;        /* calls come from so deep that a slice cannot be put back */
extern bool beneath_busy;        /* no other thread answers what it is asked */
extern bool beneath_left_behind; /* the parent's other thread was to free something, and is not in the child */
int beneath_now(void);           /* which thread runs, */
void beneath_switch(int thread);
void beneath_begin(void);
void beneath_end_thread(int thread);
void beneath_fork(void);
uint64_t beneath_jobs(const struct oct_conn *conn);

/* --- kernel.c */
void kernel_begin(void);
int kernel_socket(void);
int kernel_instance(void);
/* A message comes, of one byte. How many have and are not read. */
void kernel_send(int fd);
int kernel_bytes(int fd);
void kernel_set_blocks(int fd, bool blocks);
int kernel_files(void);

/* --- program.c */

enum act {
    ACT_CALL,       /* handshake, on the first thread */
    ACT_CALL_OTHER, /* on the second one */
    ACT_CALL_AWRY,  /* from deeper than before */
    ACT_LOOK,       /* another function */
    ACT_LOOK_OTHER, /* on the second thread */
    ACT_LOOK_BUSY,  /* and the first one has no time */
    ACT_FREE,       /* SSL_free() */
    ACT_FREE_OTHER, /* on the second thread */
    ACT_CLEAR,      /* SSL_clear() */
    ACT_UP_REF,     /* SSL_up_ref() */
    ACT_MOVE,       /* to the other thread's epoll instance */
    ACT_TAKE_OUT,   /* out of epoll */
    ACT_CLOSE,      /* its socket */
    ACT_BLOCK,      /* its socket blocks, or not any more */
    ACT_CLIENT,     /* its client sends a message */
    ACT_NO_MEMORY,  /* a call from deeper, and there is no memory for it */
    ACTS_OF_CONN,
    ACT_WAIT = ACTS_OF_CONN * CONNS, /* the first thread waits for events, and follows those alone that come once */
    ACT_WAIT_OTHER,
    ACT_POLL, /* the first thread looks for events */
    ACT_END,  /* the first thread ends */
    ACT_FORK, /* all goes on in a child */
    ACTS
};

/* What the program's callback does. */
enum callback { CALLBACK_NOTHING, CALLBACK_LOOKS, CALLBACK_FREES_OTHER, CALLBACK_CALLS, CALLBACKS };

struct setting {
    int conns, kind[CONNS];
    enum callback callback;
    uint32_t events; /* beside EPOLLIN, of its registrations */
};

void program_begin(const struct setting *setting);
/* False: that cannot be done now. */
bool program_does(unsigned act);
/* All that can make a difference from now on. */
uint64_t program_state(void);
/* It behaves from now on; then it ends. */
void program_ends(void);
void program_called_back(SSL *s);
/* libssl is about to read from its socket: where that blocks, its client answers. */
void program_reads(const SSL *s);
void act_name(unsigned act, char name[32]);

/* --- walk.c */

/* That must never be: the way ends. */
_Noreturn void wrong(const char *what);

#endif
