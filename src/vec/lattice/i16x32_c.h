/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The portable backend of the contract of 16-bit lanes: plain loops, exact as the instructions are. */
#ifndef OCT_VEC_I16X32_C_H
#define OCT_VEC_I16X32_C_H

#include "vec/lattice/units_c.h"

#include <string.h>

typedef struct {
    int16_t l[I16X32_LANES];
} i16x32;
typedef struct {
    int32_t l[I16X32_LANES / 2];
} sum32x16;

#define I16X32_EACH(i)                                                                                                 \
    OCT_UNROLL                                                                                                         \
    for (int i = 0; i < I16X32_LANES; i++)

OCT_INLINE int16_t i16x32_wrap(int32_t x)
{
    return (int16_t)(uint16_t)x;
}
OCT_INLINE i16x32 i16x32_set1(int16_t x)
{
    i16x32 r;
    I16X32_EACH(i) r.l[i] = x;
    return r;
}
OCT_INLINE i16x32 i16x32_load_table(const int16_t p[I16X32_LANES])
{
    i16x32 r;
    memcpy(r.l, p, sizeof r.l);
    return r;
}
/* Under secret marking the comparison would itself be a branch on a secret; bounds are checked in all other runs. */
OCT_INLINE i16x32 i16x32_proved_bound(i16x32 a, int low, int high)
{
    if (!OCT_CHECKMEM_ON())
        I16X32_EACH(i) OCT_ASSERT(a.l[i] >= low && a.l[i] <= high);
    return a;
}
OCT_INLINE i16x32 i16x32_load(const int16_t p[I16X32_LANES], int low, int high)
{
    return i16x32_proved_bound(i16x32_load_table(p), low, high);
}
OCT_INLINE void i16x32_store(int16_t p[I16X32_LANES], i16x32 a, int low, int high)
{
    (void)low, (void)high;
    memcpy(p, a.l, sizeof a.l);
}
OCT_INLINE i16x32 i16x32_add(i16x32 a, i16x32 b)
{
    I16X32_EACH(i) a.l[i] = i16x32_wrap(a.l[i] + b.l[i]);
    return a;
}
OCT_INLINE i16x32 i16x32_sub(i16x32 a, i16x32 b)
{
    I16X32_EACH(i) a.l[i] = i16x32_wrap(a.l[i] - b.l[i]);
    return a;
}
OCT_INLINE i16x32 i16x32_sub_wrap(i16x32 a, i16x32 b)
{
    return i16x32_sub(a, b);
}
OCT_INLINE i16x32 i16x32_mullo(i16x32 a, i16x32 b)
{
    I16X32_EACH(i) a.l[i] = i16x32_wrap(a.l[i] * b.l[i]);
    return a;
}
OCT_INLINE i16x32 i16x32_mullo_wrap(i16x32 a, i16x32 b)
{
    return i16x32_mullo(a, b);
}
OCT_INLINE i16x32 i16x32_mulhi(i16x32 a, i16x32 b)
{
    I16X32_EACH(i) a.l[i] = i16x32_wrap((a.l[i] * b.l[i]) >> 16);
    return a;
}
OCT_INLINE i16x32 i16x32_mulhrs(i16x32 a, i16x32 b)
{
    I16X32_EACH(i) a.l[i] = i16x32_wrap((a.l[i] * b.l[i] + (1 << 14)) >> 15);
    return a;
}
OCT_INLINE i16x32 i16x32_sll(i16x32 a, unsigned bits)
{
    I16X32_EACH(i) a.l[i] = i16x32_wrap(a.l[i] * (1 << bits));
    return a;
}
OCT_INLINE i16x32 i16x32_sll_wrap(i16x32 a, unsigned bits)
{
    return i16x32_sll(a, bits);
}
OCT_INLINE i16x32 i16x32_sra(i16x32 a, unsigned bits)
{
    I16X32_EACH(i) a.l[i] = i16x32_wrap(a.l[i] >> bits);
    return a;
}
OCT_INLINE i16x32 i16x32_or_wrap(i16x32 a, i16x32 b)
{
    I16X32_EACH(i) a.l[i] |= b.l[i];
    return a;
}
OCT_INLINE i16x32 i16x32_and(i16x32 a, int16_t mask)
{
    I16X32_EACH(i) a.l[i] &= mask;
    return a;
}
/* The sign of a difference of 32 bits is the answer; the barrier keeps it from becoming a branch. */
OCT_INLINE i16x32 i16x32_add_above(i16x32 a, i16x32 b, int16_t limit)
{
    I16X32_EACH(i)
    {
        const uint64_t above = oct_value_barrier((uint64_t)((int64_t)limit - b.l[i]) >> 63);
        a.l[i] = i16x32_wrap(a.l[i] + (int32_t)above);
    }
    return a;
}
OCT_INLINE i16x32 i16x32_lookup16(const int16_t table[I16X32_LANES], i16x32 a)
{
    i16x32 r = i16x32_set1(0);
    for (int entry = 0; entry < 16; entry++)
        I16X32_EACH(i) r.l[i] |= (int16_t)(table[entry] & (int16_t)~oct_mask_nonzero((uint64_t)(a.l[i] ^ entry)));
    return r;
}

