/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * K-PKE (FIPS 203, 5): encryption and decryption of eight messages. Polynomials of operations `lane` and `lane` + 1
 * go side by side; the second may be an unused lane, whose results nobody reads.
 */
#ifndef OCT_KERNELS_MLKEM_PKE_IMPL_H
#define OCT_KERNELS_MLKEM_PKE_IMPL_H

#include "kernels/lattice/mlkem_code_impl.h"
#include "kernels/lattice/mlkem_parts_impl.h"

/* Noise, transformed: two polynomials of 128 bytes each. */
VEC_STEP void mlkem_noise_pair(ntt_poly p[NTT_PAIR], const uint8_t *first, const uint8_t *second)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        p[0][i] = code_noise(first + 16 * i);
        p[1][i] = code_noise(second + 16 * i);
    }
    ntt_forward(p);
}

static OCT_NOINLINE void mlkem_multiplier_of_noise(struct multiplier *y, const uint8_t (*noise)[NOISE_BYTES],
                                                   unsigned lane, int j)
{
    ntt_poly p[NTT_PAIR];
    mlkem_noise_pair(p, noise[lane], noise[lane + 1]);
    for (int n = 0; n < NTT_PAIR; n++)
        ntt_prepare(y->straight[lane + n][j], y->crossed[lane + n][j], p[n]);
}

/* All noise that encryption needs: y, transformed, and the bytes of e1 and e2. */
VEC_CHAIN void mlkem_encryption_noise(struct mlkem_workspace *w)
{
    for (int j = 0; j < K; j++) {
        sample_noise(&w->sample, w->noise[0], w->seed, (unsigned)j);
        for (unsigned lane = 0; lane < V8_LANES; lane += NTT_PAIR)
            mlkem_multiplier_of_noise(&w->y, (const uint8_t(*)[NOISE_BYTES])w->noise[0], lane, j);
    }
    for (int j = 0; j <= K; j++)
        sample_noise(&w->sample, w->noise[j], w->seed, (unsigned)(K + j));
}

/* The product of K polynomials of a matrix, `step` numbers apart, with the multiplier of one operation. */
VEC_STEP void mlkem_product(ntt_poly p, const int16_t *matrix, const struct multiplier *y, unsigned lane)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        sum32x16 first = sum32x16_zero(), second = sum32x16_zero();
        VEC_UNROLL
        for (int j = 0; j < K; j++) {
            const i16x32 a = i16x32_load(matrix + EIGHT_POLYS * j + I16X32_LANES * i, 0, MLKEM_MATRIX_MAX);
            first = sum32x16_dot(first, a, ntt_load_prepared(y->straight[lane][j], i));
            second = sum32x16_dot(second, a, ntt_load_prepared(y->crossed[lane][j], i));
        }
        p[i] = ntt_collect(first, second);
    }
}

/* The same with K polynomials of 12 bits from memory; returns a vector that is negative where a number is not below
 * q. */
VEC_STEP i16x32 mlkem_product_bytes(ntt_poly p, const uint8_t *bytes, const struct multiplier *y, unsigned lane)
{
    i16x32 bad = i16x32_set1(0);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        sum32x16 first = sum32x16_zero(), second = sum32x16_zero();
        VEC_UNROLL
        for (int j = 0; j < K; j++) {
            const i16x32 a = i16x32_load_bits(bytes + POLY_BYTES * j + 48 * i, 12);
            bad = i16x32_or_wrap(bad, i16x32_sub(i16x32_set1(MLKEM_Q - 1), a));
            first = sum32x16_dot(first, a, ntt_load_prepared(y->straight[lane][j], i));
            second = sum32x16_dot(second, a, ntt_load_prepared(y->crossed[lane][j], i));
        }
        p[i] = ntt_collect(first, second);
    }
    return bad;
}

/* u of one row: the product of a column of the matrix, transformed back, and e1; compressed. */
static OCT_NOINLINE void mlkem_encrypt_u(struct mlkem_workspace *w, unsigned lane, unsigned row)
{
    ntt_poly p[NTT_PAIR];
    for (int n = 0; n < NTT_PAIR; n++)
        mlkem_product(p[n], w->matrix + MLKEM_N * (lane + n), &w->y, lane + n);
    ntt_backward(p);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        for (int n = 0; n < NTT_PAIR; n++) {
            const i16x32 u = i16x32_add(p[n][i], code_noise(w->noise[row][lane + n] + 16 * i));
            i16x32_store_bits(w->ct[lane + n] + U_BYTES * row + 4 * MLKEM_DU * i, code_compress(u, MLKEM_DU), MLKEM_DU);
        }
}

/* v: the key's product, transformed back, e2 and the message; compressed. `key` has the keys' 12-bit numbers at
 * `at`. */
