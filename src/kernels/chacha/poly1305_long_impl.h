/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Poly1305 of a long stretch of a message on lanes, where the tier has it on general registers (poly1305_wide_impl.h).
 * Powers of r have their price, and the multiplier has 32 bits; from some length on that is fewer instructions all the
 * same. The sum comes from words and goes back to them. All is secret but how many blocks there are.
 */
#ifndef OCT_KERNELS_POLY1305_LONG_IMPL_H
#define OCT_KERNELS_POLY1305_LONG_IMPL_H

#include "kernels/chacha/poly1305_impl.h"
#include "kernels/chacha/poly1305_powers_impl.h"

#define LONG_BEGIN POLY_VECTOR
#define LONG_GROUP (4 * POLY_VECTOR)

struct poly_long {
    struct poly_powers powers;
    uint64_t sum[POLY_LIMBS][QUADS_LANES];
};

/* The sum so far, and LONG_BEGIN bytes. */
static OCT_NOINLINE void poly_long_begin(struct poly_long *l, const struct poly *p, const uint8_t *data)
{
    const uint64_t r[3] = {p->r[0], p->r[1], 0};
    uint64_t w[3];
    quads m[POLY_LIMBS];
    poly_make_some_powers(&l->powers, r, 2 * QUADS_LANES);
    poly_make_far_powers(&l->powers);
    memcpy(w, p->sum, sizeof w);
    poly_reduce(w);
    poly_load_blocks(m, data);
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        quads_store(l->sum[k], quads_add(m[k], quads_set_first(poly_limb(w, k), POLY_RADIX)), POLY_BITS);
}
/* `count` times LONG_GROUP. */
static OCT_NOINLINE void poly_long_groups(struct poly_long *l, const uint8_t *data, size_t count)
{
    quads h[POLY_LIMBS];
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        h[k] = quads_load(l->sum[k], POLY_BITS);
    for (; count > 0; count--, data += LONG_GROUP) {
        VEC_FENCE(); /* or gcc copies all powers to the stack first, and reads them from there in moves */
        poly_group(h, &l->powers, data);
    }
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        quads_store(l->sum[k], h[k], POLY_BITS);
}
/* The sum of all of it. */
static OCT_NOINLINE void poly_long_end(const struct poly_long *l, struct poly *p)
{
    quads h[POLY_LIMBS];
    struct poly_sum sum;
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        h[k] = quads_load(l->sum[k], POLY_BITS);
    poly_sum_zero(&sum);
    poly_multiply_falling(&sum, &l->powers, h, QUADS_LANES);
    poly_total(p->sum, &sum);
}

#endif
