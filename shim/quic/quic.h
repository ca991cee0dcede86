/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Handshakes of QUIC whose program speaks QUIC itself and lets libssl speak TLS (SSL_set_quic_tls_cbs(), OpenSSL 3.5).
 * There is no socket in the SSL object. What libssl reads and writes goes through callbacks of the program, and what
 * happens behind SSL_do_handshake() is the program's own affair. So a program has to be known to bear a pause.
 *
 * In the server's first flight, where key exchange and signature are, libssl needs nothing of its caller any more: the
 * whole hello has been read, and what libssl makes goes to callbacks that only queue it. Nothing else is ever paused.
 *
 *   programs.c  which programs bear it, how, and why
 *   front.c     stands in front of the program's callbacks, so that a connection that it has freed calls none of them
 *   pause.c     which handshakes and which of their operations may pause
 *   resume.c    where they go on
 *   socket.c    whose socket it is, in a program that has one for each connection
 */
#ifndef OCT_SHIM_QUIC_H
#define OCT_SHIM_QUIC_H

#include "handshake/above.h"

#include "trace/quic.h"

/* One more of `what`, a field of the counters. */
#define OCT_QUIC_COUNT(what) ((void)__atomic_add_fetch(&oct_quic_counters()->what, 1, __ATOMIC_RELAXED))

/* Where a paused handshake goes on. */
enum oct_quic_way {
    OCT_QUIC_STAYS,     /* nowhere: it stays synchronous */
    OCT_QUIC_IN_WAIT,   /* where the thread waits for events; the program sends what was queued when that returns */
    OCT_QUIC_BY_SOCKET, /* where the program reads from the connection's own socket, which a made-up event says it can
                         */
};

/* programs.c: reads the setting, and decides once, with the shim itself (decide.c). */
void oct_quic_start(const char *setting);
void oct_quic_decide(void);
extern enum oct_quic_way oct_quic_way;
/* What counters say of that. */
enum oct_quic_state oct_quic_state(void);

/* front.c */
/* From now on none of the program's callbacks is called; or they are again. */
void oct_quic_cut(struct oct_conn *conn, bool cut);
/* The connection's own socket, or -1. */
int oct_quic_socket(const struct oct_quic *quic);

/* pause.c */
extern const struct oct_way oct_quic_led;

/* resume.c */
/* The thread waits for events: those go on whose operation is done. How many did. sleep: nothing else is to do, and
 * what they then wait for is run too. */
unsigned oct_quic_resume(struct oct_thread *t, bool sleep);

/* socket.c */
/* The socket that this thread has just connected for a connection, in this round of its loop; -1: none. It is given out
 * once. */
int oct_quic_take_socket(uint32_t *generation);
/* The program is about to read from fd. */
void oct_quic_read(int fd);

#endif
