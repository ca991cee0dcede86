/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * A TLS server made at random. All that it does is said by its plan, words such as `loop=epoll-et` that the driver
 * (plan.py) draws from a seed. What it does to one connection depends on the plan and on the guest's number
 * alone, and never on the order in which things happen. So it comes to the same verdict however handshakes interleave.
 *
 *   plan.c       the words of the plan
 *   main.c       contexts, threads and processes
 *   loop.c       loops around epoll, poll and select,
 *   wait.c       and the calls in which they wait
 *   conn.c       one connection, from accept() to close()
 *   calls.c      its calls of libssl, and what is asked after each
 *   end.c        how SSL objects and sockets are let go of
 *   transport.c  its BIOs
 *   block.c      sockets that block for one call
 *   trust.c      certificates: clients', with what has been revoked, and the server's own
 *   sessions.c   sessions that the program keeps
 *   quits.c      threads that end while handshakes are under way
 *   callbacks.c  callbacks of libssl, each of which is a point where rules apply
 *   acts.c       what is done in callbacks
 *   between.c    what is done between "want read" and the next call
 *   coroutine.c  calls that stand on stacks of their own
 *   said.c       what the server has seen of each guest
 *   reached.c    libssl by dlsym(), in a server of its own
 *   plugin.c     a program that has the whole server, and libssl with it, from dlopen()
 */
#ifndef OCT_TEST_RANDOM_SERVER_H
#define OCT_TEST_RANDOM_SERVER_H

#include <openssl/ssl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define GUESTS      256 /* a guest's number is the last byte of its address, 127.0.1.N */
#define RULES_MAX   24
#define LOOPS_MAX   4
#define TEXT_MAX    4096
#define LONGEST_MS  1500 /* that the end waits for connections which are still open */
#define VICTIM_MS   40
#define SPIN_MS     2500 /* that a call is made again and again: who gets no result by then never does */
#define NESTING_MAX 3

/* plan.c */
/* A rule: at this point do this, for guests with number % mod == rest, the first `times` times (0: always). Written
 * `at=POINT:ACT:MOD:REST:AMOUNT:TIMES`. */
struct rule {
    char point[16], act[16];
    int mod, rest, amount, times;
};
extern struct rule plan_rules[RULES_MAX];
extern int plan_rule_count;
void plan_read(int words, char **word);
bool plan_is(const char *key, const char *value);
int plan_number(const char *key, int otherwise);
const char *plan_text(const char *key, const char *otherwise);
/* True if some rule is about this point. */
bool plan_minds(const char *point);
bool plan_minds_act(const char *act);
/* True for guests of the word `KEY=MOD:REST`. */
bool plan_picks(const char *key, int id);
/* A number below n: the same for the same guest and topic. */
unsigned plan_draw(int id, const char *topic, unsigned n);
_Noreturn void fail(const char *what);

/* said.c */
enum point {
    AT_HELLO,
    AT_SERVERNAME,
    AT_ALPN,
    AT_CERTIFICATE,
    AT_VERIFY,
    AT_KEYLOG,
    AT_TICKET,
    AT_UNTICKET,
    AT_SESSION,
    AT_INFO,
    AT_MESSAGE,
    AT_PADDING,
    AT_SECURITY,
    AT_BIO,
    AT_WAIT,
    AT_ACCEPT,
    POINTS
};
extern const char *const point_names[POINTS];
/* What is not as libssl has it, whoever the client is. */
enum odd {
    ODD_ERRNO,   /* after a call that wants to read: errno is not EAGAIN, */
    ODD_RETRY,   /* or the read BIO does not say so, */
    ODD_WANT,    /* or SSL_want(), */
    ODD_QUEUE,   /* or there are errors, */
    ODD_VALUE,   /* or it was not -1, */
    ODD_DOOR,    /* or a BIO of libssl's does not say so */
    ODD_BLOCKS,  /* a call wants to read although its socket blocks */
    ODD_EARLY,   /* something has been read before the handshake's end, */
    ODD_UNKNOWN, /* or of a client that is to be refused */
    ODD_LATE,    /* a callback for what has been freed, or on a thread whose objects have ended */
    ODDS
};
struct said {
    atomic_uint counts[POINTS];
    atomic_int echoed;
    atomic_int opened, closed, resumed, version;
    atomic_uint odd;        /* a bit for each */
    atomic_int not_decided; /* what callbacks would have done, had they run in a call of the server's own */
    char end[80];
};
void said_open(void);
struct said *said_of(int id);
void said_print(int open, int bad_ends);

