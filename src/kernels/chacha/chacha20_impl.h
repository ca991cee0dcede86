/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ChaCha20 (RFC 8439) on vectors of words, in two shapes. Many blocks stand in lanes: sixteen vectors, one for each
 * word of the state, no lane ever moves. A few blocks stand in rows: four vectors, one for each row of the state, which
 * is turned between the halves of a double round; a round then has a quarter of the instructions, and a lone block is
 * not the price of sixteen.
 *
 * Everything here is secret but the counter, the nonce and lengths.
 */
#ifndef OCT_KERNELS_CHACHA20_IMPL_H
#define OCT_KERNELS_CHACHA20_IMPL_H

#include "vec/cipher/words.h"

#define CHACHA_DOUBLE_ROUNDS 10
#define CHACHA_BLOCK         64

/* The state as numbers: constants, key, counter (kept zero), nonce. */
struct chacha {
    uint32_t word[16];
};

VEC_STEP void chacha_set_key(struct chacha *c, const uint8_t key[32])
{
    c->word[0] = 0x61707865; /* "expand 32-byte k" */
    c->word[1] = 0x3320646e;
    c->word[2] = 0x79622d32;
    c->word[3] = 0x6b206574;
    for (unsigned i = 0; i < 8; i++)
        c->word[4 + i] = tier_load32(key + 4 * i);
    for (unsigned i = 12; i < 16; i++)
        c->word[i] = 0;
}
VEC_STEP void chacha_set_nonce(struct chacha *c, const uint8_t nonce[12])
{
    for (unsigned i = 0; i < 3; i++)
        c->word[13 + i] = tier_load32(nonce + 4 * i);
}

/* --- lanes */

/* For WORDS_QUARTERS of the four quarter rounds of a half, from `first` on: sum += addend, target = (target xor sum)
 * rotated. The arguments are rows of the state; in the second half (turn 1) row r begins r columns later. */
VEC_STEP void chacha_lines(words x[16], unsigned turn, unsigned first, unsigned sum, unsigned addend, unsigned target,
                           unsigned bits)
{
    VEC_UNROLL
    for (unsigned q = first; q < first + WORDS_QUARTERS; q++) {
        const unsigned s = 4 * sum + (q + turn * sum) % 4, a = 4 * addend + (q + turn * addend) % 4;
        x[s] = words_add(x[s], x[a]);
    }
    VEC_UNROLL
    for (unsigned q = first; q < first + WORDS_QUARTERS; q++) {
        const unsigned s = 4 * sum + (q + turn * sum) % 4, t = 4 * target + (q + turn * target) % 4;
        x[t] = words_rol(words_xor(x[t], x[s]), bits);
    }
}
/* These of `sets` independent states side by side: one fills the latency of the other. */
VEC_STEP void chacha_quarters(words x[][16], unsigned sets, unsigned turn, unsigned first)
{
    VEC_UNROLL
    for (unsigned i = 0; i < sets; i++)
        chacha_lines(x[i], turn, first, 0, 1, 3, 16);
    VEC_UNROLL
    for (unsigned i = 0; i < sets; i++)
        chacha_lines(x[i], turn, first, 2, 3, 1, 12);
    VEC_UNROLL
    for (unsigned i = 0; i < sets; i++)
        chacha_lines(x[i], turn, first, 0, 1, 3, 8);
    VEC_UNROLL
    for (unsigned i = 0; i < sets; i++)
        chacha_lines(x[i], turn, first, 2, 3, 1, 7);
}
VEC_STEP void chacha_double_round(words x[][16], unsigned sets)
{
    VEC_UNROLL
    for (unsigned first = 0; first < 8; first += WORDS_QUARTERS)
        chacha_quarters(x, sets, first / 4, first % 4);
}

/* Counters and nonces, a pair for each lane: words 12 to 15 of the states, as bytes. */
#define CHACHA_SETS WORDS_SETS
struct chacha_pairs {
    uint8_t word[4][CHACHA_SETS * WORDS_BYTES];
};
VEC_STEP void chacha_set_pair(struct chacha_pairs *p, size_t lane, uint32_t counter, const uint8_t nonce[12])
{
    tier_store32(p->word[0] + 4 * lane, counter);
    for (unsigned i = 0; i < 3; i++)
        memcpy(p->word[1 + i] + 4 * lane, nonce + 4 * i, 4);
}

