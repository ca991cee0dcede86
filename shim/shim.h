/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The preload shim: asynchronous TLS handshakes for event-driven servers that know nothing of them.
 *
 * A handshake that comes to an expensive operation is paused: its part of the stack is copied away (slice.h). The
 * server is told that nothing can be read yet, and it serves others. The operations of all that wait run together,
 * eight at a time or when the server would sleep in epoll_wait(), and the server then gets a readable event for each
 * connection whose operation is done. Its next call resumes the handshake.
 *
 *   start.c, decide.c   whether the shim does anything at all in this process
 *   ssl.c               the hooks of libssl
 *   reach.c             dlsym(), by which a program may have them
 *   libssl/             finding functions: resolve.c behind the hooks, copies.c where a process has several libssl,
 *                       withdraw.c where the shim is off, load.c the provider, ctx.c and crypto.c when it comes,
 *                       library.c liboctuple, awslc.c what AWS-LC has otherwise
 *   fds/                what is known of descriptors, and who sleeps on them
 *   handshake/          one connection and its thread: states.c what may happen to a call, and what follows,
 *                       handshake.c a call that is paused and resumed, slice.c its part of the stack, points.c
 *                       where it may pause, storm.c whether its client is still there, doors.c who forces it,
 *                       finish.c and drain.c how it ends when nobody resumes it, known.c the table of SSL objects,
 *                       handed.c those that wait for another thread, socket.c and way.c its socket, ride.c when its
 *                       last bytes go out, above.h what it asks of the rooms that use it
 *   memory/             programs that read their sockets themselves and feed libssl: memory.h
 *   quic/               handshakes of QUIC, in programs that are known to bear it
 *   events/             what a thread sleeps on: epoll.c and poll.c the hooks, made.c made-up events, read.c and look.c
 *                       who reads or looks there, write.c who sends, handover.c how another thread gets a connection
 *   keys/               keys that live elsewhere, behind keys.h
 *   method/             RSA of AWS-LC, whose calls need no slice to wait, behind method.h
 *   savings/            what libssl and libcrypto do around an operation and need not, behind savings.h
 *
 * Each folder calls those above it here (ROOMS in tools/check-layers).
 *
 * Whether a handshake may pause is oct_handshake_may_pause() in handshake/handshake.c, which the provider asks at each
 * operation (decide() in provider/async/task.c), as keys/ and method/ do. docs/pauses.md has the rule.
 *
 * A connection belongs to the thread that paused it: a slice cannot move. Nothing here is secret; no key and no byte of
 * a record passes through the shim, except early data (early.c) and the hellos of clients (memory/hellos.c).
 */
#ifndef OCT_SHIM_SHIM_H
#define OCT_SHIM_SHIM_H

#include "libssl/serves.h"

/* Asked where libssl is: loads liboctuple. False in a program with raised privileges, and in one that has a process
 * for each connection. */
bool oct_shim_wanted(void);

/* reach.c: reads its option of OCTUPLE_LOOPS. */
void oct_reach_start(const char *setting);

/* Makes liboctuple read its settings. False if it has no table for this CPU, or was told to use none. */
bool oct_shim_library_start(void);

/* decide.c: whether the shim serves this copy, and the same at a fork. */
bool oct_shim_decide_for(const struct oct_ssl_functions *ssl);
void oct_shim_decide_before_fork(void);

#endif
