/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* What ML-KEM's operations share: the sizes of a parameter set, the workspace, and the hashes H, G and J (FIPS 203,
 * 4.1) in lanes. */
#ifndef OCT_KERNELS_MLKEM_PARTS_IMPL_H
#define OCT_KERNELS_MLKEM_PARTS_IMPL_H

#include "kernels/lattice/mlkem.h"
#include "kernels/lattice/mlkem_sample_impl.h"

#define K          MLKEM_K
#define POLY_BYTES 384 /* 256 numbers of 12 bits */
#define EK_BYTES   OCT_MLKEM_EK_BYTES(K)
#define CT_BYTES   OCT_MLKEM_CT_BYTES(K)
#define U_BYTES    (32 * MLKEM_DU)
#define V_BYTES    (32 * MLKEM_DV)
_Static_assert(CT_BYTES == K * U_BYTES + V_BYTES, "a ciphertext is u and v");
/* Where a decapsulation key has its encapsulation key, the hash of that, and z; and where that key has rho. */
#define DK_EK_AT   (POLY_BYTES * K)
#define DK_HASH_AT (DK_EK_AT + EK_BYTES)
#define DK_Z_AT    (DK_HASH_AT + 32)
#define EK_RHO_AT  (POLY_BYTES * K)

/* A vector of K polynomials as a multiplier (ntt_prepare), of each operation. */
struct multiplier {
    int16_t straight[V8_LANES][K][MLKEM_N], crossed[V8_LANES][K][MLKEM_N];
};

struct mlkem_workspace {
    struct sample_space sample;
    struct multiplier y;                                        /* y or s, transformed */
    int16_t matrix[K * EIGHT_POLYS + MATRIX_SLACK] OCT_ALIGN64; /* a row or a column */
    uint8_t noise[K + 1][V8_LANES][NOISE_BYTES] OCT_ALIGN64;    /* e1 and e2 */
    int16_t error[K][V8_LANES][MLKEM_N] OCT_ALIGN64;            /* of key pairs: e, transformed */
    int16_t bad[V8_LANES][I16X32_LANES] OCT_ALIGN64;            /* negative where a number is not below q */
    w8 state[KECCAK_WORDS];
    w8 seed[SEED_WORDS], secret[SEED_WORDS], hash[SEED_WORDS];
    uint8_t message[V8_LANES][OCT_MLKEM_SEED_BYTES] OCT_ALIGN64;
    uint8_t ct[V8_LANES][CT_BYTES] OCT_ALIGN64;
};

/* Words of each lane, from and to memory. */
VEC_CHAIN void mlkem_load_words(w8 to[SEED_WORDS], const uint8_t *const lane[V8_LANES], unsigned lanes, size_t at)
{
    w8 x[V8_LANES];
    for (unsigned i = 0; i < V8_LANES; i++)
        x[i] = w8_load_row(lane[keccak_lane(i, lanes)] + at, SEED_WORDS);
    w8_transpose(x, x);
    for (int i = 0; i < SEED_WORDS; i++)
        to[i] = x[i];
}
VEC_CHAIN void mlkem_words_to_rows(uint8_t (*to)[OCT_MLKEM_SEED_BYTES], const w8 words[SEED_WORDS])
{
    w8 x[V8_LANES];
    for (int i = 0; i < V8_LANES; i++)
        x[i] = i < SEED_WORDS ? words[i] : w8_set1(0);
    w8_transpose(x, x);
    for (int i = 0; i < V8_LANES; i++)
        w8_store_row(to[i], x[i], SEED_WORDS);
}
VEC_CHAIN void mlkem_rows_to_words(w8 words[SEED_WORDS], uint8_t (*from)[OCT_MLKEM_SEED_BYTES])
{
    w8 x[V8_LANES];
    for (int i = 0; i < V8_LANES; i++)
        x[i] = w8_load_row(from[i], SEED_WORDS);
    w8_transpose(x, x);
    for (int i = 0; i < SEED_WORDS; i++)
        words[i] = x[i];
}
VEC_CHAIN void mlkem_copy_words(w8 *to, const w8 *from)
{
    for (int i = 0; i < SEED_WORDS; i++)
        to[i] = from[i];
}

/* H: SHA3-256 of the encapsulation keys at lane[i] + at. */
VEC_CHAIN void mlkem_hash_key(struct mlkem_workspace *w, const uint8_t *const lane[V8_LANES], unsigned lanes, size_t at)
{
    keccak_clear(w->state);
    const unsigned words = keccak_absorb(w->state, 0, KECCAK_RATE_256, lane, lanes, at, EK_BYTES / 8);
    keccak_pad(w->state, words, KECCAK_RATE_256, KECCAK_SUFFIX_SHA3);
    keccak_permute(w->state, w->state);
    mlkem_copy_words(w->hash, w->state);
}

/* G: SHA3-512 of the messages and the keys' hashes: the secrets, and the seeds of noise. */
VEC_CHAIN void mlkem_hash_message(struct mlkem_workspace *w)
{
    keccak_clear(w->state);
    mlkem_rows_to_words(w->state, w->message);
    mlkem_copy_words(w->state + SEED_WORDS, w->hash);
    keccak_pad(w->state, 2 * SEED_WORDS, KECCAK_RATE_512, KECCAK_SUFFIX_SHA3);
    keccak_permute(w->state, w->state);
    mlkem_copy_words(w->secret, w->state);
    mlkem_copy_words(w->seed, w->state + SEED_WORDS);
}

/* G of d and the byte k: rho, and the seeds of noise. */
VEC_CHAIN void mlkem_hash_seed(struct mlkem_workspace *w, const uint8_t *const d[V8_LANES], unsigned lanes)
{
    keccak_clear(w->state);
    mlkem_load_words(w->state, d, lanes, 0);
    keccak_pad(w->state, SEED_WORDS, KECCAK_RATE_512, KECCAK_SUFFIX_SHA3 << 8 | K);
    keccak_permute(w->state, w->state);
    mlkem_copy_words(w->sample.rho, w->state);
    mlkem_copy_words(w->seed, w->state + SEED_WORDS);
}

/* J: SHAKE256 of z and the ciphertext: the secrets of those that are rejected. */
VEC_CHAIN void mlkem_hash_rejected(struct mlkem_workspace *w, const uint8_t *const dk[V8_LANES],
                                   const uint8_t *const ct[V8_LANES], unsigned lanes)
{
    keccak_clear(w->state);
    mlkem_load_words(w->state, dk, lanes, DK_Z_AT);
    const unsigned words = keccak_absorb(w->state, SEED_WORDS, KECCAK_RATE_SHAKE256, ct, lanes, 0, CT_BYTES / 8);
    keccak_pad(w->state, words, KECCAK_RATE_SHAKE256, KECCAK_SUFFIX_SHAKE);
    keccak_permute(w->state, w->state);
}

#endif
