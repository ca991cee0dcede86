/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* AES key expansion (FIPS 197, 5.2) in constant time: the S-box comes from the last round itself. */
#ifndef OCT_KERNELS_AES_IMPL_H
#define OCT_KERNELS_AES_IMPL_H

#include "vec/cipher/blocks.h"

#include <string.h>

/* The S-box on each byte: four equal columns do not see ShiftRows. */
OCT_INLINE uint32_t aes_substitute_word(uint32_t word)
{
    return b1_get32(b1_aes_last(b1_set32(word), b1_zero()));
}

/* rounds + 1 round keys from a key of 4 * (rounds - 6) bytes, each one `lanes` times. */
static OCT_NOINLINE void aes_expand(uint8_t *round_key, const unsigned lanes, const uint8_t *key, const unsigned rounds)
{
    const unsigned words = rounds - 6, total = 4 * (rounds + 1);
    uint32_t w[60], constant = 1;
    memcpy(w, key, 4 * words);
    for (unsigned i = words; i < total; i++) {
        uint32_t t = w[i - 1];
        if (i % words == 0) {
            t = aes_substitute_word(t >> 8 | t << 24) ^ constant;
            constant = constant << 1 ^ (constant >> 7) * 0x11b;
        } else if (words > 6 && i % words == 4) {
            t = aes_substitute_word(t);
        }
        w[i] = w[i - words] ^ t;
    }
    for (unsigned i = 0; i < (rounds + 1) * lanes; i++)
        memcpy(round_key + (size_t)16 * i, &w[i / lanes * 4], 16);
    oct_cleanse(w, sizeof w);
}

#endif
