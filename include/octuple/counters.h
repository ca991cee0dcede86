/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Counters of this process, in sum and by thread. They only grow; a forked child starts at zero.
 *
 * If the environment variable OCTUPLE_COUNTERS names a directory when the library is first used, each process keeps
 * its counters in a file there, DIRECTORY/PID.octuple, which holds exactly one struct oct_counters_file: it can be
 * read while the process runs and stays after it ends. A forked child's file is made inside fork(), before a worker
 * gives up its privileges. A file that an earlier process of the same pid left is replaced. What cannot be made is
 * silently done without.
 *
 * An operation counts to the thread that ran it. Threads that block run their operations together
 * (oct_queue_combine()): the one that runs the batch counts all of it, jobs of others among it; only what waits counts
 * to its owner.
 */
#ifndef OCTUPLE_COUNTERS_H
#define OCTUPLE_COUNTERS_H

#include <octuple/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The last byte is the version of the file's form, '3'; who finds another one there reads no further. */
#define OCT_COUNTERS_MAGIC   0x3350555463744f00ull
#define OCT_COUNTERS_VERSION (OCT_COUNTERS_MAGIC >> 56)
/* Room for operations to come, so that the file's form stays. */
#define OCT_COUNTERS_OPS 48
/* Slots for threads: the first is shared, the others are for one thread each. */
#define OCT_COUNTERS_THREADS 64

struct oct_op_counters {
    uint64_t submitted;          /* jobs given to a queue */
    uint64_t done;               /* jobs completed in lanes with a good result */
    uint64_t failed;             /* jobs completed with an error (range, fault) */
    uint64_t fallback;           /* jobs handed back for the fallback, and operations that used it at once */
    uint64_t cancelled;          /* jobs unlinked before they ran */
    uint64_t recomputed;         /* lanes whose result failed its check once */
    uint64_t flushes[OCT_LANES]; /* batches run, by jobs in them: [0] one job, [7] eight jobs */
    uint64_t lane_nanoseconds;   /* time spent in batches */
    uint64_t waiting;            /* a gauge, modulo 2^64: jobs that wait now. In a file, by thread only */
    uint64_t reserved;
};

/* The sum over all threads that ever were. */
struct oct_counters {
    uint64_t magic; /* OCT_COUNTERS_MAGIC */
    uint64_t pid;
    uint64_t op_count;    /* OCT_OP_COUNT of the writer */
    uint64_t slots;       /* those of threads that were ever in use are the first so many */
    uint64_t started;     /* when this counting began, in nanoseconds since 1970 */
    uint64_t start_ticks; /* in a file: when the process began, as in /proc/PID/stat, so that a later one of the same
                             pid is told from it; 0 if not known */
    char command[16];     /* the program's name, shortened; ends with a zero */
    struct oct_op_counters op[OCT_COUNTERS_OPS];
};

enum oct_thread_state {
    OCT_THREAD_FREE = 0,  /* never used */
    OCT_THREAD_TAKEN = 1, /* being given to a thread: nothing in it is to be read */
    OCT_THREAD_ALIVE = 2,
    OCT_THREAD_ENDED = 3,  /* its numbers stay until another thread needs the slot: then they go to the first one */
    OCT_THREAD_OTHERS = 4, /* the first slot: threads for which there was no other, and what ended threads have left */
};

struct oct_thread_counters {
    uint64_t state;   /* enum oct_thread_state */
    uint64_t tid;     /* as gettid() says; 0 in the first slot */
    uint64_t started; /* its first operation, in nanoseconds since 1970 */
    uint64_t reserved[5];
    struct oct_op_counters op[OCT_COUNTERS_OPS];
};

/*
 * Operations with private keys that live elsewhere, in cards, HSMs and TPMs: what the preload shim says of them where
 * OCTUPLE_KEYS is set. Elsewhere all of it is zero. begun is the sum of done, failed, timed_out, called_off and
 * in_flight; it is also that of by_threads, by_pausing and inside[].
 */
enum oct_keys_state {
    OCT_KEYS_STATE_OFF = 0,       /* OCTUPLE_KEYS is not set */
    OCT_KEYS_STATE_UNDECIDED = 1, /* it is set, and no TLS handshake has come yet */
    OCT_KEYS_STATE_SERVED = 2,
    OCT_KEYS_STATE_NO_SHIM = 3,   /* the shim is not at work in this process */
    OCT_KEYS_STATE_NO_FIBRES = 4, /* not used any more */
    OCT_KEYS_STATE_NO_CALLS = 5,  /* libssl or libcrypto does not have what is needed */
};

