/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Rows beside Intel's crypto_mb, by family; eight operations a call on both sides, or 16 texts of SM4. */
#ifndef OCT_BENCH_CRYPTO_MB_H
#define OCT_BENCH_CRYPTO_MB_H

#include "lanes.h"

extern const struct beside_row crypto_mb_rsa[], crypto_mb_25519[], crypto_mb_p256[], crypto_mb_p384[], crypto_mb_sm2[],
    crypto_mb_sm3[], crypto_mb_sm4[];

/* Big-endian bytes to the little-endian words that crypto_mb takes. */
static inline void reversed(void *out, const uint8_t *in, size_t len)
{
    uint8_t *to = out;
    for (size_t i = 0; i < len; i++)
        to[i] = in[len - 1 - i];
}

#endif
