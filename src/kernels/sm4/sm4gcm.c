/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* SM4-GCM (RFC 8998): whole records, and records in pieces. And counter mode, which is the same without GHASH. */
#include "kernels/gcm/ghash_expand_impl.h"
#include "kernels/sm4/sm4_gcm_impl.h"
#include "kernels/sm4/sm4_schedule_impl.h"

/* --- whole records */

/* The first counter block of a nonce of 12 bytes (SP 800-38D, 7.1). */
OCT_INLINE b1 sm4gcm_j0(const uint8_t *nonce)
{
    return b1_or(b1_load_part(nonce, OCT_AEAD_NONCE), b1_set(0, (uint64_t)1 << 56));
}

/* A text whose counters follow j0. */
VEC_STEP struct sm4_gcm sm4gcm_begin(const struct gcm_key *key, b1 j0, const uint8_t *in, uint8_t *out, size_t len)
{
    struct sm4_gcm g = {.key = key, .in = in, .out = out, .begin = out, .left = len};
    g.round = sm4_gcm_rounds(key);
    g.counter = sm4_counter_of(j0);
    g.counter.next++;
    g.sum = bv_zero();
    return g;
}

/* The tag. */
VEC_STEP b1 sm4gcm_record(const struct gcm_key *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                          const uint8_t *in, uint8_t *out, size_t len, const enum sm4_mode mode)
{
    const b1 j0 = sm4gcm_j0(nonce);
    struct sm4_gcm g = sm4gcm_begin(key, j0, in, out, len);
    b1 mask;
    if (aad_len)
        g.sum = bv_first_lane(sm4_hash(key, bv_zero(), aad, aad_len));
    const b1 sum = b1_xor(sm4_text(&g, mode, len, 1, j0, &mask), b1_set(8 * (uint64_t)len, 8 * (uint64_t)aad_len));
    return b1_xor(mask, b1_reverse(ghash_mul(sum, b1_load(ghash_power(key, 1)))));
}

static OCT_NOINLINE b1 sm4gcm_open_record(const struct gcm_key *key, const uint8_t *nonce, const uint8_t *aad,
                                          size_t aad_len, const uint8_t *in, uint8_t *out, size_t len)
{
    return sm4gcm_record(key, nonce, aad, aad_len, in, out, len, SM4_OPEN);
}

int OCT_NAME(sm4gcm_seal)(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len, const uint8_t *in,
                          size_t len, uint8_t *out, uint8_t *tag)
{
    b1_store(tag, sm4gcm_record(key, nonce, aad, aad_len, in, out, len, SM4_SEAL));
    blocks_clear_registers();
    return 0;
}

int OCT_NAME(sm4gcm_open_first)(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                                const uint8_t *in, size_t len, uint8_t *out, uint8_t *tag)
{
    b1_store(tag, sm4gcm_open_record(key, nonce, aad, aad_len, in, out, len));
    blocks_clear_registers();
    return 0;
}

uint64_t OCT_NAME(sm4gcm_open)(const void *key, const uint8_t *nonce, const uint8_t *aad, size_t aad_len,
                               const uint8_t *in, size_t len, uint8_t *out, const uint8_t *tag)
{
    const b1 wanted = sm4gcm_open_record(key, nonce, aad, aad_len, in, out, len);
    const uint64_t differs = b1_any(b1_xor(wanted, b1_load(tag)));
    blocks_clear_registers();
    return differs;
}

/* --- in pieces */

/* Between two pieces. Positions within blocks are the caller's to know. */
struct sm4gcm_state {
    uint8_t sum[16];  /* GHASH of the whole blocks so far */
    uint8_t j0[16];   /* the first counter block */
    uint8_t mask[16]; /* E(J0) */
    uint8_t part[16]; /* what the block that is not whole has of additional data or of ciphertext, then zeros */
};
_Static_assert(sizeof(struct sm4gcm_state) + 2 * OCT_SM4GCM_WINDOW <= OCT_SM4GCM_STATE_BYTES, "a state fits");
_Static_assert(OCT_SM4GCM_STATE_BYTES <= OCT_AEAD_STATE_BYTES, "and so it does for the caller");

/* sum = (sum + block) * H */
OCT_INLINE void sm4gcm_absorb(const struct gcm_key *key, uint8_t sum[16], b1 block)
{
    b1_store(sum, ghash_mul(b1_xor(b1_load(sum), block), b1_load(ghash_power(key, 1))));
}

OCT_INLINE void sm4gcm_absorb_part(const struct gcm_key *key, struct sm4gcm_state *state)
{
    sm4gcm_absorb(key, state->sum, b1_reverse(b1_load(state->part)));
    memset(state->part, 0, sizeof state->part);
}

/* Bytes in any pieces into GHASH; `at` of them stand in the block that is not full. */
static OCT_NOINLINE void sm4gcm_absorb_bytes(const struct gcm_key *key, struct sm4gcm_state *state, const uint8_t *in,
                                             size_t len, size_t at)
{
    for (; at && at < 16 && len; at++, in++, len--)
        state->part[at] = in[0];
    if (at == 16)
        sm4gcm_absorb_part(key, state);
    if (at % 16)
        return;
    const size_t whole = len & ~(size_t)15;
    if (whole)
        b1_store(state->sum, sm4_hash(key, bv_first_lane(b1_load(state->sum)), in, whole));
    for (size_t i = whole; i < len; i++)
        state->part[i - whole] = in[i];
}

