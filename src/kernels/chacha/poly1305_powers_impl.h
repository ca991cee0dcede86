/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * What forms of Poly1305 on lanes have in common: powers of r, and four vectors of blocks at a time. Block j of a
 * vector goes to its own lane; a vector later, each lane is multiplied by r^L (L lanes). At the end there are m <= L
 * blocks more, so lane j of the sum has to be multiplied by r^(L+m-j), and the last blocks by r^(m-j): these stand in a
 * table of falling powers, read from where it fits. All is secret.
 */
#ifndef OCT_KERNELS_POLY1305_POWERS_IMPL_H
#define OCT_KERNELS_POLY1305_POWERS_IMPL_H

#include "vec/cipher/quads.h"

#if QUADS_FACTOR_BITS == 52
#include "kernels/chacha/poly1305_44_impl.h"
#else
#include "kernels/chacha/poly1305_26_impl.h"
#endif
#include "kernels/chacha/poly1305_number_impl.h"

#define POLY_VECTOR (16 * QUADS_LANES)
/* One number for all lanes, in as many words as it takes to be an operand of an instruction. */
#define POLY_SPREAD (QUADS_FACTOR_BITS == 52 ? 1 : QUADS_LANES)

struct poly_powers {
    /* power[k][i] is limb k of r^(2L-i), zero from i = 2L on. */
    uint64_t power[POLY_LIMBS][3 * QUADS_LANES];
    /* Limbs r and s of r^L, r^2L, r^3L, r^4L, each for all lanes. */
    uint64_t far[4][2 * POLY_LIMBS][POLY_SPREAD];
};

/* Limb k of a number of three words. */
OCT_INLINE uint64_t poly_limb(const uint64_t w[3], unsigned k)
{
    const unsigned at = POLY_RADIX * k / 64, shift = POLY_RADIX * k % 64;
    const unsigned __int128 pair = (unsigned __int128)(at < 2 ? w[at + 1] : 0) << 64 | w[at];
    return (uint64_t)(pair >> shift) & (((uint64_t)1 << POLY_RADIX) - 1);
}

VEC_STEP void poly_make_s(quads s[POLY_LIMBS], const quads r[POLY_LIMBS])
{
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        s[k] = poly_times_s(r[k]);
}
/* sum += a * r; a and r < 2^POLY_BITS. */
VEC_STEP void poly_multiply_add(struct poly_sum *sum, const quads a[POLY_LIMBS], const quads r[POLY_LIMBS],
                                const quads s[POLY_LIMBS])
{
    VEC_UNROLL
    for (unsigned i = 0; i < POLY_LIMBS; i++) {
        VEC_UNROLL
        for (unsigned k = 0; k < POLY_LIMBS; k++)
            poly_column_add(sum, k, a[i], k >= i ? r[k - i] : s[POLY_LIMBS + k - i]);
    }
}
VEC_STEP void poly_sum_zero(struct poly_sum *sum)
{
    quads zero[POLY_LIMBS];
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        zero[k] = quads_zero();
    poly_sum_set(sum, zero);
}
/* h = a * r. */
VEC_STEP void poly_multiply(quads h[POLY_LIMBS], const quads a[POLY_LIMBS], const quads r[POLY_LIMBS])
{
    quads s[POLY_LIMBS];
    struct poly_sum sum;
    poly_make_s(s, r);
    poly_sum_zero(&sum);
    poly_multiply_add(&sum, a, r, s);
    poly_carry(h, &sum);
}
VEC_STEP void poly_store_powers(struct poly_powers *p, unsigned at, const quads power[POLY_LIMBS])
{
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        quads_store(p->power[k] + at, power[k], POLY_BITS);
}

/* r^1 .. r^need, for a public need of 1 .. 2L: each step doubles what is there. */
static OCT_NOINLINE void poly_make_some_powers(struct poly_powers *p, const uint64_t r[3], unsigned need)
{
    quads power[POLY_LIMBS], first[POLY_LIMBS], next[POLY_LIMBS];
    unsigned have = 1;
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++) {
        power[k] = quads_set_first(poly_limb(r, k), POLY_RADIX);
        next[k] = quads_zero();
    }
    poly_store_powers(p, 2 * QUADS_LANES, next);
    VEC_UNROLL
    for (unsigned step = 1; step < QUADS_LANES; step *= 2) {
        if (need <= step)
            break;
        VEC_UNROLL
        for (unsigned k = 0; k < POLY_LIMBS; k++)
            first[k] = quads_first(power[k]);
        poly_multiply(next, power, first);
        VEC_UNROLL
        for (unsigned k = 0; k < POLY_LIMBS; k++)
            power[k] = quads_or(next[k], quads_up(power[k], step));
        have = 2 * step;
    }
    poly_store_powers(p, 2 * QUADS_LANES - have, power);
    if (need <= QUADS_LANES)
        return;
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        first[k] = quads_first(power[k]);
    poly_multiply(next, power, first);
    poly_store_powers(p, 0, next);
}

