/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM (FIPS 203), for a parameter set with MLKEM_K, MLKEM_DU and MLKEM_DV and noise of two bits on either side;
 * the set's name is MLKEM_SET. Eight operations at once: hashing has one in each lane of 64 bits, polynomials have
 * one in a vector, two side by side.
 *
 * The order of the work is that of the first-level cache: noise first, then the matrix, which is never there as a
 * whole, by rows or columns of K polynomials of each operation.
 */
#ifndef OCT_KERNELS_MLKEM_IMPL_H
#define OCT_KERNELS_MLKEM_IMPL_H

#include "kernels/lattice/mlkem_pke_impl.h"

#define NAME_(set, verb) OCT_NAME(mlkem##set##_##verb)
#define NAME(set, verb)  NAME_(set, verb)

/* --- key pairs */

static OCT_NOINLINE void mlkem_keep_error(struct mlkem_workspace *w, unsigned lane, int j)
{
    ntt_poly p[NTT_PAIR];
    mlkem_noise_pair(p, w->noise[0][lane], w->noise[0][lane + 1]);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        for (int n = 0; n < NTT_PAIR; n++)
            i16x32_store(w->error[j][lane + n] + I16X32_LANES * i, ntt_reduce(p[n][i]), -MLKEM_REDUCED_MAX,
                         MLKEM_REDUCED_MAX);
}

/* A row of t = A s + e, encoded. */
static OCT_NOINLINE void mlkem_public_row(struct mlkem_workspace *w, uint8_t *to, unsigned lane, int row)
{
    ntt_poly p;
    mlkem_product(p, w->matrix + MLKEM_N * lane, &w->y, lane);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        const i16x32 error = i16x32_load(w->error[row][lane] + I16X32_LANES * i, -MLKEM_REDUCED_MAX, MLKEM_REDUCED_MAX);
        const i16x32 t = i16x32_add(ntt_mul_constant(p[i], MLKEM_FACTOR(MLKEM_UP)), error);
        i16x32_store_bits(to + 48 * i, ntt_canonical(t), 12);
    }
}

/* s, encoded: crossed pairs, put straight. */
static OCT_NOINLINE void mlkem_secret_row(const struct mlkem_workspace *w, uint8_t *to, unsigned lane, int row)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        i16x32_store_bits(to + 48 * i, ntt_canonical(i16x32_swap(ntt_load_prepared(w->y.crossed[lane][row], i))), 12);
}

VEC_CHAIN void mlkem_key_noise(struct mlkem_workspace *w)
{
    for (int j = 0; j < 2 * K; j++) {
        sample_noise(&w->sample, w->noise[0], w->seed, (unsigned)j);
        for (unsigned lane = 0; lane < V8_LANES; lane += NTT_PAIR)
            if (j < K)
                mlkem_multiplier_of_noise(&w->y, (const uint8_t(*)[NOISE_BYTES])w->noise[0], lane, j);
            else
                mlkem_keep_error(w, lane, j - K);
    }
}

/* Sets the outputs of unused lanes to zero, if there are any. */
VEC_CHAIN void mlkem_zero_unused(uint8_t *const out[V8_LANES], unsigned lanes, size_t len)
{
    for (unsigned lane = lanes; lane < V8_LANES; lane++)
        if (out[lane])
            memset(out[lane], 0, len);
}

const size_t NAME(MLKEM_SET, workspace) = sizeof(struct mlkem_workspace);

/* Element (i, j) of the matrices, which the keys may keep. */
VEC_CHAIN void mlkem_key_element(struct mlkem_workspace *w, const struct oct_mlkem_keygen_args *args, unsigned i,
                                 unsigned j)
{
    int16_t *to = w->matrix + EIGHT_POLYS * j;
    sample_matrix(&w->sample, to, j, i);
    if (args->matrix[0])
        sample_keep(args->matrix, args->lanes, K * i + j, to);
}

