/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The portable backend of the contract of 32-bit numbers: plain loops, exact as the instructions are. */
#ifndef OCT_VEC_N16_C_H
#define OCT_VEC_N16_C_H

#include "vec/units_c.h"

typedef struct {
    int32_t l[N16_LANES];
} n16;
typedef struct {
    int64_t l[N16_LANES];
} p16;

#define N16_EACH(i) for (int i = 0; i < N16_LANES; i++)

OCT_INLINE int32_t n16_wrap(int64_t x)
{
    return (int32_t)(uint32_t)(uint64_t)x;
}
/* All ones where a > b. The barrier keeps the sign of the difference from becoming a branch. */
OCT_INLINE int32_t n16_mask_above(int32_t a, int32_t b)
{
    return -(int32_t)oct_value_barrier((uint64_t)((int64_t)b - a) >> 63);
}
OCT_INLINE n16 n16_set1(int32_t x)
{
    n16 r;
    N16_EACH(i) r.l[i] = x;
    return r;
}
OCT_INLINE n16 n16_load_table(const int32_t p[N16_LANES])
{
    n16 r;
    memcpy(r.l, p, sizeof r.l);
    return r;
}
/* Under secret marking the comparison would itself be a branch on a secret; bounds are checked in all other runs. */
OCT_INLINE n16 n16_reviewed_bound(n16 a, int32_t low, int32_t high)
{
    if (!OCT_CHECKMEM_ON())
        N16_EACH(i) OCT_ASSERT(a.l[i] >= low && a.l[i] <= high);
    return a;
}
OCT_INLINE n16 n16_load(const int32_t p[N16_LANES], int32_t low, int32_t high)
{
    return n16_reviewed_bound(n16_load_table(p), low, high);
}
OCT_INLINE void n16_store(int32_t p[N16_LANES], n16 a, int32_t low, int32_t high)
{
    (void)low, (void)high;
    memcpy(p, a.l, sizeof a.l);
}
OCT_INLINE n16 n16_add(n16 a, n16 b)
{
    N16_EACH(i) a.l[i] = n16_wrap((int64_t)a.l[i] + b.l[i]);
    return a;
}
OCT_INLINE n16 n16_sub(n16 a, n16 b)
{
    N16_EACH(i) a.l[i] = n16_wrap((int64_t)a.l[i] - b.l[i]);
    return a;
}
OCT_INLINE n16 n16_max(n16 a, n16 b)
{
    N16_EACH(i) a.l[i] ^= (a.l[i] ^ b.l[i]) & n16_mask_above(b.l[i], a.l[i]);
    return a;
}
OCT_INLINE n16 n16_min(n16 a, n16 b)
{
    N16_EACH(i) a.l[i] ^= (a.l[i] ^ b.l[i]) & n16_mask_above(a.l[i], b.l[i]);
    return a;
}
OCT_INLINE n16 n16_abs(n16 a)
{
    return n16_max(a, n16_sub(n16_set1(0), a));
}
OCT_INLINE n16 n16_mullo(n16 a, n16 b)
{
    N16_EACH(i) a.l[i] = n16_wrap((int64_t)a.l[i] * b.l[i]);
    return a;
}
OCT_INLINE n16 n16_mullo_wrap(n16 a, n16 b)
{
    return n16_mullo(a, b);
}
OCT_INLINE n16 n16_mulhi(n16 a, n16 b)
{
    N16_EACH(i) a.l[i] = n16_wrap((int64_t)a.l[i] * b.l[i] >> 32);
    return a;
}
OCT_INLINE n16 n16_sll(n16 a, unsigned bits)
{
    N16_EACH(i) a.l[i] = n16_wrap((int64_t)a.l[i] * ((int64_t)1 << bits));
    return a;
}
OCT_INLINE n16 n16_sra(n16 a, unsigned bits)
{
    N16_EACH(i) a.l[i] >>= bits;
    return a;
}
OCT_INLINE n16 n16_and(n16 a, int32_t mask)
{
    N16_EACH(i) a.l[i] &= mask;
    return a;
}
OCT_INLINE n16 n16_add_if_negative(n16 a, int32_t x)
{
    N16_EACH(i) a.l[i] += x & n16_mask_above(0, a.l[i]);
    return a;
}
OCT_INLINE n16 n16_sub_above(n16 a, int32_t limit, int32_t x)
{
    N16_EACH(i) a.l[i] = n16_wrap((int64_t)a.l[i] - (x & n16_mask_above(a.l[i], limit)));
    return a;
}
OCT_INLINE n16 n16_is_above(n16 a, int32_t limit)
{
    N16_EACH(i) a.l[i] = 1 & n16_mask_above(a.l[i], limit);
    return a;
}
OCT_INLINE n16 n16_lookup16(const int32_t table[N16_LANES], n16 a)
{
    n16 r = n16_set1(0);
    for (int entry = 0; entry < N16_LANES; entry++)
        N16_EACH(i) r.l[i] |= (int32_t)(table[entry] & ~(uint32_t)oct_mask_nonzero((uint64_t)(a.l[i] ^ entry)));
    return r;
}
OCT_INLINE void n16_exchange(n16 *x, n16 *y, unsigned bit)
{
    units_exchange(x->l, y->l, bit);
}
OCT_INLINE void n16_unzip(n16 *x, n16 *y)
{
    units_unzip(x->l, y->l);
}

