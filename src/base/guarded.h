/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Memory for private keys, which live as long as their process: left out of core dumps, between two pages that nobody
 * may touch, kept from swap as far as the process may lock memory, and wiped when it is given back. Several keys share
 * a region. A child of a fork has its keys too, in memory that is not dumped, but locked by its parent only.
 *
 * There is no lock that a fork could leave taken, and no system call that a program does not make by itself: a filter
 * of system calls (seccomp) that knows nothing of locked memory stays content.
 */
#ifndef OCT_BASE_GUARDED_H
#define OCT_BASE_GUARDED_H

#include "base/base.h"

/* The most that a piece may have. */
#define OCT_GUARDED_MAX 20480

/* Asks how much memory the process may lock. For who comes early; else the first piece does it. */
void oct_guarded_start(void);

/* A piece of so many bytes, all zero, 64-byte aligned; NULL without memory. */
void *oct_guarded_new(size_t size);

/* Wipes it and gives it back; `size` as it was asked for. NULL: nothing. */
void oct_guarded_free(void *piece, size_t size);

#endif
