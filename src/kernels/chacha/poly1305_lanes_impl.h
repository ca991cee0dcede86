/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Poly1305 on lanes. Block j of a vector of blocks goes to its own lane; a vector later, each lane is
 * multiplied by r^L (L lanes). With bulk four vectors at a time: sum * r^4L + m0 * r^3L + m1 * r^2L + m2 * r^L + m3,
 * and one carry. At the end there are m <= L blocks more, so lane j of the sum has to be multiplied by r^(L+m-j), and
 * the last blocks by r^(m-j): these stand in a table of falling powers, read from where it fits.
 *
 * The sum has a value once there was a whole vector. All is secret.
 */
#ifndef OCT_KERNELS_POLY1305_LANES_IMPL_H
#define OCT_KERNELS_POLY1305_LANES_IMPL_H

#include "kernels/chacha/poly1305_44_impl.h"
#include "kernels/chacha/poly1305_number_impl.h"

#include <string.h>

#define POLY_BYTES (16 * QUADS_LANES)
#define POLY_GROUP (4 * POLY_BYTES)

struct poly {
    uint64_t sum[POLY_LIMBS][QUADS_LANES];
    /* power[k][i] is limb k of r^(2L-i), zero from i = 2L on. */
    uint64_t power[POLY_LIMBS][3 * QUADS_LANES];
    /* Limbs r and s of r^L, r^2L, r^3L, r^4L, each for all lanes. */
    uint64_t far[4][2 * POLY_LIMBS];
    /* As words: r, what it all comes to, below p, and what is added to that. */
    uint64_t r[3], total[3], pad[2];
    uint8_t pending[POLY_BYTES];
};

/* Limb k of a number of three words. */
OCT_INLINE uint64_t poly_limb(const uint64_t w[3], unsigned k)
{
    const unsigned at = POLY_RADIX * k / 64, shift = POLY_RADIX * k % 64;
    const unsigned __int128 pair = (unsigned __int128)(at < 2 ? w[at + 1] : 0) << 64 | w[at];
    return (uint64_t)(pair >> shift) & (((uint64_t)1 << POLY_RADIX) - 1);
}
/* With the key, `r`. */
VEC_STEP void poly_begin(struct poly *p)
{
    p->r[2] = 0;
}

VEC_STEP void poly_make_s(quads s[POLY_LIMBS], const quads r[POLY_LIMBS])
{
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        s[k] = poly_times_s(r[k]);
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
VEC_STEP void poly_store_powers(struct poly *p, unsigned at, const quads power[POLY_LIMBS])
{
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        quads_store(p->power[k] + at, power[k], POLY_BITS);
}

/* r^1 .. r^need, for a public need of 1 .. 2L: each step doubles what is there. */
static OCT_NOINLINE void poly_make_some_powers(struct poly *p, unsigned need)
{
    quads power[POLY_LIMBS], first[POLY_LIMBS], next[POLY_LIMBS];
    unsigned have = 1;
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++) {
        power[k] = quads_set_first(poly_limb(p->r, k), POLY_RADIX);
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

VEC_STEP void poly_make_powers(struct poly *p)
{
    poly_make_some_powers(p, 2 * QUADS_LANES);
}

/* r^L to r^4L for bulk, from the table. */
static OCT_NOINLINE void poly_make_far(struct poly *p)
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
            quads_store1(&p->far[n - 1][k], power[k], POLY_BITS);
            quads_store1(&p->far[n - 1][POLY_LIMBS + k], s[k], POLY_S_BITS);
        }
    }
}

/* sum += a * r^(nL). */
VEC_STEP void poly_multiply_far(struct poly_sum *sum, const quads a[POLY_LIMBS], const uint64_t far[2 * POLY_LIMBS])
{
    quads r[POLY_LIMBS], s[POLY_LIMBS];
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++) {
        r[k] = quads_load1(&far[k], POLY_BITS);
        s[k] = quads_load1(&far[POLY_LIMBS + k], POLY_S_BITS);
    }
    poly_multiply_add(sum, a, r, s);
}
/* h = h * r^4L + m0 * r^3L + m1 * r^2L + m2 * r^L + m3 for a group of four vectors, in two sums: a multiplier that also
 * adds makes chains of its latency. */
