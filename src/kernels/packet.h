/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Headers of QUIC packets under a mask (RFC 9001, 5.4.1): for kernels that seal packets whole, and for src/api. */
#ifndef OCT_KERNELS_PACKET_H
#define OCT_KERNELS_PACKET_H

#include "base/base.h"

#include <string.h>

/* Which bits of a header's first byte are masked: 4 of a long header, 5 of a short one; no branch on the byte. */
OCT_INLINE uint8_t oct_packet_first_bits(uint8_t first)
{
    return (uint8_t)(0x1f ^ (first >> 3 & 0x10));
}

/* Takes a mask, of which 8 bytes are read, on or off: the first byte, and a number of 1 to 4 bytes. Not a byte of the text behind
 * it is read here: to load what has just been stored as parts of something else means to wait for the cache. */
OCT_INLINE void oct_packet_mask(uint8_t *data, size_t number_at, size_t number_len, const uint8_t *mask)
{
    uint64_t word;
    memcpy(&word, mask, 8);
    data[0] ^= (uint8_t)word & oct_packet_first_bits(data[0]);
    if (number_at + number_len > 4) {
        uint8_t *last = data + number_at + number_len - 4;
        uint32_t number;
        memcpy(&number, last, 4);
        number ^= (uint32_t)(word >> 8) << (32 - 8 * number_len);
        memcpy(last, &number, 4);
    } else {
        for (size_t i = 0; i < number_len; i++)
            data[number_at + i] ^= mask[1 + i];
    }
}

#endif
