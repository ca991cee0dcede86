/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Static probe points (USDT): a nop each until bpftrace, perf or gdb asks for it, then a trap that shows the arguments,
 * e.g. `bpftrace -e 'usdt:/usr/lib/x86_64-linux-gnu/liboctuple.so:octuple:flush { @[arg0] = lhist(arg1, 0, 9, 1); }'`.
 * Without <sys/sdt.h> at build time (Debian: systemtap-sdt-dev) they are nothing at all. All arguments are public
 * numbers.
 */
#ifndef OCT_TRACE_PROBES_H
#define OCT_TRACE_PROBES_H

#if defined(__has_include)
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define OCT_HAVE_PROBES 1
#endif
#endif

/* Why a batch ran. */
enum oct_flush_reason {
    OCT_FLUSH_FULL = 1, /* the eighth job arrived, or eight were found */
    OCT_FLUSH_POLL = 2, /* the caller had nothing better to do */
    OCT_FLUSH_NOW = 3,  /* the caller waits for it: alone, or with what other threads put beside it */
};

/* Why a job was handed back to be run on the fallback. */
enum oct_fallback_reason {
    OCT_FALLBACK_FEW = 1,     /* too few for a vector to pay */
    OCT_FALLBACK_REFUSED = 2, /* the batch could not run: no memory, or the operation went off */
};

#ifdef OCT_HAVE_PROBES
/* clang-format off */
#define OCT_PROBE_SUBMIT(op, job, waiting)      DTRACE_PROBE3(octuple, submit, (op), (job), (waiting))
#define OCT_PROBE_FLUSH(op, lanes, reason, ns)  DTRACE_PROBE4(octuple, flush, (op), (lanes), (reason), (ns))
#define OCT_PROBE_DONE(op, job, status)         DTRACE_PROBE3(octuple, done, (op), (job), (status))
#define OCT_PROBE_SINGLE(op)                    DTRACE_PROBE1(octuple, single, (op))
#define OCT_PROBE_FALLBACK(op, job, reason)     DTRACE_PROBE3(octuple, fallback, (op), (job), (reason))
#define OCT_PROBE_CANCEL(op, job)               DTRACE_PROBE2(octuple, cancel, (op), (job))
/* clang-format on */
#else
#define OCT_PROBE_SUBMIT(op, job, waiting)     ((void)(op), (void)(job), (void)(waiting))
#define OCT_PROBE_FLUSH(op, lanes, reason, ns) ((void)(op), (void)(lanes), (void)(reason), (void)(ns))
#define OCT_PROBE_DONE(op, job, status)        ((void)(op), (void)(job), (void)(status))
#define OCT_PROBE_SINGLE(op)                   ((void)(op))
#define OCT_PROBE_FALLBACK(op, job, reason)    ((void)(op), (void)(job), (void)(reason))
#define OCT_PROBE_CANCEL(op, job)              ((void)(op), (void)(job))
#endif

#endif