VEC_STEP void poly_group(quads h[POLY_LIMBS], const struct poly *p, const uint8_t *data)
{
    quads m[POLY_LIMBS];
    struct poly_sum sum[2];
    poly_load_blocks(m, data + 3 * POLY_BYTES);
    poly_sum_set(&sum[0], m);
    poly_multiply_far(&sum[0], h, p->far[3]);
    poly_sum_zero(&sum[1]);
    VEC_UNROLL
    for (unsigned i = 0; i < 3; i++) {
        poly_load_blocks(m, data + i * POLY_BYTES);
        poly_multiply_far(&sum[(i + 1) % 2], m, p->far[2 - i]);
    }
    poly_sum_add(&sum[0], &sum[1]);
    poly_carry(h, &sum[0]);
}

/* `count` vectors of whole blocks, count > 0; `started` if the sum has a value, `bulk` if there are r^L to r^4L in
 * `far`. */
static OCT_NOINLINE void poly_vectors(struct poly *p, unsigned started, unsigned bulk, const uint8_t *data,
                                      size_t count)
{
    quads h[POLY_LIMBS], r[POLY_LIMBS], s[POLY_LIMBS], m[POLY_LIMBS];
    struct poly_sum sum;
    if (started) {
        VEC_UNROLL
        for (unsigned k = 0; k < POLY_LIMBS; k++)
            h[k] = quads_load(p->sum[k], POLY_BITS);
    } else {
        poly_load_blocks(h, data);
        data += POLY_BYTES;
        count--;
    }
    for (; bulk && count >= 4; count -= 4, data += POLY_GROUP)
        poly_group(h, p, data);
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        r[k] = quads_load1(&p->power[k][QUADS_LANES], POLY_BITS);
    poly_make_s(s, r);
    for (; count > 0; count--, data += POLY_BYTES) {
        poly_load_blocks(m, data);
        poly_sum_set(&sum, m);
        poly_multiply_add(&sum, h, r, s);
        poly_carry(h, &sum);
    }
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        quads_store(p->sum[k], h[k], POLY_BITS);
}

/* Lanes times the falling powers r^(L+shift), r^(L+shift-1), ... that end where the table does. */
VEC_STEP void poly_multiply_falling(struct poly_sum *sum, const struct poly *p, const quads a[POLY_LIMBS], unsigned at)
{
    quads r[POLY_LIMBS], s[POLY_LIMBS];
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        r[k] = quads_block_order(quads_load(p->power[k] + at, POLY_BITS));
    poly_make_s(s, r);
    poly_multiply_add(sum, a, r, s);
}

/* The number below p that limbs < 2^52 make; together they are below 2^141. */
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

/* All so far as one number, `total`: the sum, if it has a value, and `last` whole blocks that are pending; at least one
 * of the two. `powers` if r^1 .. r^2L are there. */
static OCT_NOINLINE void poly_fold(struct poly *p, unsigned started, unsigned powers, unsigned last)
{
    quads h[POLY_LIMBS], m[POLY_LIMBS];
    struct poly_sum sum;
    uint64_t limb[POLY_LIMBS], lanes[QUADS_LANES];
    if (!powers)
        poly_make_some_powers(p, started ? 2 * QUADS_LANES : last);
    poly_sum_zero(&sum);
    if (started) {
        VEC_UNROLL
        for (unsigned k = 0; k < POLY_LIMBS; k++)
            h[k] = quads_load(p->sum[k], POLY_BITS);
        poly_multiply_falling(&sum, p, h, QUADS_LANES - last);
    }
    poly_load_blocks(m, p->pending);
    poly_multiply_falling(&sum, p, m, 2 * QUADS_LANES - last);
    poly_carry(h, &sum);
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++) {
        quads_store(lanes, quads_sum(h[k]), 52);
        limb[k] = lanes[0];
    }
    poly_canonical(p->total, limb);
}

#endif
