/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* See peers.h. */
#include "batch/peers.h"

#include <linux/sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NICES 40 /* from -20 on */

/* Linux's struct sched_attr in its first version. Its header and that of the C library do not bear each other. */
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* Real-time threads have none: who asks for such a policy does not want to wait for others. Under SCHED_DEADLINE a
 * yield would give away the rest of the period. */
int oct_peers_ask(void)
{
    struct attributes own = {.size = sizeof own};
    int policy;

    if (syscall(SYS_sched_getattr, 0l, &own, sizeof own, 0l) != 0 || own.nice < -20 || own.nice >= NICES - 20)
        return OCT_PEERS_NONE;
    switch (own.policy) {
    case SCHED_NORMAL:
        policy = 0;
        break;
    case SCHED_BATCH:
        policy = 1;
        break;
    case SCHED_IDLE:
        policy = 2;
        break;
    default:
        return OCT_PEERS_NONE;
    }
    return policy * NICES + own.nice + 20;
}
