/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM (FIPS 203), for a parameter set with MLKEM_K, MLKEM_DU and MLKEM_DV and noise of two bits on either side; the set's name is
 * MLKEM_SET. Eight operations at once: hashing has one in each lane of 64 bits, polynomials have one in a vector, two side by side.
 *
 * The order of the work is that of the first-level cache: noise first, then the matrix, which is never there as a whole, by
 * rows or columns of K polynomials of each operation.
 */
#ifndef OCT_KERNELS_MLKEM_IMPL_H
#define OCT_KERNELS_MLKEM_IMPL_H

#include "kernels/mlkem.h"
#include "kernels/mlkem_code_impl.h"
#include "kernels/mlkem_sample_impl.h"

#define K MLKEM_K
#define POLY_BYTES 384 /* 256 numbers of 12 bits */
#define EK_BYTES OCT_MLKEM_EK_BYTES(K)
#define CT_BYTES OCT_MLKEM_CT_BYTES(K)
#define U_BYTES (32 * MLKEM_DU)
#define V_BYTES (32 * MLKEM_DV)
_Static_assert(CT_BYTES == K * U_BYTES + V_BYTES, "a ciphertext is u and v");
/* Where a decapsulation key has its encapsulation key, the hash of that, and z; and where that key has rho. */
#define DK_EK_AT (POLY_BYTES * K)
#define DK_HASH_AT (DK_EK_AT + EK_BYTES)
#define DK_Z_AT (DK_HASH_AT + 32)
#define EK_RHO_AT (POLY_BYTES * K)

#define NAME_(set, verb) OCT_NAME(mlkem##set##_##verb)
#define NAME(set, verb) NAME_(set, verb)

/* A vector of K polynomials as a multiplier (ntt_prepare), of each operation. */
struct multiplier {
    int16_t straight[V8_LANES][K][MLKEM_N], crossed[V8_LANES][K][MLKEM_N];
};

struct mlkem_workspace {
    struct sample_space sample;
    struct multiplier y;                               /* y or s, transformed */
    int16_t matrix[K * EIGHT_POLYS + MATRIX_SLACK] OCT_ALIGN64; /* a row or a column */
    uint8_t noise[K + 1][V8_LANES][NOISE_BYTES] OCT_ALIGN64;    /* e1 and e2 */
    int16_t error[K][V8_LANES][MLKEM_N] OCT_ALIGN64;            /* of key pairs: e, transformed */
    int16_t bad[V8_LANES][W32_LANES] OCT_ALIGN64;               /* negative where a number is not below q */
    w8 state[KECCAK_WORDS];
    w8 seed[SEED_WORDS], secret[SEED_WORDS], hash[SEED_WORDS];
    uint8_t message[V8_LANES][OCT_MLKEM_SEED_BYTES] OCT_ALIGN64;
    uint8_t ct[V8_LANES][CT_BYTES] OCT_ALIGN64;
};

/* --- hashing */

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

/* --- polynomials, those of operations `lane` and `lane` + 1 side by side */

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

static OCT_NOINLINE void mlkem_multiplier_of_noise(struct multiplier *y, const uint8_t (*noise)[NOISE_BYTES], unsigned lane, int j)
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
            mlkem_multiplier_of_noise(&w->y, (const uint8_t (*)[NOISE_BYTES])w->noise[0], lane, j);
    }
    for (int j = 0; j <= K; j++)
        sample_noise(&w->sample, w->noise[j], w->seed, (unsigned)(K + j));
}

/* The product of K polynomials of a matrix, `step` numbers apart, with the multiplier of one operation. */
VEC_STEP void mlkem_product(ntt_poly p, const int16_t *matrix, const struct multiplier *y, unsigned lane)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        d16 first = d16_zero(), second = d16_zero();
        VEC_UNROLL
        for (int j = 0; j < K; j++) {
            const w32 a = w32_load(matrix + EIGHT_POLYS * j + W32_LANES * i, 0, MLKEM_MATRIX_MAX);
            first = d16_dot(first, a, ntt_load_prepared(y->straight[lane][j], i));
            second = d16_dot(second, a, ntt_load_prepared(y->crossed[lane][j], i));
        }
        p[i] = ntt_collect(first, second);
    }
}