OCT_INLINE void i16x32_exchange(i16x32 *x, i16x32 *y, unsigned bit)
{
    units_exchange(x->l, y->l, bit);
}
OCT_INLINE void i16x32_zip(i16x32 *x, i16x32 *y)
{
    units_zip(x->l, y->l);
}
OCT_INLINE void i16x32_unzip(i16x32 *x, i16x32 *y)
{
    units_unzip(x->l, y->l);
}
OCT_INLINE i16x32 i16x32_swap(i16x32 a)
{
    i16x32 r;
    I16X32_EACH(i) r.l[i] = a.l[i ^ 1];
    return r;
}

OCT_INLINE sum32x16 sum32x16_zero(void)
{
    sum32x16 r;
    memset(r.l, 0, sizeof r.l);
    return r;
}
OCT_INLINE sum32x16 sum32x16_dot(sum32x16 acc, i16x32 a, i16x32 b)
{
    for (int i = 0; i < I16X32_LANES / 2; i++)
        acc.l[i] += a.l[2 * i] * b.l[2 * i] + a.l[2 * i + 1] * b.l[2 * i + 1];
    return acc;
}
OCT_INLINE i16x32 sum32x16_low_wrap(sum32x16 x, sum32x16 y)
{
    i16x32 r;
    I16X32_EACH(i) r.l[i] = i16x32_wrap(i % 2 ? y.l[i / 2] : x.l[i / 2]);
    return r;
}
OCT_INLINE i16x32 sum32x16_high(sum32x16 x, sum32x16 y)
{
    i16x32 r;
    I16X32_EACH(i) r.l[i] = i16x32_wrap((i % 2 ? y.l[i / 2] : x.l[i / 2]) >> 16);
    return r;
}

OCT_INLINE i16x32 i16x32_load_bits(const uint8_t *p, unsigned bits)
{
    i16x32 r;
    for (unsigned i = 0; i < I16X32_LANES; i++) {
        const unsigned at = i * bits / 8, last = (i * bits + bits - 1) / 8;
        uint32_t x = 0;
        for (unsigned j = last + 1; j-- > at;)
            x = x << 8 | p[j];
        r.l[i] = (int16_t)(x >> i * bits % 8 & ((1u << bits) - 1));
    }
    return r;
}
OCT_INLINE void i16x32_store_bits(uint8_t *p, i16x32 a, unsigned bits)
{
    memset(p, 0, 4 * (size_t)bits);
    for (unsigned i = 0; i < I16X32_LANES; i++) {
        const uint32_t x = (uint32_t)(uint16_t)a.l[i] << i * bits % 8;
        for (unsigned j = i * bits / 8; j <= (i * bits + bits - 1) / 8; j++)
            p[j] = (uint8_t)(p[j] | x >> 8 * (j - i * bits / 8));
    }
}
OCT_INLINE unsigned i16x32_store_below_public(int16_t *to, i16x32 a, int16_t limit)
{
    unsigned n = 0;
    I16X32_EACH(i) if (a.l[i] < limit) to[n++] = a.l[i];
    return n;
}

#endif
