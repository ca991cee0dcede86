/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Which process this is: what the parent had under way, or had made ahead, is not the child's. */
#ifndef OCT_PROVIDER_FORK_H
#define OCT_PROVIDER_FORK_H

/* How many forks lie between this process and the one that first asked. */
unsigned oct_fork_generation(void);

#endif
