/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA's number theoretic transforms (FIPS 204, 7.5) on 32-bit lanes: a polynomial of 256 numbers is sixteen vectors,
 * all of them in registers, and eight butterflies of a layer hide each other's latency.
 *
 * Four layers have their butterflies between vectors. For the other four the halves of each pair of vectors are brought
 * apart by an exchange before every layer. What comes out is in an order of its own, the even numbers of a pair of
 * vectors before the odd ones. Products do not care, and the inverse goes the same way back; only the matrix, which
 * FIPS 204 samples as a transform, is put into this order (ntt_order). Numbers are reduced at the very end alone: 32
 * bits bear eight layers either way, as tests/library/bound proves.
 */
#ifndef OCT_KERNELS_MLDSA_NTT_IMPL_H
#define OCT_KERNELS_MLDSA_NTT_IMPL_H

#include "kernels/lattice/mldsa_numbers.h"
#include "kernels/lattice/mldsa_zetas.h"
#include "vec/lattice/i32x16.h"

#define NTT_VECTORS 16

typedef i32x16 ntt_poly[NTT_VECTORS];

/* a * z / 2^32 mod q, for z of a factor and its zq: at most |a| * |z| / 2^32 + q / 2 + 1. The halves that cancel are
 * never made. */
VEC_STEP i32x16 ntt_mul(i32x16 a, i32x16 z, i32x16 zq)
{
    return i32x16_sub(i32x16_mulhi(a, z), i32x16_mulhi(i32x16_mullo_wrap(a, zq), i32x16_set1(MLDSA_Q)));
}

VEC_STEP i32x16 ntt_mul_constant(i32x16 a, int32_t factor)
{
    return ntt_mul(a, i32x16_set1(factor), i32x16_set1(MLDSA_TIMES_QINV(factor)));
}

/* Sums of products, / 2^32 mod q. */
VEC_STEP i32x16 ntt_collect(sum64x16 sum)
{
    const i32x16 t = i32x16_mullo_wrap(sum64x16_low_wrap(sum), i32x16_set1((int32_t)MLDSA_QINV));
    return i32x16_sub(sum64x16_high(sum), i32x16_mulhi(t, i32x16_set1(MLDSA_Q)));
}

VEC_STEP void ntt_butterfly(i32x16 *a, i32x16 *b, i32x16 z, i32x16 zq)
{
    const i32x16 t = ntt_mul(*b, z, zq);
    *b = i32x16_sub(*a, t);
    *a = i32x16_add(*a, t);
}

/* The inverse's: its factors are the negatives of inverses, hence b - a. */
VEC_STEP void ntt_butterfly_back(i32x16 *a, i32x16 *b, i32x16 z, i32x16 zq)
{
    const i32x16 t = i32x16_sub(*b, *a);
    *a = i32x16_add(*a, *b);
    *b = ntt_mul(t, z, zq);
}

/* Layers 0 to 3: blocks of 16, 8, 4 and 2 vectors. */
VEC_STEP void ntt_outer(ntt_poly p, const struct oct_mldsa_zetas *zetas, int layer)
{
    const int half = 8 >> layer;
    VEC_UNROLL
    for (int i = 0; i < 8; i++) {
        const int block = i / half, at = 2 * half * block + i % half, number = (1 << layer) + block;
        ntt_butterfly(&p[at], &p[at + half], i32x16_set1(zetas->outer[number]), i32x16_set1(zetas->outer_q[number]));
    }
}

VEC_STEP void ntt_outer_back(ntt_poly p, const struct oct_mldsa_zetas *zetas, int layer)
{
    const int half = 8 >> layer;
    VEC_UNROLL
    for (int i = 0; i < 8; i++) {
        const int block = i / half, at = 2 * half * block + i % half, number = (2 << layer) - 1 - block;
        ntt_butterfly_back(&p[at], &p[at + half], i32x16_set1(zetas->outer_back[number]),
                           i32x16_set1(zetas->outer_back_q[number]));
    }
}

