/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* Moves of 32-bit units between two vectors of 64 bytes, for the portable backends of i16x32.h and i32x16.h. */
#ifndef OCT_VEC_UNITS_C_H
#define OCT_VEC_UNITS_C_H

#include <string.h>

#define UNITS 32 /* of x, and behind these of y */

/* from[u] says where unit u of the result comes from. */
OCT_INLINE void units_move(void *x, void *y, const uint8_t from[UNITS])
{
    uint32_t old[UNITS], now[UNITS];
    memcpy(old, x, 64);
    memcpy(old + UNITS / 2, y, 64);
    for (int u = 0; u < UNITS; u++)
        now[u] = old[from[u]];
    memcpy(x, now, 64);
    memcpy(y, now + UNITS / 2, 64);
}
OCT_INLINE void units_exchange(void *x, void *y, unsigned bit)
{
    uint8_t from[UNITS];
    for (unsigned u = 0; u < UNITS; u++) {
        const unsigned high = u >> 4 & 1, low = u >> bit & 1;
        from[u] = (uint8_t)((u & ~(1u << 4 | 1u << bit)) | low << 4 | high << bit);
    }
    units_move(x, y, from);
}
OCT_INLINE void units_zip(void *x, void *y)
{
    uint8_t from[UNITS];
    for (unsigned u = 0; u < UNITS; u++)
        from[u] = (uint8_t)(u >> 1 | (u & 1) << 4);
    units_move(x, y, from);
}
OCT_INLINE void units_unzip(void *x, void *y)
{
    uint8_t from[UNITS];
    for (unsigned u = 0; u < UNITS; u++)
        from[u] = (uint8_t)((u << 1 & 31) | u >> 4);
    units_move(x, y, from);
}

#endif
