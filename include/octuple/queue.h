/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The batch queue: operations are submitted one at a time and run together, up to eight in a vector.
 *
 * A queue belongs to one thread and is used by that thread alone. It owns no thread and no timer: it runs when it is
 * told to, and jobs complete by callback, in the order of submission within one operation. What waits is told
 * apart by operation (enum oct_op); keys may differ from job to job.
 *
 * A callback may submit jobs (they wait for the next call that runs something), cancel any job that still waits, also
 * one of its own batch, and let go of its own job's memory. Inside a callback nothing runs: oct_queue_poll() and
 * oct_queue_run_full() return 0. A callback must not free the queue.
 *
 * After a fork() the child's queues are empty and no callback is called; what they learned stays. Jobs that the parent
 * had submitted are the parent's: in the child oct_queue_holds() is 0 for them, and they may be submitted anew.
 *
 * The rule for a server: submit while there is other work, and call oct_queue_poll() just before sleeping.
 */
#ifndef OCTUPLE_QUEUE_H
#define OCTUPLE_QUEUE_H

#include <octuple/ec.h>
#include <octuple/ed25519.h>
#include <octuple/hybrid.h>
#include <octuple/mldsa.h>
#include <octuple/mlkem.h>
#include <octuple/op.h>
#include <octuple/rsa.h>
#include <octuple/sm3.h>
#include <octuple/x25519.h>