OCT_INLINE void sm4gcm_absorb_held(const struct oct_aead_stream_args *args)
{
    if (args->held_len)
        sm4gcm_absorb_bytes(args->key, args->state, args->held, args->held_len, (args->before - args->held_len) % 16);
}

/* J0 of any length but 12 is GHASH of the nonce and its length. */
void OCT_NAME(sm4gcm_start)(const struct oct_aead_stream_args *args)
{
    const struct gcm_key *key = args->key;
    struct sm4gcm_state *state = args->state;
    memset(state, 0, sizeof *state);
    if (args->iv_len == OCT_AEAD_NONCE) {
        b1_store(state->j0, sm4gcm_j0(args->iv));
    } else {
        const b1 sum = b1_xor(sm4_hash(key, bv_zero(), args->iv, args->iv_len), b1_set(8 * (uint64_t)args->iv_len, 0));
        b1_store(state->j0, b1_reverse(ghash_mul(sum, b1_load(ghash_power(key, 1)))));
    }
    b1_store(state->mask, sm4_block(sm4_gcm_rounds(key), b1_load(state->j0)));
    blocks_clear_registers();
}

void OCT_NAME(sm4gcm_aad)(const struct oct_aead_stream_args *args)
{
    sm4gcm_absorb_bytes(args->key, args->state, args->in, args->len, args->before % 16);
    blocks_clear_registers();
}

/* Key stream of the whole window that text block `index` stands in. */
VEC_STEP void sm4gcm_ahead(const struct gcm_key *key, const struct sm4gcm_state *state, uint8_t *out, uint64_t index)
{
    for (size_t at = 0; at < OCT_SM4GCM_WINDOW; at += SM4_SET_BYTES) {
        struct sm4_gcm g = sm4gcm_begin(key, b1_load(state->j0), NULL, NULL, 0);
        g.counter.next += (uint32_t)(index / (OCT_SM4GCM_WINDOW / 16) * (OCT_SM4GCM_WINDOW / 16) + at / 16);
        sm4_stream_sets(&g, out + at, 0, 0, 1);
    }
}

/* The text's first or whole blocks, and what is left of the last one, which waits in `part`. */
VEC_STEP void sm4gcm_blocks(const struct oct_aead_stream_args *args, const enum sm4_mode mode)
{
    struct sm4gcm_state *state = args->state;
    const size_t whole = args->len & ~(size_t)15, rest = args->len % 16;
    struct sm4_gcm g = sm4gcm_begin(args->key, b1_load(state->j0), args->in, args->out, args->len);
    b1 none;
    g.counter.next += (uint32_t)(args->before / 16);
    g.sum = bv_first_lane(b1_load(state->sum));
    if (mode == SM4_OPEN)
        b1_store(state->part, b1_load_part(args->in + whole, rest));
    b1_store(state->sum, sm4_text(&g, mode, whole, 0, b1_zero(), &none));
    if (mode == SM4_SEAL)
        b1_store(state->part, b1_load_part(args->out + whole, rest));
}

VEC_STEP void sm4gcm_pieces(const struct oct_aead_stream_args *args, const enum sm4_mode mode)
{
    if (args->before == 0 && args->aad_total % 16)
        sm4gcm_absorb_part(args->key, args->state);
    sm4gcm_absorb_held(args);
    if (args->len)
        sm4gcm_blocks(args, mode);
    if (args->ahead)
        sm4gcm_ahead(args->key, args->state, args->ahead, (args->before + args->len) / 16);
    blocks_clear_registers();
}

void OCT_NAME(sm4gcm_stream_seal)(const struct oct_aead_stream_args *args)
{
    sm4gcm_pieces(args, SM4_SEAL);
}

void OCT_NAME(sm4gcm_stream_open)(const struct oct_aead_stream_args *args)
{
    sm4gcm_pieces(args, SM4_OPEN);
}

void OCT_NAME(sm4gcm_finish)(const struct oct_aead_stream_args *args)
{
    struct sm4gcm_state *state = args->state;
    sm4gcm_absorb_held(args);
    if (args->text_total % 16 || (args->text_total == 0 && args->aad_total % 16))
        sm4gcm_absorb_part(args->key, state);
    sm4gcm_absorb(args->key, state->sum, b1_set(8 * args->text_total, 8 * args->aad_total));
    b1_store(args->tag, b1_xor(b1_load(state->mask), b1_reverse(b1_load(state->sum))));
    blocks_clear_registers();
}

void OCT_NAME(sm4gcm_expand)(const struct oct_aead_expand_args *args)
{
    if (args->key) {
        struct gcm_key *key = args->key;
        sm4_expand((uint8_t(*)[4])key->round, args->bytes);
        ghash_expand(key, b1_reverse(sm4_block(sm4_gcm_rounds(key), b1_zero())));
    }
    blocks_clear_registers();
}

void OCT_NAME(sm4_ctr)(const struct oct_sm4_text_args *args)
{
    struct sm4_gcm g = {.round = args->key, .in = args->in, .out = args->out, .begin = args->out, .left = args->len};
    b1 none;
    g.counter = sm4_counter_of(b1_load(args->block));
    sm4_text(&g, SM4_CTR, 0, 0, b1_zero(), &none);
    blocks_clear_registers();
}
