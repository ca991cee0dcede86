/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The file that follows the page of counters, where OCTUPLE_COUNTERS is set. Without a file all of this does nothing.
 * With one it costs a system call for each run of a queue, and for each operation on the fallback.
 */
#ifndef OCT_TRACE_FILE_H
#define OCT_TRACE_FILE_H

#include <octuple/counters.h>
#include <stdbool.h>
#include <stddef.h>

#define OCT_COUNTERS_PARTS 9

/* Bytes of the page. */
struct oct_counters_part {
    const void *at;
    size_t size;
};

/* Reads the setting, once for the process. */
void oct_counters_file_directory(void);

bool oct_counters_file_wanted(void);

/* Makes the process's file, if there is to be one, with what is in the page. */
void oct_counters_file_make(const struct oct_counters_file *page);

/* In the child of a fork, or where there may be a parent's file: it is not written to any more. */
void oct_counters_file_leave(void);

/* Writes up to OCT_COUNTERS_PARTS parts of the page into the file. A thread that is held up in between may put earlier
 * numbers over those that another one has just written; the next count mends that. */
void oct_counters_file_write(const struct oct_counters_part *part, size_t parts);

/* The same of an operation's counters that have changed, in the sum and in a thread's slot; of what lies behind the
 * threads; and of all at the end. */
void oct_counters_file_follow(const struct oct_thread_counters *slot, int op);
void oct_counters_file_tail(void);
void oct_counters_file_end(void);

/* What the calling thread counts from true to false is written at the end, together. */
void oct_counters_file_gather(bool on);

#endif
