/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * Texts under SM4-GCM (NIST SP 800-38D with SM4, RFC 8998), on GHASH as AES-GCM has it.
 *
 * Text goes in groups of SM4_SETS sets, with the products of a group of ciphertext between the rounds: of the group
 * before when sealing, of the group itself when opening. The rest of it is less than a group, with the block that
 * masks the tag in front.
 */
#ifndef OCT_KERNELS_SM4_GCM_IMPL_H
#define OCT_KERNELS_SM4_GCM_IMPL_H

#include "kernels/gcm/ghash_impl.h"
#include "kernels/sm4/sm4_impl.h"

enum sm4_mode { SM4_SEAL, SM4_OPEN, SM4_CTR };

/* Vectors of ciphertext between two reductions. */
#define SM4_HASHED     (BV_BULK >= 8 ? 8 : 4)
#define SM4_BULK_BYTES ((size_t)BV_BYTES * SM4_HASHED)
/* A sum in lanes has to meet a block in each lane. */
#define SM4_KEEP ((size_t)16 * (BV_LANES - 1))

/* One block, encrypted. */
static OCT_NOINLINE b1 sm4_block(const uint8_t (*key)[4], b1 block)
{
    struct sm4_set s = {{bv_first_lane(block), bv_zero(), bv_zero(), bv_zero()}};
    bv out[4];
    sm4_enter(&s);
    sm4_rounds(&s, 1, key, 0);
    sm4_leave(out, &s);
    return bv_first(out[0]);
}

/* Where round keys stand in an expanded key of GCM. */
OCT_INLINE const uint8_t (*sm4_gcm_rounds(const struct gcm_key *key))[4]
{
    return (const uint8_t(*)[4])key->round;
}
_Static_assert(sizeof((struct gcm_key *)0)->round >= OCT_SM4_EXPANDED_BYTES, "round keys fit");

/* What a text has become so far. */
struct sm4_gcm {
    const struct gcm_key *key; /* NULL in counter mode */
    const uint8_t (*round)[4];
    const uint8_t *in;
    uint8_t *out, *begin; /* the latter is where out was first */
    size_t left;
    struct sm4_counter counter;
    bv sum; /* GHASH in lanes, to be added to the next vector */
};

OCT_INLINE void sm4_advance(struct sm4_gcm *g, size_t bytes)
{
    g->in += bytes;
    g->out += bytes;
    g->left -= bytes;
}

/* Vectors i and i + 1 of SM4_HASHED; the first one gets the sum. */
VEC_STEP void sm4_hash_pair(struct products *p, const struct gcm_key *key, const uint8_t *cipher, bv sum, const int i)
{
    bv x0 = bv_reverse(bv_load(cipher + BV_BYTES * i));
    const bv x1 = bv_reverse(bv_load(cipher + BV_BYTES * (i + 1)));
    if (i == 0)
        x0 = bv_xor(x0, sum);
    ghash_pair(p, x0, x1, key, i, SM4_HASHED);
}

/* GHASH of bytes, filled up with zeros to whole blocks, going on from a sum. If that is in all lanes, bytes are more
 * than SM4_KEEP. */
static OCT_NOINLINE b1 sm4_hash(const struct gcm_key *key, bv sum, const uint8_t *in, size_t len)
{
    for (; len > SM4_BULK_BYTES + SM4_KEEP; in += SM4_BULK_BYTES, len -= SM4_BULK_BYTES) {
        struct products bulk = products_zero();
        VEC_UNROLL
        for (int i = 0; i < SM4_HASHED; i += 2)
            sm4_hash_pair(&bulk, key, in, sum, i);
        sum = ghash_reduce(&bulk);
    }
    if (len == 0)
        return bv_fold(sum);
    struct products p = products_zero();
    size_t e = (len + 15) / 16;
    for (; len > BV_BYTES; in += BV_BYTES, len -= BV_BYTES, e -= BV_LANES) {
        ghash_mul1(&p, bv_xor(bv_reverse(bv_load(in)), sum), ghash_powers(key, e));
        sum = bv_zero();
    }
    ghash_mul1(&p, bv_xor(bv_reverse(bv_load_part(in, len)), sum), ghash_powers(key, e));
    return bv_fold(ghash_reduce(&p));
}

/* A whole group of text; with the products of a group of ciphertext, if there is one (constant). */
VEC_STEP void sm4_group(struct sm4_gcm *g, const uint8_t *cipher, const int woven)
{
    struct sm4_set s[SM4_SETS];
    sm4_counters(&g->counter, s, SM4_SETS);
    for (int half = 0; half < 16 / SM4_HASHED; half++) {
        struct products p = products_zero();
        VEC_UNROLL
        for (int i = 0; i < SM4_HASHED; i += 2) {
            sm4_four_rounds(s, SM4_SETS, g->round, 2 * (SM4_HASHED * half + i), 0);
            if (woven)
                sm4_hash_pair(&p, g->key, cipher + SM4_BULK_BYTES * (size_t)half, g->sum, i);
        }
        if (woven)
            g->sum = ghash_reduce(&p);
    }
    VEC_UNROLL
    for (int j = 0; j < SM4_SETS; j++)
        sm4_text_set(&s[j], g->in + SM4_SET_BYTES * (size_t)j, g->out + SM4_SET_BYTES * (size_t)j);
    sm4_advance(g, SM4_GROUP_BYTES);
}