/* Why an operation ran inside the call, so that its thread waited for the device. */
enum oct_keys_inside {
    OCT_KEYS_INSIDE_NO_LOOP = 0,  /* the thread does not wait for events by epoll */
    OCT_KEYS_INSIDE_NO_FIBRE = 1, /* not in a handshake that may be paused: the process's first, or its socket is not in
                                     epoll */
    OCT_KEYS_INSIDE_NESTED = 2,   /* in a callback of the program, or in a job of somebody else's */
    OCT_KEYS_INSIDE_NO_WAKING = 3, /* no event of the server's own loop would find the handshake */
    OCT_KEYS_INSIDE_FIRST = 4,     /* the first of its owner, which tells how to serve it */
    OCT_KEYS_INSIDE_QUICK = 5,     /* its owner answers faster than two switches of threads, or did not pause */
    OCT_KEYS_INSIDE_NO_THREAD = 6, /* there is no helper thread, and none can be made */
    OCT_KEYS_INSIDE_NO_MEMORY = 7, /* there is no memory for it */
    OCT_KEYS_INSIDE_EXCEPTED = 8,  /* OCTUPLE_KEYS names its owner as an exception */
    OCT_KEYS_INSIDE_ALONE = 9,     /* its owner is not known to bear several threads (tpm2) */
    OCT_KEYS_INSIDE_FORKED = 10,   /* its process has forked meanwhile, and this is the child */
    OCT_KEYS_INSIDE_NO_JOB = 11,   /* OpenSSL has no job in which it might pause */
    OCT_KEYS_INSIDE_COUNT = 12
};

/* How the operations of an owner run. */
enum oct_keys_way {
    OCT_KEYS_WAY_UNKNOWN = 0,
    OCT_KEYS_WAY_THREADS = 1, /* in helper threads */
    OCT_KEYS_WAY_PAUSES = 2,  /* it pauses by itself */
    OCT_KEYS_WAY_INSIDE = 3,  /* inside the call */
};

#define OCT_KEYS_REASONS 14 /* room for reasons to come */
#define OCT_KEYS_BUCKETS 32
#define OCT_KEYS_OWNERS  8

/* A provider, an engine or a method of keys. */
struct oct_key_owner_counters {
    char name[24];        /* shortened; ends with a zero */
    uint64_t way;         /* enum oct_keys_way: that of its last operation */
    uint64_t operations;  /* begun */
    uint64_t nanoseconds; /* what the device took for those that it has answered */
};

struct oct_key_counters {
    uint64_t state;   /* enum oct_keys_state */
    uint64_t limit;   /* helper threads at most: OCTUPLE_KEYS */
    uint64_t timeout; /* nanoseconds */
    uint64_t begun;
    uint64_t done;       /* with a good result */
    uint64_t failed;     /* with an error of the device's */
    uint64_t timed_out;  /* the handshake has failed, because the device has not answered in time */
    uint64_t called_off; /* the connection has ended meanwhile */
    uint64_t by_threads; /* ran in helper threads */
    uint64_t by_pausing; /* have paused by themselves */
    uint64_t in_flight;  /* a gauge: handshakes are paused for so many */
    uint64_t in_flight_most;
    uint64_t line; /* a gauge: no helper thread has begun so many */
    uint64_t line_most;
    uint64_t threads; /* a gauge: helper threads that there are */
    uint64_t working; /* a gauge: those that wait for a device, for calls of handshakes that have failed too */
    uint64_t line_nanoseconds, device_nanoseconds;
    uint64_t inside[OCT_KEYS_REASONS];                    /* by enum oct_keys_inside */
    uint64_t line_time[OCT_KEYS_BUCKETS];                 /* how many waited in line 2^(i-1) to 2^i us */
    uint64_t device_time[OCT_KEYS_BUCKETS];               /* what devices took; [0] less than 1 us */
    struct oct_key_owner_counters owner[OCT_KEYS_OWNERS]; /* in the order in which they came */
    uint64_t reserved[8];
};

/*
 * Handshakes of QUIC in programs that speak it themselves, and TLS by SSL_set_quic_tls_cbs() of OpenSSL 3.5: what the
 * preload shim says of them.
 */
