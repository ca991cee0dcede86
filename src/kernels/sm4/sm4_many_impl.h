/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * SM4 on several texts at once, each under a key of its own. Text t of SM4_SET is lane t % BV_LANES of vector
 * t / BV_LANES in every set, and a set has one block of each. So texts go on in step, SM4_STEP bytes of each at a time,
 * and 64 bytes of sixteen texts fill the machine as a kilobyte of one does.
 *
 * Texts that have ended go along: nothing of them is read or written. To leave few of them is the caller's work.
 */
#ifndef OCT_KERNELS_SM4_MANY_IMPL_H
#define OCT_KERNELS_SM4_MANY_IMPL_H

#include "kernels/sm4/sm4_columns_impl.h"

#define SM4_STEP ((size_t)16 * SM4_SETS) /* bytes of each text */

/* Texts of a set: those from number `first` on. */
struct sm4_many {
    const struct oct_sm4_many_args *args;
    size_t first, shortest, longest;
    const uint8_t (*round)[4];
};

/* Counter blocks of texts, word by word: the first three as rounds want them, the last one as a number. */
struct sm4_counters {
    bv fixed[3], number;
};

/* The first block of text t: as it stands, or with GCM (constant) a nonce and the number 1 (SP 800-38D, 7.1). */
OCT_INLINE b1 sm4_many_block(const struct sm4_many *m, size_t t, const int gcm)
{
    const uint8_t *block = m->args->block[m->first + t];
    return gcm ? b1_or(b1_load_part(block, OCT_AEAD_NONCE), b1_set(0, (uint64_t)1 << 56)) : b1_load(block);
}

VEC_STEP struct sm4_counters sm4_counters_of(const struct sm4_many *m, const int gcm)
{
    struct sm4_counters c;
    bv words[4];
    VEC_UNROLL
    for (size_t i = 0; i < 4; i++) {
        words[i] = bv_first_lane(sm4_many_block(m, BV_LANES * i, gcm));
        VEC_UNROLL
        for (size_t j = 1; j < BV_LANES; j++)
            words[i] = bv_put(words[i], j, sm4_many_block(m, BV_LANES * i + j, gcm));
    }
    bv_transpose32(words);
    for (int i = 0; i < 3; i++)
        c.fixed[i] = bv_map(words[i], SM4_ENTER);
    c.number = bv_reverse32(words[3]);
    return c;
}

/* All but the round keys. */
VEC_STEP struct sm4_many sm4_many_of(const struct oct_sm4_many_args *args, size_t first)
{
    const int full = first + SM4_SET <= args->count;
    return (struct sm4_many){
        .args = args, .first = first, .shortest = full ? args->shortest : 0, .longest = args->longest};
}

/* How many bytes text t has in the vector that begins at `at`. */
OCT_INLINE size_t sm4_many_bytes(const struct sm4_many *m, size_t t, size_t at)
{
    const size_t left = m->args->len[m->first + t] > at ? m->args->len[m->first + t] - at : 0;
    return left < SM4_VECTOR ? left : SM4_VECTOR;
}

/* A vector of text t: a whole one (constant), or what there is of it. */
VEC_STEP bv sm4_many_load(const struct sm4_many *m, size_t t, size_t at, const int whole)
{
    return whole ? bv_load(m->args->in[m->first + t] + at)
                 : bv_load_some(m->args->in[m->first + t] + at, sm4_many_bytes(m, t, at));
}
VEC_STEP void sm4_many_store(const struct sm4_many *m, size_t t, size_t at, bv x, const int whole)
{
    if (whole)
        bv_store(m->args->out[m->first + t] + at, x);
    else
        bv_store_some(m->args->out[m->first + t] + at, x, sm4_many_bytes(m, t, at));
}

/* --- counter mode */

/* The blocks with the numbers `more` above the first ones. */
VEC_STEP struct sm4_set sm4_counted(const struct sm4_counters *c, uint32_t more)
{
    const bv numbers = bv_add32(c->number, bv_set32(more));
    return (struct sm4_set){{c->fixed[0], c->fixed[1], c->fixed[2], bv_map(bv_reverse32(numbers), SM4_ENTER)}};
}

/* Text xor what the rounds made of SM4_SETS sets. */
VEC_STEP void sm4_many_text(const struct sm4_many *m, const struct sm4_set *s, size_t at, const int whole)
{
    bv b[SM4_SETS][4];
    VEC_UNROLL
    for (int j = 0; j < SM4_SETS; j++)
        sm4_leave(b[j], &s[j]);
    VEC_UNROLL
    for (int part = 0; part < SM4_SETS; part += BV_LANES)
        VEC_UNROLL
    for (size_t i = 0; i < 4; i++) {
        bv row[BV_LANES];
        VEC_UNROLL
        for (size_t j = 0; j < BV_LANES; j++)
            row[j] = b[part + j][i];
        bv_transpose(row);
        VEC_UNROLL
        for (size_t j = 0; j < BV_LANES; j++)
            row[j] = bv_xor(row[j], sm4_many_load(m, BV_LANES * i + j, at + 16 * (size_t)part, whole));
        blocks_loads_first();
        VEC_UNROLL
        for (size_t j = 0; j < BV_LANES; j++)
            sm4_many_store(m, BV_LANES * i + j, at + 16 * (size_t)part, row[j], whole);
    }
}

/* A step from `at` on, whose first blocks are `more` above the first ones. With a mask (constant), E of the first ones
 * themselves is written there. */
