/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4 (GB/T 32907-2016) on sets of 4 * BV_LANES blocks: vector i of a set has word i of each block.
 *
 * The S-box is A(I(A(x))) with an affine map A and the inversion I of a field of 2^8 elements. That field is AES's in
 * another basis, so one instruction inverts and maps. The whole state is kept as the inversion wants it: words come
 * in by SM4_ENTER, which is A and the change of basis, and leave by SM4_LEAVE. So a round has no map before the
 * inversion.
 *
 * The linear map behind the S-box sums the word and its rotations by 2, 10, 18 and 24 bits. Of byte j it is
 *
 *   (1 + S)b_j + R(b_(j+1) + b_(j+2)) + (1 + S + R)b_(j+3)
 *
 * where S shifts a byte by two, R rotates it by two, and b_0 is the first byte in memory. SM4_P and SM4_Q are (1 + S)
 * and R behind the inversion, and again as SM4_ENTER has it. What is left are turns of words by whole bytes, so the
 * order of a word's bytes is that of memory throughout.
 *
 * What the affine maps add is in the round keys. A round's own constant comes to words 4 to 7, leaves 8 to 11, and so
 * on: of each round's key three words have a share, and the last four words have none.
 *
 * The known values (maps, constants) are those of GB/T 32907 in the basis of the root 0xce of its polynomial;
 * tools/check-sm4-maps computes them.
 */
#ifndef OCT_KERNELS_SM4_IMPL_H
#define OCT_KERNELS_SM4_IMPL_H

#include "kernels/sm4/sm4.h"
#include "vec/cipher/affine.h"

#include <string.h>

#define SM4_ENTER 0x242842865a99abe6
#define SM4_LEAVE 0xb176fbf8ecfa7285
#define SM4_P     0x687dcaed5640a851
#define SM4_Q     0x240221dc10209471
/* The S-box is SM4_BOX of the inverse of (SM4_ENTER plus SM4_ADD), plus SM4_BOX_ADD. */
#define SM4_BOX     0x2f09380ba6746587
#define SM4_ADD     0x8e8e8e8eu
#define SM4_BOX_ADD 0xd3d3d3d3u
#define SM4_SHARE   0xd3d3d3d3u

#define SM4_ROUNDS 32
#define SM4_SET    (4 * BV_LANES) /* blocks */
#define SM4_SETS   4              /* in flight */

#define SM4_VECTOR      (16 * BV_LANES) /* bytes */
#define SM4_SET_BYTES   ((size_t)16 * SM4_SET)
#define SM4_GROUP_BYTES (SM4_SET_BYTES * SM4_SETS)

/* Blocks of a set. */
struct sm4_set {
    bv word[4];
};

/* One round: *x becomes the new word, from it and the three that follow; k is the round's key. */
VEC_STEP void sm4_round(bv *x, bv x1, bv x2, bv x3, bv k)
{
    const bv t = bv_xor3(x1, bv_xor(x2, k), x3);
    const bv p = bv_map_inverse(t, SM4_P), q = bv_map_inverse(t, SM4_Q);
    *x = bv_xor3(bv_xor3(*x, p, bv_turn32(q, 1)), bv_turn32(q, 2), bv_turn32(bv_xor(p, q), 3));
}

/* How rounds go (constant): to decrypt, round keys come from the last one on; and where blocks of a set have keys of
 * their own, these are columns, a vector for each round, as sm4_columns_impl.h makes them. */
enum { SM4_FORWARDS = 0, SM4_BACKWARDS = 1, SM4_COLUMNS = 2 };

/* The i-th round key. */
OCT_INLINE bv sm4_round_key(const uint8_t (*key)[4], const int i, const int how)
{
    const int round = how & SM4_BACKWARDS ? SM4_ROUNDS - 1 - i : i;
    return how & SM4_COLUMNS ? bv_load(key[4 * BV_LANES * round]) : bv_broadcast32(key[round]);
}