enum oct_quic_state {
    OCT_QUIC_STATE_NONE = 0,    /* there was none yet */
    OCT_QUIC_STATE_UNKNOWN = 1, /* they stay synchronous: the program is not known to bear a pause */
    OCT_QUIC_STATE_OFF = 2,     /* they stay so because OCTUPLE_LOOPS says quic=off */
    OCT_QUIC_STATE_WAIT = 3,    /* a paused one goes on where its thread waits for events */
    OCT_QUIC_STATE_SOCKET = 4,  /* it goes on where its own socket is read */
};

struct oct_quic_counters {
    uint64_t state;       /* enum oct_quic_state */
    uint64_t connections; /* that were made */
    uint64_t pauses;
    uint64_t stayed; /* of the connections, those that cannot pause: without a socket of their own, or of clients */
    uint64_t freed;  /* while paused */
    uint64_t failed; /* behind a pause */
    uint64_t reserved[10];
};

/*
 * Handshakes of servers that read their sockets themselves and give libssl the bytes through memory: what the preload
 * shim says of those whose operations could wait for others.
 */
enum oct_memory_state {
    OCT_MEMORY_STATE_NONE = 0, /* there was none yet */
    OCT_MEMORY_STATE_OFF = 1,  /* they stay synchronous because OCTUPLE_LOOPS says memory=off */
    OCT_MEMORY_STATE_ON = 2,
};

/* Why an operation of one could not pause. */
enum oct_memory_stay {
    OCT_MEMORY_STAY_SOCKET = 0,  /* its thread has not just read the hello from a socket */
    OCT_MEMORY_STAY_VERSION = 1, /* it is of TLS 1.2 */
    OCT_MEMORY_STAY_EARLY = 2,   /* the client has sent early data */
    OCT_MEMORY_STAY_MORE = 3,    /* the program had read more than libssl had got, or only a part of a record */
    OCT_MEMORY_STAY_COUNT = 4
};

#define OCT_MEMORY_STAYS 12 /* room for reasons to come */

struct oct_memory_counters {
    uint64_t state;       /* enum oct_memory_state */
    uint64_t connections; /* whose socket was found */
    uint64_t pauses;
    uint64_t handed;                   /* paused ones that went over to another thread */
    uint64_t stayed[OCT_MEMORY_STAYS]; /* operations that could not pause, by enum oct_memory_stay */
    uint64_t reserved[16];
};

/*
 * Full handshakes of servers over streams that have come to their end, as the preload shim saw them: how many waited
 * for others on their way, and why each of the others did not.
 */
enum oct_stay {
    OCT_STAY_ALONE = 0,         /* no other handshake was in flight on its thread */
    OCT_STAY_INSIDE = 1,        /* no operation could wait: not in lanes, or in a callback of the program */
    OCT_STAY_NO_LOOP = 2,       /* its thread does not wait for events by epoll */
    OCT_STAY_BLOCKING = 3,      /* its socket blocks */
    OCT_STAY_UNREGISTERED = 4,  /* its socket is in no instance of epoll, or in several */
    OCT_STAY_ONESHOT = 5,       /* its socket is registered with EPOLLONESHOT */
    OCT_STAY_OTHER_THREAD = 6,  /* not its thread alone sleeps on that instance */
    OCT_STAY_TABLE = 7,         /* its thread has a table of descriptors that is not known */
    OCT_STAY_HIDDEN = 8,        /* its socket was never seen: it is read by no function of libc */
    OCT_STAY_MEMORY = 9,        /* it came through memory */
    OCT_STAY_BIO_SSL = 10,      /* the program has asked for BIO_f_ssl() or its like: nothing pauses */
    OCT_STAY_DLSYM = 11,        /* the program has functions of libssl from dlsym() as they are: nothing pauses */
    OCT_STAY_NOT_FOLLOWED = 12, /* the program does not follow made-up events */
    OCT_STAY_ASYNCHRONOUS = 13, /* it is asynchronous by itself (SSL_MODE_ASYNC) */
    OCT_STAY_COUNT = 14
};

#define OCT_STAYS     27 /* room for reasons to come */
#define OCT_STAY_FORM 1

struct oct_stay_counters {
    uint64_t form;              /* OCT_STAY_FORM; else all of it is to be taken as zero */
    uint64_t paused;            /* handshakes that waited for others */
    uint64_t resumed;           /* sessions: these are no full handshakes */
    uint64_t stayed[OCT_STAYS]; /* full handshakes that did not, by enum oct_stay */
    uint64_t refused;           /* functions that dlsym() gave as they are: from the first on nothing pauses */
    uint64_t doors;             /* ways past the guards, these functions among them, that the program has got */
};

