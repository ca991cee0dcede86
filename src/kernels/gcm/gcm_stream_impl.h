/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* AES-GCM in pieces of any length, after gcm_impl.h; and the expansion of keys. */
#include "kernels/gcm/aes_impl.h"

/* Between two pieces. Positions within blocks are the caller's to know. */
struct gcm_state {
    uint8_t sum[16];  /* GHASH of the whole blocks so far */
    uint8_t j0[16];   /* the first counter block, reversed */
    uint8_t mask[16]; /* E(J0) */
    uint8_t part[16]; /* what the block that is not whole has of additional data or of ciphertext, then zeros */
};
_Static_assert(sizeof(struct gcm_state) + 2 * OCT_GCM_WINDOW <= OCT_GCM_STATE_BYTES, "a state fits");

/* sum = (sum + block) * H */
OCT_INLINE void gcm_absorb(const struct gcm_key *key, uint8_t sum[16], b1 block)
{
    b1_store(sum, ghash_mul(b1_xor(b1_load(sum), block), b1_load(ghash_power(key, 1))));
}

OCT_INLINE void gcm_absorb_part(const struct gcm_key *key, struct gcm_state *state)
{
    gcm_absorb(key, state->sum, b1_reverse(b1_load(state->part)));
    b1_store(state->part, b1_zero());
}

OCT_INLINE void gcm_absorb_blocks(const struct gcm_key *key, struct gcm_state *state, const uint8_t *in, size_t bytes)
{
    if (bytes)
        b1_store(state->sum, gcm_hash_blocks(key, b1_load(state->sum), in, bytes));
}

/* Bytes in any pieces into GHASH; `at` of them stand in the block that is not full. */
static OCT_NOINLINE void gcm_absorb_bytes(const struct gcm_key *key, struct gcm_state *state, const uint8_t *in,
                                          size_t len, size_t at)
{
    const size_t fill = at ? (len < 16 - at ? len : 16 - at) : 0;
    for (size_t i = 0; i < fill; i++)
        state->part[at + i] = in[i];
    if (at && at + fill == 16)
        gcm_absorb_part(key, state);
    in += fill;
    len -= fill;
    gcm_absorb_blocks(key, state, in, len & ~(size_t)15);
    for (size_t i = len & ~(size_t)15, to = 0; i < len; i++, to++)
        state->part[to] = in[i];
}

OCT_INLINE void gcm_absorb_held(const struct oct_aead_stream_args *args)
{
    if (args->held_len)
        gcm_absorb_bytes(args->key, args->state, args->held, args->held_len, (args->before - args->held_len) % 16);
}

/* J0 of 12 bytes is those and the number 1, of any other length it is GHASH of them (SP 800-38D, 7.1). */
void GCM_NAME(start)(const struct oct_aead_stream_args *args)
{
    const struct gcm_key *key = args->key;
    struct gcm_state *state = args->state;
    memset(state, 0, sizeof *state);
    b1 j0 = b1_reverse(gcm_j0(b1_load_part(args->iv, args->iv_len < 12 ? args->iv_len : 12)));
    if (args->iv_len != OCT_AEAD_NONCE) {
        gcm_absorb_bytes(key, state, args->iv, args->iv_len, 0);
        if (args->iv_len % 16)
            gcm_absorb_part(key, state);
        gcm_absorb(key, state->sum, b1_set(8 * (uint64_t)args->iv_len, 0));
        j0 = b1_load(state->sum);
        b1_store(state->sum, b1_zero());
    }
    b1_store(state->j0, j0);
    b1_store(state->mask, gcm_block(key, b1_reverse(j0)));
    if (args->iv_len != OCT_AEAD_NONCE)
        blocks_clear_registers();
}

void GCM_NAME(aad)(const struct oct_aead_stream_args *args)
{
    gcm_absorb_bytes(args->key, args->state, args->in, args->len, args->before % 16);
    blocks_clear_registers();
}

/* The counter block of text block `index`, reversed. */
OCT_INLINE b1 gcm_counter_at(const struct gcm_state *state, uint64_t index)
{
    return b1_add32(b1_load(state->j0), b1_set((uint32_t)(index + 1), 0));
}

