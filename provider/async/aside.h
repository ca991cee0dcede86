/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The first operations of a forked child, which leave lanes aside. */
#ifndef OCT_PROVIDER_ASIDE_H
#define OCT_PROVIDER_ASIDE_H

#include <stdbool.h>

/* When the provider is loaded: processes that are forked from now on are children. */
void oct_aside_start(void);

/* True for the first operations of a child, which it counts: the child may have been forked for one connection, and
 * what lanes need at their first use would cost it more than they give. False once other handshakes are in flight,
 * or in a program with jobs of its own. */
bool oct_aside_take(void);

/* The same without an operation: what lanes need need not be made yet. */
bool oct_aside_is_due(void);

#endif
