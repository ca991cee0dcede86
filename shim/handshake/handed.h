/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Connections that their program has handed to another thread while they were paused, and those fed through memory that
 * it has taken out of epoll. Their own thread has run the call to its end. What that has written may wait in memory to
 * be sent, or the other thread has called too early. They wait for a thread whose program waits for their socket
 * (events/handover.h).
 */
#ifndef OCT_SHIM_HANDED_H
#define OCT_SHIM_HANDED_H

#include "handshake/conn.h"

void oct_handed_start(void);

/* conn has no thread any more. It may be taken as soon as its state says that it has ended. */
void oct_handed_add(struct oct_conn *conn);
/* The same of one that has ended, by its own thread, which lets go of it. False if another thread has called it, or
 * frees it. */
bool oct_handed_give(struct oct_conn *conn);
/* conn's result is about to be used: nobody takes it any more. */
void oct_handed_withdraw(struct oct_conn *conn);
/* conn's SSL object is gone: nobody takes or gives conn any more. */
void oct_handed_bury(struct oct_conn *conn);
bool oct_handed_any(void);
/* Asks about each, which stays until that has been said. True: it is taken, and leaves the list. */
typedef bool oct_handed_take(struct oct_conn *conn, void *arg);
void oct_handed_each(oct_handed_take *take, void *arg);

#endif
