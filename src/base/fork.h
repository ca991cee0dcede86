/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Which process this is: what a parent had under way, or had made ahead, is not its child's. Private, as thread_mode.h
 * is: liboctuple.so exports these functions to its own two libraries.
 */
#ifndef OCT_BASE_FORK_H
#define OCT_BASE_FORK_H

#include <octuple/status.h>

#include <stdint.h>

/* From now on forks are noticed: to be called before the generation is used. Later calls do nothing. */
OCT_API void oct_fork_watch(void);

/* 1 in the process that first watched, one more in its child, and so on. */
OCT_API uint64_t oct_fork_generation(void);

#endif
