/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Randomness from the kernel, for secrets. */
#ifndef OCT_API_RANDOM_H
#define OCT_API_RANDOM_H

#include <stddef.h>

/* OCT_OK, or OCT_ERR_UNSUPPORTED where the kernel has none. */
int oct_random(void *data, size_t len);

#endif
