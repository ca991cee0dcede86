/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM's number theoretic transforms (FIPS 203, 4.3) on 16-bit lanes, two polynomials interleaved: a chain of
 * products waits for nobody then. A polynomial of 256 numbers is eight vectors.
 *
 * Three layers have their butterflies between vectors. For the other four the halves of each pair of vectors are
 * brought apart by an exchange of units before every layer; one rotation at the end restores the order. The inverse
 * goes the same way back. Numbers stay unreduced while 16 bits bear them: the bounds stand in the functions'
 * comments, and tests/library/bound proves them.
 */
#ifndef OCT_KERNELS_MLKEM_NTT_IMPL_H
#define OCT_KERNELS_MLKEM_NTT_IMPL_H

#include "kernels/lattice/mlkem_numbers.h"
#include "kernels/lattice/mlkem_zetas.h"
#include "vec/lattice/i16x32.h"

#define NTT_VECTORS 8
#define NTT_PAIR    2

typedef i16x32 ntt_poly[NTT_VECTORS];

/* a * z / 2^16 mod q, for z of -1664 .. 1664 and its zq: at most |a| * |z| / 2^16 + 1665. The halves that cancel
 * are never made. */
VEC_STEP i16x32 ntt_mul(i16x32 a, i16x32 z, i16x32 zq)
{
    return i16x32_sub(i16x32_mulhi(a, z), i16x32_mulhi(i16x32_mullo_wrap(a, zq), i16x32_set1(MLKEM_Q)));
}

VEC_STEP i16x32 ntt_mul_constant(i16x32 a, int16_t factor)
{
    return ntt_mul(a, i16x32_set1(factor), i16x32_set1(MLKEM_TIMES_QINV(factor)));
}

/* a mod q, of -2187 .. 2187, for any a: the quotient by 10 / 2^15 is a little more than a / q. */
VEC_STEP i16x32 ntt_reduce(i16x32 a)
{
    const i16x32 quotient = i16x32_mulhrs(a, i16x32_set1(10));
    return i16x32_proved_bound(i16x32_sub_wrap(a, i16x32_mullo_wrap(quotient, i16x32_set1(MLKEM_Q))), -2187, 2187);
}

/* a mod q, of 0 .. q - 1, for any a. */
VEC_STEP i16x32 ntt_canonical(i16x32 a)
{
    const i16x32 r = ntt_reduce(a);
    return i16x32_proved_bound(i16x32_add(r, i16x32_and(i16x32_sra(r, 15), MLKEM_Q)), 0, MLKEM_Q - 1);
}

VEC_STEP void ntt_butterfly(i16x32 *a, i16x32 *b, i16x32 z, i16x32 zq)
{
    const i16x32 t = ntt_mul(*b, z, zq);
    *b = i16x32_sub(*a, t);
    *a = i16x32_add(*a, t);
}

/* The inverse's: its factors are the negatives of inverses, hence b - a. */
VEC_STEP void ntt_butterfly_back(i16x32 *a, i16x32 *b, i16x32 z, i16x32 zq)
{
    const i16x32 t = i16x32_sub(*b, *a);
    *a = i16x32_add(*a, *b);
    *b = ntt_mul(t, z, zq);
}

/* Layers 0 to 2: blocks of 8, 4 and 2 vectors. */
VEC_STEP void ntt_outer(ntt_poly p[NTT_PAIR], const struct oct_mlkem_zetas *zetas, int layer)
{
    const int half = 4 >> layer;
    VEC_UNROLL
    for (int i = 0; i < 4; i++) {
        const int block = i / half, at = 2 * half * block + i % half, number = (1 << layer) + block;
        const i16x32 z = i16x32_set1(zetas->outer[number]), zq = i16x32_set1(zetas->outer_q[number]);
        VEC_UNROLL
        for (int n = 0; n < NTT_PAIR; n++)
            ntt_butterfly(&p[n][at], &p[n][at + half], z, zq);
    }
}

VEC_STEP void ntt_outer_back(ntt_poly p[NTT_PAIR], const struct oct_mlkem_zetas *zetas, int layer)
{
    const int half = 4 >> layer;
    VEC_UNROLL
    for (int i = 0; i < 4; i++) {
        const int block = i / half, at = 2 * half * block + i % half, number = (2 << layer) - 1 - block;
        const i16x32 z = i16x32_set1(zetas->outer_back[number]), zq = i16x32_set1(zetas->outer_back_q[number]);
        VEC_UNROLL
        for (int n = 0; n < NTT_PAIR; n++)
            ntt_butterfly_back(&p[n][at], &p[n][at + half], z, zq);
    }
}

VEC_STEP void ntt_inner(ntt_poly p[NTT_PAIR], const struct oct_mlkem_zetas *zetas, int layer)
{
    VEC_UNROLL
    for (int h = 0; h < OCT_MLKEM_PAIRS; h++) {
        const struct oct_mlkem_factor *factor = &zetas->inner[layer][h];
        const i16x32 z = i16x32_load_table(factor->z), zq = i16x32_load_table(factor->zq);
        VEC_UNROLL
        for (int n = 0; n < NTT_PAIR; n++) {
            i16x32_exchange(&p[n][2 * h], &p[n][2 * h + 1], (unsigned)(3 - layer));
            ntt_butterfly(&p[n][2 * h], &p[n][2 * h + 1], z, zq);
        }
    }
}

