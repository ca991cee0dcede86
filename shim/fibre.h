/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Fibres of the shim's own, on which handshakes are paused. They need nothing of OpenSSL's, so they also serve a
 * libcrypto that was built without asynchronous jobs (no-async), and the shim can end one by itself.
 *
 * A fibre belongs to the thread that made it, and is used again when its call has ended.
 */
#ifndef OCT_SHIM_FIBRE_H
#define OCT_SHIM_FIBRE_H

#include "shim.h"

#include "base/fibre.h"

/* True if fibres can be switched in this process: there is code for this CPU, and no shadow stack. */
bool oct_fibre_possible(void);

/* The thread has a spare fibre. */
bool oct_fibre_prepare(struct oct_thread *t);

/* Runs the call on a spare fibre, which there has to be, or resumes the one that conn is paused on. Returns true if the
 * call has ended, which the fibre was started with: *value is what it returned. */
bool oct_fibre_run(struct oct_conn *conn, oct_handshake_call *call, void *arg, int *value);

/* Whose call the fibre runs that the caller stands on; NULL: it stands on none. */
struct oct_conn *oct_fibre_conn(void);

/* conn's fibre, if there is one, was started with another call than this one. */
bool oct_fibre_has_other(const struct oct_conn *conn, oct_handshake_call *call);

/* conn's fibre, if there is one, will never run again. To be called on its own thread. Its stack stays: the SSL object
 * may have something there. */
void oct_fibre_abandon(struct oct_conn *conn);

/* The thread's end. */
void oct_fibre_end(struct oct_thread *t);

/* errors.c */
/* What a handshake left in the thread's error queue is its own: it is taken out while the fibre is paused, and put back
 * when it goes on. NULL: nothing. */
struct oct_errors;
struct oct_errors *oct_errors_take(void);
void oct_errors_give_back(struct oct_errors *errors);

/* switch.c */
/* Saves the registers that a function has to preserve, and *from; goes on at the place that `to` was saved at. */
void oct_switch(void **from, void *to);
/* A place to start at: calls start(arg), which never returns, on the stack that ends at top, which is a multiple of 16.
 */
void *oct_switch_prepare(void *top, void (*start)(void *arg), void *arg);

#endif
