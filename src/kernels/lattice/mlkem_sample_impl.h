/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-KEM's samples (FIPS 203, 4.2.2) of eight operations at once. The matrix comes from the public seed rho, by
 * rejection: how many numbers a block gives, and whether one more is needed, shows in time and addresses. Noise comes
 * from secrets and depends on nothing.
 */
#ifndef OCT_KERNELS_MLKEM_SAMPLE_IMPL_H
#define OCT_KERNELS_MLKEM_SAMPLE_IMPL_H

#include "kernels/lattice/keccak_impl.h"
#include "kernels/lattice/mlkem_ntt_impl.h"

#include <string.h>

#define SEED_WORDS  4
#define NOISE_BYTES 128
#define BLOCK_BYTES (8 * KECCAK_RATE_SHAKE128)
/* Three blocks nearly always are enough; they stand as words, one behind the other, with what is left of the last
 * state behind. */
#define BLOCKS       3
#define STREAM_WORDS (BLOCKS * KECCAK_RATE_SHAKE128)
#define STREAM_ROWS  ((STREAM_WORDS + 7) / 8)
/* Bytes of one operation: what is beyond the stream is never below q. */
#define STREAM_BYTES (STREAM_ROWS * 64 + 64)
/* A polynomial of each operation; and the room for what the last one of these is written beyond its end. */
#define EIGHT_POLYS  (V8_LANES * MLKEM_N)
#define MATRIX_SLACK (STREAM_BYTES * 8 / 12 - MLKEM_N)

struct sample_space {
    w8 state[KECCAK_WORDS];
    w8 stream[STREAM_WORDS + KECCAK_WORDS];
    w8 rho[SEED_WORDS];
    uint8_t bytes[V8_LANES][STREAM_BYTES] OCT_ALIGN64;
    int16_t more[BLOCK_BYTES * 8 / 12 + 2 * I16X32_LANES] OCT_ALIGN64;
};

/* The one place where a secret becomes public: the seed of the matrix, which an encapsulation key shows to
 * everybody. */
VEC_CHAIN void sample_declassify_rho(struct sample_space *s)
{
    OCT_DECLASSIFY(s->rho, sizeof s->rho);
}

/* Starts a sponge of a seed and one word, `tail`, which has SHAKE's padding in it. */
VEC_CHAIN void sample_start(w8 *state, const w8 seed[SEED_WORDS], uint64_t tail, unsigned rate)
{
    keccak_clear(state);
    for (int i = 0; i < SEED_WORDS; i++)
        state[i] = seed[i];
    state[SEED_WORDS] = w8_set1(tail);
    state[rate - 1] = w8_set1((uint64_t)1 << 63);
}

/* Eight words of the eight operations become 64 bytes of each. */
VEC_CHAIN void sample_put_row(struct sample_space *s, const w8 words[V8_LANES], unsigned row)
{
    w8 x[V8_LANES];
    w8_transpose(x, words);
    VEC_UNROLL
    for (int i = 0; i < V8_LANES; i++)
        w8_store_row(s->bytes[i] + 64 * row, x[i], 8);
}

/* The first three blocks; the last row has one word that is none. */
VEC_CHAIN void sample_stream(struct sample_space *s, uint64_t tail)
{
    w8 x[V8_LANES];
    sample_start(s->state, s->rho, tail, KECCAK_RATE_SHAKE128);
    keccak_permute(s->stream, s->state);
    for (unsigned b = 1; b < BLOCKS; b++)
        keccak_permute(s->stream + KECCAK_RATE_SHAKE128 * b, s->stream + KECCAK_RATE_SHAKE128 * (b - 1));
    for (unsigned row = 0; row + 1 < STREAM_ROWS; row++)
        sample_put_row(s, s->stream + 8 * row, row);
    for (unsigned i = 0; i < V8_LANES; i++)
        x[i] = 8 * (STREAM_ROWS - 1) + i < STREAM_WORDS ? s->stream[8 * (STREAM_ROWS - 1) + i] : w8_set1(~(uint64_t)0);
    sample_put_row(s, x, STREAM_ROWS - 1);
}

