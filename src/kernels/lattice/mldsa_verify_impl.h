/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA verification (FIPS 204, algorithm 8). Nothing here is secret. */
#ifndef OCT_KERNELS_MLDSA_VERIFY_IMPL_H
#define OCT_KERNELS_MLDSA_VERIFY_IMPL_H

#include "kernels/lattice/mldsa_ball_impl.h"

/* FIPS 204, algorithm 21: the hints as bits; 1 if they are malformed. Places rise within a polynomial, what is not used
 * is zero: there is one encoding of each set of hints. */
static OCT_NOINLINE unsigned verify_decode_hints(uint8_t (*hint)[HINT_BYTES], const uint8_t *from)
{
    unsigned at = 0, bad = 0;
    memset(hint, 0, sizeof *hint * K);
    for (unsigned i = 0; i < K; i++) {
        const unsigned end = from[MLDSA_OMEGA + i], first = at;
        if (end < at || end > MLDSA_OMEGA)
            return 1;
        for (; at < end; at++) {
            bad |= at > first && from[at] <= from[at - 1];
            hint[i][from[at] / 8] |= (uint8_t)(1u << from[at] % 8);
        }
    }
    for (; at < MLDSA_OMEGA; at++)
        bad |= from[at] != 0;
    return bad;
}

/* z of one polynomial, transformed, in w->hat: 1 if it is too large. */
static OCT_NOINLINE unsigned verify_z(struct mldsa_workspace *w, const uint8_t *from, unsigned j)
{
    i32x16 largest = i32x16_set1(0);
    ntt_poly p;
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        p[i] = code_load_from(from + 2 * Z_BITS * i, Z_BITS, GAMMA1);
        largest = i32x16_max(largest, i32x16_abs(p[i]));
    }
    ntt_forward(p);
    ntt_store(w->hat[j], p);
    return i32x16_any_above_declassify(largest, GAMMA1 - BETA - 1);
}

/* w1 of a row, encoded: of A z - c t1 2^13 with the hints; w->c is the negative of c. */
static OCT_NOINLINE void verify_row(struct mldsa_workspace *w, const int32_t *row, const int32_t *t1, unsigned lane,
                                    unsigned i)
{
    ntt_poly p;
    VEC_UNROLL
    for (int v = 0; v < NTT_VECTORS; v++)
        p[v] = ntt_collect(sum64x16_add(mldsa_sum(row, w->hat, v), sum64x16_mul(ntt_load(w->c, v), ntt_load(t1, v))));
    ntt_backward(p);
    VEC_UNROLL
    for (int v = 0; v < NTT_VECTORS; v++) {
        const i32x16 high = code_use_hint(code_canonical(p[v]), i32x16_load_bits(w->hint[i] + 2 * v, 1));
        i32x16_store_bits(w->high[lane] + W1_BYTES * i + 2 * W_BITS * v, high, W_BITS);
    }
}

/* Everything of a lane up to w1: 1 if its signature is bad already. */
VEC_CHAIN unsigned verify_lane(struct mldsa_workspace *w, const struct oct_mldsa_verify_args *args, unsigned lane)
{
    const uint8_t *signature = args->signature[lane];
    const int32_t *matrix = args->matrix[lane], *t1 = args->t1[lane];
    unsigned bad = verify_decode_hints(w->hint, signature + SIG_HINT_AT);
    for (unsigned j = 0; j < L; j++)
        bad |= verify_z(w, signature + SIG_Z_AT + Z_BYTES * j, j);
    if (bad)
        return 1;
    if (!matrix) {
        mldsa_matrix(w, w->matrix[0], args->pk[lane]);
        mldsa_expand_t1(w->low[0][0], args->pk[lane]);
        matrix = w->matrix[0];
        t1 = w->low[0][0];
    }
    ball_transform(w, lane, 1);
    for (unsigned i = 0; i < K; i++)
        verify_row(w, matrix + MLDSA_N * L * i, t1 + MLDSA_N * i, lane, i);
    return 0;
}

unsigned NAME(MLDSA_SET, verify)(const struct oct_mldsa_verify_args *args)
{
    struct mldsa_workspace *w = args->workspace;
    const unsigned lanes = args->lanes;
    w8 differs = w8_set1(0);
    unsigned bad = 0;
    memset(w->high, 0, sizeof w->high);
    mldsa_load_words(w->seed, C_WORDS, args->signature, lanes);
    ball_sample(w, w->seed);
    mldsa_load_words(w->state, HASH_WORDS, args->mu, lanes);
    mldsa_words_to_rows(w->mu, w->state);
    for (unsigned lane = 0; lane < lanes; lane++)
        bad |= verify_lane(w, args, lane) << lane;
    mldsa_hash_high(w);
    for (unsigned i = 0; i < C_WORDS; i++)
        differs = w8_or(differs, w8_xor(w->state[i], w->seed[i]));
    bad |= m8_declassify(w8_is_nonzero(differs));
    v8_clear_registers();
    return bad & ((1u << lanes) - 1);
}

#endif