VEC_STEP void gcm_text_blocks(const struct gcm_key *key, struct gcm_state *state, const uint8_t *in, uint8_t *out,
                              size_t bytes, uint64_t index, const enum gcm_mode mode)
{
    struct gcm_run r = {.key = key, .in = in, .out = out, .left = bytes, .next = 256};
    const struct gcm_ends none = {0};
    r.sum = bv_first_lane(b1_load(state->sum));
    r.counter = bv_add32(bv_set1(gcm_counter_at(state, index)), bv_lane_numbers());
    gcm_bulk(&r, mode, GCM_KEEP_BYTES);
    while (r.left > GCM_FINAL_BYTES)
        gcm_mid(&r, mode);
    b1_store(state->sum, gcm_final_any(&r, mode, &none, 0));
}

/* The text's last bytes, fewer than a block, if this is the only piece: what they become waits in `part`. */
VEC_STEP void gcm_text_part(const struct gcm_key *key, struct gcm_state *state, const uint8_t *in, uint8_t *out,
                            size_t len, uint64_t index, const enum gcm_mode mode)
{
    const bv stream = bv_first_lane(gcm_block(key, b1_reverse(gcm_counter_at(state, index))));
    const bv from = bv_load_part(in, len), to = bv_xor(from, stream);
    bv_store_part(out, to, len);
    b1_store(state->part, bv_first(mode == GCM_SEAL ? bv_keep(to, len) : from));
}

#define GCM_WINDOW_VECTORS (OCT_GCM_WINDOW / (16 * BV_LANES))

/* For the whole window whose first block is `index`. */
VEC_STEP void gcm_key_stream(const struct gcm_key *key, const struct gcm_state *state, uint8_t *out, uint64_t index)
{
    bv b[GCM_WINDOW_VECTORS];
    struct gcm_run r = {.key = key, .next = 256};
    r.counter = bv_add32(bv_set1(gcm_counter_at(state, index)), bv_lane_numbers());
    gcm_counters(&r, b, GCM_WINDOW_VECTORS);
    gcm_rounds(b, GCM_WINDOW_VECTORS, key);
    VEC_UNROLL
    for (int i = 0; i < GCM_WINDOW_VECTORS; i++)
        bv_store(out + 16 * BV_LANES * i, bv_aes_last(b[i], bv_load(key->round[GCM_ROUNDS])));
}

VEC_STEP void gcm_text(const struct oct_aead_stream_args *args, const enum gcm_mode mode)
{
    const struct gcm_key *key = args->key;
    struct gcm_state *state = args->state;
    const size_t whole = args->len & ~(size_t)15, rest = args->len % 16;
    const uint64_t index = args->before / 16;

    if (args->before == 0 && args->aad_total % 16)
        gcm_absorb_part(key, state);
    gcm_absorb_held(args);
    if (whole)
        gcm_text_blocks(key, state, args->in, args->out, whole, index, mode);
    if (rest)
        gcm_text_part(key, state, args->in + whole, args->out + whole, rest, index + whole / 16, mode);
    if (args->ahead)
        gcm_key_stream(key, state, args->ahead, (args->before + args->len) / OCT_GCM_WINDOW * (OCT_GCM_WINDOW / 16));
    /* Across the call of gcm_block() gcc 12 loses sight of the wide halves that blocks before it have left: without
     * this, each change to SSE code that follows costs some seventy nanoseconds. */
    blocks_clear_registers();
}

void GCM_NAME(stream_seal)(const struct oct_aead_stream_args *args)
{
    gcm_text(args, GCM_SEAL);
}

void GCM_NAME(stream_open)(const struct oct_aead_stream_args *args)
{
    gcm_text(args, GCM_OPEN);
}

void GCM_NAME(finish)(const struct oct_aead_stream_args *args)
{
    struct gcm_state *state = args->state;
    gcm_absorb_held(args);
    if (args->text_total % 16 || (args->text_total == 0 && args->aad_total % 16))
        gcm_absorb_part(args->key, state);
    gcm_absorb(args->key, state->sum, b1_set(8 * args->text_total, 8 * args->aad_total));
    b1_store(args->tag, b1_xor(b1_load(state->mask), b1_reverse(b1_load(state->sum))));
    blocks_clear_registers();
}

void GCM_NAME(expand)(const struct oct_aead_expand_args *args)
{
    if (args->key) {
        struct gcm_key *key = args->key;
        aes_expand(key->round[0], BV_LANES, args->bytes, GCM_ROUNDS);
        ghash_expand(key, b1_reverse(gcm_block(key, b1_zero())));
    }
    if (args->mask_key)
        aes_expand(args->mask_key, 1, args->bytes, GCM_ROUNDS);
    blocks_clear_registers();
}
