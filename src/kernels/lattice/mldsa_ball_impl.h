/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ML-DSA's challenges (FIPS 204, algorithm 29) of eight lanes at once. Until an attempt is accepted its challenge is
 * secret, so places are shifts by secret counts and not addresses: a challenge is 256 bits that say where it is not
 * zero, and 256 that say where it is negative. A byte of the stream that is rejected goes through the same steps.
 */
#ifndef OCT_KERNELS_MLDSA_BALL_IMPL_H
#define OCT_KERNELS_MLDSA_BALL_IMPL_H

#include "kernels/lattice/mldsa_parts_impl.h"

/* Bytes of a block behind the signs. The first part is enough but with a probability of 2^-30 or so; a second block is
 * the last that there can be a need for (FIPS 204, appendix C). */
#define BALL_BYTES (8 * (KECCAK_RATE_SHAKE256 - 1))
#define BALL_FIRST (MLDSA_TAU < 40 ? 64 : 88)

/* The bits of places, one a lane, in four words; none where `one` is zero. */
VEC_STEP void ball_place(w8 bits[BALL_WORDS], w8 place, w8 one)
{
    /* No loop in portable code either: gcc would count it by `place`, which is secret. */
    OCT_UNROLL
    for (int i = 0; i < BALL_WORDS; i++)
        bits[i] = w8_sllv(one, w8_add(place, w8_set1((uint64_t)0 - 64 * (uint64_t)i)));
}

/* All bits of a place's number, or none: whether it is in the set. */
VEC_STEP m8 ball_has(const w8 set[BALL_WORDS], const w8 bits[BALL_WORDS])
{
    w8 any = w8_and(set[0], bits[0]);
    VEC_UNROLL
    for (int i = 1; i < BALL_WORDS; i++)
        any = w8_or(any, w8_and(set[i], bits[i]));
    return w8_is_nonzero(any);
}

/* One byte: c[next] = c[byte], c[byte] = the next sign, unless the byte is larger than `next`, or all is done. */
VEC_STEP void ball_step(struct ball_state *b, w8 byte)
{
    const w8 zero = w8_set1(0), top = w8_set1(MLDSA_N);
    const w8 in_turn = w8_select(w8_is_above(top, b->next), w8_set1(1), zero);
    const w8 one = w8_select(w8_is_above(byte, b->next), zero, in_turn);
    w8 to[BALL_WORDS], from[BALL_WORDS], *nonzero = b->sets, *minus = b->sets + BALL_WORDS;
    ball_place(to, b->next, one);
    ball_place(from, byte, one);
    const m8 used = ball_has(nonzero, from), negative = ball_has(minus, from);
    const m8 sign = w8_is_nonzero(w8_and(b->signs, one));
    VEC_UNROLL
    for (int i = 0; i < BALL_WORDS; i++) {
        nonzero[i] = w8_or(w8_or(nonzero[i], w8_select(used, to[i], zero)), from[i]);
        const w8 moved = w8_or(minus[i], w8_select(negative, to[i], zero));
        minus[i] = w8_choose(from[i], w8_select(sign, from[i], zero), moved);
    }
    b->next = w8_add(b->next, one);
    b->signs = w8_select(w8_is_nonzero(one), w8_srl(b->signs, 1), b->signs);
}

/* Bytes first .. last - 1 of a block. */
static OCT_NOINLINE void ball_run(struct ball_state *b, const w8 block[KECCAK_RATE_SHAKE256], unsigned first,
                                  unsigned last)
{
    for (unsigned i = first; i < last; i += 8) {
        w8 word = block[i / 8];
        for (int j = 0; j < 8; j++) {
            ball_step(b, w8_and(word, w8_set1(0xff)));
            word = w8_srl(word, 8);
        }
    }
}

/* Whether a lane is not done. Practically never, and it says nothing but that. */
VEC_CHAIN unsigned ball_declassify_missing(const struct ball_state *b)
{
    return m8_declassify(w8_is_above(w8_set1(MLDSA_N), b->next));
}

/* w->ball = the challenges of the seeds in `seed`. */
static OCT_NOINLINE void ball_sample(struct mldsa_workspace *w, const w8 seed[C_WORDS])
{
    struct ball_state *b = &w->ball;
    for (int i = 0; i < 2 * BALL_WORDS; i++)
        b->sets[i] = w8_set1(0);
    b->next = w8_set1(MLDSA_N - MLDSA_TAU);
    keccak_clear(w->sample.state);
    mldsa_copy_words(w->sample.state, seed, C_WORDS);
    keccak_pad(w->sample.state, C_WORDS, KECCAK_RATE_SHAKE256, KECCAK_SUFFIX_SHAKE);
    keccak_permute(w->sample.state, w->sample.state);
    b->signs = w->sample.state[0];
    ball_run(b, w->sample.state, 8, 8 + BALL_FIRST);
    if (ball_declassify_missing(b))
        ball_run(b, w->sample.state, 8 + BALL_FIRST, 8 + BALL_BYTES);
    if (ball_declassify_missing(b)) {
        keccak_permute(w->sample.state, w->sample.state);
        ball_run(b, w->sample.state, 0, 8 * KECCAK_RATE_SHAKE256);
    }
    mldsa_words_to_rows(w->ball_bits, b->sets);
}

/* A lane's challenge, or its negative, transformed, in w->c. */
static OCT_NOINLINE void ball_transform(struct mldsa_workspace *w, unsigned lane, int negative)
{
    const uint8_t *used = w->ball_bits[lane], *minus = used + ROW_BYTES / 2;
    ntt_poly p;
    VEC_UNROLL
    for (int i = 0; i < NTT_VECTORS; i++) {
        const i32x16 place = i32x16_load_bits(used + 2 * i, 1),
                     twice = i32x16_sll(i32x16_load_bits(minus + 2 * i, 1), 1);
        p[i] = negative ? i32x16_sub(twice, place) : i32x16_sub(place, twice);
    }
    ntt_forward(p);
    ntt_store(w->c, p);
}

#endif
