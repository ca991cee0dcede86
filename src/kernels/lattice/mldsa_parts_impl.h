/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What ML-DSA's operations share: the sizes of a parameter set, the workspace, words from bytes and back, and products
 * with the matrix. */
#ifndef OCT_KERNELS_MLDSA_PARTS_IMPL_H
#define OCT_KERNELS_MLDSA_PARTS_IMPL_H

#include "kernels/lattice/mldsa.h"
#include "kernels/lattice/mldsa_sample_impl.h"

#include <string.h>

#define K         MLDSA_K
#define L         MLDSA_L
#define S_BITS    (MLDSA_ETA == 2 ? 3 : 4)
#define T1_BITS   10
#define S_BYTES   (32 * S_BITS) /* of one polynomial */
#define T0_BYTES  (32 * MLDSA_D)
#define T1_BYTES  (32 * T1_BITS)
#define W1_BYTES  (32 * W_BITS)
#define Z_BYTES   (32 * Z_BITS)
#define PK_BYTES  OCT_MLDSA_PK_BYTES(K)
#define SK_BYTES  OCT_MLDSA_SK_BYTES(K, L, MLDSA_ETA)
#define SIG_BYTES (MLDSA_C_BYTES + Z_BYTES * L + MLDSA_OMEGA + K)
_Static_assert(SIG_BYTES == (K == 4 ? OCT_MLDSA_SIGNATURE_BYTES_44 : OCT_MLDSA_SIGNATURE_BYTES_65), "c, z and hints");
/* Where keys and signatures have their parts. */
#define PK_T1_AT    32
#define SK_S1_AT    128
#define SK_S2_AT    (SK_S1_AT + S_BYTES * L)
#define SK_T0_AT    (SK_S2_AT + S_BYTES * K)
#define SIG_Z_AT    MLDSA_C_BYTES
#define SIG_HINT_AT (SIG_Z_AT + Z_BYTES * L)
_Static_assert(SK_T0_AT + T0_BYTES * K == SK_BYTES, "a private key");

#define C_WORDS    (MLDSA_C_BYTES / 8)
#define ROW_BYTES  64
#define HINT_BYTES (MLDSA_N / 8)
/* The most that a polynomial may have that was transformed back and added to, or taken from, a mask or a low part. */
#define MASKED_MAX (GAMMA1 + MLDSA_BACK_MAX)
#define LOWER_MAX  (GAMMA2 + MLDSA_BACK_MAX)

#define BALL_WORDS 4

/* Challenges that are being made: where they are not zero, and behind that, in the same row, where negative. */
struct ball_state {
    w8 sets[2 * BALL_WORDS];
    w8 next, signs; /* the place that is filled next, of 256 - tau .. 256 */
};

typedef int32_t mldsa_numbers[MLDSA_N];

struct mldsa_workspace {
    struct sample_space sample;
    mldsa_numbers matrix[K * L] OCT_ALIGN64; /* of keys that are not expanded */
    mldsa_numbers y[V8_LANES][L];            /* masks, then z; or s1, transformed */
    mldsa_numbers low[V8_LANES][K];          /* low parts of w; or s2 */
    mldsa_numbers hat[L], c;                 /* a vector and the challenge of one lane, transformed */
    struct ball_state ball;
    w8 state[KECCAK_WORDS], seed[HASH_WORDS], key_seed[SEED_WORDS];
    uint8_t high[V8_LANES][W1_BYTES * K] OCT_ALIGN64; /* high parts of w, encoded */
    uint8_t mu[V8_LANES][ROW_BYTES], mask_seed[V8_LANES][ROW_BYTES], c_seed[V8_LANES][ROW_BYTES];
    uint8_t ball_bits[V8_LANES][ROW_BYTES]; /* of a challenge: 32 bytes each */
    uint8_t hint[K][HINT_BYTES];
    int32_t hints[I32X16_LANES] OCT_ALIGN64; /* how many, by lane of vectors */
    uint8_t pk[PK_BYTES], t0[T0_BYTES * K];  /* of a private key, made again */
};

