/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/* ChaCha20-Poly1305: records, bursts, masks, keys. Streams are in chacha20poly1305_stream_impl.h. */
#include "kernels/chacha20poly1305_impl.h"

#include "kernels/chacha20poly1305_stream_impl.h"

/* Sealed and opened by the same steps; `opening` is a constant. */
VEC_STEP void take_record(const void *key, const struct oct_aead_record *r, const unsigned opening)
{
    struct message m;
    struct course at = {.is_long = r->len >= BULK_TEXT};
    m.chacha = *(const struct chacha *)key;
    chacha_set_nonce(&m.chacha, r->nonce);
    absorb_aad(&m, &at, r->aad, r->aad_len);
    absorb_padding(&m, &at);
    if (r->len > 0)
        take_text(&m, &at, r->out, r->in, r->len, 1, opening);
    else if (!at.keyed)
        make_key(&m, &at);
    absorb_padding(&m, &at);
    poly_finish(&m.poly, at.pos, at.powers, r->aad_len, r->len, r->tag);
    forget(&m, &at);
}

void OCT_NAME(chacha20poly1305_seal)(const struct oct_aead_record_args *args)
{
    take_record(args->key, &args->record, 0);
}

void OCT_NAME(chacha20poly1305_open)(const struct oct_aead_record_args *args)
{
    take_record(args->key, &args->record, 1);
}

void OCT_NAME(chacha20poly1305_seal_burst)(const struct oct_aead_burst_args *args)
{
    for (size_t i = 0; i < args->count; i++) {
        const struct oct_aead_record_args one = {args->key, args->record[i]};
        OCT_NAME(chacha20poly1305_seal)(&one);
    }
}

void OCT_NAME(chacha20poly1305_open_burst)(const struct oct_aead_burst_args *args)
{
    for (size_t i = 0; i < args->count; i++) {
        const struct oct_aead_record_args one = {args->key, args->record[i]};
        OCT_NAME(chacha20poly1305_open)(&one);
    }
}

/* A key expands to the state that it stands in, whatever it is for. */
_Static_assert(sizeof(struct chacha) <= OCT_AEAD_EXPANDED_BYTES && sizeof(struct chacha) <= OCT_AEAD_MASK_KEY_BYTES,
               "an expanded key fits");
void OCT_NAME(chacha20poly1305_expand)(const struct oct_aead_expand_args *args)
{
    if (args->key)
        chacha_set_key(args->key, args->bytes);
    if (args->mask_key)
        chacha_set_key(args->mask_key, args->bytes);
}

/* Header protection (RFC 9001, 5.4.4). A sample is the last row of a state, counter and nonce, so samples are loaded as they are. */
#define MASK_BLOCKS (2 * WORDS_ROWS)
static OCT_NOINLINE void mask_blocks(const struct chacha *c, uint8_t block[MASK_BLOCKS][CHACHA_BLOCK],
                                     uint8_t sample[MASK_BLOCKS][16])
{
    words x[2][4];
    VEC_UNROLL for (unsigned i = 0; i < 2; i++)
        x[i][3] = words_load(sample[i * WORDS_ROWS]);
    chacha_row_blocks(x, 2, c);
    chacha_store(block[0], x[0], 8);
}

void OCT_NAME(chacha20poly1305_mask)(const struct oct_aead_mask_args *args)
{
    uint8_t sample[MASK_BLOCKS][16] = {{0}}, block[MASK_BLOCKS][CHACHA_BLOCK];
    for (size_t at = 0; at < args->count; at += MASK_BLOCKS) {
        const size_t n = args->count - at < MASK_BLOCKS ? args->count - at : MASK_BLOCKS;
        for (size_t i = 0; i < n; i++)
            memcpy(sample[i], args->sample[at + i], 16);
        mask_blocks(args->mask_key, block, sample);
        for (size_t i = 0; i < n; i++)
            memcpy(args->mask + 16 * (at + i), block[i], 16);
    }
    oct_cleanse(block, sizeof block);
}

void OCT_NAME(chacha20poly1305_clear_registers)(void)
{
    words_clear_registers();
}
