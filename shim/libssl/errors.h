/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The error queue of a handshake goes with it (errors.c). */
#ifndef OCT_SHIM_ERRORS_H
#define OCT_SHIM_ERRORS_H

/* What a handshake left in the thread's error queue is its own: it is taken out while the handshake is paused, and put
 * back when it goes on. NULL: nothing. */
struct oct_errors;
/* Clears the queue, which is mostly empty. */
void oct_errors_clear(void);
struct oct_errors *oct_errors_take(void);
/* Raises them again, behind what is there, and frees the object. */
void oct_errors_give_back(struct oct_errors *errors);
/* Frees it alone. */
void oct_errors_free(struct oct_errors *errors);

#endif