/* conn.c */
/* Where a callback jumps to. What lies there may be put aside (docs/limits.md): then the marks above and beneath the
 * frame are none. */
struct landing {
    jmp_buf to;
    const struct landing *self, *volatile *beneath;
};
enum phase { PHASE_NONE = 0, PHASE_HANDSHAKE, PHASE_ECHO, PHASE_OVER };
struct loop;
struct conn {
    int id, fd, out_fd; /* out_fd: a copy of fd to write to, or -1 */
    SSL *ssl;
    struct loop *_Atomic loop;
    enum phase phase;
    atomic_bool busy; /* a call of it runs, perhaps put off by a coroutine */
    bool again;       /* and an event came meanwhile */
    bool watched, taken, writes, victim, parked, gone, ended, greeted, has_waited, blocks, spins, freed, fed;
    /* spins: it is called again until it is done. fed: something came in this turn. */
    int spin_us, door;    /* how its next call is made, at once; enum door */
    struct loop *move_to; /* the thread that is to go on with it */
    int wait_rounds;      /* until the loop goes on with it by itself; 0: it does not */
    unsigned turns, retries;
    int done[RULES_MAX];
    long since_ms;
    struct landing *jump; /* to where its call of libssl was made, */
    pthread_t caller;     /* by this thread */
    struct coroutine *coroutine;
    BIO *network; /* of a BIO pair */
    BIO *bio;     /* of libssl's: it is called by this one */
    BIO *side;    /* likewise, for some calls */
    SSL *copy;    /* by SSL_dup() */
    char text[TEXT_MAX];
    int length; /* of what was read and has not been sent back */
};
extern struct conn conns[GUESTS];
struct conn *conn_open(struct loop *loop, int fd, int id);
/* Something has happened to it: calls libssl, as far as that goes; on a coroutine's stack, if it has one. */
void conn_turn(struct conn *c);
/* The time has come for which it was put off. */
void conn_due(struct conn *c);
/* One call of libssl, on this stack. */
void conn_call(struct conn *c);
/* As the plan ends connections. `why` says so in the verdict. */
void conn_close(struct conn *c, const char *why);
/* It is served by another process from now on. */
void conn_give_up(struct conn *c);
int conn_count_open(void);
long now_ms(void);

/* calls.c */
enum door { DOOR_NONE, DOOR_DO, DOOR_PEEK, DOOR_BIO, DOOR_ACCEPT };
int call_handshake(struct conn *c);
int call_read(struct conn *c); /* into its text */
int call_write(struct conn *c, const char *text, int n);
int call_door(struct conn *c, int door);

/* block.c */
enum block { BLOCK_FCNTL, BLOCK_IOCTL, BLOCK_COPY, BLOCK_THREAD, BLOCK_CHILD };
void block_begin(struct conn *c, int way);
void block_end(struct conn *c);

/* trust.c */
enum swap { SWAP_CONTEXT, SWAP_STORE, SWAP_CONTEXT_KEY, SWAP_WHOLE, SWAP_KEY, SWAP_BIO };
/* True if not every client is taken. */
bool trust_is_asked(void);
void trust_open(const char *keys);
void trust_use(SSL_CTX *ctx, SSL_verify_cb on_verify);
void trust_note(const struct conn *c);
void trust_swap(const struct conn *c, int what);

/* sessions.c */
void sessions_hold(SSL *ssl);
void sessions_let_go(void);
void sessions_store(SSL_SESSION *session);
void sessions_use(SSL_CTX *ctx);