/* All counters go on by `step`. */
VEC_STEP void chacha_next_pairs(struct chacha_pairs *p, uint32_t step)
{
    VEC_UNROLL
    for (unsigned set = 0; set < CHACHA_SETS; set++) {
        uint8_t *counters = p->word[0] + set * WORDS_BYTES;
        words_store(counters, words_add(words_load(counters), words_set1(step)));
    }
}

/* Word `word` of the states of a set: from the pairs if there are any, else for the blocks counter, counter + 1, ... */
OCT_INLINE words chacha_initial(const struct chacha *c, const struct chacha_pairs *pairs, unsigned set,
                                uint32_t counter, unsigned word)
{
    if (pairs && word >= 12)
        return words_load(pairs->word[word - 12] + set * WORDS_BYTES);
    if (word == 12)
        return words_add(words_set1(counter + set * WORDS_LANES), words_lane_numbers());
    return words_set1(c->word[word]);
}
VEC_STEP void chacha_lanes_begin(words x[][16], unsigned sets, const struct chacha *c, const struct chacha_pairs *pairs,
                                 uint32_t counter)
{
    VEC_UNROLL
    for (unsigned set = 0; set < sets; set++) {
        VEC_UNROLL
        for (unsigned i = 0; i < 16; i++)
            x[set][i] = chacha_initial(c, pairs, set, counter, i);
    }
}
/* The blocks of each set in turn, as they stand in memory. */
VEC_STEP void chacha_lanes_end(words x[][16], unsigned sets, const struct chacha *c, const struct chacha_pairs *pairs,
                               uint32_t counter)
{
    VEC_UNROLL
    for (unsigned set = 0; set < sets; set++) {
        VEC_UNROLL
        for (unsigned i = 0; i < 16; i++)
            x[set][i] = words_add(x[set][i], chacha_initial(c, pairs, set, counter, i));
        words_lanes_to_blocks(x[set]);
    }
}
VEC_STEP void chacha_lane_blocks(words x[][16], unsigned sets, const struct chacha *c, const struct chacha_pairs *pairs,
                                 uint32_t counter)
{
    chacha_lanes_begin(x, sets, c, pairs, counter);
    for (unsigned round = 0; round < CHACHA_DOUBLE_ROUNDS; round++)
        chacha_double_round(x, sets);
    chacha_lanes_end(x, sets, c, pairs, counter);
}

/* --- rows */

VEC_STEP void chacha_row_lines(words x[][4], unsigned sets, unsigned sum, unsigned addend, unsigned target,
                               unsigned bits)
{
    VEC_UNROLL
    for (unsigned i = 0; i < sets; i++) {
        x[i][sum] = words_add(x[i][sum], x[i][addend]);
        x[i][target] = words_rol(words_xor(x[i][target], x[i][sum]), bits);
    }
}
/* One half, then the rows turned so that the next half finds its quarter rounds in columns again. */
VEC_STEP void chacha_row_half(words x[][4], unsigned sets, unsigned turn)
{
    chacha_row_lines(x, sets, 0, 1, 3, 16);
    chacha_row_lines(x, sets, 2, 3, 1, 12);
    chacha_row_lines(x, sets, 0, 1, 3, 8);
    chacha_row_lines(x, sets, 2, 3, 1, 7);
    VEC_UNROLL
    for (unsigned i = 0; i < sets; i++) {
        x[i][1] = words_turn_rows(x[i][1], turn);
        x[i][2] = words_turn_rows(x[i][2], 2);
        x[i][3] = words_turn_rows(x[i][3], 4 - turn);
    }
}
/* Blocks whose last rows (counter and nonce) are given; x[i][3] comes in as that row. */
#define CHACHA_ROW_SETS 4 /* at most */
VEC_STEP void chacha_row_states(words x[][4], unsigned sets, const struct chacha *c)
{
    words last[CHACHA_ROW_SETS];
    VEC_UNROLL
    for (unsigned i = 0; i < sets; i++) {
        last[i] = x[i][3];
        VEC_UNROLL
        for (unsigned row = 0; row < 3; row++)
            x[i][row] = words_set_rows(c->word + 4 * row);
    }
    for (unsigned round = 0; round < CHACHA_DOUBLE_ROUNDS; round++) {
        chacha_row_half(x, sets, 1);
        chacha_row_half(x, sets, 3);
    }
    VEC_UNROLL
    for (unsigned i = 0; i < sets; i++) {
        VEC_UNROLL
        for (unsigned row = 0; row < 3; row++)
            x[i][row] = words_add(x[i][row], words_set_rows(c->word + 4 * row));
        x[i][3] = words_add(x[i][3], last[i]);
    }
}
/* The blocks counter, counter + 1, ... of each set in turn, as they stand in memory. */
VEC_STEP void chacha_counted_rows(words x[][4], unsigned sets, const struct chacha *c, uint32_t counter)
{
    VEC_UNROLL
    for (unsigned i = 0; i < sets; i++)
        x[i][3] = words_add(words_set_rows(c->word + 12), words_row_numbers(counter + i * WORDS_ROWS));
    chacha_row_states(x, sets, c);
    VEC_UNROLL
    for (unsigned i = 0; i < sets; i++)
        words_rows_to_blocks(x[i]);
}

