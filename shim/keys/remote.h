/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Keys that live elsewhere: in cards, HSMs and TPMs. An operation with such a key waits for a device, not for the CPU.
 * It runs on a helper thread while its handshake is paused, and the server goes on with others. docs/keys.md has the
 * rest.
 *
 *   owners.c    which keys these are
 *   keys.c      what their operations take, and the settings
 *   remote.c    libssl's calls with a private key, and how a handshake waits for one
 *   helpers.c   the threads, for providers that block
 *   pausing.c   jobs, for providers that pause by themselves
 *   job_stack.c the stacks of such jobs
 *   watch.c     what the server's own thread knows of operations that are under way
 *   sleep.c     how that thread sleeps meanwhile
 *   tally.c     what is counted of them
 *   linger.c    connections that are given up while a helper is at work for them
 *
 * The program's own calls of libcrypto are not touched: only those that the served libssl makes (libssl/slots.h).
 */
#ifndef OCT_SHIM_REMOTE_H
#define OCT_SHIM_REMOTE_H

#include "keys/keys.h"

#include <octuple/counters.h>
#include <openssl/evp.h>

#include <stdatomic.h>

struct oct_watch;
struct oct_wait;
struct oct_errors;
struct oct_slice;
struct oct_pausing;

struct oct_key_owner;

/* libssl's calls. What an operation takes is its owner's and its call's. */
enum oct_key_call { OCT_KEY_SIGN, OCT_KEY_DECRYPT, OCT_KEY_DERIVE, OCT_KEY_CALLS };

/* QUEUED: no helper has it yet. */
enum oct_remote_state { OCT_REMOTE_QUEUED, OCT_REMOTE_RUNNING, OCT_REMOTE_DONE };

/* One operation. It lies on the heap and belongs to its handshake; a helper has it between RUNNING and DONE, and does
 * not look at it after that. */
struct oct_remote {
    struct oct_remote *next;                     /* in the helpers' queue, and then in the mailbox of its watch */
    struct oct_remote *watch_next, **watch_link; /* among those that the watch knows */
    struct oct_watch *watch;                     /* whom to tell */
    struct oct_conn *conn;                       /* looked at by its own thread alone; NULL: it has gone */
    struct oct_slice *slice;                     /* the same */
    struct oct_key_owner *owner;
    enum oct_key_call kind;
    int (*call)(struct oct_remote *); /* the operation itself */
    int (*run)(struct oct_remote *);  /* what a helper runs, or a job */
    void *context;                    /* its arguments, which lie on the heap, */
    unsigned char *out;               /* in `lodging` where it may be paused */
    size_t *out_length;
    const unsigned char *in;
    size_t in_length;
    size_t capacity, length; /* of out */
    unsigned char *lodging;
    OSSL_LIB_CTX *library;   /* the default one of its thread */
    int64_t begun, deadline; /* nanoseconds */
    uint64_t waited, took;   /* nanoseconds, in line and of the device */
    atomic_int state;
    unsigned generation; /* of the process */
    int result, saved_errno;
    bool failed;  /* given up before a helper had it */
    bool counted; /* by its watch */
    bool posted;  /* a helper has let go of its watch */
    bool tallied; /* how it has ended is counted */
    enum oct_keys_way way;
    struct oct_errors *errors;
    struct oct_pausing *pausing; /* the job that it runs in, if it is paused in one */
};

/* owners.c */
/* True once such a key has been seen: then a handshake that is alone may be paused too. */
bool oct_keys_seen(void);
/* Who does an operation with a private key: a provider or an engine. NULL where that is OpenSSL's or Octuple's own. */
struct oct_key_owner *oct_keys_owner(EVP_PKEY_CTX *context);

/* keys.c */
struct oct_keys_settings {
    unsigned threads; /* 0: off */
    int64_t timeout;  /* nanoseconds */
    int nice;         /* of helper threads, more than the thread's that makes them */
    char except[256]; /* names of providers and engines, with commas */
};
extern struct oct_keys_settings oct_keys_settings;
/* True if it is left as it is; says why. */
bool oct_keys_left(const struct oct_key_owner *owner, enum oct_keys_inside *why);
/* How an operation runs: on a helper thread, or in a job that may pause. */
enum oct_key_way { OCT_KEY_AWAY, OCT_KEY_JOB };
enum oct_key_way oct_keys_way(const struct oct_remote *op);
/* Why one that runs in a job may end there without a pause. */
enum oct_keys_inside oct_keys_why_inside(const struct oct_remote *op);
/* What an operation took that did not pause. in_job: though it might have. */
void oct_keys_note(const struct oct_remote *op, uint64_t nanoseconds, bool in_job);
/* It pauses by itself. */
void oct_keys_note_pause(const struct oct_remote *op);
/* Counts in the owner's own line: an operation that goes a way, unless that is unknown; and what one took. */
void oct_keys_show(const struct oct_key_owner *owner, enum oct_keys_way way, uint64_t nanoseconds);

/* The functions of libcrypto that are needed for these keys only. */
/* clang-format off */
#define OCT_KEYS_FUNCTIONS(X)                                                                                          \
    X(EVP_DigestSign) X(EVP_PKEY_decrypt) X(EVP_PKEY_derive) X(EVP_MD_CTX_get_pkey_ctx) X(EVP_PKEY_CTX_get0_pkey)      \
    X(EVP_PKEY_CTX_get0_provider) X(EVP_PKEY_get_base_id) X(OSSL_PROVIDER_get0_name) X(OSSL_PROVIDER_get_params)       \
    X(ASYNC_start_job) X(ASYNC_WAIT_CTX_new) X(ASYNC_WAIT_CTX_free) X(ASYNC_WAIT_CTX_get_all_fds)

