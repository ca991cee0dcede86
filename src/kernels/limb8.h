/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How numbers go into kernels and out: eight lanes of one limb side by side; an array of them is 64-byte aligned. */
#ifndef OCT_KERNELS_LIMB8_H
#define OCT_KERNELS_LIMB8_H

#include <stdint.h>

typedef uint64_t oct_limb8[8];

#endif
