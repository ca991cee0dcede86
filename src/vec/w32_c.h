/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The portable backend of the contract of 16-bit lanes: plain loops, exact as the instructions are. */
#ifndef OCT_VEC_W32_C_H
#define OCT_VEC_W32_C_H

#include "vec/units_c.h"

#include <string.h>

typedef struct {
    int16_t l[W32_LANES];
} w32;
typedef struct {
    int32_t l[W32_LANES / 2];
} d16;

#define W32_EACH(i) for (int i = 0; i < W32_LANES; i++)

OCT_INLINE int16_t w32_wrap(int32_t x)
{
    return (int16_t)(uint16_t)x;
}
OCT_INLINE w32 w32_set1(int16_t x)
{
    w32 r;
    W32_EACH(i) r.l[i] = x;
    return r;
}
OCT_INLINE w32 w32_load_table(const int16_t p[W32_LANES])
{
    w32 r;
    memcpy(r.l, p, sizeof r.l);
    return r;
}
/* Under secret marking the comparison would itself be a branch on a secret; bounds are checked in all other runs. */
OCT_INLINE w32 w32_reviewed_bound(w32 a, int low, int high)
{
    if (!OCT_CHECKMEM_ON())
        W32_EACH(i) OCT_ASSERT(a.l[i] >= low && a.l[i] <= high);
    return a;
}
OCT_INLINE w32 w32_load(const int16_t p[W32_LANES], int low, int high)
{
    return w32_reviewed_bound(w32_load_table(p), low, high);
}
OCT_INLINE void w32_store(int16_t p[W32_LANES], w32 a, int low, int high)
{
    (void)low, (void)high;
    memcpy(p, a.l, sizeof a.l);
}
OCT_INLINE w32 w32_add(w32 a, w32 b)
{
    W32_EACH(i) a.l[i] = w32_wrap(a.l[i] + b.l[i]);
    return a;
}
OCT_INLINE w32 w32_sub(w32 a, w32 b)
{
    W32_EACH(i) a.l[i] = w32_wrap(a.l[i] - b.l[i]);
    return a;
}
OCT_INLINE w32 w32_sub_wrap(w32 a, w32 b)
{
    return w32_sub(a, b);
}
OCT_INLINE w32 w32_mullo(w32 a, w32 b)
{
    W32_EACH(i) a.l[i] = w32_wrap(a.l[i] * b.l[i]);
    return a;
}
OCT_INLINE w32 w32_mullo_wrap(w32 a, w32 b)
{
    return w32_mullo(a, b);
}
OCT_INLINE w32 w32_mulhi(w32 a, w32 b)
{
    W32_EACH(i) a.l[i] = w32_wrap((a.l[i] * b.l[i]) >> 16);
    return a;
}
OCT_INLINE w32 w32_mulhrs(w32 a, w32 b)
{
    W32_EACH(i) a.l[i] = w32_wrap((a.l[i] * b.l[i] + (1 << 14)) >> 15);
    return a;
}
OCT_INLINE w32 w32_sll(w32 a, unsigned bits)
{
    W32_EACH(i) a.l[i] = w32_wrap(a.l[i] * (1 << bits));
    return a;
}
OCT_INLINE w32 w32_sll_wrap(w32 a, unsigned bits)
{
    return w32_sll(a, bits);
}
OCT_INLINE w32 w32_sra(w32 a, unsigned bits)
{
    W32_EACH(i) a.l[i] = w32_wrap(a.l[i] >> bits);
    return a;
}
OCT_INLINE w32 w32_or_wrap(w32 a, w32 b)
{
    W32_EACH(i) a.l[i] |= b.l[i];
    return a;
}
OCT_INLINE w32 w32_and(w32 a, int16_t mask)
{
    W32_EACH(i) a.l[i] &= mask;
    return a;
}
/* The sign of a difference of 32 bits is the answer; the barrier keeps it from becoming a branch. */
OCT_INLINE w32 w32_add_above(w32 a, w32 b, int16_t limit)
{
    W32_EACH(i)
    {
        const uint64_t above = oct_value_barrier((uint64_t)((int64_t)limit - b.l[i]) >> 63);
        a.l[i] = w32_wrap(a.l[i] + (int32_t)above);
    }
    return a;
}
OCT_INLINE w32 w32_lookup16(const int16_t table[W32_LANES], w32 a)
{
    w32 r = w32_set1(0);
    for (int entry = 0; entry < 16; entry++)
        W32_EACH(i) r.l[i] |= (int16_t)(table[entry] & (int16_t)~oct_mask_nonzero((uint64_t)(a.l[i] ^ entry)));
    return r;
}

OCT_INLINE void w32_exchange(w32 *x, w32 *y, unsigned bit)
{
    units_exchange(x->l, y->l, bit);
}
OCT_INLINE void w32_zip(w32 *x, w32 *y)
{
    units_zip(x->l, y->l);
}
OCT_INLINE void w32_unzip(w32 *x, w32 *y)
{
    units_unzip(x->l, y->l);
}
OCT_INLINE w32 w32_swap(w32 a)
{
    w32 r;
    W32_EACH(i) r.l[i] = a.l[i ^ 1];
    return r;
}

OCT_INLINE d16 d16_zero(void)
{
    d16 r;
    memset(r.l, 0, sizeof r.l);
    return r;
}
OCT_INLINE d16 d16_dot(d16 acc, w32 a, w32 b)
{
    for (int i = 0; i < W32_LANES / 2; i++)
        acc.l[i] += a.l[2 * i] * b.l[2 * i] + a.l[2 * i + 1] * b.l[2 * i + 1];
    return acc;
}
OCT_INLINE w32 d16_low_wrap(d16 x, d16 y)
{
    w32 r;
    W32_EACH(i) r.l[i] = w32_wrap(i % 2 ? y.l[i / 2] : x.l[i / 2]);
    return r;
}
OCT_INLINE w32 d16_high(d16 x, d16 y)
{
    w32 r;
    W32_EACH(i) r.l[i] = w32_wrap((i % 2 ? y.l[i / 2] : x.l[i / 2]) >> 16);
    return r;
}

OCT_INLINE w32 w32_load_bits(const uint8_t *p, unsigned bits)
{
    w32 r;
    for (unsigned i = 0; i < W32_LANES; i++) {
        const unsigned at = i * bits / 8, last = (i * bits + bits - 1) / 8;
        uint32_t x = 0;
        for (unsigned j = last + 1; j-- > at;)
            x = x << 8 | p[j];
        r.l[i] = (int16_t)(x >> i * bits % 8 & ((1u << bits) - 1));
    }
    return r;
}
OCT_INLINE void w32_store_bits(uint8_t *p, w32 a, unsigned bits)
{
    memset(p, 0, 4 * (size_t)bits);
    for (unsigned i = 0; i < W32_LANES; i++) {
        const uint32_t x = (uint32_t)(uint16_t)a.l[i] << i * bits % 8;
        for (unsigned j = i * bits / 8; j <= (i * bits + bits - 1) / 8; j++)
            p[j] = (uint8_t)(p[j] | x >> 8 * (j - i * bits / 8));
    }
}
OCT_INLINE unsigned w32_store_below_public(int16_t *to, w32 a, int16_t limit)
{
    unsigned n = 0;
    W32_EACH(i) if (a.l[i] < limit) to[n++] = a.l[i];
    return n;
}

#endif
