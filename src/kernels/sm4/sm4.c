/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4 in chains (CBC, CBC-MAC), and its keys. */
#include "kernels/sm4/sm4_columns_impl.h"
#include "kernels/sm4/sm4_schedule_impl.h"

void OCT_NAME(sm4_expand)(const struct oct_aead_expand_args *args)
{
    if (args->key)
        sm4_expand(args->key, args->bytes);
    blocks_clear_registers();
}

void OCT_NAME(sm4_clear_registers)(void)
{
    blocks_clear_registers();
}

/* What the rounds made of a set, and the ciphertext before each block: text. Of each set all is loaded before any of it
 * is stored; `before` is the ciphertext before it, and becomes that before the next one. */
VEC_STEP void sm4_open_set(const struct sm4_set *s, b1 *before, const uint8_t *in, uint8_t *out)
{
    const b1 next = b1_load(in + SM4_SET_BYTES - 16);
    bv b[4];
    sm4_leave(b, s);
    b[0] = bv_xor(b[0], bv_put(bv_load_above(in, 16 * (BV_LANES - 1)), 0, *before));
    VEC_UNROLL
    for (int i = 1; i < 4; i++)
        b[i] = bv_xor(b[i], bv_load(in + SM4_VECTOR * i - 16));
    blocks_loads_first();
    VEC_UNROLL
    for (int i = 0; i < 4; i++)
        bv_store(out + SM4_VECTOR * i, b[i]);
    *before = next;
}

/* n sets (constant) of chained blocks. */
VEC_STEP void sm4_open_sets(const uint8_t (*key)[4], b1 *before, const uint8_t *in, uint8_t *out, const int n)
{
    struct sm4_set s[SM4_SETS];
    VEC_UNROLL
    for (int j = 0; j < n; j++) {
        VEC_UNROLL
        for (int i = 0; i < 4; i++)
            s[j].word[i] = bv_load(in + SM4_SET_BYTES * (size_t)j + SM4_VECTOR * i);
        sm4_enter(&s[j]);
    }
    sm4_rounds(s, n, key, SM4_BACKWARDS);
    VEC_UNROLL
    for (int j = 0; j < n; j++)
        sm4_open_set(&s[j], before, in + SM4_SET_BYTES * (size_t)j, out + SM4_SET_BYTES * (size_t)j);
}

void OCT_NAME(sm4_cbc_open)(const struct oct_sm4_text_args *args)
{
    const uint8_t *in = args->in;
    uint8_t *out = args->out, part[SM4_SET_BYTES] OCT_ALIGN64;
    size_t left = args->len;
    b1 before = b1_load(args->block);
    for (; left >= SM4_GROUP_BYTES; in += SM4_GROUP_BYTES, out += SM4_GROUP_BYTES, left -= SM4_GROUP_BYTES)
        sm4_open_sets(args->key, &before, in, out, SM4_SETS);
    for (; left >= SM4_SET_BYTES; in += SM4_SET_BYTES, out += SM4_SET_BYTES, left -= SM4_SET_BYTES)
        sm4_open_sets(args->key, &before, in, out, 1);
    if (left) {
        memset(part, 0, sizeof part);
        memcpy(part, in, left);
        sm4_open_sets(args->key, &before, part, part, 1);
        memcpy(out, part, left);
        oct_cleanse(part, sizeof part);
    }
    blocks_clear_registers();
}

/* The next block of each chain, as a set has it: chain i in lane i % BV_LANES of vector i / BV_LANES. */
VEC_STEP void sm4_gather(struct sm4_set *s, const uint8_t *const *in, size_t at, size_t count)
{
    VEC_UNROLL
    for (size_t i = 0; i < 4; i++) {
        s->word[i] = bv_zero();
        for (size_t j = 0; j < BV_LANES && BV_LANES * i + j < count; j++)
            s->word[i] = bv_put(s->word[i], j, b1_load(in[BV_LANES * i + j] + at));
    }
    sm4_enter(s);
}

VEC_STEP void sm4_scatter(const struct sm4_set *s, uint8_t *const *out, size_t at, size_t count)
{
    bv b[4];
    sm4_leave(b, s);
    VEC_UNROLL
    for (size_t i = 0; i < 4; i++) {
        VEC_UNROLL
        for (size_t j = 0; j < BV_LANES; j++)
            if (BV_LANES * i + j < count && out[BV_LANES * i + j])
                b1_store(out[BV_LANES * i + j] + at, bv_any_lane(b[i], (int)j));
    }
}

/* Chains in one set, `count` of them (a constant where they fill it). What a block became stays as the rounds want it,
 * so that nothing but a sum with the next one comes before its rounds; the order of its words is the reverse one. */
VEC_STEP void sm4_chain_set(const struct oct_sm4_chain_args *args, size_t first, size_t count,
                            const uint8_t (*round)[4], const int how)
{
    uint8_t *const *last = args->last + first, *const *out = args->out + first;
    const uint8_t *const *in = args->in + first;
    struct sm4_set s, next;
    sm4_gather(&s, (const uint8_t *const *)last, 0, count);
    for (size_t b = 0; b < args->blocks; b++) {
        sm4_gather(&next, in, 16 * b, count);
        VEC_UNROLL
        for (int i = 0; i < 4; i++)
            s.word[i] = bv_xor(s.word[i], next.word[i]);
        sm4_rounds(&s, 1, round, how);
        sm4_scatter(&s, out, 16 * b, count);
        s = (struct sm4_set){{s.word[3], s.word[2], s.word[1], s.word[0]}};
    }
    s = (struct sm4_set){{s.word[3], s.word[2], s.word[1], s.word[0]}};
    sm4_scatter(&s, last, 0, count);
}

/* Under keys of their own. */
VEC_STEP void sm4_chains_apart(const struct oct_sm4_chain_args *args, size_t first, size_t count)
{
    uint8_t column[SM4_ROUNDS][SM4_VECTOR] OCT_ALIGN64;
    const uint8_t(*round)[4] = (const uint8_t(*)[4])column;
    sm4_columns(column, args->key, first, count, 0);
    if (count == SM4_SET)
        sm4_chain_set(args, first, SM4_SET, round, SM4_COLUMNS);
    else
        sm4_chain_set(args, first, count, round, SM4_COLUMNS);
    oct_cleanse(column, sizeof column);
}

void OCT_NAME(sm4_chain)(const struct oct_sm4_chain_args *args)
{
    for (size_t i = 0; i < args->count; i += SM4_SET) {
        const size_t count = args->count - i < SM4_SET ? args->count - i : SM4_SET;
        const uint8_t(*round)[4] = (const uint8_t(*)[4])args->key[i];
        if (args->own_keys)
            sm4_chains_apart(args, i, count);
        else if (count == SM4_SET)
            sm4_chain_set(args, i, SM4_SET, round, SM4_FORWARDS);
        else if (count == 1)
            sm4_chain_set(args, i, 1, round, SM4_FORWARDS);
        else
            sm4_chain_set(args, i, count, round, SM4_FORWARDS);
    }
    blocks_clear_registers();
}