/* The numbers below q of `steps` times 48 bytes, in order; returns how many. Writes 32 at a time. */
static OCT_NOINLINE unsigned sample_accept(int16_t *to, const uint8_t *bytes, unsigned steps)
{
    unsigned n = 0;
    VEC_UNROLL
    for (unsigned i = 0; i < steps; i++)
        n += i16x32_store_below_public(to + n, i16x32_load_bits(bytes + 48 * i, 12), MLKEM_Q);
    return n;
}

/* One more block for all, and its numbers for those operations that lack some. Returns whether one still does. */
static OCT_NOINLINE unsigned sample_more(struct sample_space *s, int16_t *to, unsigned have[V8_LANES])
{
    w8 *last = s->stream + KECCAK_RATE_SHAKE128 * (BLOCKS - 1), x[V8_LANES];
    unsigned missing = 0;
    keccak_permute(last, last);
    for (unsigned row = 0; row < BLOCKS; row++) {
        for (unsigned i = 0; i < V8_LANES; i++)
            x[i] = 8 * row + i < KECCAK_RATE_SHAKE128 ? last[8 * row + i] : w8_set1(~(uint64_t)0);
        sample_put_row(s, x, row);
    }
    for (int i = 0; i < V8_LANES; i++) {
        const unsigned want = MLKEM_N - have[i];
        if (want == 0)
            continue;
        const unsigned got = sample_accept(s->more, s->bytes[i], (BLOCK_BYTES + 47) / 48), n = got < want ? got : want;
        memcpy(to + MLKEM_N * i + have[i], s->more, n * sizeof to[0]);
        have[i] += n;
        missing |= n < want;
    }
    return missing;
}

/*
 * Element (column, row) of the eight matrices, as FIPS 203 numbers their bytes: 256 numbers of each, one operation
 * behind the other. Each may write beyond its end, where the next one follows.
 */
static OCT_NOINLINE void sample_matrix(struct sample_space *s, int16_t *to, unsigned j, unsigned i)
{
    unsigned have[V8_LANES], missing = 0;
    sample_stream(s, (uint64_t)KECCAK_SUFFIX_SHAKE << 16 | i << 8 | j);
    for (int lane = 0; lane < V8_LANES; lane++) {
        const unsigned n = sample_accept(to + MLKEM_N * lane, s->bytes[lane], (8 * STREAM_WORDS + 47) / 48);
        have[lane] = n < MLKEM_N ? n : MLKEM_N;
        missing |= n < MLKEM_N;
    }
    while (missing)
        missing = sample_more(s, to, have);
}

/* Elements of the matrices of used lanes, to and from where a key keeps them. */
static OCT_NOINLINE void sample_keep(int16_t *const key[V8_LANES], unsigned lanes, size_t element, const int16_t *from)
{
    for (unsigned lane = 0; lane < lanes; lane++)
        memcpy(key[lane] + MLKEM_N * element, from + MLKEM_N * lane, MLKEM_N * sizeof from[0]);
}
static OCT_NOINLINE void sample_kept(int16_t *to, const int16_t *const key[V8_LANES], unsigned lanes, size_t element)
{
    for (unsigned lane = 0; lane < V8_LANES; lane++)
        memcpy(to + MLKEM_N * lane, key[keccak_lane(lane, lanes)] + MLKEM_N * element, MLKEM_N * sizeof to[0]);
}

/* What is beyond the stream in the bytes is no number. */
VEC_CHAIN void sample_open(struct sample_space *s)
{
    for (int i = 0; i < V8_LANES; i++)
        memset(s->bytes[i] + 64 * STREAM_ROWS, 0xff, 64);
}

/* 128 bytes of noise number `number` for each operation, from its seed. */
VEC_CHAIN void sample_noise(struct sample_space *s, uint8_t (*to)[NOISE_BYTES], const w8 seed[SEED_WORDS],
                            unsigned number)
{
    w8 x[V8_LANES];
    sample_start(s->state, seed, KECCAK_SUFFIX_SHAKE << 8 | number, KECCAK_RATE_SHAKE256);
    keccak_permute(s->state, s->state);
    for (unsigned row = 0; row < NOISE_BYTES / 64; row++) {
        w8_transpose(x, s->state + 8 * row);
        for (int i = 0; i < V8_LANES; i++)
            w8_store_row(to[i] + 64 * row, x[i], 8);
    }
}

#endif
