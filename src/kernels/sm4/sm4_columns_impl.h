/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Round keys of texts side by side. Where each has a key of its own, a vector has one round's keys of a whole set: the
 * column of those words, in the order in which the blocks' words stand. Text t is lane t % BV_LANES of vector
 * t / BV_LANES.
 */
#ifndef OCT_KERNELS_SM4_COLUMNS_IMPL_H
#define OCT_KERNELS_SM4_COLUMNS_IMPL_H

#include "kernels/sm4/sm4_impl.h"

/* A vector of each text, row by row (rows[i][j] is text BV_LANES * i + j), to BV_LANES sets of blocks. */
VEC_STEP void sm4_turn_rows(struct sm4_set *s, bv rows[4][BV_LANES])
{
    VEC_UNROLL
    for (int i = 0; i < 4; i++) {
        bv_transpose(rows[i]);
        VEC_UNROLL
        for (int j = 0; j < BV_LANES; j++)
            s[j].word[i] = rows[i][j];
    }
}

/* Columns of a set's keys, `offset` bytes into what key[first] and those behind it point to: of the first `count` of
 * them, and of the first one in their place where there are no more. A vector of a key has words of 4 * BV_LANES
 * rounds. */
VEC_STEP void sm4_columns(uint8_t (*column)[SM4_VECTOR], const uint8_t *const *key, size_t first, size_t count,
                          size_t offset)
{
    for (size_t r = 0; r < SM4_ROUNDS; r += 4 * BV_LANES) {
        struct sm4_set s[BV_LANES];
        bv rows[4][BV_LANES];
        VEC_UNROLL
        for (size_t t = 0; t < SM4_SET; t++)
            rows[t / BV_LANES][t % BV_LANES] = bv_load(key[first + (t < count ? t : 0)] + offset + 4 * r);
        sm4_turn_rows(s, rows);
        VEC_UNROLL
        for (int j = 0; j < BV_LANES; j++) {
            bv_transpose32(s[j].word);
            VEC_UNROLL
            for (int i = 0; i < 4; i++)
                bv_store(column[(int)r + 4 * j + i], s[j].word[i]);
        }
    }
}

#endif
