/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What the proof backend of i32x16.h has besides numbers_proof.h. */
#ifndef OCT_VEC_I32X16_PROOF_H
#define OCT_VEC_I32X16_PROOF_H

#include "vec/lattice/lanes_proof.h"

typedef proof_lanes i32x16, sum64x16;

#include "vec/lattice/numbers_proof.h"

VEC_2(i32x16, i32x16_min, proof_each("min", a, b, I32X16_LANES, 0, 32))
VEC_2(i32x16, i32x16_max, proof_each("max", a, b, I32X16_LANES, 0, 32))
OCT_INLINE i32x16 i32x16_is_above(i32x16 a, int32_t limit)
{
    return proof_above(a, I32X16_LANES, limit);
}
OCT_INLINE i32x16 i32x16_sub_above(i32x16 a, int32_t limit, int32_t x)
{
    return i32x16_sub(a, i32x16_mullo(proof_above(a, I32X16_LANES, limit), i32x16_set1(x)));
}
OCT_INLINE i32x16 i32x16_add_if_negative(i32x16 a, int32_t x)
{
    const i32x16 not_negative = proof_above(a, I32X16_LANES, -1);
    return i32x16_add(a, i32x16_mullo(i32x16_sub(i32x16_set1(1), not_negative), i32x16_set1(x)));
}
OCT_INLINE sum64x16 sum64x16_mul(i32x16 a, i32x16 b)
{
    return proof_each("signed_product", a, b, I32X16_LANES, 0, 0);
}
VEC_2(sum64x16, sum64x16_add, proof_each("add", a, b, I32X16_LANES, 0, 0))
OCT_INLINE i32x16 sum64x16_low_wrap(sum64x16 a)
{
    return proof_each("low_wrap", a, a, I32X16_LANES, 32, 0);
}
OCT_INLINE i32x16 sum64x16_high(sum64x16 a)
{
    return proof_each("sra", a, a, I32X16_LANES, 32, 0);
}

#endif