void NAME(MLKEM_SET, keygen)(const struct oct_mlkem_keygen_args *args)
{
    struct mlkem_workspace *w = args->workspace;
    const unsigned lanes = args->lanes;
    sample_open(&w->sample);
    mlkem_hash_seed(w, args->d, lanes);
    sample_declassify_rho(&w->sample);
    mlkem_key_noise(w);
    for (unsigned i = 0; i < K; i++) {
        for (unsigned j = 0; j < K; j++)
            mlkem_key_element(w, args, i, j);
        for (unsigned lane = 0; lane < lanes; lane++) {
            mlkem_public_row(w, args->ek[lane] + POLY_BYTES * i, lane, i);
            mlkem_secret_row(w, args->dk[lane] + POLY_BYTES * i, lane, i);
        }
    }
    mlkem_words_to_rows(w->message, w->sample.rho);
    for (unsigned lane = 0; lane < lanes; lane++)
        memcpy(args->ek[lane] + EK_RHO_AT, w->message[lane], OCT_MLKEM_SEED_BYTES);
    mlkem_hash_key(w, (const uint8_t *const *)args->ek, lanes, 0);
    mlkem_words_to_rows(w->message, w->hash);
    for (unsigned lane = 0; lane < lanes; lane++) {
        memcpy(args->dk[lane] + DK_EK_AT, args->ek[lane], EK_BYTES);
        memcpy(args->dk[lane] + DK_HASH_AT, w->message[lane], OCT_MLKEM_SEED_BYTES);
        memcpy(args->dk[lane] + DK_Z_AT, args->z[lane], OCT_MLKEM_SEED_BYTES);
    }
    mlkem_zero_unused(args->ek, lanes, EK_BYTES);
    mlkem_zero_unused(args->dk, lanes, OCT_MLKEM_DK_BYTES(K));
    v8_clear_registers();
}

/* --- encapsulation */

/* The lanes whose key has a number that is not below q. Encapsulation keys are public. */
VEC_CHAIN unsigned mlkem_bad_keys(struct mlkem_workspace *w, unsigned lanes)
{
    w8 x[V8_LANES], any = w8_set1(0);
    for (int i = 0; i < V8_LANES; i++)
        x[i] = w8_load((const uint64_t *)w->bad[i]);
    w8_transpose(x, x);
    for (int i = 0; i < V8_LANES; i++)
        any = w8_or(any, x[i]);
    return m8_declassify(w8_is_nonzero(w8_and(any, w8_set1(0x8000800080008000)))) & ((1u << lanes) - 1);
}

/* Copies what goes out, or zeros where the key was bad. */
static OCT_NOINLINE void mlkem_deliver(const uint8_t *ct, const uint8_t *secret, uint8_t *ct_out, uint8_t *secret_out,
                                       unsigned bad)
{
    if (bad) {
        memset(ct_out, 0, CT_BYTES);
        memset(secret_out, 0, OCT_MLKEM_SECRET_BYTES);
    } else {
        memcpy(ct_out, ct, CT_BYTES);
        memcpy(secret_out, secret, OCT_MLKEM_SECRET_BYTES);
    }
}

unsigned NAME(MLKEM_SET, encaps)(const struct oct_mlkem_encaps_args *args)
{
    struct mlkem_workspace *w = args->workspace;
    const unsigned lanes = args->lanes;
    sample_open(&w->sample);
    mlkem_hash_key(w, args->ek, lanes, 0);
    mlkem_load_words(w->state, args->m, lanes, 0);
    mlkem_words_to_rows(w->message, w->state);
    mlkem_hash_message(w);
    mlkem_encrypt_begin(w, args->ek, lanes, 0);
    for (unsigned i = 0; i < K; i++) {
        mlkem_sample_column(w, i);
        mlkem_take_column(w, lanes, i);
    }
    mlkem_encrypt_end(w, args->ek, lanes, 0);
    const unsigned bad = mlkem_bad_keys(w, lanes);
    mlkem_words_to_rows(w->message, w->secret);
    for (unsigned lane = 0; lane < lanes; lane++)
        mlkem_deliver(w->ct[lane], w->message[lane], args->ct[lane], args->secret[lane], bad >> lane & 1);
    mlkem_zero_unused(args->ct, lanes, CT_BYTES);
    mlkem_zero_unused(args->secret, lanes, OCT_MLKEM_SECRET_BYTES);
    v8_clear_registers();
    return bad;
}

