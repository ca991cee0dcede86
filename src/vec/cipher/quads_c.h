/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The portable backend of quads.h. What the contract bounds is checked on every number that passes, except under secret
 * marking, where the comparison would itself be a branch on a secret. */
#ifndef OCT_VEC_QUADS_C_H
#define OCT_VEC_QUADS_C_H

#define QUADS_LANES (QUADS_FACTOR_BITS == 52 ? 8 : 4)
typedef struct {
    uint64_t p[QUADS_LANES];
} quads;

#define QUADS_EACH(i)                                                                                                  \
    OCT_UNROLL                                                                                                         \
    for (unsigned i = 0; i < QUADS_LANES; i++)

OCT_INLINE quads quads_checked(quads a, unsigned bits)
{
    if (!OCT_CHECKMEM_ON())
        QUADS_EACH(i) OCT_ASSERT(a.p[i] >> bits == 0);
    return a;
}
OCT_INLINE quads quads_set1(uint64_t x)
{
    quads r;
    QUADS_EACH(i) r.p[i] = x;
    return r;
}
OCT_INLINE quads quads_zero(void)
{
    return quads_set1(0);
}
OCT_INLINE quads quads_set_first(uint64_t x, unsigned bits)
{
    quads r = quads_zero();
    r.p[0] = x;
    return quads_checked(r, bits);
}
OCT_INLINE quads quads_load(const uint64_t *p, unsigned bits)
{
    quads r;
    QUADS_EACH(i) r.p[i] = p[i];
    return quads_checked(r, bits);
}
OCT_INLINE void quads_store(uint64_t *p, quads a, unsigned bits)
{
    a = quads_checked(a, bits);
    QUADS_EACH(i) p[i] = a.p[i];
}
OCT_INLINE quads quads_load1(const uint64_t *p, unsigned bits)
{
    return quads_checked(quads_set1(*p), bits);
}
OCT_INLINE void quads_store1(uint64_t *p, quads a, unsigned bits)
{
    p[0] = quads_checked(a, bits).p[0];
}
OCT_INLINE quads quads_add(quads a, quads b)
{
    QUADS_EACH(i) a.p[i] += b.p[i];
    return quads_checked(a, 63);
}
PARTS_2(quads, quads_or, x | y)
PARTS_BY(quads, quads_low, x &(((uint64_t)1 << bits) - 1))
PARTS_BY(quads, quads_sll, x << bits)
PARTS_BY(quads, quads_srl, x >> bits)
#if QUADS_FACTOR_BITS == 52
#define QUADS_LOW52 (((uint64_t)1 << 52) - 1)
PARTS_3(quads, quads_madd52lo, x + ((uint64_t)((unsigned __int128)(y & QUADS_LOW52) * (z & QUADS_LOW52)) & QUADS_LOW52))
PARTS_3(quads, quads_madd52hi, x + ((uint64_t)((unsigned __int128)(y & QUADS_LOW52) * (z & QUADS_LOW52) >> 52)))
#else
PARTS_3(quads, quads_madd32, x + (y & 0xffffffff) * (z & 0xffffffff))
#endif
/* Limb k of the block at p + i * stride for each lane i. */
OCT_INLINE quads quads_block_limb(const uint8_t *p, size_t stride, unsigned k)
{
    quads r;
    QUADS_EACH(i)
    {
        const uint64_t low = tier_load64(p + stride * i), high = tier_load64(p + stride * i + 8);
        const unsigned __int128 block = (unsigned __int128)high << 64 | low;
        r.p[i] = (uint64_t)(block >> (QUADS_LIMB_BITS * k)) & (((uint64_t)1 << QUADS_LIMB_BITS) - 1);
    }
    return r;
}
OCT_INLINE void quads_load_lanes(quads limb[QUADS_LIMBS], const uint8_t *p, size_t stride)
{
    for (unsigned k = 0; k < QUADS_LIMBS; k++)
        limb[k] = quads_block_limb(p, stride, k);
}
OCT_INLINE void quads_load_blocks(quads limb[QUADS_LIMBS], const uint8_t *p)
{
    quads_load_lanes(limb, p, 16);
}
OCT_INLINE quads quads_block_order(quads a)
{
    return a;
}
VEC_1(quads, quads_first, quads_set1(a.p[0]))
OCT_INLINE quads quads_up(quads a, unsigned n)
{
    quads r;
    QUADS_EACH(i) r.p[i] = i < n ? 0 : a.p[i - n];
    return r;
}
OCT_INLINE quads quads_sum(quads a)
{
    quads r = quads_zero();
    QUADS_EACH(i) r.p[0] += a.p[i];
    return quads_checked(r, 63);
}

#endif
