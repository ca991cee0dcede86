/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM3's compression in lanes: arguments and entry points. Padding, and lanes of different length, are the caller's. */
#ifndef OCT_KERNELS_SM3_H
#define OCT_KERNELS_SM3_H

#include "base/base.h"

#define OCT_SM3_KERNEL_LANES 16
typedef uint32_t oct_word16[OCT_SM3_KERNEL_LANES];

/* What a state starts with (GB/T 32905, 4.1). */
#define OCT_SM3_START                                                                                                  \
    {                                                                                                                  \
        0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e                 \
    }

/* Blocks of 64 bytes, one after the other, in each lane. The pointers stand in the struct itself: they are public, what
 * they point to may be secret. */
struct oct_sm3_args {
    oct_word16 *state;                          /* [8] words, read and written; 64-byte aligned */
    const uint8_t *block[OCT_SM3_KERNEL_LANES]; /* the first ones; any alignment */
    size_t blocks;                              /* how many in each lane; public */
};
typedef void oct_sm3_fn(const struct oct_sm3_args *args);

/* The workspace is the state alone. */
#define OCT_SM3_DECLARE(backend)                                                                                       \
    extern const size_t oct_##backend##_sm3_workspace;                                                                 \
    oct_sm3_fn oct_##backend##_sm3;

OCT_SM3_DECLARE(avx512)
OCT_SM3_DECLARE(avx512f)
OCT_SM3_DECLARE(ifma256)
OCT_SM3_DECLARE(avx2)
OCT_SM3_DECLARE(c)
OCT_SM3_DECLARE(bound)

#endif