/* --- decapsulation */

/* The lanes whose ciphertext is not w->ct. */
VEC_CHAIN m8 mlkem_differs(const struct mlkem_workspace *w, const uint8_t *const ct[V8_LANES], unsigned lanes)
{
    w8 x[V8_LANES], any = w8_set1(0);
    for (unsigned i = 0; i < V8_LANES; i++) {
        const uint8_t *from = ct[keccak_lane(i, lanes)], *own = w->ct[keccak_lane(i, lanes)];
        x[i] = w8_set1(0);
        for (size_t at = 0; at < CT_BYTES; at += 64) {
            const unsigned words = CT_BYTES - at < 64 ? (unsigned)(CT_BYTES - at) / 8 : 8;
            x[i] = w8_or(x[i], w8_xor(w8_load_row(from + at, words), w8_load_row(own + at, words)));
        }
    }
    w8_transpose(x, x);
    for (int i = 0; i < V8_LANES; i++)
        any = w8_or(any, x[i]);
    return w8_is_nonzero(any);
}

/* The encryption that a good ciphertext comes from, with the matrices that the keys keep, if they do. */
VEC_CHAIN void mlkem_encrypt_again(struct mlkem_workspace *w, const struct oct_mlkem_decaps_args *args)
{
    mlkem_encrypt_begin(w, args->dk, args->lanes, DK_EK_AT);
    for (unsigned i = 0; i < K; i++) {
        if (!args->matrix[0])
            mlkem_sample_column(w, i);
        for (unsigned j = 0; args->matrix[0] && j < K; j++)
            sample_kept(w->matrix + EIGHT_POLYS * j, args->matrix, args->lanes, K * j + i);
        mlkem_take_column(w, args->lanes, i);
    }
    mlkem_encrypt_end(w, args->dk, args->lanes, DK_EK_AT);
}

void NAME(MLKEM_SET, decaps)(const struct oct_mlkem_decaps_args *args)
{
    struct mlkem_workspace *w = args->workspace;
    const unsigned lanes = args->lanes;
    sample_open(&w->sample);
    mlkem_decrypt(w, args);
    mlkem_load_words(w->hash, args->dk, lanes, DK_HASH_AT);
    mlkem_hash_message(w);
    mlkem_encrypt_again(w, args);
    mlkem_hash_rejected(w, args->dk, args->ct, lanes);
    const m8 rejected = mlkem_differs(w, args->ct, lanes);
    for (int i = 0; i < SEED_WORDS; i++)
        w->secret[i] = w8_select(rejected, w->state[i], w->secret[i]);
    mlkem_words_to_rows(w->message, w->secret);
    for (unsigned lane = 0; lane < lanes; lane++)
        memcpy(args->secret[lane], w->message[lane], OCT_MLKEM_SECRET_BYTES);
    mlkem_zero_unused(args->secret, lanes, OCT_MLKEM_SECRET_BYTES);
    v8_clear_registers();
}

unsigned NAME(MLKEM_SET, check)(const struct oct_mlkem_check_args *args)
{
    struct mlkem_workspace *w = args->workspace;
    w8 differs = w8_set1(0);
    mlkem_hash_key(w, args->dk, args->lanes, DK_EK_AT);
    mlkem_load_words(w->secret, args->dk, args->lanes, DK_HASH_AT);
    for (int i = 0; i < SEED_WORDS; i++)
        differs = w8_or(differs, w8_xor(w->hash[i], w->secret[i]));
    v8_clear_registers();
    /* Whether a key is one shows in the status. */
    return m8_declassify(w8_is_nonzero(differs)) & ((1u << args->lanes) - 1);
}

#endif