/* quits.c: around a thread's loop */
void quits_begin(struct loop *loop);
bool quits_now(struct loop *loop);
void quits_end(struct loop *loop);
void quits_make(const char *moment);
/* This thread's object has ended. */
bool quits_over(void);

/* end.c */
SSL *end_take_object(void);
void end_copy(struct conn *c);
/* Lets go of its object and its socket, as the plan says. */
void end_object(struct conn *c);
/* What was left to be freed; some now and then, or all. */
void end_bury(bool all);

/* transport.c */
void transport_open(struct conn *c);
/* From the socket into memory: true if something came. And back. */
bool transport_in(struct conn *c);
void transport_out(struct conn *c);
/* The descriptor has another number. */
void transport_move(struct conn *c, int fd);
bool transport_gate(struct conn *c);

/* callbacks.c */
SSL_CTX *context_new(const char *keys, SSL_CTX *before);
extern SSL_CTX *_Atomic context, *context_inner, *context_client, *context_other;

/* acts.c */
enum outcome { GO_ON, REFUSE, RETRY };
enum outcome act(struct conn *c, enum point point);
void acts_start(void);
/* Asks libssl all kinds of things about it. */
void look_at(const struct conn *c);

/* between.c */
/* After "want read", and once at least. */
void between(struct conn *c);
/* What a rule does there only: false if it is nothing of that kind. */
bool act_between(struct conn *c, const struct rule *r);

/* coroutine.c */
/* conn_call() on a coroutine's stack, if c has one. */
void coroutine_call(struct conn *c);
/* It has been put off in a callback. */
bool coroutine_suspended(const struct conn *c);
void coroutine_resume(struct conn *c);
/* The stack is no thread's own, perhaps. */
bool coroutine_is_small(void);
/* Inside: lets the loop go on. False if c stands on no stack of its own. */
bool coroutine_yield(struct conn *c);
/* The loop on a coroutine's stack, and calls on the thread's own. */
void coroutine_host(void (*run)(struct loop *), struct loop *loop);

/* loop.c */
struct loop {
    int epfd, outer, index, listener, wake[2];
    bool shared, over, alone, pending, quits, quit; /* its thread is about to end; it takes no connection any more */
    int wants;                                      /* how often its connections have waited */
    pthread_t thread;
    pthread_mutex_t lock;
    struct conn *member[GUESTS]; /* of this loop, watched or not */
    int members;
};
extern struct loop loops[LOOPS_MAX];
extern int loop_count;
void loop_open(struct loop *loop, int index, int listener, bool shared);
void loop_watch(struct conn *c);
void loop_unwatch(struct conn *c);
/* It wants other events, or the same once more. */
void loop_rearm(struct conn *c);
void loop_adopt(struct loop *loop, struct conn *c);
void loop_forget(struct conn *c);
/* What a loop waits for that is no connection. A connection's token is its guest's number. */
enum token {
    TOKEN_LISTENER = GUESTS,
    TOKEN_ENDS,
    TOKEN_WAKE,
    TOKEN_INNER,
    TOKENS,
    TOKEN_GONE = 0x1000 /* besides: the client is gone */
};
bool loop_is_nested(void);
/* wait.c: how many tokens there are. There is room for all. */
int wait_any(struct loop *loop, int *tokens, int timeout);
int wait_epoll(int epfd, int *tokens, int timeout);
/* Waits once, and does what there is to do. */
void loop_turn(struct loop *loop, int timeout);
void loop_run(struct loop *loop);

/* main.c */
bool serves_by_fork(void);
/* A new child serves c alone. */
void child_serves(struct conn *c);
void context_reload(void);
/* The newest context, which another thread may replace and free. The caller's. */
SSL_CTX *context_hold(void);
extern bool is_child;

/* reached.c, in the server that is not linked with libssl: finds its functions. `how` is a word of the plan. */
__attribute__((weak)) void reach(const char *how);

#endif
