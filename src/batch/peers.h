/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Peers: threads of one process that the scheduler treats alike, because they have the same policy and the same nice.
 * One that is ready to run gets the CPU no later than another would.
 *
 * Weights of control groups cannot be seen here. Threads of one process are in different groups only where somebody has
 * put each there by itself (threaded groups, or the first version's). Autogroups make no difference: a process is in
 * one as a whole.
 */
#ifndef OCT_BATCH_PEERS_H
#define OCT_BATCH_PEERS_H

enum {
    OCT_PEERS_NONE = -1,  /* of a policy under which a thread has none, or nobody knows */
    OCT_PEERS_USUAL = 20, /* of SCHED_OTHER and nice 0 */
    OCT_PEERS = 120       /* so many kinds, from 0 on */
};

/* Those of the calling thread, as they are now: a system call. Another process may change them at any time. */
int oct_peers_ask(void);

#endif