/*
 * Hellos of clients, as the preload shim found them when their handshake was about to begin: TLS over TCP, where libssl
 * reads from the socket. A server that keeps up has one hello in some looked at, which counts for all since the last.
 */
#define OCT_HELLO_FORM 1
/* A wait is in the first bucket whose bound, in milliseconds, it does not exceed; else in the one behind these. */
#define OCT_HELLO_BOUNDS                                                                                               \
    {                                                                                                                  \
        10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000                                                             \
    }
#define OCT_HELLO_WAITS 11
#define OCT_HELLO_ROOM  16 /* room for buckets to come */

struct oct_hello_counters {
    uint64_t form;                   /* OCT_HELLO_FORM; else all of it is to be taken as zero */
    uint64_t gone;                   /* thrown away: the client had left */
    uint64_t refused;                /* thrown away: it had waited too long (OCTUPLE_HELLOS=refuse) */
    uint64_t milliseconds;           /* that those whose handshake has begun had waited, in sum */
    uint64_t waited[OCT_HELLO_ROOM]; /* handshakes that have begun, by how long the hello had waited */
    uint64_t reserved[12];
};

/* A file of this form may end before `keys`, `quic`, `memory`, `stays` or `hellos`: then all of that is zero. */
struct oct_counters_file {
    struct oct_counters sum;
    struct oct_thread_counters thread[OCT_COUNTERS_THREADS];
    struct oct_key_counters keys;
    struct oct_quic_counters quic;
    struct oct_memory_counters memory;
    struct oct_stay_counters stays;
    struct oct_hello_counters hellos;
};

/*
 * What the process was started with, for who looks into its memory (`octuple doctor`, a debugger): some servers
 * overwrite their environment with what ps(1) shows. It lies OCT_START_OFFSET bytes behind the start of the counters
 * there, and in no file.
 */
#define OCT_START_MAGIC  0x7472617473744f00ull
#define OCT_START_OFFSET 434176

struct oct_start_notes {
    uint64_t magic;                             /* OCT_START_MAGIC */
    char openssl_conf[3072 - sizeof(uint64_t)]; /* OPENSSL_CONF, "" if it is not set, or not heeded, or too long */
    char settings[1024]; /* Octuple's own that were set, NAME=VALUE one behind the other, as many as find room; then ""
                          */
};

/* A copy of the counters as they are now; `waiting` is in it. All zero, magic included, in a process that counts
 * nothing, as the child that a server forks for one connection. */
OCT_API void oct_counters_read(struct oct_counters *out);

/* A copy of those of keys that live elsewhere. */
OCT_API void oct_counters_read_keys(struct oct_key_counters *out);

/* Adds up what waits in all threads of a file that somebody has read, into the sum that is in it. */
OCT_API void oct_counters_sum_waiting(struct oct_counters_file *file);

/* Counts an operation that the caller ran on the fallback without submitting it. */
OCT_API void oct_counters_note_fallback(int op);

/* Counts a batch that the caller ran by a batch call, oct_..._x8(): `lanes` operations (1 to 8), of which `ok` have a
 * good result. The queue counts what it runs itself. An op that does not exist, or other numbers, are ignored. */
OCT_API void oct_counters_note_batch(int op, unsigned lanes, unsigned ok, uint64_t nanoseconds);

/* The counters of this process as Prometheus text, for programs that serve their own metrics, in memory that the caller
 * frees with free(); NULL if there is no memory. */
OCT_API char *oct_counters_prometheus(void);

/* The same of any counters, as of several processes or threads: each gets labels of its own. */
struct oct_counters_series {
    const struct oct_op_counters *op; /* OCT_COUNTERS_OPS of them */
    uint64_t op_count;                /* of these are in use; more than the room is taken for the room */
    const char *labels;               /* in Prometheus's form, as in pid="7",command="nginx"; "" for none */
};
OCT_API char *oct_counters_prometheus_of(const struct oct_counters_series *series, size_t count);

/* The same of keys that live elsewhere, for processes in which they are served; "" if there is none. */
struct oct_key_series {
    const struct oct_key_counters *keys;
    const char *labels;
};
OCT_API char *oct_counters_prometheus_of_keys(const struct oct_key_series *series, size_t count);

#ifdef __cplusplus
}
#endif
#endif