/* Words of each lane, from and to memory. Lanes that are not used read what the first one reads. */
VEC_CHAIN void mldsa_load_words(w8 *to, unsigned words, const uint8_t *const *lane, unsigned lanes)
{
    w8 x[V8_LANES];
    for (unsigned i = 0; i < V8_LANES; i++)
        x[i] = w8_load_row(lane[keccak_lane(i, lanes)], words);
    w8_transpose(x, x);
    for (unsigned i = 0; i < words; i++)
        to[i] = x[i];
}
/* Words of one string, in all lanes. */
VEC_CHAIN void mldsa_spread_words(w8 *to, unsigned words, const uint8_t *from)
{
    w8 x[V8_LANES];
    for (unsigned i = 0; i < V8_LANES; i++)
        x[i] = w8_load_row(from, words);
    w8_transpose(x, x);
    for (unsigned i = 0; i < words; i++)
        to[i] = x[i];
}
VEC_CHAIN void mldsa_words_to_rows(uint8_t (*to)[ROW_BYTES], const w8 words[V8_LANES])
{
    w8 x[V8_LANES];
    w8_transpose(x, words);
    for (int i = 0; i < V8_LANES; i++)
        w8_store_row(to[i], x[i], V8_LANES);
}
VEC_CHAIN void mldsa_rows_to_words(w8 words[V8_LANES], uint8_t (*from)[ROW_BYTES])
{
    w8 x[V8_LANES];
    for (int i = 0; i < V8_LANES; i++)
        x[i] = w8_load_row(from[i], V8_LANES);
    w8_transpose(words, x);
}
VEC_CHAIN void mldsa_copy_words(w8 *to, const w8 *from, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        to[i] = from[i];
}

/* The matrix of one key, from its 32 bytes rho, into `to`. */
VEC_CHAIN void mldsa_matrix(struct mldsa_workspace *w, int32_t *to, const uint8_t *rho)
{
    mldsa_spread_words(w->sample.rho, SEED_WORDS, rho);
    sample_declassify_rho(&w->sample);
    sample_matrix(&w->sample, to);
}

/* The products of a row of a matrix with w->hat, summed up. */
VEC_STEP sum64x16 mldsa_sum(const int32_t *row, const mldsa_numbers *hat, int i)
{
    sum64x16 sum = sum64x16_mul(ntt_load_matrix(row, i), ntt_load(hat[0], i));
    VEC_UNROLL
    for (int j = 1; j < L; j++)
        sum = sum64x16_add(sum, sum64x16_mul(ntt_load_matrix(row + MLDSA_N * j, i), ntt_load(hat[j], i)));
    return sum;
}

/* The same, transformed back and canonical: w = A y of one row. */
VEC_STEP void mldsa_row(ntt_poly p, const int32_t *row, const mldsa_numbers *hat)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = ntt_collect(mldsa_sum(row, hat, i));
    ntt_backward(p);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = code_canonical(p[i]);
}

/* SHAKE256 of what stands in w->state, `first` words, and the words of strings that are `stride` bytes apart: as the
 * first words of w->state. */
VEC_CHAIN void mldsa_hash_rows(struct mldsa_workspace *w, unsigned first, const uint8_t *from, size_t stride,
                               unsigned words)
{
    const unsigned rate = KECCAK_RATE_SHAKE256;
    while (first + words >= rate) {
        keccak_add_rows(w->state, first, from, stride, rate - first);
        keccak_permute(w->state, w->state);
        from += 8 * (rate - first);
        words -= rate - first;
        first = 0;
    }
    keccak_add_rows(w->state, first, from, stride, words);
    keccak_pad(w->state, first + words, rate, KECCAK_SUFFIX_SHAKE);
    keccak_permute(w->state, w->state);
}

/* The challenges' seeds, H(mu || w1). */
VEC_CHAIN void mldsa_hash_high(struct mldsa_workspace *w)
{
    keccak_clear(w->state);
    keccak_add_rows(w->state, 0, w->mu[0], sizeof w->mu[0], HASH_WORDS);
    mldsa_hash_rows(w, HASH_WORDS, w->high[0], sizeof w->high[0], sizeof w->high[0] / 8);
}

/* t1 of a public key, times 2^13 and transformed. */
static OCT_NOINLINE void mldsa_expand_t1_row(int32_t *to, const uint8_t *from)
{
    ntt_poly p;
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = i32x16_sll(i32x16_load_bits(from + 2 * T1_BITS * i, T1_BITS), MLDSA_D);
    ntt_forward(p);
    ntt_store(to, p);
}
VEC_CHAIN void mldsa_expand_t1(int32_t *to, const uint8_t *pk)
{
    for (unsigned i = 0; i < K; i++)
        mldsa_expand_t1_row(to + MLDSA_N * i, pk + PK_T1_AT + T1_BYTES * i);
}

#endif