/* Four rounds of n sets (constant), from round i on. */
VEC_STEP void sm4_four_rounds(struct sm4_set *s, const int n, const uint8_t (*key)[4], const int i, const int how)
{
    VEC_UNROLL
    for (int r = 0; r < 4; r++) {
        const bv k = sm4_round_key(key, i + r, how);
        VEC_UNROLL
        for (int j = 0; j < n; j++)
            sm4_round(&s[j].word[r], s[j].word[(r + 1) & 3], s[j].word[(r + 2) & 3], s[j].word[(r + 3) & 3], k);
    }
}

/* All rounds of a set that goes alone, whose time is that of waiting: what the next round inverts comes before the new
 * word, and one inversion more spares a sum. */
VEC_STEP void sm4_rounds_alone(struct sm4_set *s, const uint8_t (*key)[4], const int how)
{
    bv *x = s->word, t = bv_xor3(x[1], bv_xor(x[2], sm4_round_key(key, 0, how)), x[3]);
    for (int i = 0; i < SM4_ROUNDS; i += 4) {
        VEC_UNROLL
        for (int r = 0; r < 4; r++) {
            const bv k = sm4_round_key(key, (i + r + 1) % SM4_ROUNDS, how);
            const bv others = bv_xor3(x[(r + 2) & 3], x[(r + 3) & 3], k), known = bv_xor(x[r], others);
            const bv p = bv_map_inverse(t, SM4_P), q = bv_map_inverse(t, SM4_Q), w = bv_map_inverse(t, SM4_P ^ SM4_Q);
            t = bv_xor3(bv_xor3(known, p, bv_turn32(q, 1)), bv_turn32(q, 2), bv_turn32(w, 3));
            x[r] = bv_xor(t, others);
        }
    }
}

VEC_STEP void sm4_rounds(struct sm4_set *s, const int n, const uint8_t (*key)[4], const int how)
{
    if (n == 1) {
        sm4_rounds_alone(s, key, how);
        return;
    }
    for (int i = 0; i < SM4_ROUNDS; i += 4)
        sm4_four_rounds(s, n, key, i, how);
}

/* Four vectors of blocks as a set; and what the rounds made of a set as four vectors of blocks: the words in reverse
 * order. */
VEC_STEP void sm4_enter(struct sm4_set *s)
{
    bv_transpose32(s->word);
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        s->word[i] = bv_map(s->word[i], SM4_ENTER);
}
VEC_STEP void sm4_leave(bv out[4], const struct sm4_set *s)
{
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        out[i] = bv_map(s->word[3 - i], SM4_LEAVE);
    bv_transpose32(out);
}

/* Counter blocks: the first three words are the same in all of them. */
struct sm4_counter {
    bv fixed[3];
    uint32_t next; /* the last word of the next block, as a number; it wraps */
};

/* A counter block's number. */
OCT_INLINE uint32_t sm4_number(b1 block)
{
    return b1_get32(b1_reverse(block));
}

/* From the first counter block. */
VEC_STEP struct sm4_counter sm4_counter_of(b1 block)
{
    uint8_t bytes[16];
    struct sm4_counter c;
    b1_store(bytes, block);
    for (int i = 0; i < 3; i++)
        c.fixed[i] = bv_map(bv_broadcast32(bytes + 4 * i), SM4_ENTER);
    c.next = sm4_number(block);
    return c;
}

/* The next n sets of counter blocks. */
VEC_STEP void sm4_counters(struct sm4_counter *c, struct sm4_set *s, const int n)
{
    VEC_UNROLL
    for (int i = 0; i < n; i++) {
        const bv numbers = bv_add32(bv_set32(c->next + (uint32_t)(SM4_SET * i)), bv_word_numbers());
        s[i] = (struct sm4_set){{c->fixed[0], c->fixed[1], c->fixed[2], bv_map(bv_reverse32(numbers), SM4_ENTER)}};
    }
    c->next += (uint32_t)(SM4_SET * n);
}

/* Text xor what the rounds made of counter blocks: a whole set. */
VEC_STEP void sm4_text_set(const struct sm4_set *s, const uint8_t *in, uint8_t *out)
{
    bv b[4];
    sm4_leave(b, s);
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        b[i] = bv_xor(b[i], bv_load(in + SM4_VECTOR * i));
    blocks_loads_first();
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        bv_store(out + 16 * BV_LANES * i, b[i]);
}

#endif
