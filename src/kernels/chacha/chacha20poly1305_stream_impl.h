/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ChaCha20-Poly1305 in pieces of any length. A state is the message itself, so that a piece begins where the one before
 * left off: sums stay in their lanes, and powers are made once. How far the message has come follows from lengths
 * alone. A record that comes as one piece of each kind costs what a whole one does: Poly1305's key rides in the text's
 * first chunk.
 */
#ifndef OCT_KERNELS_CHACHA20POLY1305_STREAM_IMPL_H
#define OCT_KERNELS_CHACHA20POLY1305_STREAM_IMPL_H

#include "kernels/chacha/chacha20poly1305_impl.h"

#define WINDOW OCT_CHACHA20POLY1305_WINDOW
/* What is `ahead` is so for the first piece of text only; later the caller's two windows stand there. */
_Static_assert(offsetof(struct message, stream) + 2 * WINDOW <= OCT_CHACHA20POLY1305_STATE_BYTES &&
                   sizeof(struct message) <= OCT_CHACHA20POLY1305_STATE_BYTES,
               "a state fits");

/* Where a message stands after so much additional data, and nothing else. */
OCT_INLINE struct course after_aad(uint64_t aad)
{
    return (struct course){.pos = aad, .keyed = padded(aad) >= POLY_BYTES, .powers = aad >= POLY_BYTES};
}
/* After `text` bytes of text, not 0; `len` more are to come now. From BULK_TEXT on there are the powers for groups. */
OCT_INLINE struct course after_text(uint64_t aad, uint64_t text, size_t len)
{
    const uint64_t pos = padded(aad) + text;
    return (struct course){.pos = pos,
                           .keyed = 1,
                           .powers = pos >= POLY_BYTES,
                           .bulk = text >= BULK_TEXT,
                           .is_long = text + len >= BULK_TEXT};
}
/* Before the next call asks after_text() again: it does not know whether there was a whole group that would have made
 * them. */
VEC_STEP void keep_promise(struct message *m, const struct course *at)
{
    if (at->is_long && !at->bulk)
        poly_make_far(&m->poly);
}

void OCT_NAME(chacha20poly1305_start)(const struct oct_aead_stream_args *args)
{
    struct message *m = args->state;
    m->chacha = *(const struct chacha *)args->key;
    chacha_set_nonce(&m->chacha, args->iv);
}

void OCT_NAME(chacha20poly1305_aad)(const struct oct_aead_stream_args *args)
{
    struct course at = after_aad(args->before);
    absorb_aad(args->state, &at, args->in, args->len);
    words_clear_registers();
}

/* The key stream of the window that text stands in after `text` bytes. */
VEC_STEP void make_ahead(const struct message *m, uint64_t text, uint8_t *ahead)
{
    const uint64_t block = text / WINDOW * (WINDOW / CHACHA_BLOCK);
    chacha_some(&m->chacha, (uint32_t)(1 + block), WINDOW / CHACHA_BLOCK, NULL, ahead, NULL, WINDOW);
}

VEC_STEP void take_piece(const struct oct_aead_stream_args *a, const unsigned opening)
{
    struct message *m = a->state;
    struct course at;
    if (a->before == 0) {
        at = after_aad(a->aad_total);
        at.is_long = a->len >= BULK_TEXT;
        absorb_padding(m, &at);
    } else {
        at = after_text(a->aad_total, a->before - a->held_len, a->held_len + a->len);
        absorb(m, &at, a->held, a->held_len);
    }
    if (a->len > 0)
        take_text(m, &at, a->out, a->in, a->len, (uint32_t)(1 + a->before / CHACHA_BLOCK), opening);
    keep_promise(m, &at);
    if (a->ahead)
        make_ahead(m, a->before + a->len, a->ahead);
    words_clear_registers();
}

void OCT_NAME(chacha20poly1305_stream_seal)(const struct oct_aead_stream_args *args)
{
    take_piece(args, 0);
}

void OCT_NAME(chacha20poly1305_stream_open)(const struct oct_aead_stream_args *args)
{
    take_piece(args, 1);
}

void OCT_NAME(chacha20poly1305_finish)(const struct oct_aead_stream_args *args)
{
    struct message *m = args->state;
    struct course at = args->text_total == 0
                           ? after_aad(args->aad_total)
                           : after_text(args->aad_total, args->text_total - args->held_len, args->held_len);
    if (args->text_total != 0)
        absorb(m, &at, args->held, args->held_len);
    else if (!at.keyed)
        make_key(m, &at);
    absorb_padding(m, &at);
    poly_finish(&m->poly, at.pos, at.powers, args->aad_total, args->text_total, args->tag);
    words_clear_registers();
}

#undef WINDOW

#endif
