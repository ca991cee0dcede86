/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SHA-512 (FIPS 180-4) of short messages, for what is derived on the side: no branch or address depends on the message.
 */
#ifndef OCT_BASE_SHA512_H
#define OCT_BASE_SHA512_H

#include "base/base.h"

#define OCT_SHA512_BYTES 64
#define OCT_SHA512_BLOCK 128

/* What the state starts with, and what the rounds add. */
extern const uint64_t oct_sha512_start[8], oct_sha512_constant[80];

/* Clears what it leaves behind but for the frames of its own calls: see oct_scrub_stack(). */
void oct_sha512(uint8_t digest[OCT_SHA512_BYTES], const uint8_t *message, size_t len);

#endif
