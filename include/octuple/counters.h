/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Counters of this process, summed over its threads. They only grow; a forked child starts at zero.
 *
 * If the environment variable OCTUPLE_COUNTERS names a directory when the library is first used, each process keeps its
 * counters in a file there, DIRECTORY/PID.octuple, which holds exactly one struct oct_counters: it can be read while
 * the process runs and stays after it ends. A forked child's file is made inside fork(), before a worker gives up its
 * privileges. A file that an earlier process of the same pid left is replaced. What cannot be made is silently done
 * without.
 */
#ifndef OCTUPLE_COUNTERS_H
#define OCTUPLE_COUNTERS_H

#include <octuple/op.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OCT_COUNTERS_MAGIC 0x3150555463744f00ull
/* Room for operations to come, so that the file's form stays. */
#define OCT_COUNTERS_OPS 32

struct oct_op_counters {
    uint64_t submitted;             /* jobs given to a queue */
    uint64_t done;                  /* jobs completed in lanes with a good result */
    uint64_t failed;                /* jobs completed with an error (range, fault) */
    uint64_t plain;                 /* jobs handed back to run plainly, and operations run plainly at once */
    uint64_t cancelled;             /* jobs unlinked before they ran */
    uint64_t recomputed;            /* lanes whose result failed its check once */
    uint64_t flushes[OCT_LANES];    /* batches run, by jobs in them: [0] one job, [7] eight jobs */
    uint64_t lane_nanoseconds;      /* time spent in batches */
    uint64_t reserved[2];
};

struct oct_counters {
    uint64_t magic; /* OCT_COUNTERS_MAGIC */
    uint64_t pid;
    uint64_t op_count; /* OCT_OP_COUNT of the writer */
    uint64_t reserved[5];
    struct oct_op_counters op[OCT_COUNTERS_OPS];
};

/*
 * What the process was started with, for who looks into its memory (`octuple doctor`, a debugger): some servers
 * overwrite their environment with what ps(1) shows. It lies OCT_START_OFFSET bytes behind the start of the counters
 * there, and in no file.
 */
#define OCT_START_MAGIC  0x7472617473744f00ull
#define OCT_START_OFFSET 8192

struct oct_start_notes {
    uint64_t magic;                             /* OCT_START_MAGIC */
    char openssl_conf[4096 - sizeof(uint64_t)]; /* OPENSSL_CONF, "" if it is not set, or not heeded, or too long */
};

/* A copy of the counters as they are now. */
OCT_API void oct_counters_read(struct oct_counters *out);

/* Counts an operation that the caller ran plainly without submitting it. */
OCT_API void oct_counters_note_plain(int op);

/* The counters as Prometheus text, in memory that the caller frees with free(); NULL if there is no memory. */
OCT_API char *oct_counters_prometheus(void);

#ifdef __cplusplus
}
#endif
#endif
