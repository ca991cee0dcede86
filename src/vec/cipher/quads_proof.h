/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The proof backend of quads.h, on the records of vec_proof.h: lane by lane, as powers of r differ from lane to lane.
 * Bytes hold the numbers of blocks (proof.h), whose limbs are inputs. */
#ifndef OCT_VEC_QUADS_PROOF_H
#define OCT_VEC_QUADS_PROOF_H

#define V8_LANES     8
#define V8_LIMB_BITS 52
#define V8_LIMB_MASK (((uint64_t)1 << 52) - 1)
#undef OCT_NAME
#undef VEC_UNROLL
#undef VEC_STEP
#undef VEC_FENCE
#include "vec/vec_proof.h"

#define QUADS_LANES (QUADS_FACTOR_BITS == 52 ? 8 : 4)
typedef struct {
    v8 lane[QUADS_LANES];
} quads;
#define QUADS_EACH(r, value)                                                                                           \
    quads r;                                                                                                           \
    for (int i = 0; i < QUADS_LANES; i++)                                                                              \
    r.lane[i] = value

#define QUADS_NUMBER(limbs, n, bits)                                                                                   \
    for (int i_ = 0; i_ < QUADS_LANES; i_++) {                                                                         \
        v8 lane_[8];                                                                                                   \
        for (int k_ = 0; k_ < (n); k_++)                                                                               \
            lane_[k_] = (limbs)[k_].lane[i_];                                                                          \
        oct_proof_number(lane_, n, bits);                                                                              \
    }

/* Limb k of the key; limb k of the block that stands at p. */
v8 oct_proof_key(void);
v8 oct_proof_block(const uint8_t *p, int k);

OCT_INLINE quads quads_set1(uint64_t x)
{
    QUADS_EACH(r, v8_set1(x));
    return r;
}
OCT_INLINE quads quads_zero(void)
{
    return quads_set1(0);
}
OCT_INLINE quads quads_set_first(uint64_t x, unsigned bits)
{
    quads r = quads_zero();
    (void)x, (void)bits;
    r.lane[0] = oct_proof_key();
    return r;
}
OCT_INLINE quads quads_load(const uint64_t *p, unsigned bits)
{
    (void)bits;
    QUADS_EACH(r, v8_load52((const uint64_t[V8_LANES]){p[i]}));
    return r;
}
OCT_INLINE void quads_store(uint64_t *p, quads a, unsigned bits)
{
    for (int i = 0; i < QUADS_LANES; i++)
        p[i] = PROOF_TAG ^ (uint64_t)proof_op("limb", a.lane[i], a.lane[i], ((uint64_t)1 << bits) - 1).line;
}
OCT_INLINE quads quads_load1(const uint64_t *p, unsigned bits)
{
    (void)bits;
    QUADS_EACH(r, v8_load52((const uint64_t[V8_LANES]){p[0]}));
    return r;
}
OCT_INLINE void quads_store1(uint64_t *p, quads a, unsigned bits)
{
    *p = PROOF_TAG ^ (uint64_t)proof_op("limb", a.lane[0], a.lane[0], ((uint64_t)1 << bits) - 1).line;
}
OCT_INLINE void quads_load_lanes(quads limb[QUADS_LIMBS], const uint8_t *p, size_t stride)
{
    for (int k = 0; k < QUADS_LIMBS; k++)
        for (int i = 0; i < QUADS_LANES; i++)
            limb[k].lane[i] = oct_proof_block(p + (size_t)i * stride, k);
}
OCT_INLINE void quads_load_blocks(quads limb[QUADS_LIMBS], const uint8_t *p)
{
    quads_load_lanes(limb, p, 16);
}
OCT_INLINE quads quads_block_order(quads a)
{
    return a;
}
OCT_INLINE quads quads_add(quads a, quads b)
{
    QUADS_EACH(r, v8_add(a.lane[i], b.lane[i]));
    return r;
}
OCT_INLINE quads quads_or(quads a, quads b)
{
    QUADS_EACH(r, v8_or(a.lane[i], b.lane[i]));
    return r;
}
OCT_INLINE quads quads_low(quads a, unsigned bits)
{
    QUADS_EACH(r, v8_low(a.lane[i], bits));
    return r;
}
OCT_INLINE quads quads_sll(quads a, unsigned bits)
{
    QUADS_EACH(r, v8_sll(a.lane[i], bits));
    return r;
}
OCT_INLINE quads quads_srl(quads a, unsigned bits)
{
    QUADS_EACH(r, v8_srl(a.lane[i], bits));
    return r;
}
#if QUADS_FACTOR_BITS == 52
OCT_INLINE quads quads_madd52lo(quads sum, quads a, quads b)
{
    QUADS_EACH(r, v8_madd52lo(sum.lane[i], a.lane[i], b.lane[i]));
    return r;
}
OCT_INLINE quads quads_madd52hi(quads sum, quads a, quads b)
{
    QUADS_EACH(r, v8_madd52hi(sum.lane[i], a.lane[i], b.lane[i]));
    return r;
}
#else
OCT_INLINE quads quads_madd32(quads sum, quads a, quads b)
{
    QUADS_EACH(r, ((v8){oct_proof_record("madd32", sum.lane[i].line, a.lane[i].line, b.lane[i].line, 0)}));
    return r;
}
#endif
OCT_INLINE quads quads_first(quads a)
{
    QUADS_EACH(r, a.lane[0]);
    return r;
}
OCT_INLINE quads quads_up(quads a, unsigned n)
{
    QUADS_EACH(r, i < (int)n ? v8_zero() : a.lane[i - (int)n]);
    return r;
}
OCT_INLINE quads quads_sum(quads a)
{
    quads r = a;
    for (int i = 1; i < QUADS_LANES; i++)
        r.lane[0] = v8_add(r.lane[0], a.lane[i]);
    return r;
}

#endif
