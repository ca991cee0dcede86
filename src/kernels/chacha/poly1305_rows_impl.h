/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Poly1305 of several short messages at once: a message and its key in each lane. One message alone has few blocks for
 * many lanes, and needs powers of r first; here r^2 is enough: even and odd blocks are two chains, and one hides the
 * other's latency. On general registers the messages are the chains.
 *
 * Messages stand in rows that all end at the same block. What is before a shorter one is zero and has no bit 2^128
 * above it, so that its sum stays zero. All is secret but how many blocks a message has.
 */
#ifndef OCT_KERNELS_POLY1305_ROWS_IMPL_H
#define OCT_KERNELS_POLY1305_ROWS_IMPL_H

#include "kernels/chacha/poly1305_impl.h"

#define POLY_ROW_BLOCKS 20 /* even, and below 64 */
#if TIER_WIDE
#define POLY_ROWS 8
#else
#define POLY_ROWS QUADS_LANES
#endif

struct poly_row {
    uint64_t r[2], pad[2]; /* the key, r clamped */
    uint8_t block[POLY_ROW_BLOCKS][16];
    uint8_t beyond[32]; /* whole vectors are stored where the last blocks are */
};
struct poly_rows {
    struct poly_row row[POLY_ROWS];
#if TIER_WIDE
    uint64_t sum[POLY_ROWS][3];
#else
    uint64_t blocks[POLY_ROWS]; /* of each message in its row, up to the row's end */
    uint64_t sum[2][POLY_LIMBS][QUADS_LANES];
#endif
};

VEC_STEP void poly_row_key(struct poly_row *row, const uint8_t key[32])
{
    poly_split_key(row->r, row->pad, key);
    for (unsigned i = 0; !TIER_WIDE && i < 2; i++)
        row->r[i] = tier_little64(row->r[i]); /* lanes take it as bytes */
}

#if TIER_WIDE
/* All of row i, whose message begins with block `from`. */
VEC_STEP void poly_row_add(struct poly_rows *p, size_t i, size_t from)
{
    p->sum[i][0] = p->sum[i][1] = p->sum[i][2] = 0;
    poly_blocks(p->sum[i], p->row[i].r, p->row[i].block[from], POLY_ROW_BLOCKS - from);
}
/* The number of row i, after the last blocks. */
VEC_STEP void poly_row_total(uint64_t w[3], const struct poly_rows *p, size_t i)
{
    memcpy(w, p->sum[i], sizeof p->sum[i]);
    poly_reduce(w);
}
#else
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
    quads_load_lanes(r, (const uint8_t *)p->row[0].r, sizeof p->row[0]);
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

/* The number of row i, after the last blocks. */
VEC_STEP void poly_row_total(uint64_t w[3], const struct poly_rows *p, size_t i)
{
    uint64_t limb[POLY_LIMBS];
    for (unsigned k = 0; k < POLY_LIMBS; k++)
        limb[k] = p->sum[0][k][i];
    poly_canonical(w, limb);
}
#endif

/* The tag of row i, after the last blocks. */
VEC_STEP void poly_row_tag(uint8_t tag[16], const struct poly_rows *p, size_t i)
{
    uint64_t w[3];
    poly_row_total(w, p, i);
    poly_tag(tag, w, p->row[i].pad[0], p->row[i].pad[1]);
}

#endif
