/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The portable backend of the contract of 32-bit words: plain loops. */
#ifndef OCT_VEC_U32X16_C_H
#define OCT_VEC_U32X16_C_H

#include <string.h>

typedef struct {
    uint32_t l[U32X16_LANES];
} u32x16;

#define U32X16_EACH(i)                                                                                                 \
    OCT_UNROLL                                                                                                         \
    for (int i = 0; i < U32X16_LANES; i++)

OCT_INLINE u32x16 u32x16_set1(uint32_t x)
{
    u32x16 r;
    U32X16_EACH(i) r.l[i] = x;
    return r;
}
OCT_INLINE u32x16 u32x16_load(const uint32_t p[U32X16_LANES])
{
    u32x16 r;
    memcpy(r.l, p, sizeof r.l);
    return r;
}
OCT_INLINE void u32x16_store(uint32_t p[U32X16_LANES], u32x16 a)
{
    memcpy(p, a.l, sizeof a.l);
}
OCT_INLINE u32x16 u32x16_add(u32x16 a, u32x16 b)
{
    U32X16_EACH(i) a.l[i] += b.l[i];
    return a;
}
OCT_INLINE u32x16 u32x16_xor(u32x16 a, u32x16 b)
{
    U32X16_EACH(i) a.l[i] ^= b.l[i];
    return a;
}
OCT_INLINE u32x16 u32x16_xor3(u32x16 a, u32x16 b, u32x16 c)
{
    return u32x16_xor(u32x16_xor(a, b), c);
}
OCT_INLINE u32x16 u32x16_rol(u32x16 a, unsigned bits)
{
    U32X16_EACH(i) a.l[i] = a.l[i] << bits | a.l[i] >> (32 - bits);
    return a;
}
OCT_INLINE u32x16 u32x16_choose(u32x16 a, u32x16 b, u32x16 c)
{
    U32X16_EACH(i) a.l[i] = (a.l[i] & b.l[i]) | (~a.l[i] & c.l[i]);
    return a;
}
OCT_INLINE u32x16 u32x16_majority(u32x16 a, u32x16 b, u32x16 c)
{
    U32X16_EACH(i) a.l[i] = (a.l[i] & b.l[i]) | (c.l[i] & (a.l[i] | b.l[i]));
    return a;
}
OCT_INLINE void u32x16_load_be(u32x16 word[16], const uint8_t *const lane[U32X16_LANES], size_t at)
{
    for (int j = 0; j < 16; j++)
        U32X16_EACH(i)
        {
            const uint8_t *p = lane[i] + at + 4 * j;
            word[j].l[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        }
}

#endif
