/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA's samples (FIPS 204, 7.3), eight polynomials at once. The matrix comes from the public seed rho, by rejection:
 * its eight are of one key. Secret polynomials come by rejection too. Numbers of a stream do not depend on each other,
 * so which of them were rejected says nothing on those that were kept, and may show in time and addresses. Masks take
 * all of their stream.
 */
#ifndef OCT_KERNELS_MLDSA_SAMPLE_IMPL_H
#define OCT_KERNELS_MLDSA_SAMPLE_IMPL_H

#include "kernels/lattice/keccak_impl.h"
#include "kernels/lattice/mldsa_code_impl.h"

#define SEED_WORDS 4 /* of rho, K and xi */
#define HASH_WORDS 8 /* of mu, tr and the seeds of secrets */
/* A mask's stream, in blocks of SHAKE256. */
#define MASK_BYTES  (32 * Z_BITS)
#define MASK_BLOCKS ((MASK_BYTES + 8 * KECCAK_RATE_SHAKE256 - 1) / (8 * KECCAK_RATE_SHAKE256))
/* A block of either rate goes to memory as rows of eight words; the numbers of one behind less than a polynomial. */
#define BLOCK_ROWS     3
#define BLOCK_NUMBERS  (2 * 8 * KECCAK_RATE_SHAKE256)
#define SAMPLE_NUMBERS (MLDSA_N + BLOCK_NUMBERS + I32X16_LANES)

struct sample_space {
    w8 state[KECCAK_WORDS];
    w8 stream[KECCAK_RATE_SHAKE256 * (MASK_BLOCKS - 1) + KECCAK_WORDS];
    w8 rho[SEED_WORDS];
    uint64_t tail[V8_LANES] OCT_ALIGN64;
    uint8_t bytes[V8_LANES][MASK_BYTES] OCT_ALIGN64;
    int32_t numbers[V8_LANES][SAMPLE_NUMBERS] OCT_ALIGN64;
};
_Static_assert(MASK_BYTES % 64 == 0 && SAMPLE_NUMBERS % I32X16_LANES == 0, "rows and vectors");

/* The one place where a part of a private key or of its seed becomes public: every public key shows it. */
VEC_CHAIN void sample_declassify_rho(struct sample_space *s)
{
    OCT_DECLASSIFY(s->rho, sizeof s->rho);
}

/* Starts a sponge of seeds and the 16 bits of each lane's tail. */
VEC_CHAIN void sample_start(struct sample_space *s, const w8 *seed, unsigned words, unsigned rate)
{
    keccak_clear(s->state);
    for (unsigned i = 0; i < words; i++)
        s->state[i] = seed[i];
    s->state[words] = w8_xor(w8_load(s->tail), w8_set1((uint64_t)KECCAK_SUFFIX_SHAKE << 16));
    s->state[rate - 1] = w8_set1((uint64_t)1 << 63);
}

/* Row `row` of `count` words of each lane becomes 64 bytes of each. What is beyond is all ones, which
 * no rejection lets pass. */
VEC_CHAIN void sample_put_row(struct sample_space *s, const w8 *words, unsigned count, unsigned row)
{
    w8 x[V8_LANES];
    for (unsigned i = 0; i < V8_LANES; i++)
        x[i] = 8 * row + i < count ? words[8 * row + i] : w8_set1(~(uint64_t)0);
    w8_transpose(x, x);
    for (int i = 0; i < V8_LANES; i++)
        w8_store_row(s->bytes[i] + 64 * row, x[i], 8);
}
VEC_CHAIN void sample_put_block(struct sample_space *s, unsigned rate)
{
    keccak_permute(s->state, s->state);
    for (unsigned row = 0; row < BLOCK_ROWS; row++)
        sample_put_row(s, s->state, rate, row);
}

