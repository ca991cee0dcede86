/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The portable backend of the contract of 32-bit numbers: plain loops, exact as the instructions are. */
#ifndef OCT_VEC_I32X16_C_H
#define OCT_VEC_I32X16_C_H

#include "vec/lattice/units_c.h"

typedef struct {
    int32_t l[I32X16_LANES];
} i32x16;
typedef struct {
    int64_t l[I32X16_LANES];
} sum64x16;

#define I32X16_EACH(i)                                                                                                 \
    OCT_UNROLL                                                                                                         \
    for (int i = 0; i < I32X16_LANES; i++)

OCT_INLINE int32_t i32x16_wrap(int64_t x)
{
    return (int32_t)(uint32_t)(uint64_t)x;
}
/* All ones where a > b. The barrier keeps the sign of the difference from becoming a branch. */
OCT_INLINE int32_t i32x16_mask_above(int32_t a, int32_t b)
{
    return -(int32_t)oct_value_barrier((uint64_t)((int64_t)b - a) >> 63);
}
OCT_INLINE i32x16 i32x16_set1(int32_t x)
{
    i32x16 r;
    I32X16_EACH(i) r.l[i] = x;
    return r;
}
OCT_INLINE i32x16 i32x16_load_table(const int32_t p[I32X16_LANES])
{
    i32x16 r;
    memcpy(r.l, p, sizeof r.l);
    return r;
}
/* Under secret marking the comparison would itself be a branch on a secret; bounds are checked in all other runs. */
OCT_INLINE i32x16 i32x16_proved_bound(i32x16 a, int32_t low, int32_t high)
{
    if (!OCT_CHECKMEM_ON())
        I32X16_EACH(i) OCT_ASSERT(a.l[i] >= low && a.l[i] <= high);
    return a;
}
OCT_INLINE i32x16 i32x16_load(const int32_t p[I32X16_LANES], int32_t low, int32_t high)
{
    return i32x16_proved_bound(i32x16_load_table(p), low, high);
}
OCT_INLINE void i32x16_store(int32_t p[I32X16_LANES], i32x16 a, int32_t low, int32_t high)
{
    (void)low, (void)high;
    memcpy(p, a.l, sizeof a.l);
}
OCT_INLINE i32x16 i32x16_add(i32x16 a, i32x16 b)
{
    I32X16_EACH(i) a.l[i] = i32x16_wrap((int64_t)a.l[i] + b.l[i]);
    return a;
}
OCT_INLINE i32x16 i32x16_sub(i32x16 a, i32x16 b)
{
    I32X16_EACH(i) a.l[i] = i32x16_wrap((int64_t)a.l[i] - b.l[i]);
    return a;
}
OCT_INLINE i32x16 i32x16_max(i32x16 a, i32x16 b)
{
    I32X16_EACH(i) a.l[i] ^= (a.l[i] ^ b.l[i]) & i32x16_mask_above(b.l[i], a.l[i]);
    return a;
}
OCT_INLINE i32x16 i32x16_min(i32x16 a, i32x16 b)
{
    I32X16_EACH(i) a.l[i] ^= (a.l[i] ^ b.l[i]) & i32x16_mask_above(a.l[i], b.l[i]);
    return a;
}
OCT_INLINE i32x16 i32x16_abs(i32x16 a)
{
    return i32x16_max(a, i32x16_sub(i32x16_set1(0), a));
}
OCT_INLINE i32x16 i32x16_mullo(i32x16 a, i32x16 b)
{
    I32X16_EACH(i) a.l[i] = i32x16_wrap((int64_t)a.l[i] * b.l[i]);
    return a;
}
OCT_INLINE i32x16 i32x16_mullo_wrap(i32x16 a, i32x16 b)
{
    return i32x16_mullo(a, b);
}
OCT_INLINE i32x16 i32x16_mulhi(i32x16 a, i32x16 b)
{
    I32X16_EACH(i) a.l[i] = i32x16_wrap((int64_t)a.l[i] * b.l[i] >> 32);
    return a;
}
OCT_INLINE i32x16 i32x16_sll(i32x16 a, unsigned bits)
{
    I32X16_EACH(i) a.l[i] = i32x16_wrap((int64_t)a.l[i] * ((int64_t)1 << bits));
    return a;
}
OCT_INLINE i32x16 i32x16_sra(i32x16 a, unsigned bits)
{
    I32X16_EACH(i) a.l[i] >>= bits;
    return a;
}
OCT_INLINE i32x16 i32x16_and(i32x16 a, int32_t mask)
{
    I32X16_EACH(i) a.l[i] &= mask;
    return a;
}
OCT_INLINE i32x16 i32x16_add_if_negative(i32x16 a, int32_t x)
{
    I32X16_EACH(i) a.l[i] += x & i32x16_mask_above(0, a.l[i]);
    return a;
}
OCT_INLINE i32x16 i32x16_sub_above(i32x16 a, int32_t limit, int32_t x)
{
    I32X16_EACH(i) a.l[i] = i32x16_wrap((int64_t)a.l[i] - (x & i32x16_mask_above(a.l[i], limit)));
    return a;
}
OCT_INLINE i32x16 i32x16_is_above(i32x16 a, int32_t limit)
{
    I32X16_EACH(i) a.l[i] = 1 & i32x16_mask_above(a.l[i], limit);
    return a;
}
OCT_INLINE i32x16 i32x16_lookup16(const int32_t table[I32X16_LANES], i32x16 a)
{
    i32x16 r = i32x16_set1(0);
    for (int entry = 0; entry < I32X16_LANES; entry++)
        I32X16_EACH(i) r.l[i] |= (int32_t)(table[entry] & ~(uint32_t)oct_mask_nonzero((uint64_t)(a.l[i] ^ entry)));
    return r;
}
OCT_INLINE void i32x16_exchange(i32x16 *x, i32x16 *y, unsigned bit)
{
    units_exchange(x->l, y->l, bit);
}
OCT_INLINE void i32x16_unzip(i32x16 *x, i32x16 *y)
{
    units_unzip(x->l, y->l);
}