VEC_STEP void ntt_inner_back(ntt_poly p[NTT_PAIR], const struct oct_mlkem_zetas *zetas, int layer)
{
    VEC_UNROLL
    for (int h = 0; h < OCT_MLKEM_PAIRS; h++) {
        const struct oct_mlkem_factor *factor = &zetas->inner_back[layer][h];
        const i16x32 z = i16x32_load_table(factor->z), zq = i16x32_load_table(factor->zq);
        VEC_UNROLL
        for (int n = 0; n < NTT_PAIR; n++) {
            ntt_butterfly_back(&p[n][2 * h], &p[n][2 * h + 1], z, zq);
            i16x32_exchange(&p[n][2 * h], &p[n][2 * h + 1], (unsigned)(3 - layer));
        }
    }
}

/* Both polynomials transformed, in the order of FIPS 203. Of numbers of -q .. q it makes -17000 .. 17000. */
VEC_STEP void ntt_forward(ntt_poly p[NTT_PAIR])
{
    const struct oct_mlkem_zetas *zetas = &OCT_NAME(mlkem_zetas);
    VEC_UNROLL
    for (int layer = 0; layer < 3; layer++)
        ntt_outer(p, zetas, layer);
    VEC_UNROLL
    for (int layer = 0; layer < OCT_MLKEM_INNER; layer++)
        ntt_inner(p, zetas, layer);
    VEC_UNROLL
    for (int h = 0; h < OCT_MLKEM_PAIRS; h++)
        for (int n = 0; n < NTT_PAIR; n++)
            i16x32_zip(&p[n][2 * h], &p[n][2 * h + 1]);
}

/* The first vector of each pair, reduced: sums of eight numbers by now. */
VEC_STEP void ntt_reduce_sums(ntt_poly p[NTT_PAIR], int step)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i += step)
        for (int n = 0; n < NTT_PAIR; n++)
            p[n][i] = ntt_reduce(p[n][i]);
}

/* Both transformed back, and divided by 128 / 2^16. Of numbers of -4000 .. 4000 it makes -2600 .. 2600. */
VEC_STEP void ntt_backward(ntt_poly p[NTT_PAIR])
{
    const struct oct_mlkem_zetas *zetas = &OCT_NAME(mlkem_zetas);
    VEC_UNROLL
    for (int h = 0; h < OCT_MLKEM_PAIRS; h++)
        for (int n = 0; n < NTT_PAIR; n++)
            i16x32_unzip(&p[n][2 * h], &p[n][2 * h + 1]);
    ntt_inner_back(p, zetas, 3);
    ntt_inner_back(p, zetas, 2);
    ntt_inner_back(p, zetas, 1);
    /* The exchange has mixed sums with products, so all vectors may hold sums. */
    ntt_reduce_sums(p, 1);
    ntt_inner_back(p, zetas, 0);
    ntt_outer_back(p, zetas, 2);
    ntt_outer_back(p, zetas, 1);
    ntt_reduce_sums(p, 4);
    ntt_outer_back(p, zetas, 0);
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        for (int n = 0; n < NTT_PAIR; n++)
            p[n][i] = ntt_mul_constant(p[n][i], MLKEM_FACTOR(MLKEM_DOWN_128));
}

/* What a multiplier is kept as: (b0, b1 * root) and (b1, b0) for each pair of numbers, reduced. */
VEC_STEP void ntt_prepare(int16_t *straight, int16_t *crossed, const ntt_poly p)
{
    const struct oct_mlkem_zetas *zetas = &OCT_NAME(mlkem_zetas);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        const struct oct_mlkem_factor *gamma = &zetas->gamma[i];
        i16x32_store(straight + I16X32_LANES * i,
                     ntt_mul(p[i], i16x32_load_table(gamma->z), i16x32_load_table(gamma->zq)), -MLKEM_REDUCED_MAX,
                     MLKEM_REDUCED_MAX);
        i16x32_store(crossed + I16X32_LANES * i, i16x32_swap(ntt_reduce(p[i])), -MLKEM_REDUCED_MAX, MLKEM_REDUCED_MAX);
    }
}

VEC_STEP i16x32 ntt_load_prepared(const int16_t *p, int i)
{
    return i16x32_load(p + I16X32_LANES * i, -MLKEM_REDUCED_MAX, MLKEM_REDUCED_MAX);
}

/* Sums of products, /2^16 mod q: of the first and second number of each pair. */
VEC_STEP i16x32 ntt_collect(sum32x16 first, sum32x16 second)
{
    const i16x32 t = i16x32_mullo_wrap(sum32x16_low_wrap(first, second), i16x32_set1(MLKEM_TIMES_QINV(1)));
    return i16x32_sub(sum32x16_high(first, second), i16x32_mulhi(t, i16x32_set1(MLKEM_Q)));
}

#endif