/* Key stream of n sets (constant). If it is masked (constant), the block with the number `first` comes before those of
 * the counter. */
VEC_STEP void sm4_stream_sets(struct sm4_gcm *g, uint8_t *stream, const int masked, uint32_t first, const int n)
{
    struct sm4_set s[SM4_SETS];
    g->counter.next -= (uint32_t)masked;
    const uint32_t at = g->counter.next;
    sm4_counters(&g->counter, s, n);
    if (masked) {
        const b1 lane = b1_set(first | (uint64_t)(at + BV_LANES) << 32,
                               (uint64_t)(uint32_t)(at + 2 * BV_LANES) | (uint64_t)(at + 3 * BV_LANES) << 32);
        const bv numbers = bv_put(bv_add32(bv_set32(at), bv_word_numbers()), 0, lane);
        s[0].word[3] = bv_map(bv_reverse32(numbers), SM4_ENTER);
    }
    sm4_rounds(s, n, g->round, 0);
    VEC_UNROLL
    for (int j = 0; j < n; j++) {
        bv b[4];
        sm4_leave(b, &s[j]);
        VEC_UNROLL
        for (int i = 0; i < 4; i++)
            bv_store(stream + SM4_SET_BYTES * (size_t)j + BV_BYTES * i, b[i]);
    }
}

/* As many sets as the text that is left needs. */
VEC_STEP void sm4_stream_any(struct sm4_gcm *g, uint8_t *stream, const int masked, uint32_t first)
{
    switch ((g->left + 16 * (size_t)masked + SM4_SET_BYTES - 1) / SM4_SET_BYTES) {
    case 0:
        break;
    case 1:
        sm4_stream_sets(g, stream, masked, first, 1);
        break;
    case 2:
        sm4_stream_sets(g, stream, masked, first, 2);
        break;
    case 3:
        sm4_stream_sets(g, stream, masked, first, 3);
        break;
    default:
        sm4_stream_sets(g, stream, masked, first, SM4_SETS);
    }
}

/* Text xor key stream, less than a group. */
VEC_STEP void sm4_rest_text(struct sm4_gcm *g, const uint8_t *stream)
{
    for (; g->left > BV_BYTES; sm4_advance(g, BV_BYTES), stream += BV_BYTES)
        bv_store(g->out, bv_xor(bv_load(g->in), bv_load(stream)));
    const size_t last = g->left;
    bv_store_part(g->out, bv_xor(bv_load_part(g->in, last), bv_load_part(stream, last)), last);
}

/* What is left of the text, less than a group; returns E(j0) if it is masked (constant). Both together are a group at
 * most, or j0 goes alone. */
VEC_STEP b1 sm4_rest(struct sm4_gcm *g, const int masked, b1 j0)
{
    uint8_t stream[SM4_GROUP_BYTES] OCT_ALIGN64;
    b1 mask = b1_zero();
    if (masked && g->left <= SM4_GROUP_BYTES - 16) {
        sm4_stream_any(g, stream, 1, sm4_number(j0));
        mask = b1_load(stream);
        sm4_rest_text(g, stream + 16);
    } else {
        sm4_stream_any(g, stream, 0, 0);
        sm4_rest_text(g, stream);
        if (masked)
            mask = sm4_block(g->round, j0);
    }
    oct_cleanse(stream, sizeof stream);
    return mask;
}

/* Whole groups; what comes before *from has been hashed. */
VEC_STEP void sm4_seal_groups(struct sm4_gcm *g, const uint8_t **from)
{
    if (g->left < SM4_GROUP_BYTES)
        return;
    sm4_group(g, NULL, 0);
    for (; g->left >= SM4_GROUP_BYTES; *from += SM4_GROUP_BYTES)
        sm4_group(g, *from, 1);
}

/* The whole text in `mode` (constant), and GHASH of its first `hashed` bytes: all of it, or its whole blocks. If it is
 * masked (constant), *mask is E(j0). */
VEC_STEP b1 sm4_text(struct sm4_gcm *g, const enum sm4_mode mode, size_t hashed, const int masked, b1 j0, b1 *mask)
{
    const uint8_t *from = g->out;
    b1 sum = b1_zero();
    if (mode == SM4_OPEN) {
        for (; g->left > SM4_GROUP_BYTES + BV_BYTES; hashed -= SM4_GROUP_BYTES)
            sm4_group(g, g->in, 1);
        sum = sm4_hash(g->key, g->sum, g->in, hashed);
    }
    if (mode == SM4_SEAL)
        sm4_seal_groups(g, &from);
    else
        while (g->left >= SM4_GROUP_BYTES)
            sm4_group(g, NULL, 0);
    *mask = sm4_rest(g, masked, j0);
    return mode == SM4_SEAL ? sm4_hash(g->key, g->sum, from, hashed - (size_t)(from - g->begin)) : sum;
}

#endif
