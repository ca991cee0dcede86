/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The portable backend of the contract of 32-bit words: plain loops. */
#ifndef OCT_VEC_U32X16_C_H
#define OCT_VEC_U32X16_C_H

#include <string.h>

typedef struct {
    uint32_t p[U32X16_LANES];
} u32x16;

#define U32X16_EACH(i)                                                                                                 \
    OCT_UNROLL                                                                                                         \
    for (int i = 0; i < U32X16_LANES; i++)

OCT_INLINE u32x16 u32x16_set1(uint32_t x)
{
    u32x16 r;
    U32X16_EACH(i) r.p[i] = x;
    return r;
}
OCT_INLINE u32x16 u32x16_load(const uint32_t p[U32X16_LANES])
{
    u32x16 r;
    memcpy(r.p, p, sizeof r.p);
    return r;
}
OCT_INLINE void u32x16_store(uint32_t p[U32X16_LANES], u32x16 a)
{
    memcpy(p, a.p, sizeof a.p);
}
PARTS_2(u32x16, u32x16_add, x + y)
PARTS_2(u32x16, u32x16_xor, x ^ y)
VEC_3(u32x16, u32x16_xor3, u32x16_xor(u32x16_xor(a, b), c))
PARTS_BY(u32x16, u32x16_rol, x << bits | x >> (32 - bits))
PARTS_3(u32x16, u32x16_choose, (x & y) | (~x & z))
PARTS_3(u32x16, u32x16_majority, (x & y) | (z & (x | y)))
OCT_INLINE void u32x16_load_be(u32x16 word[16], const uint8_t *const lane[U32X16_LANES], size_t at)
{
    for (int j = 0; j < 16; j++)
        U32X16_EACH(i)
        {
            const uint8_t *p = lane[i] + at + 4 * j;
            word[j].p[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        }
}

#endif
