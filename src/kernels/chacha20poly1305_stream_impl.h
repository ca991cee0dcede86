/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * ChaCha20-Poly1305 in pieces of any length. Between two pieces Poly1305 is one number and the beginning of a block: small, and
 * the same whatever the tier. Short additional data is kept as it is until the text comes, so that Poly1305's key still rides in
 * the text's first chunk: a record that comes as one piece of each kind costs what a whole one does.
 */
#ifndef OCT_KERNELS_CHACHA20POLY1305_STREAM_IMPL_H
#define OCT_KERNELS_CHACHA20POLY1305_STREAM_IMPL_H

#include "kernels/chacha20poly1305_impl.h"

#define SHORT_AAD 128

/* Where text or additional data stands is the caller's to know: it says whether `aad` or `so_far` is there. */
struct stream {
    uint8_t nonce[16]; /* 12, and zeros */
    union {
        uint8_t aad[SHORT_AAD];
        struct {
            uint64_t r[3], pad[2]; /* Poly1305's key */
            uint64_t sum[3];       /* of the whole blocks so far, below p */
            uint8_t part[16];      /* the block that is not whole */
        } so_far;
    } is;
};
_Static_assert(sizeof(struct stream) <= OCT_AEAD_STATE_BYTES, "a state fits");

/* A message with nothing in it yet. */
VEC_STEP void begin_message(struct message *m, const void *key, const struct stream *s)
{
    m->chacha = *(const struct chacha *)key;
    chacha_set_nonce(&m->chacha, s->nonce);
}
/* One that goes on after `before` bytes of the same kind. */
VEC_STEP void resume(struct message *m, struct course *at, const struct stream *s, uint64_t before)
{
    memcpy(m->poly.r, s->is.so_far.r, sizeof m->poly.r);
    memcpy(m->poly.pad, s->is.so_far.pad, sizeof m->poly.pad);
    memcpy(m->poly.before, s->is.so_far.sum, sizeof m->poly.before);
    memcpy(m->poly.pending, s->is.so_far.part, 16);
    at->pos = before % 16;
    at->keyed = 1;
}
/* Leaves what there is for the next piece. */
VEC_STEP void suspend(struct message *m, struct course *at, struct stream *s)
{
    const size_t fill = (size_t)(at->pos % POLY_BYTES), part = fill % 16;
    memcpy(s->is.so_far.r, m->poly.r, sizeof m->poly.r);
    memcpy(s->is.so_far.pad, m->poly.pad, sizeof m->poly.pad);
    if (at->pos >= 16)
        poly_fold(&m->poly, at->pos >= POLY_BYTES, at->powers, (unsigned)(fill / 16));
    memcpy(s->is.so_far.sum, m->poly.before, sizeof m->poly.before);
    memcpy(s->is.so_far.part, m->poly.pending + fill - part, 16);
    forget(m, at);
}
/* All additional data, `len` bytes, up to where text begins. */
VEC_STEP void recall_aad(struct message *m, struct course *at, const struct stream *s, uint64_t len)
{
    if (len <= SHORT_AAD)
        absorb_aad(m, at, s->is.aad, (size_t)len);
    else
        resume(m, at, s, len);
    absorb_padding(m, at);
}

/* The rest of a block that an earlier piece began, whose key stream is made once more. Returns how many bytes that were. */
VEC_STEP size_t take_begun_block(struct message *m, struct course *at, const struct oct_aead_stream_args *a,
                                 const unsigned opening)
{
    const size_t used = (size_t)(a->before % CHACHA_BLOCK), left = used > 0 ? CHACHA_BLOCK - used : 0;
    const size_t n = a->len < left ? a->len : left;
    if (n == 0)
        return 0;
    at->ahead = 1;
    chacha_rows1(&m->chacha, (uint32_t)(1 + a->before / CHACHA_BLOCK), NULL, m->stream, NULL, 0);
    if (opening)
        absorb(m, at, a->in, n);
    for (size_t i = 0; i < n; i++)
        a->out[i] = a->in[i] ^ m->stream[used + i];
    if (!opening)
        absorb(m, at, a->out, n);
    return n;
}

VEC_STEP void take_piece(struct message *m, const struct oct_aead_stream_args *a, const unsigned opening)
{
    struct course at = {.is_long = a->len >= BULK_TEXT};
    begin_message(m, a->key, a->state);
    if (a->before == 0)
        recall_aad(m, &at, a->state, a->aad_total);
    else
        resume(m, &at, a->state, a->before);
    const size_t n = take_begun_block(m, &at, a, opening);
    if (a->len > n)
        take_text(m, &at, a->out + n, a->in + n, a->len - n, (uint32_t)(1 + (a->before + n) / CHACHA_BLOCK), opening);
    suspend(m, &at, a->state);
}
static OCT_NOINLINE void seal_piece(struct message *m, const struct oct_aead_stream_args *a)
{
    take_piece(m, a, 0);
}
static OCT_NOINLINE void open_piece(struct message *m, const struct oct_aead_stream_args *a)
{
    take_piece(m, a, 1);
}
/* Additional data that is too long to be kept. */
static OCT_NOINLINE void take_aad(struct message *m, const struct oct_aead_stream_args *a)
{
    struct stream *s = a->state;
    struct course at = {0};
    begin_message(m, a->key, s);
    if (a->before <= SHORT_AAD) {
        make_key(m, &at);
        absorb(m, &at, s->is.aad, (size_t)a->before);
    } else {
        resume(m, &at, s, a->before);
    }
    absorb(m, &at, a->in, a->len);
    suspend(m, &at, s);
}
static OCT_NOINLINE void take_end(struct message *m, const struct oct_aead_stream_args *a)
{
    struct course at = {0};
    begin_message(m, a->key, a->state);
    if (a->text_total == 0)
        recall_aad(m, &at, a->state, a->aad_total);
    else
        resume(m, &at, a->state, a->text_total);
    if (!at.keyed)
        make_key(m, &at);
    absorb_padding(m, &at);
    poly_finish(&m->poly, at.pos, at.powers, a->aad_total, a->text_total, a->tag);
    forget(m, &at);
}

void OCT_NAME(chacha20poly1305_start)(const struct oct_aead_stream_args *args)
{
    struct stream *s = args->state;
    memset(s, 0, sizeof *s);
    memcpy(s->nonce, args->iv, OCT_AEAD_NONCE);
}

void OCT_NAME(chacha20poly1305_aad)(const struct oct_aead_stream_args *args)
{
    struct stream *s = args->state;
    struct message m;
    if (args->len == 0)
        return;
    if (args->before + args->len <= SHORT_AAD)
        memcpy(s->is.aad + args->before, args->in, args->len);
    else
        take_aad(&m, args);
}

void OCT_NAME(chacha20poly1305_stream_seal)(const struct oct_aead_stream_args *args)
{
    struct message m;
    seal_piece(&m, args);
}

void OCT_NAME(chacha20poly1305_stream_open)(const struct oct_aead_stream_args *args)
{
    struct message m;
    open_piece(&m, args);
}

void OCT_NAME(chacha20poly1305_finish)(const struct oct_aead_stream_args *args)
{
    struct message m;
    take_end(&m, args);
}

#endif
