/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the proof backend of i16x32.h has besides numbers_proof.h. */
#ifndef OCT_VEC_I16X32_PROOF_H
#define OCT_VEC_I16X32_PROOF_H

#include "vec/lattice/lanes_proof.h"

typedef proof_lanes i16x32, sum32x16;

#include "vec/lattice/numbers_proof.h"

OCT_INLINE i16x32 i16x32_sll_wrap(i16x32 a, unsigned bits)
{
    const i16x32 whole = proof_each("times", a, a, I16X32_LANES, (uint64_t)1 << bits, 0);
    return proof_each("low_wrap", whole, whole, I16X32_LANES, 16, 0);
}
OCT_INLINE i16x32 i16x32_add_above(i16x32 a, i16x32 b, int16_t limit)
{
    return i16x32_add(a, proof_above(b, I16X32_LANES, limit));
}
VEC_2(i16x32, i16x32_sub_wrap, proof_each("sub_wrap", a, b, I16X32_LANES, 16, 0))
VEC_2(i16x32, i16x32_mulhrs, proof_each("signed_rounded", a, b, I16X32_LANES, 15, 16))
OCT_INLINE void i16x32_zip(i16x32 *x, i16x32 *y)
{
    proof_zip(x, y, 2);
}
OCT_INLINE i16x32 i16x32_swap(i16x32 a)
{
    i16x32 r;
    for (int i = 0; i < I16X32_LANES; i++)
        r.line[i] = a.line[i ^ 1];
    return r;
}
OCT_INLINE sum32x16 sum32x16_zero(void)
{
    return i16x32_set1(0);
}
/* In the first half of the lines. */
OCT_INLINE sum32x16 sum32x16_dot(sum32x16 acc, i16x32 a, i16x32 b)
{
    const i16x32 p = proof_each("signed_product", a, b, I16X32_LANES, 0, 0);
    for (int i = 0; i < I16X32_LANES; i++)
        acc.line[i / 2] = oct_proof_record("add", acc.line[i / 2], p.line[i], 0, 0);
    for (int i = 0; i < I16X32_LANES / 2; i++)
        (void)oct_proof_record("fits", acc.line[i], 0, 0, 32);
    return acc;
}
OCT_INLINE i16x32 proof_halves(const char *operation, sum32x16 x, sum32x16 y)
{
    i16x32 r;
    for (int i = 0; i < I16X32_LANES; i++)
        r.line[i] = oct_proof_record(operation, (i % 2 ? y : x).line[i / 2], 0, 0, 16);
    return r;
}
OCT_INLINE i16x32 sum32x16_low_wrap(sum32x16 x, sum32x16 y)
{
    return proof_halves("low_wrap", x, y);
}
OCT_INLINE i16x32 sum32x16_high(sum32x16 x, sum32x16 y)
{
    return proof_halves("sra", x, y);
}

#endif
