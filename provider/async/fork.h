/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Which process this is: what the parent had under way, or had made ahead, is not the child's. */
#ifndef OCT_PROVIDER_FORK_H
#define OCT_PROVIDER_FORK_H

#include <stdbool.h>

/* Once, when the provider is loaded: from now on forks are noticed. */
void oct_fork_watch(void);

/* How many forks lie between this process and the one that loaded the provider. */
unsigned oct_fork_generation(void);

/* True for the first operations of a child, which it counts: the child may have been forked for one connection, and
 * what lanes need at their first use would cost it more than they give. False once other handshakes are in flight,
 * or in a program with jobs of its own. */
bool oct_fork_steps_aside(void);

/* The same without an operation: what lanes need need not be made yet. */
bool oct_fork_is_aside(void);

#endif