/* The same with K polynomials of 12 bits from memory; returns a vector that is negative where a number is not below q. */
VEC_STEP w32 mlkem_product_bytes(ntt_poly p, const uint8_t *bytes, const struct multiplier *y, unsigned lane)
{
    w32 bad = w32_set1(0);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        d16 first = d16_zero(), second = d16_zero();
        VEC_UNROLL
        for (int j = 0; j < K; j++) {
            const w32 a = w32_load_bits(bytes + POLY_BYTES * j + 48 * i, 12);
            bad = w32_or_wrap(bad, w32_sub(w32_set1(MLKEM_Q - 1), a));
            first = d16_dot(first, a, ntt_load_prepared(y->straight[lane][j], i));
            second = d16_dot(second, a, ntt_load_prepared(y->crossed[lane][j], i));
        }
        p[i] = ntt_collect(first, second);
    }
    return bad;
}

/* u of one row: the product of a column of the matrix, transformed back, and e1; compressed. */
static OCT_NOINLINE void mlkem_encrypt_u(struct mlkem_workspace *w, unsigned lane, int row)
{
    ntt_poly p[NTT_PAIR];
    for (int n = 0; n < NTT_PAIR; n++)
        mlkem_product(p[n], w->matrix + MLKEM_N * (lane + n), &w->y, lane + n);
    ntt_backward(p);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        for (int n = 0; n < NTT_PAIR; n++) {
            const w32 u = w32_add(p[n][i], code_noise(w->noise[row][lane + n] + 16 * i));
            w32_store_bits(w->ct[lane + n] + U_BYTES * row + 4 * MLKEM_DU * i, code_compress(u, MLKEM_DU), MLKEM_DU);
        }
}

/* v: the key's product, transformed back, e2 and the message; compressed. `key` has the keys' 12-bit numbers at `at`. */
static OCT_NOINLINE void mlkem_encrypt_v(struct mlkem_workspace *w, const uint8_t *first, const uint8_t *second, unsigned lane)
{
    ntt_poly p[NTT_PAIR];
    w32_store(w->bad[lane], mlkem_product_bytes(p[0], first, &w->y, lane), -32768, 32767);
    w32_store(w->bad[lane + 1], mlkem_product_bytes(p[1], second, &w->y, lane + 1), -32768, 32767);
    ntt_backward(p);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        for (int n = 0; n < NTT_PAIR; n++) {
            const w32 message = code_decompress(w32_load_bits(w->message[lane + n] + 4 * i, 1), 1);
            const w32 noise = code_noise(w->noise[K][lane + n] + 16 * i);
            const w32 v = w32_add(w32_add(p[n][i], noise), message);
            w32_store_bits(w->ct[lane + n] + U_BYTES * K + 4 * MLKEM_DV * i, code_compress(v, MLKEM_DV), MLKEM_DV);
        }
}

/* K-PKE.Encrypt: w->ct of w->message under the keys at key[i] + at, with the noise of w->seed. */
VEC_CHAIN void mlkem_encrypt(struct mlkem_workspace *w, const uint8_t *const key[V8_LANES], unsigned lanes, size_t at)
{
    mlkem_encryption_noise(w);
    mlkem_load_words(w->sample.rho, key, lanes, at + EK_RHO_AT);
    sample_declassify_rho(&w->sample);
    for (int i = 0; i < K; i++) {
        for (int j = 0; j < K; j++)
            sample_matrix(&w->sample, w->matrix + EIGHT_POLYS * j, (unsigned)i, (unsigned)j);
        for (unsigned lane = 0; lane < lanes; lane += NTT_PAIR)
            mlkem_encrypt_u(w, lane, i);
    }
    for (unsigned lane = 0; lane < lanes; lane += NTT_PAIR)
        mlkem_encrypt_v(w, key[lane] + at, key[keccak_lane(lane + 1, lanes)] + at, lane);
}