OCT_INLINE quads poly_load_same(const uint64_t *p, unsigned bits)
{
    return POLY_SPREAD == 1 ? quads_load1(p, bits) : quads_load(p, bits);
}
OCT_INLINE void poly_store_same(uint64_t *p, quads a, unsigned bits)
{
    if (POLY_SPREAD == 1)
        quads_store1(p, a, bits);
    else
        quads_store(p, a, bits);
}
/* r^L to r^4L, from the table. */
static OCT_NOINLINE void poly_make_far_powers(struct poly_powers *p)
{
    quads r2l[POLY_LIMBS], low[POLY_LIMBS], power[POLY_LIMBS], s[POLY_LIMBS];
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        r2l[k] = quads_load1(&p->power[k][0], POLY_BITS);
    VEC_UNROLL
    for (unsigned n = 1; n <= 4; n++) {
        VEC_UNROLL
        for (unsigned k = 0; k < POLY_LIMBS; k++) {
            low[k] = quads_load1(&p->power[k][n % 2 ? QUADS_LANES : 0], POLY_BITS);
            power[k] = low[k];
        }
        if (n > 2)
            poly_multiply(power, low, r2l);
        poly_make_s(s, power);
        VEC_UNROLL
        for (unsigned k = 0; k < POLY_LIMBS; k++) {
            poly_store_same(p->far[n - 1][k], power[k], POLY_BITS);
            poly_store_same(p->far[n - 1][POLY_LIMBS + k], s[k], POLY_S_BITS);
        }
    }
}

/* sum += a * r^(nL). Factors are read where they are used: there are more of them than registers. */
VEC_STEP void poly_multiply_far(struct poly_sum *sum, const quads a[POLY_LIMBS],
                                const uint64_t far[2 * POLY_LIMBS][POLY_SPREAD])
{
    VEC_UNROLL
    for (unsigned i = 0; i < POLY_LIMBS; i++) {
        VEC_UNROLL
        for (unsigned k = 0; k < POLY_LIMBS; k++)
            poly_column_add(sum, k, a[i],
                            k >= i ? poly_load_same(far[k - i], POLY_BITS)
                                   : poly_load_same(far[2 * POLY_LIMBS + k - i], POLY_S_BITS));
    }
}
/* h = h * r^4L + m0 * r^3L + m1 * r^2L + m2 * r^L + m3 for a group of four vectors, in POLY_SUMS sums. */
VEC_STEP void poly_group(quads h[POLY_LIMBS], const struct poly_powers *p, const uint8_t *data)
{
    quads m[POLY_LIMBS];
    struct poly_sum sum[POLY_SUMS];
    poly_load_blocks(m, data + 3 * POLY_VECTOR);
    poly_sum_set(&sum[0], m);
    poly_multiply_far(&sum[0], h, p->far[3]);
    if (POLY_SUMS > 1)
        poly_sum_zero(&sum[POLY_SUMS - 1]);
    VEC_UNROLL
    for (unsigned i = 0; i < 3; i++) {
        poly_load_blocks(m, data + i * POLY_VECTOR);
        poly_multiply_far(&sum[(i + 1) % POLY_SUMS], m, p->far[2 - i]);
    }
    if (POLY_SUMS > 1)
        poly_sum_add(&sum[0], &sum[POLY_SUMS - 1]);
    poly_carry(h, &sum[0]);
}

/* Lanes times the falling powers r^(L+shift), r^(L+shift-1), ... that end where the table does. */
VEC_STEP void poly_multiply_falling(struct poly_sum *sum, const struct poly_powers *p, const quads a[POLY_LIMBS],
                                    unsigned at)
{
    quads r[POLY_LIMBS], s[POLY_LIMBS];
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        r[k] = quads_block_order(quads_load(p->power[k] + at, POLY_BITS));
    poly_make_s(s, r);
    poly_multiply_add(sum, a, r, s);
}

/* The number below p that limbs < 2^POLY_SUM_BITS make; together they are below 2^141. */
VEC_STEP void poly_canonical(uint64_t w[3], const uint64_t limb[POLY_LIMBS])
{
    w[0] = w[1] = w[2] = 0;
    for (unsigned k = 0; k < POLY_LIMBS; k++) {
        const unsigned at = POLY_RADIX * k / 64, shift = POLY_RADIX * k % 64;
        unsigned __int128 part = (unsigned __int128)limb[k] << shift;
        for (unsigned i = at; i < 3; i++) {
            part += w[i];
            w[i] = (uint64_t)part;
            part >>= 64;
        }
    }
    poly_reduce(w);
}

/* And that of all lanes of a sum of products. */
VEC_STEP void poly_total(uint64_t w[3], const struct poly_sum *sum)
{
    quads h[POLY_LIMBS];
    uint64_t limb[POLY_LIMBS], lanes[QUADS_LANES];
    poly_carry(h, sum);
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++) {
        quads_store(lanes, quads_sum(h[k]), POLY_SUM_BITS);
        limb[k] = lanes[0];
    }
    poly_canonical(w, limb);
}

#endif
