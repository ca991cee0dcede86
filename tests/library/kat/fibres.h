/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Runs functions as OpenSSL async jobs, several in flight at once, as a server that has no callback does: by wait fds.
 */
#ifndef OCT_TESTS_KAT_FIBRES_H
#define OCT_TESTS_KAT_FIBRES_H

#define FIBRES 8

struct fibres_seen {
    unsigned pauses;      /* jobs that paused at least once */
    unsigned fds_unready; /* pauses whose wait fd was not readable: nobody would have woken that job */
    unsigned fds_missing; /* pauses without a wait fd */
};

/* Starts function(arg[0..count-1]), at most FIBRES of them, each in a job of its own, and resumes them in turns until
 * all have ended. */
void fibres_run(void (*function)(void *), void *arg[], unsigned count, struct fibres_seen *seen);

#endif
