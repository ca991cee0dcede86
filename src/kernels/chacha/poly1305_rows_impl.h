/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Poly1305 of several short messages at once: a message and its key in each lane. One message alone has few blocks for
 * many lanes, and needs powers of r first; here r^2 is enough: even and odd blocks are two chains, and one hides the
 * other's latency.
 *
 * Messages stand in rows that all end at the same block. What is before a shorter one is zero and has no bit 2^128
 * above it, so that its sum stays zero. All is secret but how many blocks a message has.
 */
#ifndef OCT_KERNELS_POLY1305_ROWS_IMPL_H
#define OCT_KERNELS_POLY1305_ROWS_IMPL_H

#include "kernels/chacha/poly1305_impl.h"

#define POLY_ROW_BLOCKS 20 /* even, and below 64 */

struct poly_row {
    uint8_t r[16], pad[16]; /* the key, r clamped */
    uint8_t block[POLY_ROW_BLOCKS][16];
    uint8_t beyond[32]; /* whole vectors are stored where the last blocks are */
};
struct poly_rows {
    struct poly_row row[QUADS_LANES];
    uint64_t blocks[QUADS_LANES]; /* of each message in its row, up to the row's end */
    uint64_t sum[2][POLY_LIMBS][QUADS_LANES];
};

VEC_STEP void poly_row_key(struct poly_row *row, const uint8_t key[32])
{
    tier_store64(row->r, tier_load64(key) & 0x0ffffffc0fffffff);
    tier_store64(row->r + 8, tier_load64(key + 8) & 0x0ffffffc0ffffffc);
    memcpy(row->pad, key + 16, 16);
}

/* Block `at` of every row; 2^128 where the message has begun: where at + blocks >= POLY_ROW_BLOCKS. */
VEC_STEP void poly_rows_load(quads m[POLY_LIMBS], const struct poly_rows *p, unsigned at)
{
    const quads reach = quads_add(quads_load(p->blocks, 6), quads_set1(64 - POLY_ROW_BLOCKS + at));
    quads_load_lanes(m, p->row[0].block[at], sizeof p->row[0]);
    m[2] = quads_add(m[2], quads_sll(quads_srl(reach, 6), 40));
}

/* Blocks from .. to-1 of all rows, an even number, are added to the sums of even and of odd blocks; `first` if these
 * have no value yet. With the `last` ones the two become one, in the place of the even sums. */
static OCT_NOINLINE void poly_rows_add(struct poly_rows *p, unsigned from, unsigned to, unsigned first, unsigned last)
{
    quads r[POLY_LIMBS], s[POLY_LIMBS], r2[POLY_LIMBS], s2[POLY_LIMBS], h[2][POLY_LIMBS], m[POLY_LIMBS];
    struct poly_sum sum;
    quads_load_lanes(r, p->row[0].r, sizeof p->row[0]);
    poly_make_s(s, r);
    poly_multiply(r2, r, r);
    poly_make_s(s2, r2);
    VEC_UNROLL
    for (unsigned i = 0; i < 2; i++)
        if (first)
            poly_rows_load(h[i], p, from + i);
        else
            VEC_UNROLL
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        h[i][k] = quads_load(p->sum[i][k], POLY_BITS);
    for (unsigned at = first ? from + 2 : from; at < to; at += 2) {
        VEC_UNROLL
        for (unsigned i = 0; i < 2; i++) {
            poly_rows_load(m, p, at + i);
            poly_sum_set(&sum, m);
            poly_multiply_add(&sum, h[i], r2, s2);
            poly_carry(h[i], &sum);
        }
    }
    if (last) {
        poly_sum_zero(&sum);
        poly_multiply_add(&sum, h[0], r2, s2);
        poly_multiply_add(&sum, h[1], r, s);
        poly_carry(h[0], &sum);
    }
    VEC_UNROLL
    for (unsigned i = 0; i < 2; i++) {
        VEC_UNROLL
        for (unsigned k = 0; k < POLY_LIMBS; k++)
            quads_store(p->sum[i][k], h[i][k], POLY_BITS);
    }
}

/* The tag of row i, after the last blocks. */
VEC_STEP void poly_row_tag(uint8_t tag[16], const struct poly_rows *p, size_t i)
{
    uint64_t limb[POLY_LIMBS], w[3];
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        limb[k] = p->sum[0][k][i];
    poly_canonical(w, limb);
    poly_tag(tag, w, tier_load64(p->row[i].pad), tier_load64(p->row[i].pad + 8));
}

#endif
