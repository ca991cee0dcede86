/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The bound backend of quads.h, on the intervals of vec_bound.h: a lane is the interval of all numbers that it can have
 * for any input. What memory is said to hold is proved where it is stored, and believed where it is loaded. */
#ifndef OCT_VEC_QUADS_BOUND_H
#define OCT_VEC_QUADS_BOUND_H

/* vec_bound.h names functions for the backend of vec.h; the same here. */
#define V8_LANES     8
#define V8_LIMB_MASK (((uint64_t)1 << 52) - 1)
#undef OCT_NAME
#undef VEC_UNROLL
#undef VEC_STEP
#undef VEC_FENCE
#include "vec/vec_bound.h"

#define QUADS_LANES (QUADS_FACTOR_BITS == 52 ? 8 : 4)
typedef v8 quads;

OCT_INLINE quads quads_below(const char *operation, unsigned bits)
{
    return v8_interval(operation, 0, ((__int128)1 << bits) - 1);
}
OCT_INLINE quads quads_zero(void)
{
    return v8_zero();
}
OCT_INLINE quads quads_set1(uint64_t x)
{
    return v8_set1(x);
}
OCT_INLINE quads quads_set_first(uint64_t x, unsigned bits)
{
    (void)x;
    return quads_below("set_first", bits);
}
OCT_INLINE quads quads_load(const uint64_t *p, unsigned bits)
{
    (void)p;
    return quads_below("load", bits);
}
OCT_INLINE void quads_store(uint64_t *p, quads a, unsigned bits)
{
    (void)p;
    v8_need("store", a, ((__int128)1 << bits) - 1);
}
OCT_INLINE quads quads_load1(const uint64_t *p, unsigned bits)
{
    return quads_load(p, bits);
}
OCT_INLINE void quads_store1(uint64_t *p, quads a, unsigned bits)
{
    quads_store(p, a, bits);
}
VEC_2(quads, quads_add, v8_add(a, b))
VEC_2(quads, quads_or, v8_or(a, b))
OCT_INLINE quads quads_low(quads a, unsigned bits)
{
    v8_need("low", a, ((__int128)1 << 63) - 1);
    return v8_low(a, bits);
}
VEC_BY(quads, quads_sll, v8_sll(a, bits))
OCT_INLINE quads quads_srl(quads a, unsigned bits)
{
    v8_need("srl", a, ((__int128)1 << 63) - 1);
    return v8_sra(a, bits);
}
OCT_INLINE void quads_load_blocks(quads limb[QUADS_LIMBS], const uint8_t *p)
{
    (void)p;
    for (unsigned k = 0; k < QUADS_LIMBS; k++) {
        const unsigned left = 128 - QUADS_LIMB_BITS * k;
        limb[k] = quads_below("load_blocks", left < QUADS_LIMB_BITS ? left : QUADS_LIMB_BITS);
    }
}
#if QUADS_FACTOR_BITS == 52
VEC_3(quads, quads_madd52lo, v8_madd52lo(a, b, c))
VEC_3(quads, quads_madd52hi, v8_madd52hi(a, b, c))
OCT_INLINE void quads_load_lanes(quads limb[QUADS_LIMBS], const uint8_t *p, size_t stride)
{
    (void)stride;
    quads_load_blocks(limb, p);
}
#else
OCT_INLINE quads quads_madd32(quads sum, quads a, quads b)
{
    v8_need("madd32 multiplicand", a, ((__int128)1 << 32) - 1);
    v8_need("madd32 multiplicand", b, ((__int128)1 << 32) - 1);
    return v8_interval("madd32", sum.lo + a.lo * b.lo, sum.hi + a.hi * b.hi);
}
#endif
OCT_INLINE quads quads_block_order(quads a)
{
    return a;
}
OCT_INLINE quads quads_first(quads a)
{
    return a;
}
OCT_INLINE quads quads_up(quads a, unsigned n)
{
    (void)n;
    return v8_interval("up", 0, a.hi);
}
VEC_1(quads, quads_sum, v8_interval("sum", a.lo *QUADS_LANES, a.hi *QUADS_LANES))

#endif