/* The numbers of a block that are kept, in order; returns how many. Those of the matrix have 23 bits. */
static OCT_NOINLINE unsigned sample_accept_matrix(int32_t *to, const uint8_t *bytes)
{
    unsigned n = 0;
    VEC_UNROLL
    for (unsigned i = 0; i < 4; i++)
        n += i32x16_store_below_declassify(to + n, i32x16_and(i32x16_load_bits(bytes + 48 * i, 24), (1 << 23) - 1),
                                           MLDSA_Q);
    return n;
}
static OCT_NOINLINE unsigned sample_accept_noise(int32_t *to, const uint8_t *bytes)
{
    unsigned n = 0;
    VEC_UNROLL
    for (unsigned i = 0; i < KECCAK_RATE_SHAKE256; i++)
        n += i32x16_store_below_declassify(to + n, i32x16_load_bits(bytes + 8 * i, 4), MLDSA_ETA == 2 ? 15 : 9);
    return n;
}

/* Block after block, until every lane has a polynomial in s->numbers. */
static OCT_NOINLINE void sample_numbers(struct sample_space *s, int is_matrix)
{
    unsigned have[V8_LANES] = {0}, missing = 1;
    while (missing) {
        sample_put_block(s, is_matrix ? KECCAK_RATE_SHAKE128 : KECCAK_RATE_SHAKE256);
        missing = 0;
        for (int lane = 0; lane < V8_LANES; lane++) {
            int32_t *to = s->numbers[lane] + have[lane];
            if (have[lane] < MLDSA_N)
                have[lane] +=
                    is_matrix ? sample_accept_matrix(to, s->bytes[lane]) : sample_accept_noise(to, s->bytes[lane]);
            missing |= have[lane] < MLDSA_N;
        }
    }
}

/* The matrix of one key, whose s->rho is in all lanes, row by row, in the order of transforms. */
static OCT_NOINLINE void sample_matrix(struct sample_space *s, int32_t *to)
{
    const unsigned count = MLDSA_K * MLDSA_L;
    for (unsigned at = 0; at < count; at += V8_LANES) {
        const unsigned used = count - at < V8_LANES ? count - at : V8_LANES;
        for (unsigned i = 0; i < V8_LANES; i++) {
            const unsigned element = i < used ? at + i : at;
            s->tail[i] = element / MLDSA_L << 8 | element % MLDSA_L;
        }
        sample_start(s, s->rho, SEED_WORDS, KECCAK_RATE_SHAKE128);
        sample_numbers(s, 1);
        for (unsigned i = 0; i < used; i++)
            ntt_order(to + MLDSA_N * (at + i), s->numbers[i]);
    }
}

VEC_CHAIN void sample_set_tails(struct sample_space *s, uint64_t tail)
{
    for (int i = 0; i < V8_LANES; i++)
        s->tail[i] = tail;
}

/* Secret polynomial `number` of eight keys, as nibbles in s->numbers. */
VEC_CHAIN void sample_noise(struct sample_space *s, const w8 seed[HASH_WORDS], unsigned number)
{
    sample_set_tails(s, number);
    sample_start(s, seed, HASH_WORDS, KECCAK_RATE_SHAKE256);
    sample_numbers(s, 0);
}
/* Vector i of a lane's polynomial: numbers of -eta .. eta. */
VEC_STEP i32x16 sample_load_noise(const struct sample_space *s, unsigned lane, int i)
{
    const int32_t *table = MLDSA_ETA == 2 ? OCT_NAME(mldsa_zetas).noise2 : OCT_NAME(mldsa_zetas).noise4;
    return i32x16_lookup16(table, i32x16_load(s->numbers[lane] + I32X16_LANES * i, 0, 15));
}

/* The bytes of the masks that s->tail and the lanes' seeds name. */
VEC_CHAIN void sample_mask(struct sample_space *s, const w8 seed[HASH_WORDS])
{
    sample_start(s, seed, HASH_WORDS, KECCAK_RATE_SHAKE256);
    keccak_permute(s->stream, s->state);
    for (unsigned b = 1; b < MASK_BLOCKS; b++)
        keccak_permute(s->stream + KECCAK_RATE_SHAKE256 * b, s->stream + KECCAK_RATE_SHAKE256 * (b - 1));
    for (unsigned row = 0; row < MASK_BYTES / 64; row++)
        sample_put_row(s, s->stream, MASK_BYTES / 8, row);
}

#endif
