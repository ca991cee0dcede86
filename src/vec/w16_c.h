/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The portable backend of the contract of 32-bit words: plain loops. */
#ifndef OCT_VEC_W16_C_H
#define OCT_VEC_W16_C_H

#include <string.h>

typedef struct {
    uint32_t l[W16_LANES];
} w16;

#define W16_EACH(i) for (int i = 0; i < W16_LANES; i++)

OCT_INLINE w16 w16_set1(uint32_t x)
{
    w16 r;
    W16_EACH(i) r.l[i] = x;
    return r;
}
OCT_INLINE w16 w16_load(const uint32_t p[W16_LANES])
{
    w16 r;
    memcpy(r.l, p, sizeof r.l);
    return r;
}
OCT_INLINE void w16_store(uint32_t p[W16_LANES], w16 a)
{
    memcpy(p, a.l, sizeof a.l);
}
OCT_INLINE w16 w16_add(w16 a, w16 b)
{
    W16_EACH(i) a.l[i] += b.l[i];
    return a;
}
OCT_INLINE w16 w16_xor(w16 a, w16 b)
{
    W16_EACH(i) a.l[i] ^= b.l[i];
    return a;
}
OCT_INLINE w16 w16_xor3(w16 a, w16 b, w16 c)
{
    return w16_xor(w16_xor(a, b), c);
}
OCT_INLINE w16 w16_rol(w16 a, unsigned bits)
{
    W16_EACH(i) a.l[i] = a.l[i] << bits | a.l[i] >> (32 - bits);
    return a;
}
OCT_INLINE w16 w16_choose(w16 a, w16 b, w16 c)
{
    W16_EACH(i) a.l[i] = (a.l[i] & b.l[i]) | (~a.l[i] & c.l[i]);
    return a;
}
OCT_INLINE w16 w16_majority(w16 a, w16 b, w16 c)
{
    W16_EACH(i) a.l[i] = (a.l[i] & b.l[i]) | (c.l[i] & (a.l[i] | b.l[i]));
    return a;
}
OCT_INLINE void w16_load_be(w16 word[16], const uint8_t *const lane[W16_LANES], size_t at)
{
    for (int j = 0; j < 16; j++)
        W16_EACH(i)
        {
            const uint8_t *p = lane[i] + at + 4 * j;
            word[j].l[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        }
}

#endif
