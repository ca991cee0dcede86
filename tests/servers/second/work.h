/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Some TLS connections at once, both ends in one thread, around an epoll instance of their own. Built into a plug-in or
 * into the program, it uses the TLS library that this one is linked to.
 */
#ifndef OCT_TEST_SECOND_WORK_H
#define OCT_TEST_SECOND_WORK_H

#include <stddef.h>

struct work;

struct work *work_open(void);
/* How many connections are still in their handshake after one turn of its event loop. */
int work_turn(struct work *w);
/* How many connections came about, and carried a byte each way. */
int work_close(struct work *w);
/* The file of the library that was used. */
void work_library(char *name, size_t n);

#endif