/* --- key pairs */

static OCT_NOINLINE void mlkem_keep_error(struct mlkem_workspace *w, unsigned lane, int j)
{
    ntt_poly p[NTT_PAIR];
    mlkem_noise_pair(p, w->noise[0][lane], w->noise[0][lane + 1]);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        for (int n = 0; n < NTT_PAIR; n++)
            w32_store(w->error[j][lane + n] + W32_LANES * i, ntt_reduce(p[n][i]), -MLKEM_REDUCED_MAX, MLKEM_REDUCED_MAX);
}

/* A row of t = A s + e, encoded. */
static OCT_NOINLINE void mlkem_public_row(struct mlkem_workspace *w, uint8_t *to, unsigned lane, int row)
{
    ntt_poly p;
    mlkem_product(p, w->matrix + MLKEM_N * lane, &w->y, lane);
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        const w32 error = w32_load(w->error[row][lane] + W32_LANES * i, -MLKEM_REDUCED_MAX, MLKEM_REDUCED_MAX);
        const w32 t = w32_add(ntt_mul_constant(p[i], MLKEM_FACTOR(MLKEM_UP)), error);
        w32_store_bits(to + 48 * i, ntt_canonical(t), 12);
    }
}

/* s, encoded: crossed pairs, put straight. */
static OCT_NOINLINE void mlkem_secret_row(const struct mlkem_workspace *w, uint8_t *to, unsigned lane, int row)
{
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++)
        w32_store_bits(to + 48 * i, ntt_canonical(w32_swap(ntt_load_prepared(w->y.crossed[lane][row], i))), 12);
}

VEC_CHAIN void mlkem_key_noise(struct mlkem_workspace *w)
{
    for (int j = 0; j < 2 * K; j++) {
        sample_noise(&w->sample, w->noise[0], w->seed, (unsigned)j);
        for (unsigned lane = 0; lane < V8_LANES; lane += NTT_PAIR) {
            if (j < K)
                mlkem_multiplier_of_noise(&w->y, (const uint8_t (*)[NOISE_BYTES])w->noise[0], lane, j);
            else
                mlkem_keep_error(w, lane, j - K);
        }
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
            sample_matrix(&w->sample, w->matrix + EIGHT_POLYS * j, j, i);
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
    mlkem_encrypt(w, args->ek, lanes, 0);
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

/* u of two ciphertexts as a multiplier. */
static OCT_NOINLINE void mlkem_multiplier_of_u(struct multiplier *y, const uint8_t *first, const uint8_t *second,
                                               unsigned lane, unsigned j)
{
    ntt_poly p[NTT_PAIR];
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        p[0][i] = code_decompress(w32_load_bits(first + 4 * MLKEM_DU * i, MLKEM_DU), MLKEM_DU);
        p[1][i] = code_decompress(w32_load_bits(second + 4 * MLKEM_DU * i, MLKEM_DU), MLKEM_DU);
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
        const w32 all = code_decompress(w32_load_bits(v + 4 * MLKEM_DV * i, MLKEM_DV), MLKEM_DV);
        w32_store_bits(message + 4 * i, code_compress(w32_sub(all, p[i]), 1), 1);
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
        mlkem_decrypt_pair(w, args->dk[lane], args->dk[next], args->ct[lane] + U_BYTES * K, args->ct[next] + U_BYTES * K, lane);
    }
}

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

void NAME(MLKEM_SET, decaps)(const struct oct_mlkem_decaps_args *args)
{
    struct mlkem_workspace *w = args->workspace;
    const unsigned lanes = args->lanes;
    sample_open(&w->sample);
    mlkem_decrypt(w, args);
    mlkem_load_words(w->hash, args->dk, lanes, DK_HASH_AT);
    mlkem_hash_message(w);
    mlkem_encrypt(w, args->dk, lanes, DK_EK_AT);
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