/* Those of keys that no provider knows: missing where OpenSSL was built without its older functions. */
#define OCT_KEYS_OLD_FUNCTIONS(X)                                                                                      \
    X(EVP_PKEY_get0_engine) X(ENGINE_get_id) X(EVP_PKEY_get0_RSA) X(RSA_get_method) X(RSA_PKCS1_OpenSSL)               \
    X(RSA_meth_get0_name) X(EVP_PKEY_get0_EC_KEY) X(EC_KEY_get_method) X(EC_KEY_OpenSSL) X(ENGINE_get_default_RSA)     \
    X(ENGINE_get_default_EC) X(ENGINE_get_RSA) X(ENGINE_get_EC) X(ENGINE_finish) X(RSA_meth_get_priv_enc)              \
    X(RSA_meth_get_priv_dec) X(RSA_meth_get_sign) X(RSA_meth_get_mod_exp) X(EC_KEY_METHOD_get_sign)                    \
    X(EC_KEY_METHOD_get_compute_key)
/* clang-format on */
struct oct_keys_functions {
#define OCT_FUNCTION(name) __typeof__(name) *name;
    OCT_KEYS_FUNCTIONS(OCT_FUNCTION)
#undef OCT_FUNCTION
    const void *(*EVP_PKEY_get0_engine)(const EVP_PKEY *);
    const char *(*ENGINE_get_id)(const void *), *(*RSA_meth_get0_name)(const void *);
    const void *(*EVP_PKEY_get0_RSA)(const EVP_PKEY *), *(*RSA_get_method)(const void *), *(*RSA_PKCS1_OpenSSL)(void);
    const void *(*EVP_PKEY_get0_EC_KEY)(const EVP_PKEY *), *(*EC_KEY_get_method)(const void *),
        *(*EC_KEY_OpenSSL)(void);
    void *(*ENGINE_get_default_RSA)(void), *(*ENGINE_get_default_EC)(void);
    const void *(*ENGINE_get_RSA)(const void *), *(*ENGINE_get_EC)(const void *);
    int (*ENGINE_finish)(void *);
    const void *(*RSA_meth_get_priv_enc)(const void *), *(*RSA_meth_get_priv_dec)(const void *),
        *(*RSA_meth_get_sign)(const void *), *(*RSA_meth_get_mod_exp)(const void *);
    void (*EC_KEY_METHOD_get_sign)(const void *, const void **, const void **, const void **);
    void (*EC_KEY_METHOD_get_compute_key)(const void *, const void **);
    bool old;
};
extern struct oct_keys_functions oct_keys_functions;

/* remote.c */
/* False if libssl makes no such calls. */
bool oct_remote_setup(void);

/* helpers.c */
/* Once, in front of oct_thread_setup(). */
void oct_helpers_setup(void);
/* False if there is no thread for it, and none can be had: then it has not been taken. */
bool oct_helpers_submit(struct oct_remote *op);
/* Takes back what no helper has begun. */
bool oct_helpers_cancel(struct oct_remote *op);
/* Which process this is. */
unsigned oct_helpers_generation(void);

/* pausing.c */
/* PAUSED: op is under way, and oct_watch_done() says when it is over. IMPOSSIBLE: nothing has been done. */
enum oct_pausing_state { OCT_PAUSING_FINISHED, OCT_PAUSING_PAUSED, OCT_PAUSING_IMPOSSIBLE };
enum oct_pausing_state oct_pausing_start(struct oct_thread *t, struct oct_remote *op);
/* Goes on with those whose descriptor can be read. */
void oct_pausing_collect(struct oct_thread *t);
/* What to sleep on, or -1; and until when at most. */
int oct_pausing_fd(const struct oct_thread *t);
int64_t oct_pausing_due(const struct oct_thread *t);
/* Nobody goes on with op any more. */
void oct_pausing_lose(struct oct_thread *t, struct oct_remote *op);
void oct_pausing_end(struct oct_thread *t);
void oct_pausing_forked(struct oct_thread *t);

/* watch.c */
/* The operation is under way for a connection of this thread's. False if there is no memory. */
bool oct_watch_add(struct oct_thread *t, struct oct_remote *op);
void oct_watch_remove(struct oct_remote *op);
/* It is over, and its thread knows: its connection goes on. */
void oct_watch_done(struct oct_remote *op);
/* A helper is done with op: its last look at it. */
void oct_watch_post(struct oct_remote *op);
/* What helpers have finished since, and whose time is over. */
void oct_watch_collect(struct oct_thread *t);
void oct_watch_end(struct oct_thread *t);
void oct_watch_forked(void);
/* How many operations are under way. */
unsigned oct_watch_count(const struct oct_thread *t);

/* sleep.c */
/* The server would sleep: until an event of its own, its timeout, or an operation that is done. */
int oct_watch_sleep(struct oct_thread *t, const struct oct_wait *w);
/* The program waits by poll() or select(), which cannot be told: it waits for the device, as without the shim. */
void oct_watch_finish(struct oct_thread *t);
/* Blocks until it is done. */
void oct_watch_wait(struct oct_remote *op);

/* linger.c */
/* True if a helper is at work for conn, which cannot be drained before it is done; then it will be. */
bool oct_remote_lingers(struct oct_conn *conn);
/* The same where the program goes on with the object: waits. */
void oct_remote_settle(struct oct_conn *conn);
/* The end of conn, whatever its operation does. */
void oct_remote_forget(struct oct_conn *conn);

#endif