OCT_INLINE sum64x16 sum64x16_mul(i32x16 a, i32x16 b)
{
    sum64x16 r;
    I32X16_EACH(i) r.l[i] = (int64_t)a.l[i] * b.l[i];
    return r;
}
OCT_INLINE sum64x16 sum64x16_add(sum64x16 a, sum64x16 b)
{
    I32X16_EACH(i) a.l[i] += b.l[i];
    return a;
}
OCT_INLINE i32x16 sum64x16_low_wrap(sum64x16 a)
{
    i32x16 r;
    I32X16_EACH(i) r.l[i] = i32x16_wrap(a.l[i]);
    return r;
}
OCT_INLINE i32x16 sum64x16_high(sum64x16 a)
{
    i32x16 r;
    I32X16_EACH(i) r.l[i] = i32x16_wrap(a.l[i] >> 32);
    return r;
}

OCT_INLINE i32x16 i32x16_load_bits(const uint8_t *p, unsigned bits)
{
    i32x16 r;
    for (unsigned i = 0; i < I32X16_LANES; i++) {
        uint32_t x = 0;
        for (unsigned j = (i * bits + bits - 1) / 8 + 1; j-- > i * bits / 8;)
            x = x << 8 | p[j];
        r.l[i] = (int32_t)(x >> i * bits % 8 & ((1u << bits) - 1));
    }
    return r;
}
OCT_INLINE void i32x16_store_bits(uint8_t *p, i32x16 a, unsigned bits)
{
    memset(p, 0, 2 * (size_t)bits);
    for (unsigned i = 0; i < I32X16_LANES; i++) {
        const uint32_t x = (uint32_t)a.l[i] << i * bits % 8;
        for (unsigned j = i * bits / 8; j <= (i * bits + bits - 1) / 8; j++)
            p[j] = (uint8_t)(p[j] | x >> 8 * (j - i * bits / 8));
    }
}
/* What is kept has to be known without a branch before it may be told. */
OCT_INLINE unsigned i32x16_store_below_declassify(int32_t *to, i32x16 a, int32_t limit)
{
    int32_t below[I32X16_LANES];
    unsigned n = 0;
    I32X16_EACH(i) below[i] = i32x16_mask_above(limit, a.l[i]);
    OCT_DECLASSIFY(below, sizeof below);
    I32X16_EACH(i) if (below[i]) to[n++] = a.l[i];
    return n;
}
OCT_INLINE unsigned i32x16_any_above_declassify(i32x16 a, int32_t limit)
{
    int32_t any = 0;
    I32X16_EACH(i) any |= i32x16_mask_above(a.l[i], limit);
    OCT_DECLASSIFY(&any, sizeof any);
    return any != 0;
}
OCT_INLINE unsigned i32x16_sum_above_declassify(i32x16 a, int32_t limit)
{
    int32_t sum = 0, above;
    I32X16_EACH(i) sum += a.l[i];
    above = i32x16_mask_above(sum, limit);
    OCT_DECLASSIFY(&above, sizeof above);
    return above != 0;
}

#endif
