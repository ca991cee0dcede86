/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The counters of other processes (<octuple/counters.h>). A running process has them in a page of the library's
 * memory, wherever that is mapped, and they are read from there, so that nothing has to be switched on beforehand.
 * That takes the right to trace the process; without it, its file in OCTUPLE_COUNTERS does. Of the threads' slots the
 * first sum.slots are read, and no others are written to.
 */
#ifndef OCT_CLI_COUNTERS_H
#define OCT_CLI_COUNTERS_H

#include <sys/types.h>
#include <octuple/counters.h>

enum counters_result {
    COUNTERS_READ,
    COUNTERS_NONE,          /* the library is not in the process; there is no file, or it is none of counters */
    COUNTERS_NOT_STARTED,   /* the library is there, and nobody has used it */
    COUNTERS_NOT_PERMITTED, /* nobody may say whether it is */
    COUNTERS_CUT,           /* the file is too short: somebody has shortened it */
    COUNTERS_OTHER_VERSION  /* a form that this reader does not know */
};

/* Files of a folder that gave nothing. */
struct counters_left {
    unsigned other_versions, cut;
};

/* Out of the process's memory, or else of the file that its environment leads to. What waits is summed up. *where is
 * the place in memory, for the next time; 0 at first. */
enum counters_result counters_of_process(struct oct_counters_file *out, pid_t pid, uint64_t *where);

/* What the library noted at the process's start; 0 if that cannot be read. */
int counters_start_notes(struct oct_start_notes *out, pid_t pid);

/* Calls with what each counters file in the folder says, or its process if that runs and may be looked into. Returns 0,
 * or the errno of why the folder cannot be read. */
int counters_of_folder(const char *folder, void (*found)(void *arg, const struct oct_counters_file *file), void *arg,
                       struct counters_left *left);

#endif
