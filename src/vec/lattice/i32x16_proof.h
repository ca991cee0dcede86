/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* The proof backend of i32x16.h: records (vec_proof.h), lane by lane. Only what transforms and products take. */
#ifndef OCT_VEC_I32X16_PROOF_H
#define OCT_VEC_I32X16_PROOF_H

#include "vec/lattice/lanes_proof.h"

typedef proof_lanes i32x16, sum64x16;

OCT_INLINE i32x16 i32x16_load_table(const int32_t p[I32X16_LANES])
{
    int64_t x[I32X16_LANES];
    for (int i = 0; i < I32X16_LANES; i++)
        x[i] = p[i];
    return proof_constants(x, I32X16_LANES);
}
OCT_INLINE i32x16 i32x16_set1(int32_t x)
{
    int32_t p[I32X16_LANES];
    for (int i = 0; i < I32X16_LANES; i++)
        p[i] = x;
    return i32x16_load_table(p);
}
OCT_INLINE i32x16 i32x16_load(const int32_t p[I32X16_LANES], int32_t low, int32_t high)
{
    return oct_proof_recall(p, I32X16_LANES, low, high);
}
OCT_INLINE void i32x16_store(int32_t p[I32X16_LANES], i32x16 a, int32_t low, int32_t high)
{
    proof_within(a, I32X16_LANES, low, high);
    oct_proof_keep(p, a);
    memset(p, 0, I32X16_LANES * sizeof *p); /* so that a sanitizer sees where it goes */
}
OCT_INLINE i32x16 i32x16_add(i32x16 a, i32x16 b)
{
    return proof_each("add", a, b, I32X16_LANES, 0, 32);
}
OCT_INLINE i32x16 i32x16_sub(i32x16 a, i32x16 b)
{
    return proof_each("sub", a, b, I32X16_LANES, 0, 32);
}
OCT_INLINE i32x16 i32x16_mullo(i32x16 a, i32x16 b)
{
    return proof_each("signed_product", a, b, I32X16_LANES, 0, 32);
}
OCT_INLINE i32x16 i32x16_mullo_wrap(i32x16 a, i32x16 b)
{
    return proof_each("signed_low", a, b, I32X16_LANES, 32, 0);
}
OCT_INLINE i32x16 i32x16_mulhi(i32x16 a, i32x16 b)
{
    return proof_each("signed_high", a, b, I32X16_LANES, 32, 32);
}
OCT_INLINE i32x16 i32x16_sra(i32x16 a, unsigned bits)
{
    return proof_each("sra", a, a, I32X16_LANES, bits, 0);
}
OCT_INLINE i32x16 i32x16_sll(i32x16 a, unsigned bits)
{
    return proof_each("times", a, a, I32X16_LANES, (uint64_t)1 << bits, 32);
}
OCT_INLINE i32x16 i32x16_min(i32x16 a, i32x16 b)
{
    return proof_each("min", a, b, I32X16_LANES, 0, 32);
}
OCT_INLINE i32x16 i32x16_max(i32x16 a, i32x16 b)
{
    return proof_each("max", a, b, I32X16_LANES, 0, 32);
}
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
OCT_INLINE i32x16 i32x16_and(i32x16 a, int32_t mask)
{
    return proof_each("signed_and", a, a, I32X16_LANES, (uint64_t)mask, 0);
}
OCT_INLINE void i32x16_exchange(i32x16 *x, i32x16 *y, unsigned bit)
{
    proof_exchange(x, y, I32X16_LANES / 16, bit);
}
OCT_INLINE void i32x16_unzip(i32x16 *x, i32x16 *y)
{
    proof_unzip(x, y, I32X16_LANES / 16);
}
OCT_INLINE i32x16 i32x16_proved_bound(i32x16 a, int32_t low, int32_t high)
{
    for (int i = 0; i < I32X16_LANES; i++)
        a.line[i] = oct_proof_record("proved_within", a.line[i], 0, (int)low, (uint64_t)high);
    return a;
}
OCT_INLINE sum64x16 sum64x16_mul(i32x16 a, i32x16 b)
{
    return proof_each("signed_product", a, b, I32X16_LANES, 0, 0);
}
OCT_INLINE sum64x16 sum64x16_add(sum64x16 a, sum64x16 b)
{
    return proof_each("add", a, b, I32X16_LANES, 0, 0);
}
OCT_INLINE i32x16 sum64x16_low_wrap(sum64x16 a)
{
    return proof_each("low_wrap", a, a, I32X16_LANES, 32, 0);
}
OCT_INLINE i32x16 sum64x16_high(sum64x16 a)
{
    return proof_each("sra", a, a, I32X16_LANES, 32, 0);
}

#endif
