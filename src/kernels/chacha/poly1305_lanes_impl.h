/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Poly1305 on lanes, vector by vector, with bulk four vectors at a time (poly1305_powers_impl.h). The sum has a value
 * once there was a whole vector. All is secret.
 */
#ifndef OCT_KERNELS_POLY1305_LANES_IMPL_H
#define OCT_KERNELS_POLY1305_LANES_IMPL_H

#include "kernels/chacha/poly1305_powers_impl.h"

#include <string.h>

#define POLY_BYTES POLY_VECTOR
#define POLY_GROUP (4 * POLY_BYTES)

struct poly {
    uint64_t sum[POLY_LIMBS][QUADS_LANES];
    struct poly_powers powers;
    /* As words: r, what it all comes to, below p, and what is added to that. */
    uint64_t r[3], total[3], pad[2];
    uint8_t pending[POLY_BYTES];
};

/* With the key, `r`. */
VEC_STEP void poly_begin(struct poly *p)
{
    p->r[2] = 0;
}

VEC_STEP void poly_make_powers(struct poly *p)
{
    poly_make_some_powers(&p->powers, p->r, 2 * QUADS_LANES);
}

VEC_STEP void poly_make_far(struct poly *p)
{
    poly_make_far_powers(&p->powers);
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
        poly_group(h, &p->powers, data);
    VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        r[k] = quads_load1(&p->powers.power[k][QUADS_LANES], POLY_BITS);
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

/* All so far as one number, `total`: the sum, if it has a value, and `last` whole blocks that are pending; at least one
 * of the two. `powers` if r^1 .. r^2L are there. */
static OCT_NOINLINE void poly_fold(struct poly *p, unsigned started, unsigned powers, unsigned last)
{
    quads h[POLY_LIMBS], m[POLY_LIMBS];
    struct poly_sum sum;
    if (!powers)
        poly_make_some_powers(&p->powers, p->r, started ? 2 * QUADS_LANES : last);
    poly_sum_zero(&sum);
    if (started) {
        VEC_UNROLL
        for (unsigned k = 0; k < POLY_LIMBS; k++)
            h[k] = quads_load(p->sum[k], POLY_BITS);
        poly_multiply_falling(&sum, &p->powers, h, QUADS_LANES - last);
    }
    poly_load_blocks(m, p->pending);
    poly_multiply_falling(&sum, &p->powers, m, 2 * QUADS_LANES - last);
    poly_total(p->total, &sum);
}

#endif
