/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ML-DSA keys (FIPS 204, algorithm 6): made of seeds, eight at once, and expanded, one by one. */
#ifndef OCT_KERNELS_MLDSA_KEYS_IMPL_H
#define OCT_KERNELS_MLDSA_KEYS_IMPL_H

#include "kernels/lattice/mldsa_parts_impl.h"

/* Seeds become rho, the seeds of s1 and s2, and K. */
VEC_CHAIN void keys_hash_seeds(struct mldsa_workspace *w, const struct oct_mldsa_keygen_args *args)
{
    keccak_clear(w->state);
    mldsa_load_words(w->state, SEED_WORDS, args->seed, args->lanes);
    keccak_pad(w->state, SEED_WORDS, KECCAK_RATE_SHAKE256, KECCAK_SUFFIX_SHAKE << 16 | L << 8 | K);
    keccak_permute(w->state, w->state);
    mldsa_copy_words(w->sample.rho, w->state, SEED_WORDS);
    mldsa_copy_words(w->seed, w->state + SEED_WORDS, HASH_WORDS);
    mldsa_copy_words(w->key_seed, w->state + SEED_WORDS + HASH_WORDS, SEED_WORDS);
}

/* A lane's part of s1: encoded, and transformed where masks have their place. */
static OCT_NOINLINE void keys_take_s1(struct mldsa_workspace *w, uint8_t *sk, unsigned lane, unsigned j)
{
    ntt_poly p;
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        p[i] = sample_load_noise(&w->sample, lane, i);
        code_store_from(sk + SK_S1_AT + S_BYTES * j + 2 * S_BITS * i, p[i], S_BITS, MLDSA_ETA);
    }
    ntt_forward(p);
    ntt_store(w->y[lane][j], p);
}

/* A lane's part of s2: encoded, and kept where low parts have their place. */
static OCT_NOINLINE void keys_take_s2(struct mldsa_workspace *w, uint8_t *sk, unsigned lane, unsigned j)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        const i32x16 s2 = sample_load_noise(&w->sample, lane, i);
        code_store_from(sk + SK_S2_AT + S_BYTES * j + 2 * S_BITS * i, s2, S_BITS, MLDSA_ETA);
        i32x16_store(w->low[lane][j] + I32X16_LANES * i, s2, -MLDSA_ETA, MLDSA_ETA);
    }
}

/* A row of t = A s1 + s2: t1 and t0, encoded. s1 is in w->hat. */
static OCT_NOINLINE void keys_row(uint8_t *t1_to, uint8_t *t0_to, const struct mldsa_workspace *w, const int32_t *row,
                                  const int32_t *s2)
{
    ntt_poly p;
    mldsa_row(p, row, w->hat);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        const i32x16 sum = i32x16_add(p[i], i32x16_load(s2 + I32X16_LANES * i, -MLDSA_ETA, MLDSA_ETA));
        const i32x16 t = i32x16_sub_above(i32x16_add_if_negative(sum, MLDSA_Q), MLDSA_Q - 1, MLDSA_Q), t1 = code_t1(t);
        i32x16_store_bits(t1_to + 2 * T1_BITS * i, t1, T1_BITS);
        code_store_from(t0_to + 2 * MLDSA_D * i, code_t0(t, t1), MLDSA_D, T0_TOP);
    }
}
VEC_CHAIN void keys_rows(uint8_t *pk, uint8_t *t0, const struct mldsa_workspace *w, const int32_t *matrix,
                         unsigned lane)
{
    for (unsigned i = 0; i < K; i++)
        keys_row(pk + PK_T1_AT + T1_BYTES * i, t0 + T0_BYTES * i, w, matrix + MLDSA_N * L * i, w->low[lane][i]);
}

/* tr = H(pk), eight at once. */
VEC_CHAIN void keys_hash_publics(struct mldsa_workspace *w, const struct oct_mldsa_keygen_args *args)
{
    const uint8_t *const *pk = (const uint8_t *const *)args->pk;
    keccak_clear(w->state);
    const unsigned at = keccak_absorb(w->state, 0, KECCAK_RATE_SHAKE256, pk, args->lanes, 0, PK_BYTES / 8);
    keccak_pad(w->state, at, KECCAK_RATE_SHAKE256, KECCAK_SUFFIX_SHAKE);
    keccak_permute(w->state, w->state);
    mldsa_words_to_rows(w->mu, w->state);
}

VEC_CHAIN void keys_noise(struct mldsa_workspace *w, const struct oct_mldsa_keygen_args *args)
{
    for (unsigned j = 0; j < L + K; j++) {
        sample_noise(&w->sample, w->seed, j);
        for (unsigned lane = 0; lane < args->lanes; lane++)
            if (j < L)
                keys_take_s1(w, args->sk[lane], lane, j);
            else
                keys_take_s2(w, args->sk[lane], lane, j - L);
    }
}

/* rho, which both keys begin with, and K, which has the rows of w->c_seed here. */
VEC_CHAIN void keys_heads(struct mldsa_workspace *w, const struct oct_mldsa_keygen_args *args)
{
    w8 x[V8_LANES];
    sample_declassify_rho(&w->sample);
    mldsa_copy_words(x, w->sample.rho, SEED_WORDS);
    mldsa_copy_words(x + SEED_WORDS, w->key_seed, SEED_WORDS);
    mldsa_words_to_rows(w->c_seed, x);
    for (unsigned lane = 0; lane < args->lanes; lane++) {
        memcpy(args->pk[lane], w->c_seed[lane], OCT_MLDSA_SK_K_AT);
        memcpy(args->sk[lane], w->c_seed[lane], OCT_MLDSA_SK_TR_AT);
    }
}

