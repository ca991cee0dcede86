/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Probe points (see probes.h) that say how long something took, for what may be paused: a tracer that hooks
 * the return of such a function (uretprobes) would break the program, because returns come in another order than calls.
 * So the time is taken here, but only while somebody listens: each of these probes has a semaphore, which the kernel
 * raises in all processes while it is attached.
 *
 * One file of a library defines the semaphore, with OCT_TIMED_DEFINE(call).
 */
#ifndef OCT_TRACE_TIMED_H
#define OCT_TRACE_TIMED_H

#include "base/clock.h"

#if defined(__has_include)
#if __has_include(<sys/sdt.h>)
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#define OCT_HAVE_TIMED_PROBES 1
#endif
#endif

/* The call of the program that the shim stands in front of. `octuple trace` has the same numbers (cli/trace). */
enum oct_call {
    OCT_CALL_DO_HANDSHAKE = 1,
    OCT_CALL_ACCEPT = 2,
    OCT_CALL_CONNECT = 3,
    OCT_CALL_READ = 4,
    OCT_CALL_READ_EX = 5,
    OCT_CALL_WRITE = 6,
    OCT_CALL_WRITE_EX = 7,
    OCT_CALL_READ_EARLY_DATA = 8,
};

#ifdef OCT_HAVE_TIMED_PROBES
/* clang-format off */
#define OCT_TIMED_DECLARE(name) extern unsigned short octuple_##name##_semaphore __attribute__((visibility("hidden")))
#define OCT_TIMED_DEFINE(name)  unsigned short octuple_##name##_semaphore __attribute__((section(".probes")))
#define OCT_TIMED_WANTED(name)  __builtin_expect(*(volatile unsigned short *)&octuple_##name##_semaphore != 0, 0)
/* The call (enum oct_call), its connection, what it returned, nanoseconds, and of a read or write what was moved. */
#define OCT_PROBE_CALL(which, ssl, value, ns, data, length) \
    DTRACE_PROBE6(octuple, call, (which), (ssl), (value), (ns), (data), (length))
/* An operation of the provider, waiting included: which, whether it succeeded, nanoseconds. */
#define OCT_PROBE_OPERATION(op, ok, ns) DTRACE_PROBE3(octuple, operation, (op), (ok), (ns))
/* An operation with a key that lives elsewhere: its connection, how it ran (enum oct_keys_way), whether it succeeded;
 * nanoseconds of all of it, of its wait for a thread, and of the device. */
#define OCT_PROBE_KEY(ssl, way, ok, ns, line, device) \
    DTRACE_PROBE6(octuple, key, (ssl), (way), (ok), (ns), (line), (device))
/* clang-format on */
#else
#define OCT_TIMED_DECLARE(name) extern unsigned short octuple_##name##_semaphore
#define OCT_TIMED_DEFINE(name)  extern unsigned short octuple_##name##_semaphore
#define OCT_TIMED_WANTED(name)  0
#define OCT_PROBE_CALL(which, ssl, value, ns, data, length)                                                            \
    ((void)(which), (void)(ssl), (void)(value), (void)(ns), (void)(data), (void)(length))
#define OCT_PROBE_OPERATION(op, ok, ns) ((void)(op), (void)(ok), (void)(ns))
#define OCT_PROBE_KEY(ssl, way, ok, ns, line, device)                                                                  \
    ((void)(ssl), (void)(way), (void)(ok), (void)(ns), (void)(line), (void)(device))
#endif

/* Never 0. */
static inline uint64_t oct_timed_now(void)
{
    return oct_clock_nanoseconds() + 1;
}

/* The moment at which something begins; 0 while nobody wants to know. */
#define OCT_TIMED_BEGIN(name) (OCT_TIMED_WANTED(name) ? oct_timed_now() : 0)

#endif