OCT_INLINE p16 p16_mul(n16 a, n16 b)
{
    p16 r;
    N16_EACH(i) r.l[i] = (int64_t)a.l[i] * b.l[i];
    return r;
}
OCT_INLINE p16 p16_add(p16 a, p16 b)
{
    N16_EACH(i) a.l[i] += b.l[i];
    return a;
}
OCT_INLINE n16 p16_low_wrap(p16 a)
{
    n16 r;
    N16_EACH(i) r.l[i] = n16_wrap(a.l[i]);
    return r;
}
OCT_INLINE n16 p16_high(p16 a)
{
    n16 r;
    N16_EACH(i) r.l[i] = n16_wrap(a.l[i] >> 32);
    return r;
}

OCT_INLINE n16 n16_load_bits(const uint8_t *p, unsigned bits)
{
    n16 r;
    for (unsigned i = 0; i < N16_LANES; i++) {
        uint32_t x = 0;
        for (unsigned j = (i * bits + bits - 1) / 8 + 1; j-- > i * bits / 8;)
            x = x << 8 | p[j];
        r.l[i] = (int32_t)(x >> i * bits % 8 & ((1u << bits) - 1));
    }
    return r;
}
OCT_INLINE void n16_store_bits(uint8_t *p, n16 a, unsigned bits)
{
    memset(p, 0, 2 * (size_t)bits);
    for (unsigned i = 0; i < N16_LANES; i++) {
        const uint32_t x = (uint32_t)a.l[i] << i * bits % 8;
        for (unsigned j = i * bits / 8; j <= (i * bits + bits - 1) / 8; j++)
            p[j] = (uint8_t)(p[j] | x >> 8 * (j - i * bits / 8));
    }
}
/* What is kept has to be known without a branch before it may be told. */
OCT_INLINE unsigned n16_store_below_declassify(int32_t *to, n16 a, int32_t limit)
{
    int32_t below[N16_LANES];
    unsigned n = 0;
    N16_EACH(i) below[i] = n16_mask_above(limit, a.l[i]);
    OCT_DECLASSIFY(below, sizeof below);
    N16_EACH(i) if (below[i]) to[n++] = a.l[i];
    return n;
}
OCT_INLINE unsigned n16_any_above_declassify(n16 a, int32_t limit)
{
    int32_t any = 0;
    N16_EACH(i) any |= n16_mask_above(a.l[i], limit);
    OCT_DECLASSIFY(&any, sizeof any);
    return any != 0;
}
OCT_INLINE unsigned n16_sum_above_declassify(n16 a, int32_t limit)
{
    int32_t sum = 0, above;
    N16_EACH(i) sum += a.l[i];
    above = n16_mask_above(sum, limit);
    OCT_DECLASSIFY(&above, sizeof above);
    return above != 0;
}

#endif