void NAME(MLDSA_SET, keygen)(const struct oct_mldsa_keygen_args *args)
{
    struct mldsa_workspace *w = args->workspace;
    keys_hash_seeds(w, args);
    keys_heads(w, args);
    keys_noise(w, args);
    for (unsigned lane = 0; lane < args->lanes; lane++) {
        memcpy(w->hat, w->y[lane], sizeof w->hat);
        mldsa_matrix(w, w->matrix[0], args->pk[lane]);
        keys_rows(args->pk[lane], args->sk[lane] + SK_T0_AT, w, w->matrix[0], lane);
    }
    keys_hash_publics(w, args);
    for (unsigned lane = 0; lane < args->lanes; lane++)
        memcpy(args->sk[lane] + OCT_MLDSA_SK_TR_AT, w->mu[lane], OCT_MLDSA_MU_BYTES);
    v8_clear_registers();
}

/* --- one key, expanded */

/* A polynomial of s1 or s2, transformed, and (s2) as it is at `plain`; raises *largest to its largest encoding. */
static OCT_NOINLINE void keys_expand_small(int32_t *to, int32_t *plain, const uint8_t *from, i32x16 *largest)
{
    ntt_poly p;
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        const i32x16 encoded = i32x16_load_bits(from + 2 * S_BITS * i, S_BITS);
        *largest = i32x16_max(*largest, encoded);
        p[i] = i32x16_proved_bound(i32x16_sub(i32x16_set1(MLDSA_ETA), i32x16_min(encoded, i32x16_set1(2 * MLDSA_ETA))),
                                   -MLDSA_ETA, MLDSA_ETA);
        if (plain)
            i32x16_store(plain + I32X16_LANES * i, p[i], -MLDSA_ETA, MLDSA_ETA);
    }
    ntt_forward(p);
    ntt_store(to, p);
}
static OCT_NOINLINE void keys_expand_t0(int32_t *to, const uint8_t *from)
{
    ntt_poly p;
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        p[i] = code_load_from(from + 2 * MLDSA_D * i, MLDSA_D, T0_TOP);
    ntt_forward(p);
    ntt_store(to, p);
}

/* Whether s1 or s2 have a number that is none: that shows in the status. */
VEC_CHAIN unsigned keys_expand_secrets(struct mldsa_workspace *w, const struct oct_mldsa_expand_args *args)
{
    i32x16 largest = i32x16_set1(0);
    for (unsigned j = 0; j < L + K; j++)
        keys_expand_small(args->secrets + MLDSA_N * j, j < L ? NULL : w->low[0][j - L],
                          args->sk + SK_S1_AT + S_BYTES * j, &largest);
    for (unsigned i = 0; i < K; i++)
        keys_expand_t0(args->secrets + MLDSA_N * (L + K + i), args->sk + SK_T0_AT + T0_BYTES * i);
    return i32x16_any_above_declassify(largest, 2 * MLDSA_ETA);
}

/* Whether t0 or tr differ from what the public key says. */
VEC_CHAIN unsigned keys_differ(struct mldsa_workspace *w, const struct oct_mldsa_expand_args *args)
{
    w8 x[HASH_WORDS], differs;
    uint64_t byte = 0;
    for (size_t i = 0; i < sizeof w->t0; i++)
        byte |= w->t0[i] ^ args->sk[SK_T0_AT + i];
    differs = w8_set1(byte);
    keccak_clear(w->state);
    mldsa_hash_rows(w, 0, w->pk, 0, PK_BYTES / 8);
    mldsa_spread_words(x, HASH_WORDS, args->sk + OCT_MLDSA_SK_TR_AT);
    for (unsigned i = 0; i < HASH_WORDS; i++)
        differs = w8_or(differs, w8_xor(x[i], w->state[i]));
    return m8_declassify(w8_is_nonzero(differs)) != 0;
}

VEC_CHAIN unsigned keys_expand_private(struct mldsa_workspace *w, const struct oct_mldsa_expand_args *args)
{
    unsigned bad = keys_expand_secrets(w, args);
    memcpy(w->hat, args->secrets, sizeof w->hat);
    memcpy(w->pk, args->sk, PK_T1_AT);
    keys_rows(w->pk, w->t0, w, args->matrix, 0);
    bad |= keys_differ(w, args);
    OCT_DECLASSIFY(w->pk, PK_BYTES);
    memcpy(args->pk, w->pk, PK_BYTES);
    return bad;
}

unsigned NAME(MLDSA_SET, expand)(const struct oct_mldsa_expand_args *args)
{
    struct mldsa_workspace *w = args->workspace;
    mldsa_matrix(w, args->matrix, args->sk ? args->sk : args->pk);
    const unsigned bad = args->sk ? keys_expand_private(w, args) : 0;
    mldsa_expand_t1(args->t1, args->pk);
    v8_clear_registers();
    return bad;
}

#endif