VEC_STEP void sm4_many_step(const struct sm4_many *m, const struct sm4_counters *c, size_t at, uint32_t more,
                            const int how, const int whole, uint8_t *mask, const int masked)
{
    struct sm4_set s[SM4_SETS + 1];
    VEC_UNROLL
    for (int j = 0; j < SM4_SETS; j++)
        s[j] = sm4_counted(c, more + (uint32_t)j);
    if (masked)
        s[SM4_SETS] = sm4_counted(c, 0);
    sm4_rounds(s, SM4_SETS + masked, m->round, how);
    if (masked) {
        bv b[4];
        sm4_leave(b, &s[SM4_SETS]);
        VEC_UNROLL
        for (int i = 0; i < 4; i++)
            bv_store(mask + SM4_VECTOR * i, b[i]);
    }
    sm4_many_text(m, s, at, whole);
}

/* All of the texts from `at` on; their first blocks are `more` above the first ones. */
VEC_STEP void sm4_many_steps(const struct sm4_many *m, const struct sm4_counters *c, size_t at, uint32_t more,
                             const int how)
{
    for (; at + SM4_STEP <= m->shortest; at += SM4_STEP)
        sm4_many_step(m, c, at, more + (uint32_t)(at / 16), how, 1, NULL, 0);
    for (; at < m->longest; at += SM4_STEP)
        sm4_many_step(m, c, at, more + (uint32_t)(at / 16), how, 0, NULL, 0);
}

/* --- chained blocks, decrypted */

/* The ciphertext before each block of a vector; `before` is what is before the first one. */
VEC_STEP bv sm4_many_before(const struct sm4_many *m, size_t t, size_t at, const uint8_t *before, const int first,
                            const int whole)
{
    if (first) {
        const size_t n = whole ? SM4_VECTOR : sm4_many_bytes(m, t, at);
        return bv_put(bv_load_above(m->args->in[m->first + t] + at, n < SM4_VECTOR - 16 ? n : SM4_VECTOR - 16), 0,
                      b1_load(before));
    }
    return whole ? bv_load(m->args->in[m->first + t] + at - 16)
                 : bv_load_some(m->args->in[m->first + t] + at - 16, sm4_many_bytes(m, t, at));
}

/* What the rounds made of blocks, and the ciphertext before each: text. All of a text's step is read before any of it
 * is written; before[t] is the block before it, and becomes its last one. */
VEC_STEP void sm4_many_open_text(const struct sm4_many *m, bv b[SM4_SETS][4], size_t at, uint8_t (*before)[16],
                                 const int whole)
{
    VEC_UNROLL
    for (size_t i = 0; i < 4; i++) {
        bv row[SM4_SETS / BV_LANES][BV_LANES];
        VEC_UNROLL
        for (int part = 0; part < SM4_SETS / BV_LANES; part++) {
            VEC_UNROLL
            for (size_t j = 0; j < BV_LANES; j++)
                row[part][j] = b[BV_LANES * part + j][i];
            bv_transpose(row[part]);
            VEC_UNROLL
            for (size_t j = 0; j < BV_LANES; j++)
                row[part][j] = bv_xor(row[part][j], sm4_many_before(m, BV_LANES * i + j, at + SM4_VECTOR * (size_t)part,
                                                                    before[BV_LANES * i + j], part == 0, whole));
        }
        VEC_UNROLL
        for (size_t j = 0; j < BV_LANES; j++)
            if (whole || m->args->len[m->first + BV_LANES * i + j] > at + SM4_STEP)
                b1_store(before[BV_LANES * i + j],
                         b1_load(m->args->in[m->first + BV_LANES * i + j] + at + SM4_STEP - 16));
        blocks_loads_first();
        VEC_UNROLL
        for (int part = 0; part < SM4_SETS / BV_LANES; part++)
            VEC_UNROLL
        for (size_t j = 0; j < BV_LANES; j++)
            sm4_many_store(m, BV_LANES * i + j, at + SM4_VECTOR * (size_t)part, row[part][j], whole);
    }
}

VEC_STEP void sm4_many_open_step(const struct sm4_many *m, size_t at, uint8_t (*before)[16], const int how,
                                 const int whole)
{
    struct sm4_set s[SM4_SETS];
    bv b[SM4_SETS][4];
    VEC_UNROLL
    for (int part = 0; part < SM4_SETS; part += BV_LANES) {
        bv rows[4][BV_LANES];
        VEC_UNROLL
        for (size_t t = 0; t < SM4_SET; t++)
            rows[t / BV_LANES][t % BV_LANES] = sm4_many_load(m, t, at + 16 * (size_t)part, whole);
        sm4_turn_rows(s + part, rows);
    }
    VEC_UNROLL
    for (int j = 0; j < SM4_SETS; j++)
        sm4_enter(&s[j]);
    sm4_rounds(s, SM4_SETS, m->round, how | SM4_BACKWARDS);
    VEC_UNROLL
    for (int j = 0; j < SM4_SETS; j++)
        sm4_leave(b[j], &s[j]);
    sm4_many_open_text(m, b, at, before, whole);
}

VEC_STEP void sm4_many_cbc_open(const struct sm4_many *m, uint8_t (*before)[16], const int how)
{
    size_t at = 0;
    for (; at + SM4_STEP <= m->shortest; at += SM4_STEP)
        sm4_many_open_step(m, at, before, how, 1);
    for (; at < m->longest; at += SM4_STEP)
        sm4_many_open_step(m, at, before, how, 0);
}

#endif