static OCT_NOINLINE void mlkem_encrypt_v(struct mlkem_workspace *w, const uint8_t *first, const uint8_t *second,
                                         unsigned lane)
{
    ntt_poly p[NTT_PAIR];
    i16x32_store(w->bad[lane], mlkem_product_bytes(p[0], first, &w->y, lane), -32768, 32767);
    i16x32_store(w->bad[lane + 1], mlkem_product_bytes(p[1], second, &w->y, lane + 1), -32768, 32767);
    ntt_backward(p);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        for (int n = 0; n < NTT_PAIR; n++) {
            const i16x32 message = code_decompress(i16x32_load_bits(w->message[lane + n] + 4 * i, 1), 1);
            const i16x32 noise = code_noise(w->noise[K][lane + n] + 16 * i);
            const i16x32 v = i16x32_add(i16x32_add(p[n][i], noise), message);
            i16x32_store_bits(w->ct[lane + n] + U_BYTES * K + 4 * MLKEM_DV * i, code_compress(v, MLKEM_DV), MLKEM_DV);
        }
}

/*
 * K-PKE.Encrypt: w->ct of w->message under the keys at key[i] + at, with the noise of w->seed, in three parts.
 * Between the first and the last one, each column of the matrix is put in place, and then taken.
 */
VEC_CHAIN void mlkem_encrypt_begin(struct mlkem_workspace *w, const uint8_t *const key[V8_LANES], unsigned lanes,
                                   size_t at)
{
    mlkem_encryption_noise(w);
    mlkem_load_words(w->sample.rho, key, lanes, at + EK_RHO_AT);
    sample_declassify_rho(&w->sample);
}
VEC_CHAIN void mlkem_sample_column(struct mlkem_workspace *w, unsigned i)
{
    for (unsigned j = 0; j < K; j++)
        sample_matrix(&w->sample, w->matrix + EIGHT_POLYS * j, i, j);
}
VEC_CHAIN void mlkem_take_column(struct mlkem_workspace *w, unsigned lanes, unsigned i)
{
    for (unsigned lane = 0; lane < lanes; lane += NTT_PAIR)
        mlkem_encrypt_u(w, lane, i);
}
VEC_CHAIN void mlkem_encrypt_end(struct mlkem_workspace *w, const uint8_t *const key[V8_LANES], unsigned lanes,
                                 size_t at)
{
    for (unsigned lane = 0; lane < lanes; lane += NTT_PAIR)
        mlkem_encrypt_v(w, key[lane] + at, key[keccak_lane(lane + 1, lanes)] + at, lane);
}

/* u of two ciphertexts as a multiplier. */
static OCT_NOINLINE void mlkem_multiplier_of_u(struct multiplier *y, const uint8_t *first, const uint8_t *second,
                                               unsigned lane, unsigned j)
{
    ntt_poly p[NTT_PAIR];
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        p[0][i] = code_decompress(i16x32_load_bits(first + 4 * MLKEM_DU * i, MLKEM_DU), MLKEM_DU);
        p[1][i] = code_decompress(i16x32_load_bits(second + 4 * MLKEM_DU * i, MLKEM_DU), MLKEM_DU);
    }
    ntt_forward(p);
    for (unsigned n = 0; n < NTT_PAIR; n++)
        ntt_prepare(y->straight[lane + n][j], y->crossed[lane + n][j], p[n]);
}

/* K-PKE.Decrypt of two ciphertexts: the messages, from v and the product of s and u. */
VEC_STEP void mlkem_decrypt_v(uint8_t *message, const uint8_t *v, const ntt_poly p)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        const i16x32 all = code_decompress(i16x32_load_bits(v + 4 * MLKEM_DV * i, MLKEM_DV), MLKEM_DV);
        i16x32_store_bits(message + 4 * i, code_compress(i16x32_sub(all, p[i]), 1), 1);
    }
}

static OCT_NOINLINE void mlkem_decrypt_pair(struct mlkem_workspace *w, const uint8_t *dk, const uint8_t *dk_next,
                                            const uint8_t *v, const uint8_t *v_next, unsigned lane)
{
    ntt_poly p[NTT_PAIR];
    (void)mlkem_product_bytes(p[0], dk, &w->y, lane);
    (void)mlkem_product_bytes(p[1], dk_next, &w->y, lane + 1);
    ntt_backward(p);
    mlkem_decrypt_v(w->message[lane], v, p[0]);
    mlkem_decrypt_v(w->message[lane + 1], v_next, p[1]);
}

VEC_CHAIN void mlkem_decrypt(struct mlkem_workspace *w, const struct oct_mlkem_decaps_args *args)
{
    for (unsigned lane = 0; lane < args->lanes; lane += NTT_PAIR) {
        const unsigned next = keccak_lane(lane + 1, args->lanes);
        for (unsigned j = 0; j < K; j++)
            mlkem_multiplier_of_u(&w->y, args->ct[lane] + U_BYTES * j, args->ct[next] + U_BYTES * j, lane, j);
        mlkem_decrypt_pair(w, args->dk[lane], args->dk[next], args->ct[lane] + U_BYTES * K,
                           args->ct[next] + U_BYTES * K, lane);
    }
}

#endif
