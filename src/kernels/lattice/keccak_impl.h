/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Keccak-f[1600] (FIPS 202), eight states at once, one per lane, and the sponge on it for strings of whole words.
 *
 * A round keeps 25 words and some sums in registers: rho and pi are names, not moves. Sums of columns (theta) are
 * made explicit, five rotated copies of them included, because xor then has one input less at each of 25 places; what
 * is left goes through ternary logic.
 */
#ifndef OCT_KERNELS_KECCAK_IMPL_H
#define OCT_KERNELS_KECCAK_IMPL_H

#include "vec/lattice/sponge.h"

#define KECCAK_WORDS  25
#define KECCAK_ROUNDS 24
/* Words of a block, by function; and the bits that tell functions apart, with the first bit of the padding. */
#define KECCAK_RATE_256      17
#define KECCAK_RATE_512      9
#define KECCAK_RATE_SHAKE128 21
#define KECCAK_RATE_SHAKE256 17
#define KECCAK_SUFFIX_SHA3   0x06
#define KECCAK_SUFFIX_SHAKE  0x1f

/* FIPS 202, algorithm 5: what iota adds. */
static const uint64_t keccak_constant[KECCAK_ROUNDS] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

/* d[x] = what theta adds to column x. */
VEC_STEP void keccak_theta(w8 d[5], const w8 a[KECCAK_WORDS])
{
    w8 c[5];
    VEC_UNROLL
    for (int x = 0; x < 5; x++)
        c[x] = w8_xor3(w8_xor3(a[x], a[x + 5], a[x + 10]), a[x + 15], a[x + 20]);
    VEC_UNROLL
    for (int x = 0; x < 5; x++)
        d[x] = w8_xor(c[(x + 4) % 5], w8_ror(c[(x + 1) % 5], 63));
}

/* A word of a, with theta and rho; rotated to the left by a constant of 1 to 63. */
#define MOVED(i, left) w8_ror(w8_xor(a[i], d[(i) % 5]), 64 - (left))
/* A row of the result, from the five words that pi brings there. */
#define ROW(y, b0, b1, b2, b3, b4)                                                                                     \
    do {                                                                                                               \
        const w8 b_[5] = {b0, b1, b2, b3, b4};                                                                         \
        VEC_UNROLL                                                                                                     \
        for (int x = 0; x < 5; x++)                                                                                    \
            to[5 * (y) + x] = w8_chi(b_[x], b_[(x + 1) % 5], b_[(x + 2) % 5]);                                         \
    } while (0)

VEC_STEP void keccak_round(w8 to[KECCAK_WORDS], const w8 a[KECCAK_WORDS], uint64_t constant)
{
    w8 d[5];
    keccak_theta(d, a);
    ROW(0, w8_xor(a[0], d[0]), MOVED(6, 44), MOVED(12, 43), MOVED(18, 21), MOVED(24, 14));
    to[0] = w8_xor(to[0], w8_set1(constant));
    ROW(1, MOVED(3, 28), MOVED(9, 20), MOVED(10, 3), MOVED(16, 45), MOVED(22, 61));
    ROW(2, MOVED(1, 1), MOVED(7, 6), MOVED(13, 25), MOVED(19, 8), MOVED(20, 18));
    ROW(3, MOVED(4, 27), MOVED(5, 36), MOVED(11, 10), MOVED(17, 15), MOVED(23, 56));
    ROW(4, MOVED(2, 62), MOVED(8, 55), MOVED(14, 39), MOVED(15, 41), MOVED(21, 2));
}
#undef MOVED
#undef ROW

/* to = Keccak-f of from; both may be the same or overlap: all is read before anything is written. */
static OCT_NOINLINE void keccak_permute(w8 *to, const w8 *from)
{
    w8 a[KECCAK_WORDS], b[KECCAK_WORDS];
    VEC_UNROLL
    for (int i = 0; i < KECCAK_WORDS; i++)
        a[i] = from[i];
    for (int r = 0; r < KECCAK_ROUNDS; r += 2) {
        keccak_round(b, a, keccak_constant[r]);
        keccak_round(a, b, keccak_constant[r + 1]);
    }
    VEC_UNROLL
    for (int i = 0; i < KECCAK_WORDS; i++)
        to[i] = a[i];
}

VEC_CHAIN void keccak_clear(w8 *state)
{
    VEC_UNROLL
    for (int i = 0; i < KECCAK_WORDS; i++)
        state[i] = w8_set1(0);
}

/* Unused lanes read what the first one reads. */
OCT_INLINE unsigned keccak_lane(unsigned i, unsigned lanes)
{
    return i < lanes ? i : 0;
}

/* Words at .. at + words - 1 of the state, plus those at lane[i] + offset; `lanes` of the lanes are used. */
VEC_CHAIN void keccak_add(w8 *state, unsigned at, const uint8_t *const lane[V8_LANES], unsigned lanes, size_t offset,
                          unsigned words)
{
    for (; words > 0; at += 8) {
        const unsigned n = words < 8 ? words : 8;
        w8 x[V8_LANES];
        VEC_UNROLL
        for (unsigned i = 0; i < V8_LANES; i++)
            x[i] = w8_load_row(lane[keccak_lane(i, lanes)] + offset, n);
        w8_transpose(x, x);
        for (unsigned j = 0; j < n; j++)
            state[at + j] = w8_xor(state[at + j], x[j]);
        offset += 64;
        words -= n;
    }
}

/* The same of all lanes, for strings of the kernel's own that stand `stride` bytes apart. */
VEC_CHAIN void keccak_add_rows(w8 *state, unsigned at, const uint8_t *from, size_t stride, unsigned words)
{
    for (; words > 0; at += 8) {
        const unsigned n = words < 8 ? words : 8;
        w8 x[V8_LANES];
        VEC_UNROLL
        for (unsigned i = 0; i < V8_LANES; i++)
            x[i] = w8_load_row(from + stride * i, n);
        w8_transpose(x, x);
        for (unsigned j = 0; j < n; j++)
            state[at + j] = w8_xor(state[at + j], x[j]);
        from += 64;
        words -= n;
    }
}

/* The end of a message that has `at` words in its last block of `rate` words. */
VEC_STEP void keccak_pad(w8 *state, unsigned at, unsigned rate, unsigned suffix)
{
    state[at] = w8_xor(state[at], w8_set1(suffix));
    state[rate - 1] = w8_xor(state[rate - 1], w8_set1((uint64_t)1 << 63));
}

/* The state, which has `at` words in its block, takes in `words` words at lane[i] + offset. Returns how many its
 * block has then. */
VEC_CHAIN unsigned keccak_absorb(w8 *state, unsigned at, unsigned rate, const uint8_t *const lane[V8_LANES],
                                 unsigned lanes, size_t offset, size_t words)
{
    while (words > 0) {
        const unsigned room = rate - at, n = words < room ? (unsigned)words : room;
        keccak_add(state, at, lane, lanes, offset, n);
        offset += 8 * (size_t)n;
        words -= n;
        at += n;
        if (at == rate) {
            keccak_permute(state, state);
            at = 0;
        }
    }
    return at;
}

#endif