#ifdef __cplusplus
extern "C" {
#endif

struct oct_queue;
struct oct_job_list;

enum oct_job_state {
    OCT_JOB_IDLE = 0,    /* never submitted, or cancelled */
    OCT_JOB_WAITING = 1, /* in a queue */
    OCT_JOB_DONE = 2     /* status is final, the callback has been or is being called */
};

/* With this flag a job may complete with OCT_ERR_FALLBACK, its output untouched, when too few jobs wait for a vector
 * to be cheaper than the caller's own implementation, or the operation turns out to be off. Without it the job always
 * runs in lanes. */
#define OCT_JOB_MAY_FALL_BACK 1u

/*
 * One operation. The caller owns the memory, zeroes it first, fills in the upper part, and keeps it (and key, in, out)
 * in place until the callback has been called or oct_queue_cancel() has returned.
 */
struct oct_job {
    int op;         /* enum oct_op */
    unsigned flags; /* OCT_JOB_MAY_FALL_BACK or 0 */
    union {         /* keys and buffers, by the operation's family */
        struct oct_rsa_lane rsa;
        struct oct_rsa_generated rsa_generated; /* ..._KEYGEN: a new key; the size is the operation's */
        struct oct_x25519_lane x25519;
        struct oct_ec_derive_lane ec_derive; /* the curve is the operation's */
        struct oct_ec_public_lane ec_public; /* ..._KEYGEN: the public key of a private key that the caller has drawn */
        struct oct_ecdsa_sign_lane ecdsa_sign;
        struct oct_ed25519_sign_lane ed25519_sign;
        struct oct_ed25519_verify_lane ed25519_verify;
        struct oct_mlkem_keygen_lane mlkem_keygen; /* the set is the operation's */
        struct oct_mlkem_encaps_lane mlkem_encaps; /* OCT_ERR_RANGE: the key is not valid */
        struct oct_mlkem_decaps_lane mlkem_decaps;
        struct oct_hybrid_server_lane hybrid_server; /* OCT_ERR_RANGE: the client's share is not valid */
        struct oct_hybrid_client_lane hybrid_client;
        struct oct_mldsa_keygen_lane mldsa_keygen;
        struct oct_mldsa_sign_lane mldsa_sign;
        struct oct_mldsa_verify_lane mldsa_verify; /* as ecdsa_verify */
        struct oct_sm3_lane sm3;
        struct oct_ecdsa_verify_lane ecdsa_verify; /* OCT_OK: the signature is valid; OCT_ERR_RANGE: it is not */
    };
    void (*done)(struct oct_job *); /* called once, on the thread of the queue; may submit; may be NULL */
    void *arg;                      /* for the callback */

    int status;                  /* set by the queue: enum oct_status */
    int state;                   /* set by the queue: enum oct_job_state */
    struct oct_job *next, *prev; /* the queue's */
    struct oct_job_list *list;   /* the queue's */
    struct oct_queue *queue;     /* the queue's */
    uint64_t generation;         /* the queue's */
    uint64_t since;              /* the queue's */
};

struct oct_queue_config {
    /* The clock, in nanoseconds; NULL for CLOCK_MONOTONIC. It is used to learn what a vector costs, and for
     * oct_queue_poll_waited(). */
    uint64_t (*now)(void *arg);
    void *now_arg;
};

/* config may be NULL. Errors: OCT_ERR_ARGUMENT, OCT_ERR_MEMORY. */
OCT_API OCT_MUST_USE int oct_queue_new(struct oct_queue **queue, const struct oct_queue_config *config);

/* For programs that made a queue by oct_queue_new(). Cancels what waits (no callback is called) and frees. NULL is
 * allowed; the thread's own queue is not to be freed. Jobs that were waiting are OCT_JOB_IDLE after it, and
 * oct_queue_holds() and oct_queue_cancel() may still be asked about them. */
OCT_API void oct_queue_free(struct oct_queue *queue);

/* The calling thread's own queue, made at the first call and freed when the thread ends; NULL if there is no memory. */
OCT_API struct oct_queue *oct_queue_thread(void);

/* The same, but NULL if the thread has none yet. */
OCT_API struct oct_queue *oct_queue_thread_peek(void);

/*
 * Adds a job. When the eighth job of an operation arrives the eight run at once, inside this call, unless the queue is
 * deferred or this is a callback's call. Errors, with the job untouched: OCT_ERR_ARGUMENT (null, no such operation, key
 * of another size or without private part), OCT_ERR_LENGTH (of a digest), OCT_ERR_STATE (it waits already),
 * OCT_ERR_UNSUPPORTED (the operation is off, or none that a queue runs). A job with OCT_JOB_MAY_FALL_BACK does not run
 * the operation's known-answer test: the first batch does, and if it fails the job completes with OCT_ERR_FALLBACK.
 */
OCT_API OCT_MUST_USE int oct_queue_submit(struct oct_queue *queue, struct oct_job *job);

/*
 * Runs 1 to 8 jobs of one operation at once, next to what waits, for a caller that waits for no others: in lanes
 * as far as they are cheaper than the caller's own implementation; of jobs with OCT_JOB_MAY_FALL_BACK the others get
 * OCT_ERR_FALLBACK. The jobs are done when this returns: look at their status; no callback is called. Errors, with no
 * job touched: as oct_queue_submit(), and OCT_ERR_ARGUMENT for another number of jobs or two operations.
 */
OCT_API OCT_MUST_USE int oct_queue_run_now(struct oct_queue *queue, struct oct_job *const job[], unsigned jobs);

/*
 * For a thread that blocks: runs the job together with those of the same operation that other threads of the
 * process bring here at the same time, up to eight, on one of these threads. The first to come yields the CPU once
 * (sched_yield), and the others sleep until it or the eighth has run them; no timer is involved, and a thread that
 * has met no others runs alone at once. Any thread may call it, with or without a queue of its own; keys and
 * buffers stay in place until it returns.
 *
 * OCT_OK: the job is done, as after oct_queue_run_now(); its `done` is not called. OCT_ERR_FALLBACK, with the job
 * untouched: no other thread came, or this thread serves many connections and must not block (its queue is
 * deferred, or the preload shim serves it): go on as if it had not been called. Other errors as oct_queue_submit(),
 * with the job untouched.
 *
 * Not from a signal handler, and such a handler must not fork() a child that goes on with the interrupted call.
 * Only threads of the same policy and nice meet. One under a real-time policy runs alone.
 */
OCT_API OCT_MUST_USE int oct_queue_combine(struct oct_job *job);

/* Runs everything that waits (jobs that callbacks submit meanwhile wait for the next call). Returns how many
 * completed. */
OCT_API unsigned oct_queue_poll(struct oct_queue *queue);

/*
 * For a server that does not get to sleep: runs the operations of which a job has waited for so many nanoseconds or
 * more, eight of the oldest at a time. Time in which this queue ran batches does not count: that was work
 * which had to be done, and what it held up had better go on waiting for others than run alone after it. Returns how
 * many completed.
 */
OCT_API unsigned oct_queue_poll_waited(struct oct_queue *queue, uint64_t nanoseconds);

/* Runs only the operations of which eight or more wait, eight at a time. Returns how many completed. */
OCT_API unsigned oct_queue_run_full(struct oct_queue *queue);

/* Unlinks a waiting job; its callback will not be called, and its memory may go. Errors: OCT_ERR_ARGUMENT (null job);
 * OCT_ERR_STATE if it does not wait in this queue (it is done, or was never submitted); then nothing changes. After a
 * fork the child may call it for the parent's jobs and gets OCT_ERR_STATE. */
OCT_API int oct_queue_cancel(struct oct_queue *queue, struct oct_job *job);

/* How many jobs wait. */
OCT_API unsigned oct_queue_waiting(const struct oct_queue *queue);

/* 1 while a job waits in this queue and in this process: 0 when it is done, cancelled, or was left behind by a fork. */
OCT_API int oct_queue_holds(const struct oct_queue *queue, const struct oct_job *job);

/* Deferred: oct_queue_submit() never runs anything; the owner calls oct_queue_run_full() and oct_queue_poll() from a
 * better place, such as its event loop. The preload shim does so for the threads that it serves. The child of a fork
 * keeps it. */
OCT_API void oct_queue_set_deferred(struct oct_queue *queue, int deferred);

/* Tells the queue what one operation just cost on the caller's own implementation, in nanoseconds: with the measured
 * cost of a vector this decides from how many jobs on a vector is used. */
OCT_API void oct_queue_note_fallback(struct oct_queue *queue, int op, uint64_t nanoseconds);
/* What one costs there: nanoseconds, rather too few than too many. 0: it has not been told often enough. UINT64_MAX: it
 * will not be known, since a queue on the portable table learns no costs. */
OCT_API uint64_t oct_queue_fallback_cost(const struct oct_queue *queue, int op);

/* From how many waiting jobs on a vector is used for the operation: 1 to 8, or 9 if at present not even eight pay.
 * Until both costs have been measured it is 2; on the portable table, which is for tests, it stays 2. */
OCT_API unsigned oct_queue_break_even(const struct oct_queue *queue, int op);

#ifdef __cplusplus
}
#endif
#endif
