/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SHA-512's compression in lanes: arguments and entry points. Padding, and lanes of different length, are the caller's.
 */
#ifndef OCT_KERNELS_SHA512_H
#define OCT_KERNELS_SHA512_H

#include "base/base.h"
#include "kernels/limb8.h"

/* One block of 128 bytes in each lane. The pointers stand in the struct itself: they are public, what they point to may
 * be secret. */
struct oct_sha512_args {
    oct_limb8 *state;        /* [8] words, read and written; 64-byte aligned */
    const uint8_t *block[8]; /* any alignment */
};
typedef void oct_sha512_fn(const struct oct_sha512_args *args);

#define OCT_SHA512_DECLARE(backend) oct_sha512_fn oct_##backend##_sha512;

OCT_SHA512_DECLARE(avx512)
OCT_SHA512_DECLARE(avx512f)
OCT_SHA512_DECLARE(ifma256)
OCT_SHA512_DECLARE(avx2)
OCT_SHA512_DECLARE(c)
OCT_SHA512_DECLARE(bound)

#endif