/* --- use of the blocks */

/* out = in xor the first `len` bytes of x, for a len of 1 to WORDS_BYTES. */
VEC_STEP void chacha_xor_part(uint8_t *out, const uint8_t *in, words x, size_t len)
{
    words_store_part(out, words_xor(x, words_load_part(in, len)), len);
}
/* out = in xor the vectors from x on, `len` bytes. */
VEC_STEP void chacha_xor(uint8_t *out, const uint8_t *in, const words *x, unsigned count, size_t len)
{
    VEC_UNROLL
    for (unsigned i = 0; i < count; i++) {
        const size_t at = (size_t)i * WORDS_BYTES;
        if (len >= at + WORDS_BYTES)
            words_store(out + at, words_xor(x[i], words_load(in + at)));
        else if (len > at)
            chacha_xor_part(out + at, in + at, x[i], len - at);
    }
}
/* As it is, without a text. */
VEC_STEP void chacha_store(uint8_t *out, const words *x, unsigned count)
{
    VEC_UNROLL
    for (unsigned i = 0; i < count; i++)
        words_store(out + (size_t)i * WORDS_BYTES, x[i]);
}
/* What a chunk's blocks are for: if there is a `key` the first is that; the others are for `len` bytes of text, or are
 * stored whole if there is no text to combine them with. */
VEC_STEP void chacha_use(uint8_t *key, uint8_t *out, const uint8_t *in, const words *x, unsigned count, size_t len)
{
    if (key)
        chacha_store(key, x, WORDS_PER_BLOCK);
    if (!in)
        chacha_store(out, key ? x + WORDS_PER_BLOCK : x, key ? count - WORDS_PER_BLOCK : count);
    else if (key)
        chacha_xor(out, in, x + WORDS_PER_BLOCK, count - WORDS_PER_BLOCK, len);
    else
        chacha_xor(out, in, x, count, len);
}

/* All sets of lanes, for long texts, whole: `count` times. */
#define CHACHA_BULK (CHACHA_BLOCK * CHACHA_SETS * WORDS_LANES)
#if WORDS_QUARTERS < 4
/* Sixteen registers are too few for a state and what rotates it, and gcc would put words on the stack right before it
 * needs them. So half of the third row is here. The first half of a double round takes the halves in turn, and the
 * second begins with the one that is there. */
