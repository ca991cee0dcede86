/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* How numbers go into kernels and out: eight lanes of one limb side by side; an array of them is 64-byte aligned. */
#ifndef OCT_KERNELS_LIMB8_H
#define OCT_KERNELS_LIMB8_H

#include "base/base.h"

typedef uint64_t oct_limb8[8];

/* An array from lane `first` on, for a kernel whose vectors have fewer lanes: limbs are as far apart as before. */
OCT_INLINE const oct_limb8 *oct_limb8_from(const oct_limb8 *x, unsigned first)
{
    return (const oct_limb8 *)(const void *)((const uint64_t *)(const void *)x + first);
}
OCT_INLINE oct_limb8 *oct_limb8_to(oct_limb8 *x, unsigned first)
{
    return (oct_limb8 *)(void *)((uint64_t *)(void *)x + first);
}

#endif
