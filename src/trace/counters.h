/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The writers' side of <octuple/counters.h>: relaxed atomic adds into the process's sum, and plain ones into the
 * thread's own slot. A writer gathers what it has to say and says it once per batch, so that threads do not fight over
 * the sum.
 */
#ifndef OCT_TRACE_COUNTERS_H
#define OCT_TRACE_COUNTERS_H

#include <octuple/counters.h>
#include <stdatomic.h>

/* A word of a file of counters, to be read and written atomically. The public header says nothing of that: programs in
 * C++ include it too. */
static inline _Atomic uint64_t *oct_atomic_word(const uint64_t *word)
{
    return (_Atomic uint64_t *)word;
}

/* Reads OCTUPLE_COUNTERS and opens the page, once for the process; later calls cost a load. Every other function here
 * does it too: this one is for those who come early, while the environment is still there. */
void oct_counters_start(void);

/* Adds every field of delta. An op that does not exist is ignored. */
void oct_count_add(int op, const struct oct_op_counters *delta);

/* Lanes whose result failed its check and was computed again. */
void oct_count_recomputed(int op, unsigned lanes);

/* So many jobs more wait (or fewer, negative) that this thread has submitted. Costs two moves in the thread's own
 * slot. */
void oct_count_waiting(int op, int64_t more);

/* The page itself (page.c); NULL in a process that counts nothing. */
struct oct_counters_file *oct_counters_page(void);

/* That process had so many operations more. */
void oct_counters_unseen(uint64_t count);

/* The calling thread's slot in it (threads.c): its own, or the first one, which is shared. */
struct oct_thread_counters *oct_counters_slot(struct oct_counters_file *file);

/* In the child of a fork: the thread's slot is its parent's. With a new page all slots are free besides. */
void oct_counters_slot_forget(void);
void oct_counters_slots_forget(void);

/* Nanoseconds since 1970. */
uint64_t oct_counters_now(void);

#endif