struct chacha_third_row {
    uint8_t word[4][WORDS_BYTES];
};
/* Two words go, from `first` on, and the other two come. */
VEC_STEP void chacha_change_third(words x[16], struct chacha_third_row *row, unsigned first)
{
    VEC_UNROLL
    for (unsigned i = first; i < first + 2; i++)
        words_store_away(row->word[i], x[8 + i]);
    VEC_UNROLL
    for (unsigned i = 2 - first; i < 4 - first; i++)
        x[8 + i] = words_load(row->word[i]);
}
VEC_STEP void chacha_bulk_blocks(words x[][16], const struct chacha *c, uint32_t counter)
{
    struct chacha_third_row row;
    chacha_lanes_begin(x, 1, c, NULL, counter);
    words_store(row.word[2], x[0][10]);
    words_store(row.word[3], x[0][11]);
    for (unsigned round = 0; round < CHACHA_DOUBLE_ROUNDS; round++) {
        chacha_quarters(x, 1, 0, 0);
        chacha_change_third(x[0], &row, 0);
        chacha_quarters(x, 1, 0, 2);
        chacha_quarters(x, 1, 1, 0);
        chacha_change_third(x[0], &row, 2);
        chacha_quarters(x, 1, 1, 2);
    }
    x[0][10] = words_load(row.word[2]);
    x[0][11] = words_load(row.word[3]);
    VEC_UNROLL
    for (unsigned i = 0; i < 4; i++)
        words_store_away(row.word[i], words_set1(0));
    chacha_lanes_end(x, 1, c, NULL, counter);
}
#else
VEC_STEP void chacha_bulk_blocks(words x[][16], const struct chacha *c, uint32_t counter)
{
    chacha_lane_blocks(x, CHACHA_SETS, c, NULL, counter);
}
#endif
static OCT_NOINLINE void chacha_bulk(const struct chacha *c, uint32_t counter, uint8_t *out, const uint8_t *in,
                                     size_t count)
{
    for (; count > 0; count--) {
        words x[CHACHA_SETS][16];
        chacha_bulk_blocks(x, c, counter);
        VEC_UNROLL
        for (unsigned set = 0; set < CHACHA_SETS; set++)
            chacha_xor(out + set * CHACHA_BLOCK * WORDS_LANES, in + set * CHACHA_BLOCK * WORDS_LANES, x[set], 16,
                       CHACHA_BLOCK * WORDS_LANES);
        counter += CHACHA_BULK / CHACHA_BLOCK;
        out += CHACHA_BULK;
        in += CHACHA_BULK;
    }
}
/* The blocks of all pairs, and of those of the first set, which may be the only one. */
#if WORDS_SETS > 1
static OCT_NOINLINE void chacha_all_pairs(const struct chacha *c, const struct chacha_pairs *pairs, uint8_t *out)
{
    words x[CHACHA_SETS][16];
    chacha_lane_blocks(x, CHACHA_SETS, c, pairs, 0);
    chacha_store(out, x[0], CHACHA_SETS * 16);
}
#else
#define chacha_all_pairs chacha_half_pairs
#endif
static OCT_NOINLINE void chacha_half_pairs(const struct chacha *c, const struct chacha_pairs *pairs, uint8_t *out)
{
    words x[1][16];
    chacha_lane_blocks(x, 1, c, pairs, 0);
    chacha_store(out, x[0], 16);
}
/* The blocks of the first `count` pairs, and of some more. */
VEC_STEP void chacha_some_pairs(const struct chacha *c, const struct chacha_pairs *pairs, size_t count, uint8_t *out)
{
    if (count > WORDS_LANES)
        chacha_all_pairs(c, pairs, out);
    else
        chacha_half_pairs(c, pairs, out);
}
/* At most WORDS_LANES blocks. */
static OCT_NOINLINE void chacha_lanes(const struct chacha *c, uint32_t counter, uint8_t *key, uint8_t *out,
                                      const uint8_t *in, size_t len)
{
    words x[1][16];
    chacha_lane_blocks(x, 1, c, NULL, counter);
    chacha_use(key, out, in, x[0], 16, len);
}
/* At most half as many, and at most a quarter. */
static OCT_NOINLINE void chacha_rows2(const struct chacha *c, uint32_t counter, uint8_t *key, uint8_t *out,
                                      const uint8_t *in, size_t len)
{
    words x[2][4];
    chacha_counted_rows(x, 2, c, counter);
    chacha_use(key, out, in, x[0], 8, len);
}
static OCT_NOINLINE void chacha_rows1(const struct chacha *c, uint32_t counter, uint8_t *key, uint8_t *out,
                                      const uint8_t *in, size_t len)
{
    words x[1][4];
    chacha_counted_rows(x, 1, c, counter);
    chacha_use(key, out, in, x[0], 4, len);
}

/* The cheapest of these for `blocks` blocks, at most WORDS_LANES. */
VEC_STEP void chacha_some(const struct chacha *c, uint32_t counter, size_t blocks, uint8_t *key, uint8_t *out,
                          const uint8_t *in, size_t len)
{
    if (blocks > WORDS_LANES / 2)
        chacha_lanes(c, counter, key, out, in, len);
    else if (blocks > WORDS_ROWS)
        chacha_rows2(c, counter, key, out, in, len);
    else
        chacha_rows1(c, counter, key, out, in, len);
}

#endif