VEC_STEP void ntt_inner(ntt_poly p, const struct oct_mldsa_zetas *zetas, int layer)
{
    VEC_UNROLL
    for (int h = 0; h < OCT_MLDSA_PAIRS; h++) {
        const struct oct_mldsa_factor *factor = &zetas->inner[layer][h];
        i32x16_exchange(&p[2 * h], &p[2 * h + 1], (unsigned)(3 - layer));
        ntt_butterfly(&p[2 * h], &p[2 * h + 1], i32x16_load_table(factor->z), i32x16_load_table(factor->zq));
    }
}

VEC_STEP void ntt_inner_back(ntt_poly p, const struct oct_mldsa_zetas *zetas, int layer)
{
    VEC_UNROLL
    for (int h = 0; h < OCT_MLDSA_PAIRS; h++) {
        const struct oct_mldsa_factor *factor = &zetas->inner_back[layer][h];
        ntt_butterfly_back(&p[2 * h], &p[2 * h + 1], i32x16_load_table(factor->z), i32x16_load_table(factor->zq));
        i32x16_exchange(&p[2 * h], &p[2 * h + 1], (unsigned)(3 - layer));
    }
}

/* The transform. Of numbers of -q .. q it makes -FORWARD_MAX .. FORWARD_MAX. */
VEC_STEP void ntt_forward(ntt_poly p)
{
    const struct oct_mldsa_zetas *zetas = &OCT_NAME(mldsa_zetas);
    VEC_UNROLL
    for (int layer = 0; layer < 4; layer++)
        ntt_outer(p, zetas, layer);
    VEC_UNROLL
    for (int layer = 0; layer < OCT_MLDSA_INNER; layer++)
        ntt_inner(p, zetas, layer);
}

/* The inverse, and divided by 256 / 2^32. Of what ntt_collect makes it makes -BACK_MAX .. BACK_MAX. */
VEC_STEP void ntt_backward(ntt_poly p)
{
    const struct oct_mldsa_zetas *zetas = &OCT_NAME(mldsa_zetas);
    VEC_UNROLL
    for (int layer = OCT_MLDSA_INNER - 1; layer >= 0; layer--)
        ntt_inner_back(p, zetas, layer);
    VEC_UNROLL
    for (int layer = 3; layer >= 0; layer--)
        ntt_outer_back(p, zetas, layer);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS / 2; i++)
        p[i] = ntt_mul_constant(p[i], MLDSA_FACTOR(MLDSA_DOWN_256));
}

/* Polynomials in memory: transformed ones, and the matrix. */
VEC_STEP i32x16 ntt_load(const int32_t *p, int i)
{
    return i32x16_load(p + I32X16_LANES * i, -MLDSA_FORWARD_MAX, MLDSA_FORWARD_MAX);
}
VEC_STEP i32x16 ntt_load_matrix(const int32_t *p, int i)
{
    return i32x16_load(p + I32X16_LANES * i, 0, MLDSA_MATRIX_MAX);
}
VEC_STEP void ntt_store(int32_t *to, const ntt_poly p)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        i32x16_store(to + I32X16_LANES * i, p[i], -MLDSA_FORWARD_MAX, MLDSA_FORWARD_MAX);
}

/* A polynomial of the matrix as it was sampled, in the order of transforms. */
static OCT_NOINLINE void ntt_order(int32_t *to, const int32_t *from)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i += 2) {
        i32x16 x = ntt_load_matrix(from, i), y = ntt_load_matrix(from, i + 1);
        i32x16_unzip(&x, &y);
        i32x16_store(to + I32X16_LANES * i, x, 0, MLDSA_MATRIX_MAX);
        i32x16_store(to + I32X16_LANES * (i + 1), y, 0, MLDSA_MATRIX_MAX);
    }
}

/* The product of two transformed polynomials, transformed back. */
VEC_STEP void ntt_multiply(ntt_poly p, const int32_t *a, const int32_t *b)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = ntt_collect(sum64x16_mul(ntt_load(a, i), ntt_load(b, i)));
    ntt_backward(p);
}

#endif
